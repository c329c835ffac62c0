/**
 * What phones ask for: to be told of changes of a pass, no longer to be told, which passes have changed, and the
 * newest pass. Each pass has a token of its own, which is verified before any query.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Fact } from '../../domain/event.ts'
import { type CardId, type OrganizationId, parseId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import { insertEvents } from '../../store/events.ts'
import { findOrganization } from '../../store/organizations.ts'
import {
  countRegistrations,
  deletePass,
  deleteRegistration,
  findPass,
  insertPass,
  insertRegistration,
  listChangedPasses,
  maxRegistrations,
  updatePassHeld,
} from '../../store/passes.ts'
import { inTransaction, platformTenant, type Tenant, tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { ownTimeIn } from '../organizations/time-of.ts'
import { openWalletOf, readWallet } from '../wallet-page/open-wallet.ts'
import type { WalletKey } from '../wallet-page/wallet-tokens.ts'
import { issueEndedPass, signApplePass } from './issue-pass.ts'

const wallet = 'apple'

/** The pass that a token is for, if it is the one with this serial number. */
export function readPassToken({ passTokens }: Deps, token: string, serial: string): WalletKey | undefined {
  const key = passTokens.read(token)
  return key && isSame(key.card, serial) ? key : undefined
}

function isSame(a: string, b: string): boolean {
  const [first, second] = [Buffer.from(a), Buffer.from(b)]
  return first.length === second.length && timingSafeEqual(first, second)
}

const unknownPass = () =>
  new Refused('_unauthorized', 'The pass is no longer valid. Add the card again from its wallet page.')

export interface PhoneRequest {
  readonly organization: string
  readonly key: WalletKey
  readonly device: string
}

/** Whether the phone is new to the pass. */
export async function registerPhone(
  deps: Deps,
  { organization, key, device }: PhoneRequest,
  pushToken: string,
): Promise<boolean> {
  const opened = await openWalletOf(deps, key)
  if (!opened || opened.organization.id !== organization) throw unknownPass()
  const { customer } = opened.card
  const { card } = key
  const now = deps.clock()
  return inTransaction(deps.pool, key.org, async (tenant) => {
    await insertPass(tenant, { card, customer, wallet }, now)
    const isNew = await insertRegistration(tenant, { device, card, pushToken }, now)
    if (!isNew) return false
    // The row of the pass is locked, so of two phones the second counts the first.
    if ((await countRegistrations(tenant, card)) > maxRegistrations) {
      throw new Refused('_too_many_requests', `A card can be on ${maxRegistrations} phones.`)
    }
    await updatePassHeld(tenant, { card, wallet }, true)
    await insertEvents(
      tenant,
      [{ type: 'pass.added', data: { customer, card, wallet } }],
      await ownTimeIn(now, tenant),
    )
    return true
  })
}

/** Works for a card that is closed as well: the phone is forgotten. */
export async function unregisterPhone(deps: Deps, { key, device }: PhoneRequest): Promise<void> {
  await inTransaction(deps.pool, key.org, (tenant) =>
    forgetPhone(tenant, { device, card: key.card }, deps.clock()),
  )
}

/** Forgets a phone, and with the last one the pass. */
export async function forgetPhone(
  tenant: Tenant,
  { device, card }: { readonly device: string; readonly card: CardId },
  now: Date,
): Promise<void> {
  const pass = await findPass(tenant, card, wallet)
  if (!(await deleteRegistration(tenant, device, card)) || !pass) return
  if ((await countRegistrations(tenant, card)) === 0) await deletePass(tenant, { card, wallet })
  const fact: Fact = { type: 'pass.removed', data: { customer: pass.customer, card, wallet } }
  await insertEvents(tenant, [fact], await ownTimeIn(now, tenant))
}

/** Serial numbers of the phone's passes that have changed; nobody but the phone knows its number. */
export async function listPhonePasses(
  { pool }: Deps,
  organization: string,
  device: string,
  since: string | undefined,
): Promise<{ readonly serials: readonly string[]; readonly tag: string } | undefined> {
  const id = parseId('org', organization)
  const found = id && (await findOrganization(platformTenant(pool), id as OrganizationId))
  if (!found) return undefined
  const position = /^\d{1,15}$/.test(since ?? '') ? Number(since) : -1
  const { cards, until } = await listChangedPasses(tenantOf(pool, found.orgId), device, position)
  return cards.length === 0 ? undefined : { serials: cards, tag: String(until) }
}

export type NewestPass =
  | { readonly kind: 'pass'; readonly pass: Buffer; readonly changedAt: Date }
  | { readonly kind: 'unchanged' }

/** `since` is when the pass that the phone has was changed. */
export async function readNewestPass(
  deps: Deps,
  organization: string,
  key: WalletKey,
  since: Date | undefined,
): Promise<NewestPass> {
  const followed = await findPass(tenantOf(deps.pool, key.org), key.card, wallet)
  const changedAt = followed?.changedAt ?? wholeSeconds(deps.clock())
  const page = await readWallet(deps, key)
  if (page && page.organization.id !== organization) throw unknownPass()
  const isKnown = followed !== undefined && since !== undefined && since >= changedAt
  if (page && isKnown) return { kind: 'unchanged' }
  const pass = page ? await signApplePass(deps, page, key) : await issueEndedPass(deps, organization, key)
  if (!page && !pass) throw unknownPass()
  if (isKnown) return { kind: 'unchanged' }
  if (!pass) throw new Refused('_unavailable', 'Passes cannot be signed at the moment. Try again later.')
  return { kind: 'pass', pass, changedAt }
}

const wholeSeconds = (at: Date) => new Date(Math.floor(at.getTime() / 1000) * 1000)
