/** Renders returns as API responses; a replay is rendered from what was stored and is identical. */
import { fromMinor, fromUnits } from '../../domain/money.ts'
import type { Organization } from '../../domain/organization.ts'
import type { SaleReturn, SaleReturnResult } from '../../domain/transaction.ts'
import { decimalsIn } from './balance-decimals.ts'
import { toCollectables } from './customer.ts'

export function toReturnReply(saleReturn: SaleReturn, organization: Organization) {
  const { id, createdAt } = saleReturn
  return { id, ...toReturnPreviewReply(saleReturn, organization), createdAt: createdAt.toISOString() }
}

export function toReturnPreviewReply(
  { transaction, opaqueId, reason, items, result }: Omit<SaleReturn, 'id' | 'createdAt'>,
  { currencyDecimals }: Organization,
) {
  const { pointsKey, pointsRestored, refundMinor, record } = result
  const { amountMinor } = record
  return {
    transaction,
    opaqueId,
    reason,
    items: items.map(({ id, quantity }) => ({ id, quantity })),
    amount: amountMinor === undefined ? undefined : fromMinor(amountMinor, currencyDecimals),
    pointsRestored: pointsKey ? fromUnits(pointsRestored, decimalsIn(result)(pointsKey)) : 0,
    refundAmount: fromMinor(refundMinor, currencyDecimals),
    executedActions: {
      collectables: toCollectables(result.balances),
      coupons: [],
      actions: toActions(result),
      skipped: [],
      progress: [],
    },
  }
}

function toActions(result: SaleReturnResult) {
  const decimals = decimalsIn(result)
  return [
    ...result.movements.map(({ kind, key, amount, valueAfter }) => {
      const balance = {
        key,
        amount: fromUnits(amount, decimals(key)),
        value: fromUnits(valueAfter, decimals(key)),
      }
      // A return moves balances in no other way.
      if (kind === 'expire') return { type: kind, ...balance }
      const settled = result.settled?.find(([owner]) => owner === key)
      return {
        type: 'return' as const,
        ...balance,
        settled: settled && fromUnits(settled[1], decimals(key)),
      }
    }),
    ...result.revokedCoupons.map((coupon) => ({ type: 'revoke_coupon' as const, coupon })),
    ...result.restoredCoupons.map((coupon) => ({ type: 'restore_coupon' as const, coupon })),
    ...(result.tiersChanged ?? []).map(({ tier, campaign }) => ({
      type: 'change_tier' as const,
      tier,
      campaign,
    })),
  ]
}
