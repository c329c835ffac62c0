/** What a basket costs and what it collects. Money is in cents. */
export type Key = 'points' | 'stamps' | 'miles'
export type CardName = 'club' | 'guest' | 'bar'
export type RewardKey = 'free' | 'five' | 'two' | 'snack'

export interface Line {
  readonly product: string
  readonly quantity: number
  readonly cents: number
}
export interface Order {
  readonly lines: readonly Line[]
  readonly discount: number
  /** Whether the discount includes the coupons; without it, one above 0 does. */
  readonly included?: boolean
}
/** What a basket costs: its lines after the coupons that came off them, and what is to be paid before points. */
export interface Price {
  readonly lines: readonly Line[]
  readonly due: number
  readonly coupons: number
}
/** What the rules look at beside the basket. */
export interface Before {
  readonly total: number
  readonly isFirst: boolean
  readonly stampsToday: number
}
export interface Terms {
  readonly card: CardName
  readonly price: Price
  readonly before: Before
  /** What the points spent are worth. */
  readonly worth: number
}
export type Given = Record<Key, number>

export const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

/** Cents off, for the rewards that are an amount. */
const amountsOff = { five: 500, two: 200, snack: 100 }

/** Takes off what the coupons of the order are worth, one after the other; undefined when one is worth nothing. */
export function priceOf(
  { lines, discount, included = discount > 0 }: Order,
  rewards: readonly RewardKey[],
): Price | undefined {
  const total = sum(lines.map(({ cents }) => cents))
  let [worth, off] = [total, 0]
  let due = Math.max(0, total - discount)
  const left = lines.map(({ cents }) => cents)
  const free = lines.map(() => 0)
  for (const reward of rewards) {
    let most = included ? worth : Math.min(worth, due)
    let line: number | undefined
    if (reward === 'free') {
      const unit = (i: number) => Math.round(lines[i]!.cents / lines[i]!.quantity)
      const units = lines.flatMap(({ product, quantity }, i) =>
        product === 'latte' && free[i]! < quantity && left[i]! > 0 && unit(i) > 0 ? [i] : [],
      )
      if (units.length === 0) return undefined
      line = units.toSorted((a, b) => unit(a) - unit(b))[0]!
      most = Math.min(most, unit(line), left[line]!)
      free[line]! += 1
    } else {
      most = Math.min(most, amountsOff[reward])
    }
    if (most === 0) return undefined
    worth -= most
    // Where coupons are included, only their worth is counted.
    if (line !== undefined) left[line]! -= most
    if (!included) {
      due -= most
      off += most
    }
  }
  const priced = lines.map((line, i) => (included ? line : { ...line, cents: left[i]! }))
  return { lines: priced, due, coupons: off }
}

/** A number that every quantity divides, so that parts of lines are whole numbers. */
const parts = 12
/** The amount of what is left of the lines, in twelfths of a cent. */
const weigh = (lines: readonly Line[], left: readonly number[]) =>
  sum(lines.map(({ cents, quantity }, i) => (cents * left[i]! * parts) / quantity))
const wholeOf = ({ lines }: Price) => sum(lines.map(({ cents }) => cents * parts))

/** The share of an amount that belongs to what is no longer left, rounded down. */
export function returnedPart(price: Price, left: readonly number[], amount: number): number {
  const whole = wholeOf(price)
  if (sum(left) === 0) return amount
  return whole === 0 ? 0 : Math.floor((amount * (whole - weigh(price.lines, left))) / whole)
}

/** What a sale collects for the quantities that are left of it. */
export function collect({ card, price, before, worth }: Terms, left: readonly number[]): Given {
  if (sum(left) === 0) return { points: 0, stamps: 0, miles: 0 }
  const { lines, due } = price
  const whole = wholeOf(price)
  const only = (wanted: string) => left.map((item, i) => (lines[i]!.product === wanted ? item : 0))
  /** How often a price fits into lines, after their share of the discount and of the points was taken off. */
  const fits = (items: readonly number[], cents: number) =>
    whole === 0 ? 0 : Math.floor((weigh(lines, items) * (due - worth)) / (whole * cents))
  if (card === 'guest') return { points: fits(left, 100), stamps: 0, miles: 0 }
  if (card === 'bar') return { points: fits(left, 200), stamps: 2 * sum(only('bun')), miles: 0 }
  const plain = 3 * fits(left, 200) + fits(only('latte'), 70)
  const isLarge = whole > 0 && Math.round((due * weigh(lines, left)) / whole) >= 1500
  return {
    points: isLarge ? Math.floor(plain * 1.5) : plain,
    stamps: Math.max(0, Math.min(sum(only('latte')), 6, 9 - before.stampsToday)),
    miles: 2 + (before.isFirst ? 10 : 0) + (before.total >= 60 ? 3 : 0),
  }
}
