/**
 * Returns items of a sale. The engine recalculates the sale without them, and the difference is booked:
 * balances, lots, coupons, limits and the visit itself. Blocked and replaced cards do not matter, since a
 * customer may always return something.
 */
import { couponStatus } from '../../domain/coupon.ts'
import type { Fact } from '../../domain/event.ts'
import type { CustomerId, ReturnId, TransactionId } from '../../domain/ids.ts'
import { notFound, type Refusal, Refused } from '../../domain/refusal.ts'
import type { ReturnedItem } from '../../domain/return-record.ts'
import type { SaleReturn, Transaction } from '../../domain/transaction.ts'
import { localDay } from '../../engine/clock/local-time.ts'
import type { AttachedCampaign } from '../../engine/definition/compile-campaign.ts'
import type { Sale } from '../../engine/returns/resolve-return.ts'
import { type ReturnDecision, returnItems } from '../../engine/returns/return-items.ts'
import { cardCampaignsOfBuyer } from '../../store/cards.ts'
import type { DailyCount } from '../../store/daily-sums.ts'
import { newId } from '../../store/new-id.ts'
import { earlierReturn, returnsOfSale } from '../../store/returns.ts'
import type { Tenant } from '../../store/tenant.ts'
import { saleById } from '../../store/transactions.ts'
import { agedTotalsOfBuyer } from '../../store/wallets/aged-totals.ts'
import type { WalletChange } from '../../store/wallets/change.ts'
import {
  couponsOfBuyer,
  emptyLotsOfBuyer,
  type LoadedWallet,
  type ReturnableCoupon,
} from '../../store/wallets/load.ts'
import type { Caller, Deps } from '../deps.ts'
import type { Fingerprint } from '../fingerprint.ts'
import { timeOf } from '../organizations/time-of.ts'
import { type Decided, type Known, previewChange, type WalletWork } from '../wallets/change-wallet.ts'
import { expiredFacts } from '../wallets/expired-facts.ts'
import { usageAmounts } from '../wallets/usage-amounts.ts'
import { missingSale } from './missing-sale.ts'

export interface ReturnRequest {
  readonly transaction: TransactionId | undefined
  readonly opaqueId?: string
  readonly reason?: string
  /** If undefined, everything that has not been returned. */
  readonly items?: readonly ReturnedItem[]
  /** Part of the payable amount, for a sale without items. */
  readonly amount?: number
  /** Fingerprint of the body and the sale; tells a retry from another return with the same number. */
  readonly fingerprint: Fingerprint
}

export interface Returned {
  readonly done: SaleReturn
  readonly customer: CustomerId
  readonly isReplay: boolean
}

export function returnTransaction(
  deps: Deps,
  { organization }: Pick<Caller, 'organization'>,
  request: ReturnRequest,
): WalletWork<ReturnQuestions, Returned> {
  const { transaction: sale } = request
  if (!sale) throw notFound('transaction_not_found')
  // Known in advance, so that a retry after a lost response finds what the first attempt has written.
  const id = newId('ret', timeOf(deps, organization))
  return {
    of: sale,
    questions: (tenant) =>
      questionsOf(tenant, { sale, id, opaqueId: request.opaqueId, now: timeOf(deps, organization) }),
    decide: (loaded) => decideReturn(deps, loaded, request, id),
    isFindable: true,
  }
}

/** What a return would do; the client's number is not checked. */
export async function previewReturn(
  deps: Deps,
  caller: Caller,
  request: ReturnRequest,
): Promise<Omit<SaleReturn, 'id' | 'createdAt'>> {
  const work = returnTransaction(deps, caller, { ...request, opaqueId: undefined })
  const { done } = await previewChange(deps, caller, work)
  return { ...done, opaqueId: request.opaqueId }
}

interface Asked {
  readonly sale: TransactionId
  readonly id: ReturnId
  readonly opaqueId: string | undefined
  readonly now: Date
}

function questionsOf(tenant: Tenant, { sale, id, opaqueId, now }: Asked) {
  return {
    sale: saleById(tenant, sale),
    returns: returnsOfSale(tenant, sale),
    earlier: earlierReturn(tenant, id, opaqueId),
    coupons: couponsOfBuyer(tenant, sale),
    agedTotals: agedTotalsOfBuyer(tenant, sale, now),
    emptyLots: emptyLotsOfBuyer(tenant, sale),
    cards: cardCampaignsOfBuyer(tenant, sale),
  }
}

type ReturnQuestions = ReturnType<typeof questionsOf>
type Loaded = Known<ReturnQuestions>

async function decideReturn(
  deps: Deps,
  loaded: Loaded,
  request: ReturnRequest,
  id: ReturnId,
): Promise<Decided<Returned>> {
  const { tenant, wallet, setup, answers, now } = loaded
  const { sale, returns, earlier, coupons } = answers
  if (!sale) throw await missingSale(tenant, request.transaction!)
  const { customer } = sale
  // Our own earlier attempt committed; nothing that happened since undoes it.
  if (earlier?.id === id) return { result: { done: earlier, customer, isReplay: false } }
  if (!wallet) throw new Refused('customer_not_found')
  if (earlier) {
    if (!request.fingerprint.matches(earlier.fingerprint)) throw Refused.from(numberTaken(earlier))
    return { result: { done: earlier, customer, isReplay: true } }
  }

  const outcome = returnItems({
    sale: toSale(sale),
    campaigns: await campaignsOf(deps, loaded, sale),
    earlier: returns.map(({ result }) => result.record),
    wallet: { ...wallet.held, lots: [...wallet.held.lots, ...answers.emptyLots], coupons, usage: [] },
    agedTotals: answers.agedTotals,
    inactivity: setup.inactivity,
    today: { campaigns: setup.live, cards: answers.cards },
    items: request.items,
    amount: request.amount,
    now,
  })
  if (!outcome.ok) throw Refused.from(outcome.refusal)
  const decision = outcome.value
  const done = toSaleReturn(id, sale, returns.length + 1, decision, request, loaded)
  const change = toChange(loaded, { wallet, sale, done, decision }, request.fingerprint.value)
  return { result: { done, customer, isReplay: false }, change }
}

function numberTaken({ id, transaction }: SaleReturn): Refusal {
  return {
    code: 'transaction_already_exists',
    description: `The number belongs to ${id}, a return of ${transaction}, which had a different body.`,
    transaction,
  }
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
  { tenant, setup }: Loaded,
  sale: Transaction,
): Promise<AttachedCampaign[]> {
  const { campaigns } = sale.result
  const compiled = await deps.campaigns.get(tenant, setup.organization, campaigns)
  return campaigns.map((campaign, i) => ({ ...campaign, status: 'published', compiled: compiled[i]! }))
}

function toSaleReturn(
  id: ReturnId,
  sale: Transaction,
  number: number,
  decision: ReturnDecision,
  { opaqueId, reason }: ReturnRequest,
  { setup, now }: Loaded,
): SaleReturn {
  const spent = sale.result.actions.find((action) => action.kind === 'spend_points')
  return {
    id,
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
      ...(decision.settled.length > 0 && { settled: decision.settled }),
      revokedCoupons: decision.revokedCoupons,
      restoredCoupons: decision.restoredCoupons,
      tiersChanged: decision.tiersLost.length > 0 ? decision.tiersLost : undefined,
      balances: decision.balances.map(({ key, value, total }) => ({
        key,
        value,
        total,
        decimals: setup.decimals.get(key) ?? 0,
      })),
      record: decision.record,
    },
    createdAt: now,
  }
}

interface Returning {
  readonly wallet: LoadedWallet
  readonly sale: Transaction
  readonly done: SaleReturn
  readonly decision: ReturnDecision
}

function toChange(
  { answers, setup }: Loaded,
  { wallet: { customer, version }, sale, done, decision }: Returning,
  fingerprint: Buffer,
): WalletChange {
  const decimals = new Map(done.result.balances.map((balance) => [balance.key, balance.decimals]))
  const facts: Fact[] = [
    { type: 'transaction.returned', data: { transaction: sale.id, return: done.id, customer } },
    ...expiredFacts(customer, decision.movements, decimals),
    ...decision.revokedCoupons.map(
      (coupon): Fact => ({ type: 'coupon.revoked', data: { coupon, customer } }),
    ),
    ...decision.tiersLost.map(
      ({ campaign, tier }): Fact => ({
        type: 'tier.changed',
        data: { customer, campaign, tier, transaction: sale.id },
      }),
    ),
  ]
  return {
    customer,
    fromVersion: version,
    movements: decision.movements,
    lots: decision.lots,
    keptMultiples: decision.keptMultiples,
    usage: usageAmounts(decision.usage, decision.usageDay),
    sharedUsage: decision.usage.filter((used) => used.isShared),
    coupons: decision.coupons,
    facts,
    counts: couponCounts(decision, answers.coupons, sale, setup.organization.timezone),
    cause: { kind: 'return', done, fingerprint },
  }
}

/**
 * Reports count a coupon that can be used again as never redeemed or revoked, like the list of coupons that
 * ended on that day.
 */
function couponCounts(
  { coupons, revokedCoupons }: ReturnDecision,
  before: readonly ReturnableCoupon[],
  sale: Transaction,
  timezone: string,
): DailyCount[] {
  const counts: DailyCount[] = revokedCoupons.map(() => ({ measure: 'coupons_revoked', key: '', amount: 1 }))
  for (const { id, status } of coupons) {
    const was = before.find((coupon) => coupon.id === id)!
    if (was.status === status) continue
    if (was.status === couponStatus.redeemed) {
      // It was counted on the local day in the time zone that the organization had then.
      const day = localDay(sale.createdAt, sale.result.context.timezone)
      counts.push({ measure: 'coupons_redeemed', key: '', amount: -1, day })
    } else if (was.status === couponStatus.revoked) {
      counts.push({ measure: 'coupons_revoked', key: '', amount: -1, day: localDay(was.endedAt, timezone) })
    }
  }
  return counts
}
