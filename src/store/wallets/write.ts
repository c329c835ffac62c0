/**
 * The only writer of wallets: sales, returns, adjustments, expiry, coupons issued or revoked by hand,
 * erasure. A group of changes is written in one round trip, all or nothing. It first updates the wallets from
 * the version that the decisions were made on; if one of them has changed concurrently, nothing is written
 * and the changes are decided again. A balance changes exactly when an entry is appended, and each entry
 * carries the resulting balance and its next version.
 *
 * A customer may have several changes in a group, in the order in which they were decided.
 */
import type { Step } from '../../database/pipeline.ts'
import { couponStatus } from '../../domain/coupon.ts'
import { customerStatus } from '../../domain/customer.ts'
import type { CustomerId } from '../../domain/ids.ts'
import { neverExpires } from '../../domain/lot.ts'
import { type Arming, armSteps, type KnownDue } from '../due-work.ts'
import { texts, uuids } from '../pg-arrays.ts'
import { ask, type Question } from '../question.ts'
import { type Tenant, uuidOf } from '../tenant.ts'
import {
  addDailySums,
  endCoupons,
  insertEvents,
  insertGrants,
  insertReturns,
  insertTransactions,
  redeemCoupons,
  updateCoupons,
  updateReturnedSales,
} from './cause-statements.ts'
import type { WalletChange } from './change.ts'
import {
  addUsage,
  deleteKeptMultiples,
  eraseReasons,
  insertEntries,
  insertKeptMultiples,
  insertNewBalances,
  lockSharedUsage,
  updateBalances,
  updateOpenings,
  updateSharedUsage,
  updateShortfalls,
  updateWalletVersions,
  upsertLots,
} from './statements.ts'

export interface WriteOptions {
  readonly now: Date
  /** The organization's local day, to which running sums are added. */
  readonly day: string
  /** The wallets are locked: a check that fails means that the lock was lost. */
  readonly isLocked: boolean
  /** What else is written with the changes, or not at all. */
  readonly alongside?: readonly Step[]
  /** When background work is due, as far as it was read with the wallets. */
  readonly due: KnownDue
  /** What else becomes due with the changes, besides the expiry of what they add. */
  readonly armings?: readonly Arming[]
  /** Nothing follows in the transaction, so its COMMIT is part of the message. */
  readonly isAll?: boolean
  /** They may be written together with changes of other organizations. */
  readonly mayShare?: boolean
}

/** Returns whether the changes were written. */
export async function writeWallets(
  tenant: Tenant,
  changes: readonly WalletChange[],
  options: WriteOptions,
): Promise<boolean> {
  const { now, day, isLocked, alongside = [], due, armings = [] } = options
  const group = { org: String(tenant.orgId), at: now.toISOString(), changes }
  const steps = [
    updateWalletVersions(group),
    lockSharedUsage(group),
    updateBalances(group),
    insertNewBalances(group),
    updateOpenings(group),
    updateShortfalls(group),
    insertEntries(group),
    eraseReasons(group),
    insertTransactions(group),
    insertReturns(group),
    updateReturnedSales(group),
    redeemCoupons(group),
    insertGrants(group),
    updateCoupons(group),
    endCoupons(group, 'revoked'),
    endCoupons(group, 'expired'),
    upsertLots(group),
    deleteKeptMultiples(group),
    insertKeptMultiples(group),
    addUsage(group),
    updateSharedUsage(group),
    addDailySums(group, day),
    ...alongside,
    ...armSteps(tenant, [...expiryArmings(changes), ...armings], { known: due, now }),
    ...insertEvents(group, now),
  ].filter((step) => step !== undefined)
  if (steps.length === 0) return true
  try {
    await send(tenant, steps, options)
    return true
  } catch (error) {
    // One of the checks failed, which rolled everything back.
    if ((error as { code?: unknown }).code !== divisionByZero) throw error
    if (isLocked) throw new LostLockError()
    return false
  }
}

function send({ db }: Tenant, steps: readonly Step[], { isAll, mayShare }: WriteOptions): Promise<unknown> {
  if (isAll) return db.pipeAndCommit(steps)
  return mayShare ? db.write(steps) : db.pipe(steps)
}

/** When the first of what the changes leave expires. */
function expiryArmings(changes: readonly WalletChange[]): Arming[] {
  let first = neverExpires
  const expires = (at: Date | undefined) => {
    if (at && at < first) first = at
  }
  for (const { lots = [], granted = [], coupons = [] } of changes) {
    for (const { remaining, expiresAt } of lots) if (remaining > 0) expires(expiresAt)
    for (const { expiresAt } of granted) expires(expiresAt)
    for (const { status, expiresAt } of coupons) if (status === couponStatus.active) expires(expiresAt)
  }
  return first < neverExpires ? [{ kind: 'expiry', at: first }] : []
}

/**
 * A locked wallet has changed all the same. On one server that is a bug; on a cluster, the organization has
 * been moved to another node since the lock was taken, and the changes are decided again there.
 */
class LostLockError extends Error {
  override name = 'LostLockError'
  readonly code = '40001'
  override message = 'A wallet has changed although it was locked.'
}

const divisionByZero = '22012'

/** `lockedWallet` at once. */
export async function updateWalletVersion(tenant: Tenant, customer: CustomerId): Promise<boolean> {
  return (await ask(tenant, { isThere: lockedWallet(tenant, customer) })).isThere
}

/**
 * Locks a customer's wallet until the transaction ends, and increments its version: for changes to a customer
 * outside the wallet, such as a card. Decisions based on an older version will fail. False when there is no
 * such customer, or no longer.
 */
export function lockedWallet({ orgId }: Tenant, customer: CustomerId): Question<boolean> {
  const values = [String(orgId), uuidOf(customer)]
  return {
    steps: [
      {
        name: 'lock-wallet',
        text: 'UPDATE wallets SET version = version + 1 WHERE org_id = $1::integer AND customer_id = $2::uuid',
        values,
      },
      // Checked only now: a statement that waited for the lock still sees the customers from before it waited,
      // and would revive a customer that the holder of the lock has just erased.
      {
        name: 'has-customer',
        text: `SELECT 1 FROM customers WHERE org_id = $1::integer AND id = $2::uuid AND status <> ${customerStatus.erased}`,
        values,
      },
    ],
    read: ([, found]) => found!.length === 1,
  }
}

/** Opens the balances a campaign brings; existing ones are left as they are. */
export function insertMissingBalances(
  { orgId }: Tenant,
  customer: CustomerId,
  keys: readonly string[],
): Step {
  return {
    name: 'write-missing-balances',
    text: `INSERT INTO balances (org_id, customer_id, key)
     SELECT o.org_id, $2::uuid, key FROM setup_versions o, unnest($3::text[]) AS k (key)
     WHERE o.org_id = $1::integer
     ON CONFLICT DO NOTHING`,
    values: [String(orgId), uuidOf(customer), texts(keys)],
  }
}

export interface MissingBalance {
  readonly customer: CustomerId
  readonly key: string
}

/** Opens balances of many customers at zero. */
export function insertBalancesOf({ orgId }: Tenant, missing: readonly MissingBalance[]): Step {
  return {
    name: 'write-balances-of',
    text: `INSERT INTO balances (org_id, customer_id, key)
     SELECT o.org_id, k.* FROM setup_versions o, unnest($2::uuid[], $3::text[]) AS k (customer_id, key)
     WHERE o.org_id = $1::integer
     ON CONFLICT DO NOTHING`,
    values: [
      String(orgId),
      uuids(missing.map(({ customer }) => customer)),
      texts(missing.map(({ key }) => key)),
    ],
  }
}
