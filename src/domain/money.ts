/**
 * Exact decimals. A JSON number means its shortest decimal text: 0.1 is one tenth, not the nearest binary
 * fraction. Computation uses whole numbers of minor units (cents) or balance units, and each kind of rounding
 * happens in one named place.
 *
 * Text is parsed only when necessary. A number with at most 15 significant digits is the only such decimal
 * near its double, so `round(x × 10^d) / 10^d === x` proves that x has at most d decimals; that is the fast
 * path.
 */

/** Largest amount of money in one field of a basket or definition, in whole currency units. */
export const maxMoney = 1e10
/** Largest quantity of one line. */
export const maxQuantity = 1e6
/**
 * Largest balance and largest change of one, in units; below 2^53, so that the sum of two is still safe to
 * compare.
 */
export const maxUnits = 9e15
/** Decimals that `unitPrice` and `quantity` may have. */
export const maxPriceDecimals = 6
/** Decimals a balance may declare. */
export const maxBalanceDecimals = 6

const powersOfTen = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent)
const exactBelow = 1e15

/** Converts an amount of money to minor units, half-up. The amount must be finite and within `maxMoney`. */
export function toMinor(amount: number, currencyDecimals: number): number {
  const power = powersOfTen[currencyDecimals]!
  const scaled = Math.round(amount * power)
  if (scaled < exactBelow && scaled > -exactBelow && scaled / power === amount) return scaled
  return roundHalfUp(decimalOf(amount), currencyDecimals)
}

export function fromMinor(minor: number, currencyDecimals: number): number {
  return minor / powersOfTen[currencyDecimals]!
}

/** `unitPrice × quantity` in minor units: exact, then rounded half-up once. May exceed `maxMoney`. */
export function multiplyToMinor(unitPrice: number, quantity: number, currencyDecimals: number): number {
  if (Number.isInteger(quantity)) {
    const power = powersOfTen[currencyDecimals]!
    const scaled = Math.round(unitPrice * power)
    const product = scaled * quantity
    if (product < exactBelow && scaled / power === unitPrice) return product
  }
  const price = decimalOf(unitPrice)
  const count = decimalOf(quantity)
  const product = { digits: price.digits * count.digits, decimals: price.decimals + count.decimals }
  return roundHalfUp(product, currencyDecimals)
}

/** A number as whole units of 10^-decimals; `undefined` when it has more decimals or is out of bounds. */
export function toUnits(value: number, decimals: number): number | undefined {
  const power = powersOfTen[decimals]!
  const scaled = Math.round(value * power)
  if (scaled < exactBelow && scaled > -exactBelow) {
    // Adding zero turns the −0 that results from rounding a small negative number into 0.
    return scaled / power === value ? scaled + 0 : undefined
  }
  if (!(scaled <= maxUnits && scaled >= -maxUnits)) return undefined
  const exact = decimalOf(value)
  if (exact.decimals > decimals) return undefined
  const units = Number(exact.digits * 10n ** BigInt(decimals - exact.decimals))
  return Math.abs(units) <= maxUnits ? units : undefined
}

export function fromUnits(units: number, decimals: number): number {
  return units / powersOfTen[decimals]!
}

/** Number of decimals in the shortest text of a finite number. */
export function decimalsOf(value: number): number {
  if (Number.isInteger(value)) return 0
  if (Math.round(value * 100) / 100 === value && Math.abs(value) < 1e13) {
    return Math.round(value * 10) / 10 === value ? 1 : 2
  }
  return decimalOf(value).decimals
}

/** floor(a × b / c) of whole numbers ≥ 0 and c > 0; at most `maxUnits + 1`, which stands for "too large". */
export function floorProduct(a: number, b: number, c: number): number {
  const product = a * b
  if (product <= Number.MAX_SAFE_INTEGER) return Math.min((product - (product % c)) / c, maxUnits + 1)
  return clampUnits((BigInt(a) * BigInt(b)) / BigInt(c))
}

/** A whole number as a JavaScript number; at most `maxUnits + 1`, which stands for "too large". */
export function clampUnits(units: bigint): number {
  return units > 9_000_000_000_000_000n ? maxUnits + 1 : Number(units)
}

export function powerOfTen(exponent: number): number {
  return powersOfTen[exponent]!
}

/** A number as an exact decimal: digits × 10^-decimals, without trailing zeros after the point. */
export interface Decimal {
  readonly digits: bigint
  readonly decimals: number
}

export function decimalOf(value: number): Decimal {
  const text = String(value)
  const mark = text.indexOf('e')
  const mantissa = mark < 0 ? text : text.slice(0, mark)
  const exponent = mark < 0 ? 0 : Number(text.slice(mark + 1))
  const point = mantissa.indexOf('.')
  const digits = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1)
  const decimals = (point < 0 ? 0 : mantissa.length - point - 1) - exponent
  return decimals >= 0
    ? { digits: BigInt(digits), decimals }
    : { digits: BigInt(digits) * 10n ** BigInt(-decimals), decimals: 0 }
}

function roundHalfUp(value: Decimal, decimals: number): number {
  if (value.decimals <= decimals) return Number(value.digits * 10n ** BigInt(decimals - value.decimals))
  const divisor = 10n ** BigInt(value.decimals - decimals)
  // Half-up means away from zero; the amounts here are never negative.
  return Number((value.digits * 2n + divisor) / (divisor * 2n))
}
