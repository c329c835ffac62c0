/** The link that puts a card into Google Wallet, and the updates of a card that is there. */
import { SignJWT } from 'jose'
import { Refused } from '../../domain/refusal.ts'
import { insertPass } from '../../store/passes.ts'
import { inTransaction, tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { readWallet, type WalletPage } from '../wallet-page/open-wallet.ts'
import type { WalletKey } from '../wallet-page/wallet-tokens.ts'
import type { GoogleKeys } from './check-keys.ts'
import { isStamps, type Progress } from './draw-stamps.ts'
import { classIdOf, type GoogleLinks, objectIdOf, toGoogleClass, toGoogleObject } from './google-pass.ts'
import { webServiceOf } from './issue-pass.ts'
import { type PassContent, toPassContent } from './pass-content.ts'
import { readPassKeys } from './pass-keys.ts'

const saveUrl = 'https://pay.google.com/gp/v/save'

/**
 * Undefined if there is no such card, or no keys. The class and the object are written first: a link that contained
 * all of them would be too long for some browsers.
 */
export async function createSaveLink(deps: Deps, given: WalletKey): Promise<string | undefined> {
  const page = await readWallet(deps, given)
  if (!page) return undefined
  const key = { ...given, card: page.card.id, version: page.card.walletVersion }
  const { google, firstCode } = await readPassKeys(deps, tenantOf(deps.pool, key.org))
  if (!google.keys) return undefined
  const content = toPassContent(page)
  const links = linksOf(deps, page, key, google.keys, content)
  const contents = [
    ['loyaltyClass', toGoogleClass(content, links)],
    ['loyaltyObject', toGoogleObject(content, links, firstCode)],
  ] as const
  for (const [kind, one] of contents) {
    const outcome = await deps.googleClient.put(google.keys, kind, one as object & { id: string })
    if (outcome.kind === 'done') continue
    const reason = 'reason' in outcome ? outcome.reason : outcome.kind
    deps.log.warn({ organization: page.organization.id, reason }, 'Google Wallet did not take a pass')
    throw new Refused('_unavailable', 'Google Wallet cannot be reached at the moment. Try again in a minute.')
  }
  const { customer } = page.card
  await inTransaction(deps.pool, key.org, (tenant) =>
    insertPass(tenant, { card: key.card, customer, wallet: 'google' }, deps.clock()),
  )
  return `${saveUrl}/${await signLink(deps, google.keys, links)}`
}

function signLink(
  { publicUrl, clock }: Deps,
  { email, key }: GoogleKeys,
  links: GoogleLinks,
): Promise<string> {
  const { issuer, serial, campaign } = links
  const object = { id: objectIdOf(issuer, serial), classId: classIdOf(issuer, campaign) }
  return new SignJWT({ typ: 'savetowallet', origins: [publicUrl()], payload: { loyaltyObjects: [object] } })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(email)
    .setAudience('google')
    .setIssuedAt(Math.floor(clock().getTime() / 1000))
    .sign(key)
}

export function linksOf(
  deps: Deps,
  { organization, card }: WalletPage,
  key: WalletKey,
  { issuer }: GoogleKeys,
  { progress, color }: PassContent,
): GoogleLinks {
  const pictures = webServiceOf(deps, organization.id)
  const { logo } = organization
  return {
    issuer,
    campaign: card.campaign,
    serial: key.card,
    logo: logo?.startsWith('https://') ? logo : `${pictures}/logo.png`,
    // With the color, so that Google fetches it again when that changes.
    stamps: progress && `${pictures}/stamps/${toPicture(progress)}-${color.slice(1)}.png`,
    walletPage: `${deps.publicUrl()}/w/${deps.walletTokens.create(key)}`,
  }
}

/** A bar is drawn in twenty steps: Google keeps pictures by their address, and so do we. */
function toPicture({ have, need }: Progress): string {
  const filled = Math.max(0, Math.min(have, need))
  return isStamps({ have, need })
    ? `${Math.floor(filled)}-of-${need}`
    : `${Math.floor((filled / need) * 20) * 5}-of-100`
}
