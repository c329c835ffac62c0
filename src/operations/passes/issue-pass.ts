/** Makes the pass of a card, for the customer who opened its wallet page and for a phone that has it. */
import type { OrganizationId } from '../../domain/ids.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { readWallet, type WalletPage } from '../wallet-page/open-wallet.ts'
import type { WalletKey } from '../wallet-page/wallet-tokens.ts'
import { toApplePass } from './apple-pass.ts'
import { toPassContent } from './pass-content.ts'
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

/** The serial number and the token are those of `key`: the card may have been replaced since the pass was made. */
export async function signApplePass(
  deps: Deps,
  page: WalletPage,
  key: WalletKey,
): Promise<Buffer | undefined> {
  const { apple, firstCode } = await readPassKeys(deps, tenantOf(deps.pool, key.org))
  if (!apple.keys) return undefined
  return toApplePass({
    content: toPassContent(page),
    links: {
      serial: key.card,
      webService: webServiceOf(deps, page.organization.id),
      authenticationToken: deps.passTokens.create(key),
      walletPage: `${deps.publicUrl()}/w/${deps.walletTokens.create(key)}`,
    },
    keys: apple.keys,
    firstCode,
    logo: pngIn(page.organization.logo),
    now: deps.clock(),
  })
}

/** Wallets show no other format, and a picture of another site is not fetched for a request. */
export function pngIn(logo: string | undefined): Buffer | undefined {
  const start = 'data:image/png;base64,'
  return logo?.startsWith(start) ? Buffer.from(logo.slice(start.length), 'base64') : undefined
}
