/**
 * Writes a group of decided baskets in one round trip, all or nothing: it first moves the wallets from the version
 * that the decisions were made on, and if one of them has changed meanwhile nothing is written and the group is
 * decided again, under lock. A customer may have several baskets in a group, in the order in which they were decided.
 */
import type { Coupon } from '../domain/coupon.ts'
import type { Fact } from '../domain/event.ts'
import type { CampaignId, CouponId } from '../domain/ids.ts'
import type { Movement } from '../domain/ledger-entry.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Lot } from '../domain/wallet.ts'
import {
  bumpWallets,
  insertEntries,
  insertEvents,
  insertGrants,
  insertNewBalances,
  insertTransactions,
  moveBalances,
  redeemCoupons,
  writeDailySums,
  writeLots,
  writeUsage,
} from './basket-parts.ts'
import { type Scope, uuidOf } from './scope.ts'

export interface BasketWrite {
  /** The wallet version the decision was made on. */
  readonly walletVersion: number
  readonly transaction: Transaction
  readonly idempotencyKey?: string
  readonly fingerprint?: Buffer
  readonly movements: readonly (Movement & { readonly campaign?: CampaignId; readonly rule?: string })[]
  /** Keys of balances the customer did not have before; a campaign may bring one after the registration. */
  readonly newBalances: readonly string[]
  readonly redeemed: readonly CouponId[]
  readonly granted: readonly Coupon[]
  /** Lots as they are after the basket: new ones, and old ones with less in them. */
  readonly lots: readonly Lot[]
  readonly usage: readonly {
    readonly campaign: CampaignId
    readonly rule: string
    readonly day?: string
    readonly amount: number
  }[]
  /** The part of it that counts for all customers together; written by `updateSharedUsage` under its own lock. */
  readonly sharedUsage: readonly {
    readonly campaign: CampaignId
    readonly rule: string
    readonly amount: number
  }[]
  readonly facts: readonly Fact[]
}

export interface WriteOptions {
  readonly now: Date
  /** The organization's local day, to which running sums are added. */
  readonly day: string
  /** The wallets are locked and cannot have changed: a check that fails is a fault, not a reason to try again. */
  readonly isLocked: boolean
}

/** Whether they were written. */
export async function writeBaskets(
  scope: Scope,
  writes: readonly BasketWrite[],
  { now, day, isLocked }: WriteOptions,
): Promise<boolean> {
  const group = { org: String(scope.org), at: now.toISOString(), writes }
  const steps = [
    bumpWallets(group),
    moveBalances(group),
    insertNewBalances(group),
    insertEntries(group),
    insertTransactions(group),
    redeemCoupons(group),
    insertGrants(group),
    writeLots(group),
    writeUsage(group),
    insertEvents(group, now),
    writeDailySums(group, day),
  ]
  try {
    await scope.db.pipe(steps.filter((step) => step !== undefined))
    return true
  } catch (error) {
    // One of the checks failed, and with it everything.
    if ((error as { code?: unknown }).code === divisionByZero && !isLocked) return false
    throw error
  }
}

const divisionByZero = '22012'

/**
 * Adds to what total-limited rules have given; the caller holds the locks of these rows. Baskets of one group
 * share a rule, so their amounts are added up first: of two source rows for one target an UPDATE applies only one.
 */
export async function updateSharedUsage(
  scope: Scope,
  added: readonly { campaign: CampaignId; rule: string; amount: number }[],
): Promise<void> {
  if (added.length === 0) return
  await scope.db.query(
    `UPDATE rule_usage u SET used = u.used + a.amount
     FROM (SELECT campaign_id, rule_id, sum(amount)::bigint AS amount
           FROM unnest($2::uuid[], $3::text[], $4::bigint[]) AS b (campaign_id, rule_id, amount)
           GROUP BY campaign_id, rule_id) a
     WHERE u.org_id = $1 AND u.campaign_id = a.campaign_id AND u.rule_id = a.rule_id`,
    [scope.org, added.map((a) => uuidOf(a.campaign)), added.map((a) => a.rule), added.map((a) => a.amount)],
  )
}
