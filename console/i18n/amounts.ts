/**
 * Money without binary fractions: sums are computed in whole millionths, which is finer than any currency.
 * The service counts in minor units and returns every discount in them, so only a line's amount is ever
 * rounded here.
 */
const millionths = (amount: number): number => Math.round(amount * 1e6)

export function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + millionths(amount), 0) / 1e6
}

export const minus = (amount: number, ...taken: number[]): number =>
  (millionths(amount) - millionths(sumOf(taken))) / 1e6

/** Amount of a line, rounded half up to the currency's decimals, like the service does. */
export function lineAmount(
  { unitPrice, quantity }: { readonly unitPrice: number; readonly quantity: number },
  decimals: number,
): number {
  const unit = 10 ** (6 - decimals)
  return Math.floor((millionths(unitPrice) * quantity + unit / 2) / unit) / 10 ** decimals
}
