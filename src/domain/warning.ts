import type { Place } from './refusal.ts'

export const warningCodes = [
  'discounts_disagree',
  'amount_differs',
  'coupon_discount_differs',
  'coupon_discount_elsewhere',
  'empty_basket',
  'no_receipt_number',
] as const

export type WarningCode = (typeof warningCodes)[number]

/** What was accepted in a basket and is probably a mistake. The place is given in domain terms. */
export interface Warning {
  readonly code: WarningCode
  readonly at: Place
}

/** The warnings of a processed basket. That the receipt number is missing is known from the sale itself. */
export function warningsOf({
  opaqueId,
  result,
}: {
  readonly opaqueId?: string
  readonly result: { readonly warnings?: readonly Warning[] }
}): readonly Warning[] {
  const { warnings = [] } = result
  return opaqueId === undefined ? [...warnings, { code: 'no_receipt_number', at: ['opaqueId'] }] : warnings
}
