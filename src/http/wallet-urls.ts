/**
 * Adds the URLs of wallet pages to responses, as the last step: a response stored for retries contains the
 * version and not the URL, which is a credential.
 *
 * Cashiers get no URL with a customer or a card: they ask for it, and the audit log says who did. Nor do
 * people get those of a whole list.
 */
import type { Organization } from '../domain/organization.ts'
import type { Caller, Deps } from '../operations/deps.ts'
import type { toCardReply } from './replies/customer.ts'

type CardReply = ReturnType<typeof toCardReply>
type CardWithUrl = Omit<CardReply, 'walletVersion'> & { walletUrl?: string }
type Asking = Pick<Caller, 'kind' | 'scopes' | 'organization'>
interface WithCards {
  readonly cards: readonly CardReply[]
}
type WithUrls<R extends WithCards> = Omit<R, 'cards'> & { cards: CardWithUrl[] }

export interface WalletUrls {
  ofCard(caller: Asking, card: CardReply): CardWithUrl
  /** Adds the URLs of all cards of a customer. */
  ofCustomer<R extends WithCards>(caller: Asking, customer: R): WithUrls<R>
  /** The same for a customer in a list. */
  ofListed<R extends WithCards>(caller: Asking, customer: R): WithUrls<R>
  /** For any caller; undefined if the URL was revoked. */
  urlOf(
    organization: Pick<Organization, 'orgId'>,
    card: Pick<CardReply, 'id' | 'walletVersion'>,
  ): string | undefined
}

export function createWalletUrls({ walletTokens, publicUrl }: Deps): WalletUrls {
  const urlOf: WalletUrls['urlOf'] = ({ orgId }, { id, walletVersion: version }) =>
    version ? `${publicUrl()}/w/${walletTokens.create({ org: orgId, card: id, version })}` : undefined
  const withUrl = (organization: Organization, isShown: boolean, card: CardReply): CardWithUrl => {
    const { id, barcode, status, awaitsApproval, campaign, campaignName, createdAt } = card
    const walletUrl = isShown ? urlOf(organization, card) : undefined
    return { id, barcode, status, awaitsApproval, campaign, campaignName, createdAt, walletUrl }
  }
  const withUrls = <R extends WithCards>({ organization }: Asking, isShown: boolean, customer: R) => ({
    ...customer,
    cards: customer.cards.map((card) => withUrl(organization, isShown, card)),
  })
  return {
    urlOf,
    ofCard: (caller, card) => withUrl(caller.organization, isTrusted(caller), card),
    ofCustomer: (caller, customer) => withUrls(caller, isTrusted(caller), customer),
    ofListed: (caller, customer) => withUrls(caller, caller.kind === 'connection', customer),
  }
}

const isTrusted = ({ kind, scopes }: Asking) => kind === 'connection' || scopes.includes('manage')
