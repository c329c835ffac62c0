/** Renders transactions as API responses; a replay is rendered from what was stored and is identical. */
import { couponStatus } from '../../domain/coupon.ts'
import { fromMinor, fromUnits } from '../../domain/money.ts'
import type { Organization } from '../../domain/organization.ts'
import { type SaleTotals, totalsOf } from '../../domain/sale-totals.ts'
import { type Action, type Transaction, transactionStatus } from '../../domain/transaction.ts'
import { warningsOf } from '../../domain/warning.ts'
import type { Preview } from '../../operations/baskets/job.ts'
import type { TransactionWithReturns } from '../../operations/baskets/read-transactions.ts'
import { type Decimals, decimalsIn } from './balance-decimals.ts'
import { toCollectables } from './customer.ts'
import { toReturnReply } from './return.ts'
import { toWarnings } from './warnings.ts'

/** The fields that the responses to a preview and to a sale share. */
export function toPreviewReply(preview: Preview, organization: Organization) {
  return {
    status: preview.status,
    opaqueId: preview.opaqueId,
    customer: preview.customer,
    card: preview.card,
    user: preview.user,
    userOpaqueId: preview.userOpaqueId,
    branch: preview.branch,
    branchOpaqueId: preview.branchOpaqueId,
    occurredAt: preview.occurredAt.toISOString(),
    ...toOutcomeReply(preview, organization),
    warnings: toWarnings(preview.result.warnings ?? []),
  }
}

/** The outcome of a basket, whether it was processed or only tried. */
export function toOutcomeReply(
  { basket, result }: Pick<Preview, 'basket' | 'result'>,
  { currencyDecimals }: Organization,
) {
  const decimals = decimalsIn(result)
  const spent = result.actions.find((action) => action.kind === 'spend_points')
  return {
    amount: basket.amount ?? fromMinor(result.amountMinor, currencyDecimals),
    payableAmount: fromMinor(result.payableMinor, currencyDecimals),
    totals: toTotals(totalsOf(basket, result), currencyDecimals),
    pointsSpent: spent ? fromUnits(-spent.movement.amount, decimals(spent.movement.key)) : 0,
    pointsDiscount: fromMinor(result.pointsDiscountMinor, currencyDecimals),
    executedActions: {
      collectables: toCollectables(result.balances),
      coupons: result.actions.flatMap((action) =>
        action.kind === 'grant_coupon' ? [toPromisedCoupon(action)] : [],
      ),
      actions: result.actions.map((action) => toActionReply(action, decimals, currencyDecimals)),
      skipped: result.skipped.map(({ campaign, rule, reason }) => ({ campaign, rule, reason })),
      progress: result.progress.map(({ key, have, need, reward }) => ({
        key,
        have: fromUnits(have, decimals(key)),
        need: fromUnits(need, decimals(key)),
        reward,
      })),
    },
  }
}

/** The first response to a sale; a replay after a return is identical to it. */
export function toProcessedReply(transaction: Transaction, organization: Organization) {
  const reply = toPreviewReply(transaction, organization)
  return {
    id: transaction.id,
    ...reply,
    executedActions: { ...reply.executedActions, coupons: grantedCoupons(transaction) },
    warnings: toWarnings(warningsOf(transaction)),
    status: transactionStatus.processed,
    createdAt: transaction.createdAt.toISOString(),
  }
}

export function toTotals({ amount, discounts, coupons, points, due }: SaleTotals, currencyDecimals: number) {
  return {
    amount: fromMinor(amount, currencyDecimals),
    discounts: fromMinor(discounts, currencyDecimals),
    coupons: fromMinor(coupons, currencyDecimals),
    points: fromMinor(points, currencyDecimals),
    due: fromMinor(due, currencyDecimals),
  }
}

/** The response to the sale, plus its items, campaign versions and returns. */
export function toTransactionReply(transaction: TransactionWithReturns, organization: Organization) {
  const { basket, result } = transaction
  return {
    ...toProcessedReply(transaction, organization),
    status: transaction.status,
    customerName: transaction.customerName,
    reward: basket.coupons.length > 0 ? [...basket.coupons] : undefined,
    discountAmount: basket.discountAmount,
    discountedAmount: basket.discountedAmount,
    couponsIncluded: basket.couponsIncluded,
    items: basket.lines.map(({ coupons, ...line }) => ({
      ...line,
      ...(coupons.length > 0 && { reward: [...coupons] }),
    })),
    metaData: basket.metaData,
    campaigns: result.campaigns.map(({ id, version }) => ({ id, version })),
    returns: transaction.returns.map((saleReturn) => toReturnReply(saleReturn, organization)),
  }
}

/** A coupon of a preview, which creates none and so has no ID for it. */
function toPromisedCoupon({ reward, expiresAt, campaign }: Extract<Action, { kind: 'grant_coupon' }>) {
  return { status: couponStatus.active, reward, expiresAt, campaign }
}

function grantedCoupons({ result }: Transaction) {
  return result.actions.flatMap((action) =>
    action.kind === 'grant_coupon' && action.coupon !== undefined
      ? [{ id: action.coupon, ...toPromisedCoupon(action) }]
      : [],
  )
}

function toActionReply(action: Action, decimals: Decimals, currencyDecimals: number) {
  switch (action.kind) {
    case 'redeem_coupon': {
      const discount = fromMinor(action.discountMinor, currencyDecimals)
      return { type: action.kind, coupon: action.coupon, item: action.line, discount }
    }
    case 'spend_points':
      return {
        type: action.kind,
        ...toMovementReply(action.movement, decimals),
        discount: fromMinor(action.discountMinor, currencyDecimals),
      }
    case 'collect':
      return {
        type: action.kind,
        ...toMovementReply(action.movement, decimals),
        campaign: action.campaign,
        rule: action.rule,
      }
    case 'grant_coupon':
      return {
        type: action.kind,
        coupon: action.coupon,
        reward: action.reward.key,
        campaign: action.campaign,
        ...(action.movement && toMovementReply(action.movement, decimals)),
      }
    case 'change_tier':
      return { type: action.kind, tier: action.tier, campaign: action.campaign }
  }
}

/** The amount of a movement, unsigned: the type of the action implies the direction. */
function toMovementReply(
  { key, amount, valueAfter }: { key: string; amount: number; valueAfter: number },
  decimals: Decimals,
) {
  return {
    key,
    amount: fromUnits(Math.abs(amount), decimals(key)),
    value: fromUnits(valueAfter, decimals(key)),
  }
}
