/**
 * Writes a group of decided baskets in one statement, which is also its own database transaction: it locks the
 * wallets in order, lets pass those whose version is still the one the decision was made on, and writes
 * everything of theirs and nothing of the others. Who passed is returned; the others are decided again.
 *
 * A coupon or balance that is not in the state the decision saw makes the statement fail as a whole (the
 * division by zero at its end): under the wallet's lock that cannot happen, and if it ever does nothing is written.
 */
import type { Coupon } from '../domain/coupon.ts'
import type { Fact } from '../domain/event.ts'
import type { CampaignId, CouponId, CustomerId } from '../domain/ids.ts'
import type { Movement } from '../domain/ledger-entry.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Lot } from '../domain/wallet.ts'
import {
  addBalances,
  addDailySums,
  addEvents,
  addGrants,
  addLots,
  addRedemptions,
  addTransactions,
  addUsage,
  openDraft,
} from './basket-parts.ts'
import { idFrom, prepared, type Scope, type Statement, uuidOf } from './scope.ts'

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

/**
 * The customers whose baskets were written; at most one basket per customer may be in a group. `day` is the
 * organization's local day, to which running sums are added.
 */
export async function writeBaskets(
  scope: Scope,
  writes: readonly BasketWrite[],
  now: Date,
  day: string,
): Promise<Set<CustomerId>> {
  const { statement, values } = composeWrite(scope.org, writes, now, day)
  const rows = await prepared<{ customer_id: string }>(scope.db, statement, values)
  return new Set(rows.map((row) => idFrom('cus', row.customer_id)))
}

/** The statement for a group: the parts that its baskets need, and what goes into them. */
function composeWrite(org: number, writes: readonly BasketWrite[], now: Date, day: string) {
  const draft = openDraft(org, writes, now)
  addBalances(draft)
  addTransactions(draft)
  addRedemptions(draft)
  addGrants(draft)
  addLots(draft)
  addUsage(draft)
  addEvents(draft, now)
  addDailySums(draft, day)
  const isWhole = draft.checks.length === 0 ? 'true' : draft.checks.join(' AND ')
  const text = `WITH ${draft.parts.join(',\n')}
SELECT customer_id, 1 / (CASE WHEN ${isWhole} THEN 1 ELSE 0 END) AS is_whole FROM passed`
  return { statement: nameOf(text), values: draft.values }
}

/** One prepared statement for each combination of parts that occurs. */
function nameOf(text: string): Statement {
  let statement = statements.get(text)
  if (!statement) {
    statement = { name: `write-baskets-${statements.size + 1}`, text }
    statements.set(text, statement)
  }
  return statement
}

const statements = new Map<string, Statement>()

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
