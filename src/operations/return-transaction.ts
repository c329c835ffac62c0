/**
 * Takes goods of a sale back. Under the wallet's lock the engine computes the sale again without them and the
 * difference is booked: balances, lots, coupons, limits and the visit itself. Blocked and replaced cards do not
 * matter, since a customer may always bring something back.
 */

import type { Fact } from '../domain/event.ts'
import type { CouponId, CustomerId, TransactionId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { Refused } from '../domain/refusal.ts'
import type { ReturnedItem } from '../domain/return-record.ts'
import { type SaleReturn, type Transaction, transactionStatus } from '../domain/transaction.ts'
import type { AttachedCampaign } from '../engine/compile-campaign.ts'
import { inactivityOf } from '../engine/expire-balances.ts'
import { localDay } from '../engine/local-time.ts'
import { type ReturnDecision, returnItems, type Sale } from '../engine/return-items.ts'
import { listCardCampaigns } from '../store/cards.ts'
import { listCouponsByIds, revokeActiveCoupons } from '../store/coupons.ts'
import type { DailyCount } from '../store/daily-sums.ts'
import { getWallet, insertEntries, type LoadedWallet, lockWallet, writeLots } from '../store/ledger.ts'
import { newId } from '../store/new-id.ts'
import {
  countGrantedCoupons,
  findReturnByOpaqueId,
  insertReturn,
  listReturns,
  replaceKeptMultiples,
  restoreCoupons,
  uncountTransaction,
} from '../store/returns.ts'
import { addCustomerUsage, lockSharedUsage } from '../store/rule-usage.ts'
import type { Scope } from '../store/scope.ts'
import { findTransaction } from '../store/transactions.ts'
import { updateSharedUsage } from '../store/write-baskets.ts'
import type { Deps } from './deps.ts'
import { decimalsByKey, expiredFacts } from './expired-facts.ts'
import { movedCounts } from './moved-counts.ts'
import { publishedCampaigns } from './published-campaigns.ts'
import { recordFacts } from './record-facts.ts'

export interface ReturnRequest {
  readonly transaction: TransactionId | undefined
  readonly opaqueId?: string
  readonly reason?: string
  /** Everything that is left when undefined. */
  readonly items?: readonly ReturnedItem[]
  /** Of the body and the sale, to tell a repeat from another return under the same number. */
  readonly fingerprint: Buffer
}

export async function returnTransaction(
  deps: Deps,
  scope: Scope,
  organization: Organization,
  request: ReturnRequest,
): Promise<{ done: SaleReturn; customer: CustomerId; isReplay: boolean }> {
  const now = deps.clock()
  const found = request.transaction && (await findTransaction(scope, request.transaction))
  if (!found) throw new Refused('transaction_not_found', undefined, 'path')
  const { customer } = found
  const locked = await lockWallet(scope, customer)
  if (!locked) throw new Refused('customer_not_found')
  const repeated = await findRepeat(scope, request)
  if (repeated) return { done: repeated, customer, isReplay: true }

  // Read again under the lock: another return may have been booked while we waited.
  const sale = (await findTransaction(scope, found.id))!
  const earlier = await listReturns(scope, [sale.id])
  const wallet = await getWallet(scope, customer)
  const granted = sale.result.actions.flatMap((action) =>
    action.kind === 'grant_coupon' && action.coupon ? [action.coupon] : [],
  )
  const published = await publishedCampaigns(deps, scope, organization)
  const outcome = returnItems({
    sale: toSale(sale),
    campaigns: await campaignsOf(deps, scope, organization, sale),
    earlier: earlier.map((one) => one.result.record),
    wallet: { ...wallet, ...locked, coupons: await listCouponsByIds(scope, granted), usage: [] },
    inactivity: inactivityOf(published.map(({ compiled }) => compiled)),
    today: {
      campaigns: published,
      cards: await listCardCampaigns(scope, customer),
      granted: await countGrantedCoupons(scope, customer),
    },
    items: request.items,
    now,
  })
  if (!outcome.ok) throw Refused.from(outcome.refusal)

  const decision = outcome.value
  const done = toSaleReturn(sale, earlier.length + 1, decision, request, wallet, now)
  const context = {
    customer,
    walletVersion: locked.version,
    transaction: sale.id,
    reason: request.reason,
    now,
  }
  await insertEntries(scope, decision.movements, context)
  await book(scope, organization, sale, decision, done, request.fingerprint, now)
  return { done, customer, isReplay: false }
}

async function findRepeat(
  scope: Scope,
  { opaqueId, fingerprint }: ReturnRequest,
): Promise<SaleReturn | undefined> {
  const earlier = opaqueId === undefined ? undefined : await findReturnByOpaqueId(scope, opaqueId)
  if (!earlier) return undefined
  if (!earlier.fingerprint?.equals(fingerprint)) throw new Refused('transaction_already_exists')
  return earlier.found
}

function toSale({ basket, result, branchOpaqueId, occurredAt, createdAt }: Transaction): Sale {
  const { categories = {} } = basket
  return {
    basket: {
      ...basket,
      lines: basket.lines.map((line) => ({
        ...line,
        category: line.category ?? (Object.hasOwn(categories, line.id) ? categories[line.id] : undefined),
      })),
      branch: branchOpaqueId,
      occurredAt,
    },
    actions: result.actions,
    pointsDiscountMinor: result.pointsDiscountMinor,
    context: result.context,
    processedAt: createdAt,
  }
}

async function campaignsOf(
  deps: Deps,
  scope: Scope,
  organization: Organization,
  { result }: Transaction,
): Promise<AttachedCampaign[]> {
  const compiled = await deps.campaigns.get(scope, organization, result.campaigns)
  return result.campaigns.map((campaign, i) => ({ ...campaign, status: 'published', compiled: compiled[i]! }))
}

function toSaleReturn(
  sale: Transaction,
  number: number,
  decision: ReturnDecision,
  { opaqueId, reason }: ReturnRequest,
  wallet: LoadedWallet,
  now: Date,
): SaleReturn {
  const spent = sale.result.actions.find((action) => action.kind === 'spend_points')
  const known = [...wallet.balances, ...sale.result.balances]
  const decimalsOf = (key: string) => known.find((balance) => balance.key === key)?.decimals ?? 0
  return {
    id: newId('ret', now),
    transaction: sale.id,
    number,
    opaqueId,
    reason,
    items: decision.record.items,
    result: {
      pointsRestored: decision.pointsRestored,
      pointsKey: spent?.movement.key,
      refundMinor: decision.refundMinor,
      movements: decision.movements,
      revokedCoupons: decision.revokedCoupons,
      restoredCoupons: decision.restoredCoupons,
      balances: decision.balances.map(({ key, value, total }) => ({
        key,
        value,
        total,
        decimals: decimalsOf(key),
      })),
      record: decision.record,
    },
    createdAt: now,
  }
}

/** Everything of a return beside its ledger entries. */
async function book(
  scope: Scope,
  organization: Organization,
  sale: Transaction,
  decision: ReturnDecision,
  done: SaleReturn,
  fingerprint: Buffer,
  now: Date,
): Promise<void> {
  const { customer } = sale
  const { isComplete } = decision.record
  const status = isComplete ? transactionStatus.returned : transactionStatus.partlyReturned
  try {
    await insertReturn(scope, done, status, fingerprint)
  } catch (error) {
    // The number was taken by a return of another customer's sale since we looked.
    const { constraint } = error as { constraint?: string }
    throw constraint === 'returns_opaque_id_unique' ? new Refused('transaction_already_exists') : error
  }
  await writeLots(scope, customer, decision.lots)
  await replaceKeptMultiples(scope, customer, decision.keptMultiples)
  // One that has expired by now stays expired, and was told of as such.
  const revoked: CouponId[] = []
  for (const coupon of decision.revokedCoupons)
    revoked.push(...(await revokeActiveCoupons(scope, customer, now, coupon)))
  await restoreCoupons(scope, sale.id, decision.restoredCoupons, now)
  if (isComplete) await uncountTransaction(scope, customer)
  await addCustomerUsage(scope, customer, decision.usage, decision.usageDay)
  const shared = decision.usage.filter((used) => used.total)
  if (shared.length > 0) await lockSharedUsage(scope, shared)
  await updateSharedUsage(scope, shared)
  const facts: Fact[] = [
    { type: 'transaction.returned', data: { transaction: sale.id, return: done.id, customer } },
    ...expiredFacts(customer, decision.movements, decimalsByKey(done.result.balances)),
    ...revoked.map((coupon): Fact => ({ type: 'coupon.revoked', data: { coupon, customer } })),
    ...decision.tiersLost.map(
      ({ campaign, tier }): Fact => ({
        type: 'tier.changed',
        data: { customer, campaign, tier, transaction: sale.id },
      }),
    ),
  ]
  const counts: DailyCount[] = [...movedCounts(decision.movements)]
  if (decision.restoredCoupons.length > 0) {
    // As if it had not been redeemed: reports and the list of what was redeemed on that day agree. It was counted on
    // the day that it was where the organization was then.
    const day = localDay(sale.createdAt, sale.result.context.timezone)
    counts.push({ measure: 'coupons_redeemed', key: '', amount: -decision.restoredCoupons.length, day })
  }
  await recordFacts(scope, organization, facts, now, counts)
}
