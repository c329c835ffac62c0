/**
 * Takes off the price what the service redeems coupons for. The result is computed from the prices as sent and
 * the redemptions alone, which is what a sale stores: a return prices its sale with this function, too, and a
 * sale whose coupons were never taken off is priced as it was booked.
 */
import type { Effect } from '../../domain/effect.ts'
import type { Action } from '../../domain/transaction.ts'
import type { PricedBasket } from './price-basket.ts'

export function takeCouponsOff(priced: PricedBasket, actions: readonly (Action | Effect)[]): PricedBasket {
  if (actions.length === 0) return priced
  let offMinor = 0
  const offLines = new Map<number, number>()
  for (const action of actions) {
    if (action.kind !== 'redeem_coupon' || action.takenFrom === undefined) continue
    const { takenFrom, discountMinor } = action
    offMinor += discountMinor
    if (takenFrom !== 'order') offLines.set(takenFrom, (offLines.get(takenFrom) ?? 0) + discountMinor)
  }
  if (offMinor === 0) return priced
  let linesPayableMinor = 0
  const lines = priced.lines.map((line, position) => {
    const payableMinor = line.payableMinor - (offLines.get(position) ?? 0)
    linesPayableMinor += payableMinor
    return { ...line, payableMinor }
  })
  return { ...priced, lines, payableMinor: priced.payableMinor - offMinor, linesPayableMinor }
}
