/**
 * Tells wallets of what has changed on the cards of one organization, for one turn. Changes are found by the
 * numbers of the events, as for webhooks, and noted in the passes together with the new position: whatever ends a
 * turn in the middle, the next one goes on. A pass that is told twice of one change does no harm.
 */
import type { LimitFunction } from 'p-limit'
import { type EventType, eventTypes, type RecordedEvent } from '../../domain/event.ts'
import { type CustomerId, parseId } from '../../domain/ids.ts'
import { walletKinds } from '../../domain/wallet-pass.ts'
import { listEvents } from '../../store/events.ts'
import { findOwnOrganization } from '../../store/organizations.ts'
import { type LeasedFeed, leaseFeed, releaseFeed, updateFeedPosition } from '../../store/pass-feeds.ts'
import {
  type DuePass,
  deletePhonesOf,
  listDuePasses,
  updateChangedPasses,
  updateDuePasses,
  updatePassAttempt,
} from '../../store/passes.ts'
import { inTransaction, type Tenant, tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import type { ApplePush } from './apple-push.ts'
import { forgetPhone } from './apple-web-service.ts'
import type { AppleKeys } from './check-keys.ts'
import { type PassKeys, readPassKeys } from './pass-keys.ts'
import { updateGooglePass } from './update-google-pass.ts'

export interface UpdateTools {
  readonly deps: Deps
  readonly applePush: ApplePush
  /** Runs what needs a connection to the database: most of them are for requests. */
  readonly inTurn: LimitFunction
  readonly signal: AbortSignal
}

const leaseSeconds = 60
const turnMs = 10_000
const eventsAtOnce = 500
const passesAtOnce = 50
const retryPauseMs = 5_000
const longestPauseMs = 6 * 3_600_000
/** Then nothing is sent until the next change. */
const maxAttempts = 15
/** Nothing can be sent at all, and somebody has to do something about it. */
const holdMs = 15 * 60_000

/** Everything that can change what a card shows; a message to the customer, or what a wallet has told, does not. */
const changing = (Object.keys(eventTypes) as EventType[]).filter(
  (type) => !/^(?:pass|message|consent|webhook|connection)\./.test(type),
)

/** Does nothing if somebody else does it. */
export async function updatePassesTurn(tools: UpdateTools, org: number): Promise<void> {
  const { deps, inTurn, signal } = tools
  const tenant = tenantOf(deps.pool, org)
  const feed = await inTurn(() => leaseFeed(tenant, deps.clock(), leaseSeconds))
  if (!feed) return
  const endsAt = performance.now() + turnMs
  let { position } = feed
  try {
    while (!signal.aborted && performance.now() < endsAt) {
      const found = await inTurn(() => takeUp(deps, tenant, feed, position))
      const hasMoved = found.position > position
      position = found.position
      if (found.due.length > 0) await tellAll(tools, tenant, found.due)
      else if (!hasMoved) break
    }
  } finally {
    await inTurn(() => releaseFeed(tenant, feed))
  }
}

/** Notes what new events have changed, and returns the passes that are due. */
async function takeUp(
  { pool, clock }: Deps,
  tenant: Tenant,
  feed: LeasedFeed,
  position: number,
): Promise<{ position: number; due: DuePass[] }> {
  const now = clock()
  const until = await inTransaction(pool, tenant.orgId, async (within) => {
    const page = { after: position, limit: eventsAtOnce }
    const listed = await listEvents(within, { types: changing }, page)
    // First, as when a pass is added: the feed is locked before the passes.
    const isOurs = await updateFeedPosition(within, feed, listed.until, leaseSeconds)
    if (!isOurs) throw new Error('The lease of the passes has ended.')
    // Erasing does it itself, but not that of an earlier version during an upgrade.
    const erased = customersOf(listed.events.filter(({ type }) => type === 'customer.erased'))
    if (erased.length > 0) await deletePhonesOf(within, erased)
    // Events that nobody has looked at were deleted: anything may have changed.
    const changed = listed.oldest > position + 1 ? 'all' : changedIn(listed.events)
    if (changed === 'all' || changed.length > 0) {
      await updateChangedPasses(within, changed, listed.until, now)
    }
    return listed.until
  })
  return { position: until, due: await listDuePasses(tenant, now, passesAtOnce) }
}

/** A new version of a campaign can change what every card shows, and so can the name or the color of the merchant. */
function changedIn(events: readonly RecordedEvent[]): CustomerId[] | 'all' {
  if (events.some(({ type }) => type === 'campaign.published' || type === 'organization.changed'))
    return 'all'
  return customersOf(events)
}

function customersOf(events: readonly RecordedEvent[]): CustomerId[] {
  return [...new Set(events.flatMap(({ data }) => parseId('cus', String(data.customer)) ?? []))]
}

async function tellAll(tools: UpdateTools, tenant: Tenant, due: readonly DuePass[]): Promise<void> {
  const { deps, inTurn, signal } = tools
  const organization = await inTurn(() => findOwnOrganization(tenant))
  const keys = await inTurn(() => readPassKeys(deps, tenant))
  const results = await Promise.all(
    due.map((pass): Promise<Told> | Told =>
      organization?.isSubscribed ? tell(tools, tenant, keys, pass) : { pass, hold: 'no subscription' },
    ),
  )
  // Cut off by our own end, not by the other side.
  if (signal.aborted) return
  const now = deps.clock()
  for (const { pass, hold, retry = false } of results) {
    countUpdate(deps, pass, hold !== undefined || retry ? 'failed' : 'sent')
    if (hold === undefined) {
      await inTurn(() => updatePassAttempt(tenant, pass, retry ? retryAtOf(pass, now) : undefined))
    }
  }
  for (const wallet of walletKinds) {
    const reason = results.find(({ pass, hold }) => pass.wallet === wallet && hold !== undefined)?.hold
    if (reason === undefined) continue
    deps.log.warn({ organization: organization?.id, wallet, reason }, 'passes cannot be updated')
    await inTurn(() => updateDuePasses(tenant, wallet, now, new Date(now.getTime() + holdMs)))
  }
}

function countUpdate(
  { workCounts: { passes } }: Deps,
  { wallet }: DuePass,
  outcome: 'sent' | 'failed',
): void {
  passes[outcome].set(wallet, (passes[outcome].get(wallet) ?? 0) + 1)
}

function retryAtOf({ attempts }: DuePass, now: Date): Date | undefined {
  if (attempts + 1 >= maxAttempts) return undefined
  const pauseMs = Math.min(retryPauseMs * 2 ** attempts, longestPauseMs)
  return new Date(now.getTime() + pauseMs * (1 + 0.2 * Math.random()))
}

interface Told {
  readonly pass: DuePass
  readonly retry?: boolean
  /** Why nothing can be sent to anybody. */
  readonly hold?: string
}

async function tell(tools: UpdateTools, tenant: Tenant, keys: PassKeys, pass: DuePass): Promise<Told> {
  const { wallet } = pass
  const { problems } = keys[wallet]
  const withoutKeys = { pass, hold: problems[0]?.code ?? 'there are no keys' }
  if (wallet === 'apple') {
    return keys.apple.keys ? tellPhones(tools, tenant, keys.apple.keys, pass) : withoutKeys
  }
  if (!keys.google.keys) return withoutKeys
  const outcome = await updateGooglePass(tools, tenant, { ...keys, google: keys.google.keys }, pass)
  if (outcome.kind === 'refused') return { pass, hold: outcome.reason }
  return { pass, retry: outcome.kind === 'failed' }
}

async function tellPhones(
  { deps, applePush, inTurn }: UpdateTools,
  { orgId }: Tenant,
  keys: AppleKeys,
  pass: DuePass,
): Promise<Told> {
  const { card, phones } = pass
  const told = await Promise.all(
    phones.map(async ({ device, pushToken }) => ({ device, outcome: await applePush.push(keys, pushToken) })),
  )
  for (const { device, outcome } of told) {
    if (outcome.kind !== 'gone') continue
    await inTurn(() =>
      inTransaction(deps.pool, orgId, (within) => forgetPhone(within, { device, card }, deps.clock())),
    )
  }
  const refused = told.flatMap(({ outcome }) => (outcome.kind === 'refused' ? outcome.reason : []))[0]
  return { pass, retry: told.some(({ outcome }) => outcome.kind === 'failed'), hold: refused }
}
