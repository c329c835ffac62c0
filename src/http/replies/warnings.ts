/** Renders warnings about what a basket was accepted with; they never change what it does. */
import type { Warning, WarningCode } from '../../domain/warning.ts'
import { apiPlace } from '../errors/describe-problem.ts'

const texts: Record<WarningCode, string> = {
  discounts_disagree:
    '`discountAmount` (taken off) and `discountedAmount` (left to pay) contradict each other; `discountedAmount` counts. Send only one of them.',
  amount_differs:
    'The order amount is not the sum of the items; the items count. Leave the order amount out, or add what is missing as an item.',
  coupon_discount_differs:
    'Your discount here is smaller than the coupons it includes are worth. Take the full worth off, or send no discount here and let the service take it off.',
  coupon_discount_elsewhere:
    'The coupon was taken off in addition to your discounts elsewhere in the basket. Send `couponsIncluded`: true if they include it, false if they do not.',
  empty_basket: 'The basket has no items and no amount, so it collects nothing and is not a visit.',
  no_receipt_number: 'Without a receipt number, sending the sale again may count twice.',
}

/** Undefined when there are none, so that the field is left out. */
export function toWarnings(warnings: readonly Warning[]) {
  if (warnings.length === 0) return undefined
  return warnings.map(({ code, at }) => ({ code, at: apiPlace(at), text: texts[code] }))
}
