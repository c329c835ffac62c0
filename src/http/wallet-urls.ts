/**
 * Adds the URLs of wallet pages to responses, as the last step: a response stored for retries contains the
 * version and not the URL, which is a credential.
 */
import type { Organization } from '../domain/organization.ts'
import type { Deps } from '../operations/deps.ts'
import type { toCardReply } from './replies/customer.ts'

type CardReply = ReturnType<typeof toCardReply>
type CardWithUrl = Omit<CardReply, 'walletVersion'> & { walletUrl?: string }

export interface WalletUrls {
  ofCard(organization: Organization, card: CardReply): CardWithUrl
  /** Adds the URLs of all cards of a customer. */
  ofCustomer<R extends { readonly cards: readonly CardReply[] }>(
    organization: Organization,
    customer: R,
  ): Omit<R, 'cards'> & { cards: CardWithUrl[] }
}

export function createWalletUrls({ walletTokens, publicUrl }: Deps): WalletUrls {
  const ofCard = ({ orgId }: Organization, { walletVersion: version, ...card }: CardReply) => ({
    ...card,
    walletUrl: version
      ? `${publicUrl()}/w/${walletTokens.create({ org: orgId, card: card.id, version })}`
      : undefined,
  })
  return {
    ofCard,
    ofCustomer: (organization, customer) => ({
      ...customer,
      cards: customer.cards.map((card) => ofCard(organization, card)),
    }),
  }
}
