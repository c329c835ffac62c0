/**
 * Money without binary fractions: sums are made in whole millionths, which is finer than any currency. The
 * service counts in minor units and returns every discount in them, so nothing is ever rounded here but a
 * line's amount.
 */
const millionths = (amount: number): number => Math.round(amount * 1e6)

export function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + millionths(amount), 0) / 1e6
}

export const minus = (amount: number, ...taken: number[]): number =>
  (millionths(amount) - millionths(sumOf(taken))) / 1e6

/** What the customer paid in money: what was payable, less what points paid of it. */
export const paidOf = (sale: { readonly payableAmount: number; readonly pointsDiscount: number }): number =>
  minus(sale.payableAmount, sale.pointsDiscount)

/** What a line costs, half-up to the currency's decimals, as the service counts it. */
export function lineAmount(
  { unitPrice, quantity }: { readonly unitPrice: number; readonly quantity: number },
  decimals: number,
): number {
  const unit = 10 ** (6 - decimals)
  return Math.floor((millionths(unitPrice) * quantity + unit / 2) / unit) / 10 ** decimals
}
