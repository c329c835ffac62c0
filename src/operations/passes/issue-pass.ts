/** Makes the pass of a card, for the customer who opened its wallet page and for a phone that has it. */
import { cardStatus } from '../../domain/customer.ts'
import type { OrganizationId } from '../../domain/ids.ts'
import type { ShownOrganization } from '../../domain/organization.ts'
import { findCard } from '../../store/cards.ts'
import { findOwnOrganization, findShownOrganization } from '../../store/organizations.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { readWallet, type WalletPage } from '../wallet-page/open-wallet.ts'
import type { WalletKey } from '../wallet-page/wallet-tokens.ts'
import { toApplePass } from './apple-pass.ts'
import { type PassContent, toEndedContent, toPassContent } from './pass-content.ts'
import { readPassKeys } from './pass-keys.ts'

export const webServiceOf = ({ publicUrl }: Deps, organization: OrganizationId): string =>
  `${publicUrl()}/passes/${organization}`

/** The pass of the card that the key leads to now; undefined if there is none, or no keys to sign it with. */
export async function issueApplePass(deps: Deps, key: WalletKey): Promise<Buffer | undefined> {
  const page = await readWallet(deps, key)
  if (!page) return undefined
  const { id, walletVersion: version } = page.card
  return signApplePass(deps, page, { ...key, card: id, version })
}

/**
 * The pass of a card whose link was renewed or revoked: void, so that the customer learns of it, and somebody else who
 * has a copy learns nothing more. Undefined if the card, its customer or the keys are no longer there.
 */
export async function issueEndedPass(
  deps: Deps,
  organization: string,
  key: WalletKey,
): Promise<Buffer | undefined> {
  const tenant = tenantOf(deps.pool, key.org)
  const card = await findCard(tenant, key.card)
  const own = await findOwnOrganization(tenant)
  if (!card || card.status === cardStatus.closed || own?.id !== organization || !own.isSubscribed)
    return undefined
  const shown = await findShownOrganization(tenant, own)
  return signContent(deps, shown, toEndedContent(shown, card.campaignName), key)
}

export async function signApplePass(
  deps: Deps,
  page: WalletPage,
  key: WalletKey,
): Promise<Buffer | undefined> {
  return signContent(deps, page.organization, toPassContent(page), key)
}

/** The serial number and the token are those of `key`: the card may have been replaced since the pass was made. */
async function signContent(
  deps: Deps,
  organization: ShownOrganization,
  content: PassContent,
  key: WalletKey,
): Promise<Buffer | undefined> {
  const { apple, firstCode } = await readPassKeys(deps, tenantOf(deps.pool, key.org))
  if (!apple.keys) return undefined
  return toApplePass({
    content,
    links: {
      serial: key.card,
      webService: webServiceOf(deps, organization.id),
      authenticationToken: deps.passTokens.create(key),
      walletPage: `${deps.publicUrl()}/w/${deps.walletTokens.create(key)}`,
    },
    keys: apple.keys,
    firstCode,
    logo: pngIn(organization.logo),
    now: deps.clock(),
  })
}

/** Wallets show no other format, and a picture of another site is not fetched for a request. */
export function pngIn(logo: string | undefined): Buffer | undefined {
  const start = 'data:image/png;base64,'
  return logo?.startsWith(start) ? Buffer.from(logo.slice(start.length), 'base64') : undefined
}
