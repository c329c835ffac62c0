/** Brings one pass in Google Wallet up to date, or ends it with its card. */
import type { LimitFunction } from 'p-limit'
import { findCard } from '../../store/cards.ts'
import { insertEvents } from '../../store/events.ts'
import { type DuePass, deletePass, updatePassHeld } from '../../store/passes.ts'
import { inTransaction, type Tenant } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { timeIn } from '../organizations/time-of.ts'
import { readWallet } from '../wallet-page/open-wallet.ts'
import type { GoogleKeys } from './check-keys.ts'
import type { GoogleOutcome } from './google-client.ts'
import { objectIdOf, toEndedObject, toGoogleObject } from './google-pass.ts'
import { toPassContent } from './pass-content.ts'
import type { PassKeys } from './pass-keys.ts'
import { linksOf } from './save-link.ts'

interface Tools {
  readonly deps: Deps
  readonly inTurn: LimitFunction
}

export async function updateGooglePass(
  { deps, inTurn }: Tools,
  tenant: Tenant,
  { google, firstCode }: Pick<PassKeys, 'firstCode'> & { readonly google: GoogleKeys },
  pass: DuePass,
): Promise<GoogleOutcome> {
  const content = await inTurn(() => readObject(deps, tenant, google, firstCode, pass))
  const id = objectIdOf(google.issuer, pass.card)
  const outcome = await deps.googleClient.patch(google, 'loyaltyObject', id, content ?? toEndedObject())
  if (outcome.kind === 'refused' || outcome.kind === 'failed') return outcome
  const isHeld = outcome.kind === 'done' && outcome.hasUsers
  await inTurn(() => note(deps, tenant, pass, { isHeld, hasEnded: !content || outcome.kind === 'missing' }))
  return outcome
}

/** Undefined if the card, or the link to its page, is no longer there. */
async function readObject(
  deps: Deps,
  tenant: Tenant,
  keys: GoogleKeys,
  firstCode: PassKeys['firstCode'],
  pass: DuePass,
): Promise<object | undefined> {
  const card = await findCard(tenant, pass.card)
  const key = card && { org: tenant.orgId, card: card.id, version: card.walletVersion }
  const page = key && (await readWallet(deps, key))
  if (!page) return undefined
  const content = toPassContent(page)
  return toGoogleObject(content, linksOf(deps, page, key, keys, content), firstCode)
}

/** Google tells with each update whether somebody has the pass. */
async function note(
  deps: Deps,
  { orgId }: Tenant,
  { card, customer, wallet, isHeld: wasHeld }: DuePass,
  { isHeld, hasEnded }: { readonly isHeld: boolean; readonly hasEnded: boolean },
): Promise<void> {
  const isKept = isHeld && !hasEnded
  if (isKept === wasHeld && !hasEnded) return
  await inTransaction(deps.pool, orgId, async (tenant) => {
    const isNew = hasEnded
      ? (await deletePass(tenant, { card, wallet })) && wasHeld
      : await updatePassHeld(tenant, { card, wallet }, isKept)
    if (!isNew) return
    const data = { customer, card, wallet }
    await insertEvents(
      tenant,
      [{ type: isKept ? 'pass.added' : 'pass.removed', data }],
      await timeIn(deps, tenant),
    )
  })
}
