/**
 * Books expirations: lots past their date, balances of customers who have been inactive too long, and
 * coupons. Customers are processed in groups, like baskets but under lock from the start, and those whose
 * wallet is in use come last: a till must not wait for two hundred others. Each decision is made on the
 * current wallet, so the job can run twice, or in two processes concurrently, and books nothing twice.
 */

import type { Fact } from '../../domain/event.ts'
import type { CustomerId } from '../../domain/ids.ts'
import type { Lot } from '../../domain/lot.ts'
import { addDuration, localDay } from '../../engine/clock/local-time.ts'
import { expireBalances, inactiveAt } from '../../engine/steps/expire-balances.ts'
import type { WorkDone } from '../../store/due-work.ts'
import { expiredCustomers, listIdlePage, nextExpiry } from '../../store/expiry.ts'
import { ask } from '../../store/question.ts'
import { findSetupVersion, setupState } from '../../store/setup.ts'
import { type Tenant, tenantOf } from '../../store/tenant.ts'
import type { WalletChange } from '../../store/wallets/change.ts'
import {
  couponsPastExpiry,
  type LoadedWallet,
  type OwnedCoupon,
  walletLocks,
  walletsByKeys,
} from '../../store/wallets/load.ts'
import { writeWallets } from '../../store/wallets/write.ts'
import type { Deps } from '../deps.ts'
import type { Setup } from '../organizations/setup-cache.ts'
import { timeOf } from '../organizations/time-of.ts'
import type { Turn } from '../turn.ts'
import { type Attempt, type AttemptResult, type Changes, deferred, done, runAttempts } from './attempts.ts'
import { expiredFacts } from './expired-facts.ts'

const groupSize = 200
/** Customers found at once: ten groups share the round trip that finds them. */
const foundAtOnce = 2_000
/** Wallets looked at in one statement. */
const walletsAtOnce = 2_000
/** An organization with more wallets than fit into one turn is looked through at most this often. */
const walkPauseMs = 3_600_000

export interface Expired extends WorkDone {
  /** Number of customers with an expiration. */
  readonly customers: number
}

/** Books lots and coupons past their expiry. */
export async function expireWallets(
  deps: Deps,
  org: number,
  { mayContinue, aheadMs = 0 }: Turn,
): Promise<Expired> {
  const tenant = tenantOf(deps.pool, org)
  const now = timeOf(deps, { aheadMs })
  let customers = 0
  for (;;) {
    // Together: whatever expires after now is the next, and whatever does not is found.
    const { found, next } = await ask(tenant, {
      found: expiredCustomers(tenant, now, foundAtOnce),
      next: nextExpiry(tenant, now),
    })
    const before = customers
    let error: unknown
    for (const group of groupsOf(found)) {
      if (!mayContinue()) return { customers, next: now }
      const result = await expireCustomers(deps, org, aheadMs, group)
      customers += result.customers
      error ??= result.error
    }
    // A customer who is found but not processed would be found again forever.
    if (customers > before) continue
    if (error !== undefined) throw error
    return { customers, next }
  }
}

interface Walk {
  readonly after: CustomerId
  readonly soonestMs?: number
}

/** Books balances of customers who have been inactive too long, wallet by wallet. */
export async function expireInactive(deps: Deps, org: number, turn: Turn): Promise<Expired> {
  const tenant = tenantOf(deps.pool, org)
  const setup = await deps.setupCache.get(tenant, await findSetupVersion(tenant))
  const { inactivity, organization } = setup
  const now = timeOf(deps, organization)
  if (inactivity.length === 0) return { customers: 0 }
  const keys = [...new Set(inactivity.map(({ key }) => key))]
  const before = earliestActivity(setup, now)
  const endOf = (key: string, since: Date) =>
    inactiveAt(key, since, inactivity, organization.timezone)!.getTime()
  const earlier = turn.progress as Walk | undefined
  let soonestMs = earlier?.soonestMs ?? Number.POSITIVE_INFINITY
  let after = earlier?.after
  let customers = 0
  do {
    const page = await listIdlePage(tenant, keys, before, { after, limit: walletsAtOnce })
    const due = new Set<CustomerId>()
    for (const { customer, key, since } of page.idle) {
      const endMs = endOf(key, since)
      if (endMs <= now.getTime()) due.add(customer)
      else soonestMs = Math.min(soonestMs, endMs)
    }
    for (const { key, since } of page.others) soonestMs = Math.min(soonestMs, endOf(key, since))
    for (const group of groupsOf([...due])) {
      const result = await expireCustomers(deps, org, organization.aheadMs, group)
      customers += result.customers
      if (result.error === undefined) continue
      // The walk goes on, and the next one tries again.
      deps.log.error({ organization: organization.id, err: result.error }, 'could not expire a balance')
      soonestMs = Math.min(soonestMs, now.getTime() + walkPauseMs)
    }
    after = page.last
    if (after && !turn.mayContinue()) {
      const isKnown = Number.isFinite(soonestMs)
      return { customers, next: now, progress: { after, ...(isKnown && { soonestMs }) } satisfies Walk }
    }
  } while (after)
  if (!Number.isFinite(soonestMs)) return { customers }
  const earliest = earlier ? now.getTime() + walkPauseMs : 0
  return { customers, next: new Date(Math.max(soonestMs, earliest)) }
}

/** A customer who was active after this is not inactive yet, by the shortest of the periods. */
function earliestActivity({ inactivity, organization }: Setup, now: Date): Date {
  const periods = inactivity.map(({ after }) =>
    addDuration(new Date(0), after, organization.timezone).getTime(),
  )
  return new Date(now.getTime() - Math.min(...periods) + marginMs)
}

/** Months differ in length, by up to three days (January and February). */
const marginMs = 4 * 86_400_000

function* groupsOf(customers: readonly CustomerId[]): Generator<readonly CustomerId[]> {
  for (let at = 0; at < customers.length; at += groupSize) yield customers.slice(at, at + groupSize)
}

interface GroupResult {
  /** How many of the customers had an expiration. A customer found again has nothing left to expire. */
  readonly customers: number
  /** Why one of them could not be processed; it keeps none of the others from it. */
  readonly error?: unknown
}

async function expireCustomers(
  deps: Deps,
  org: number,
  /** Does not change while the work is leased. */
  aheadMs: number,
  customers: readonly CustomerId[],
): Promise<GroupResult> {
  const changes: Changes<CustomerId, boolean> = {
    isFindable: true,
    run: (tenant, jobs, attempt) => expireGroup(deps, tenant, timeOf(deps, { aheadMs }), jobs, attempt),
  }
  const outcomes = await runAttempts(deps.pool, org, customers, changes, 'lock idle')
  return {
    customers: outcomes.filter((outcome) => outcome.kind === 'done' && outcome.result).length,
    error: outcomes.find((outcome) => outcome.kind === 'failed')?.error,
  }
}

/** Two round trips, like a group of baskets: one locks and loads, the other writes and commits. */
async function expireGroup(
  deps: Deps,
  tenant: Tenant,
  now: Date,
  customers: readonly CustomerId[],
  { mode, beginToCommit }: Attempt,
): Promise<AttemptResult<boolean>[]> {
  const loaded = await ask(tenant, {
    locked: walletLocks(tenant, customers, { skipsBusy: mode === 'lock idle' }),
    setup: setupState(tenant, []),
    wallets: walletsByKeys(
      tenant,
      customers.map((customer) => ({ customer })),
    ),
    coupons: couponsPastExpiry(tenant, customers, now),
  })
  const setup = await deps.setupCache.get(tenant, loaded.setup.version)
  const { wallets } = loaded.wallets
  const isBusy = (customer: CustomerId) => wallets.has(customer) && !loaded.locked.has(customer)
  const changes = new Map<CustomerId, WalletChange>()
  for (const [customer, wallet] of wallets) {
    if (isBusy(customer)) continue
    const coupons = loaded.coupons.filter((coupon) => coupon.customer === customer)
    const change = toChange(wallet, coupons, setup, now)
    if (change.facts.length > 0 || change.lots.length > 0) changes.set(customer, change)
  }
  beginToCommit()
  await writeWallets(tenant, [...changes.values()], {
    now,
    day: localDay(now, setup.organization.timezone),
    isLocked: true,
    due: loaded.setup.due,
    isAll: true,
  })
  return customers.map((customer) => (isBusy(customer) ? deferred : done(changes.has(customer))))
}

function toChange(
  { customer, version, held }: LoadedWallet,
  coupons: readonly OwnedCoupon[],
  { inactivity, organization, decimals }: Setup,
  now: Date,
): WalletChange & { readonly lots: readonly Lot[] } {
  const wallet = { ...held, coupons: [], usage: [] }
  const { movements, lots } = expireBalances(wallet, inactivity, now, organization.timezone)
  const expired = coupons.map(({ id }) => id)
  return {
    customer,
    fromVersion: version,
    movements,
    lots,
    expired,
    facts: [
      ...expiredFacts(customer, movements, decimals),
      ...expired.map((coupon): Fact => ({ type: 'coupon.expired', data: { customer, coupon } })),
    ],
    cause: { kind: 'other' },
  }
}
