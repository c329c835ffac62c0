/**
 * Books expirations: lots past their date, balances of customers who have been inactive too long, and
 * coupons. Customers are processed in groups, like baskets but under lock from the start, and those whose
 * wallet is in use come last: a till must not wait for two hundred others. Each decision is made on the
 * current wallet, so the job can run twice, or in two processes concurrently, and books nothing twice.
 */

import type { Fact } from '../../domain/event.ts'
import type { CustomerId } from '../../domain/ids.ts'
import type { Lot } from '../../domain/lot.ts'
import type { Organization } from '../../domain/organization.ts'
import { addDuration, localDay } from '../../engine/clock/local-time.ts'
import { expireBalances, type Inactivity } from '../../engine/steps/expire-balances.ts'
import {
  listCustomersWithExpiredCoupons,
  listCustomersWithExpiredLots,
  listIdleCustomers,
} from '../../store/expiry.ts'
import { ask } from '../../store/question.ts'
import { setupVersion } from '../../store/setup.ts'
import { type Tenant, tenantOf } from '../../store/tenant.ts'
import type { WalletChange } from '../../store/wallets/change.ts'
import {
  couponsPastExpiry,
  type LoadedWallet,
  lockWallets,
  type OwnedCoupon,
  walletsByKeys,
} from '../../store/wallets/load.ts'
import { writeWallets } from '../../store/wallets/write.ts'
import { readInactivity } from '../campaigns/published-campaigns.ts'
import type { Deps } from '../deps.ts'
import type { Setup } from '../organizations/setup-cache.ts'
import { type Attempt, type AttemptResult, type Changes, deferred, done, runAttempts } from './attempts.ts'
import { expiredFacts } from './expired-facts.ts'

const batch = 200

/** Returns the number of customers with an expiration. */
export async function expireWallets(
  deps: Deps,
  organization: Organization,
  signal?: AbortSignal,
): Promise<number> {
  const tenant = tenantOf(deps.pool, organization.orgId)
  const inactivity = await readInactivity(deps, tenant, organization)
  let expired = 0
  const expireAll = async (customers: readonly CustomerId[]) => {
    if (!signal?.aborted) expired += await expireCustomers(deps, organization, customers)
  }
  for (const list of [listCustomersWithExpiredLots, listCustomersWithExpiredCoupons]) {
    for (let found = await list(tenant, deps.clock(), batch); found.length > 0 && !signal?.aborted; ) {
      const before = expired
      await expireAll(found)
      // A customer who is found but not processed would be found again forever.
      if (expired === before) break
      found = await list(tenant, deps.clock(), batch)
    }
  }
  if (inactivity.length > 0) await expireIdle(deps, organization, tenant, inactivity, expireAll, signal)
  return expired
}

async function expireIdle(
  deps: Deps,
  organization: Organization,
  tenant: Tenant,
  inactivity: readonly Inactivity[],
  expireAll: (customers: readonly CustomerId[]) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const now = deps.clock()
  // The shortest inactivity period finds every candidate; the engine then applies the actual one to each.
  const patienceMs = Math.min(
    ...inactivity.map(({ after }) => addDuration(new Date(0), after, organization.timezone).getTime()),
  )
  const keys = inactivity.map(({ key }) => key)
  const before = new Date(now.getTime() - patienceMs + marginMs)
  let after: CustomerId | undefined
  do {
    const found = await listIdleCustomers(tenant, keys, before, { after, limit: batch })
    await expireAll(found)
    after = found.at(-1)
  } while (after && !signal?.aborted)
}

/**
 * Months differ in length, by up to three days (January and February); one more day finds every candidate,
 * and the engine knows who is not due yet.
 */
const marginMs = 4 * 86_400_000

/**
 * Returns how many of these customers had an expiration. A customer found again has nothing left to expire.
 */
async function expireCustomers(
  deps: Deps,
  organization: Organization,
  customers: readonly CustomerId[],
): Promise<number> {
  const changes: Changes<CustomerId, boolean> = {
    isFindable: true,
    run: (tenant, jobs, attempt) => expireGroup(deps, tenant, jobs, attempt),
  }
  const outcomes = await runAttempts(deps.pool, organization.orgId, customers, changes, 'lock idle')
  for (const outcome of outcomes) if (outcome.kind === 'failed') throw outcome.error
  return outcomes.filter((outcome) => outcome.kind === 'done' && outcome.result).length
}

async function expireGroup(
  deps: Deps,
  tenant: Tenant,
  customers: readonly CustomerId[],
  { mode, beginToCommit }: Attempt,
): Promise<AttemptResult<boolean>[]> {
  const now = deps.clock()
  const locked =
    mode === 'read' ? undefined : await lockWallets(tenant, customers, { skipsBusy: mode === 'lock idle' })
  const loaded = await ask(tenant, {
    setup: setupVersion(tenant),
    wallets: walletsByKeys(
      tenant,
      customers.map((customer) => ({ customer })),
    ),
    coupons: couponsPastExpiry(tenant, customers, now),
  })
  const setup = await deps.setupCache.get(tenant, loaded.setup)
  const { wallets } = loaded.wallets
  const isBusy = (customer: CustomerId) =>
    locked !== undefined && wallets.has(customer) && !locked.has(customer)
  const changes = new Map<CustomerId, WalletChange>()
  for (const [customer, wallet] of wallets) {
    if (isBusy(customer)) continue
    const coupons = loaded.coupons.filter((coupon) => coupon.customer === customer)
    const change = toChange(wallet, coupons, setup, now)
    if (change.facts.length > 0 || change.lots.length > 0) changes.set(customer, change)
  }
  beginToCommit()
  const isWritten = await writeWallets(tenant, [...changes.values()], {
    now,
    day: localDay(now, setup.organization.timezone),
    isLocked: mode !== 'read',
  })
  return customers.map((customer) =>
    isWritten && !isBusy(customer) ? done((changes.get(customer)?.facts.length ?? 0) > 0) : deferred,
  )
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
