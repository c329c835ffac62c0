/**
 * The wallet of one customer, as the papers say it should be: `src/engine/README.md` for the two campaigns of
 * `campaigns.ts`, written down a second time in the plainest way. It shares no code with the service. Money is in
 * cents and time in days. What a basket does is computed from the sale and from what the wallet was before it, so
 * that a return can ask again for the part that is left.
 */
export type Key = 'points' | 'stamps' | 'miles'
export type CardName = 'club' | 'guest'
export type RewardKey = 'free' | 'five' | 'two'

interface Lot {
  readonly sale: Sale
  readonly expires: number
  left: number
}
interface Balance {
  value: number
  total: number
  /** What expires by itself; the rest of the value never does. */
  lots: Lot[]
}
export interface Coupon {
  readonly reward: RewardKey
  status: 'active' | 'redeemed' | 'expired' | 'revoked'
  readonly expires: number
  /** Granted at a threshold and not taken back by a return: its multiple is taken. */
  isOut: boolean
}
export interface Line {
  readonly product: string
  readonly quantity: number
  readonly cents: number
}
export interface Basket {
  readonly lines: readonly Line[]
  readonly discount: number
  /** Whether the discount includes the coupons; without it, one above 0 does. */
  readonly included?: boolean
  readonly points: number
  readonly coupons: readonly (Coupon | undefined)[]
}
/** What the rules look at beside the basket. */
interface Before {
  readonly stamps: number
  readonly total: number
  readonly isFirst: boolean
  readonly stampsToday: number
  readonly out: Readonly<Record<'five' | 'two', number>>
}
type Given = Record<Key, number>
/** What a basket costs: its lines after the coupons that came off them, and what is to be paid before points. */
export interface Price {
  readonly lines: readonly Line[]
  readonly due: number
  readonly coupons: number
}
export interface Sale {
  readonly card: CardName
  readonly basket: Basket
  readonly price: Price
  readonly before: Before
  readonly worth: number
  readonly day: number
  readonly given: Given
  /** Where the points spent came from, in order; no lot for what never expires. */
  readonly spentFrom: { readonly lot?: Lot; amount: number }[]
  granted: Coupon[]
  left: number[]
  readonly back: { points: number; refund: number; given: Given }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
/** A number that every quantity divides, so that parts of lines are whole numbers. */
const parts = 12

export class Model {
  day = 0
  isBlocked = false
  visits = 0
  lastVisit?: number
  readonly cards: { [name in CardName]?: 'active' | 'blocked' } = {}
  readonly balances: Record<Key, Balance> = {
    points: { value: 0, total: 0, lots: [] },
    stamps: { value: 0, total: 0, lots: [] },
    miles: { value: 0, total: 0, lots: [] },
  }
  readonly coupons: Coupon[] = []
  readonly sales: Sale[] = []

  /** What has expired by now is gone, whoever asks. */
  expire(): void {
    const { points, miles } = this.balances
    for (const lot of points.lots.filter(({ expires }) => expires <= this.day)) {
      points.value -= lot.left
      lot.left = 0
    }
    if (this.lastVisit !== undefined && this.day - this.lastVisit >= 15) miles.value = 0
  }

  statusOf(coupon: Coupon): Coupon['status'] {
    return coupon.status === 'active' && coupon.expires <= this.day ? 'expired' : coupon.status
  }

  /** The night job writes down what has expired, which matters when a coupon is taken back later. */
  runJob(): void {
    for (const coupon of this.coupons) coupon.status = this.statusOf(coupon)
  }

  refuse(name: CardName, basket: Basket): string | undefined {
    const { lines, points, coupons } = basket
    if (this.isBlocked) return 'customer_not_active'
    if (this.cards[name] === undefined) return 'card_not_found'
    if (this.cards[name] === 'blocked') return 'card_not_active'
    const wrong = coupons.map((coupon, i) => {
      if (coupon === undefined) return 'coupon_not_found'
      if (coupons.indexOf(coupon) < i) return 'coupon_not_applicable'
      const status = this.statusOf(coupon)
      if (status !== 'active') return status === 'redeemed' ? 'coupon_already_redeemed' : `coupon_${status}`
      const isApplicable = coupon.reward !== 'free' || lines.some(({ product }) => product === 'latte')
      return isApplicable ? undefined : 'coupon_not_applicable'
    })
    const first = couponRefusals.find((code) => wrong.includes(code))
    if (first !== undefined) return first
    const price = priceOf(basket)
    if (price === undefined) return 'coupon_not_applicable'
    if (points === 0) return undefined
    if (name === 'guest') return 'points_not_spendable'
    if (points > this.balances.points.value) return 'insufficient_points'
    if (points < 10) return 'points_below_minimum'
    return points * 5 * 2 > price.due ? 'points_above_share' : undefined
  }

  process(name: CardName, basket: Basket): string | Sale {
    this.expire()
    const refusal = this.refuse(name, basket)
    if (refusal !== undefined) return refusal
    const { points, stamps } = this.balances
    for (const coupon of basket.coupons) coupon!.status = 'redeemed'
    const spentFrom = this.take(points, basket.points)
    const out = (reward: RewardKey) =>
      this.coupons.filter((coupon) => coupon.isOut && coupon.reward === reward).length
    const before: Before = {
      stamps: stamps.value,
      total: points.total,
      isFirst: this.visits === 0,
      stampsToday: sum(this.sales.map((sale) => (sale.day === this.day ? stampsKept(sale) : 0))),
      out: { five: out('five'), two: out('two') },
    }
    const left = basket.lines.map(({ quantity }) => quantity)
    const terms = { card: name, basket, price: priceOf(basket)!, before, worth: basket.points * 5 }
    const back = { points: 0, refund: 0, given: { points: 0, stamps: 0, miles: 0 } }
    const { given, grants } = evaluate(terms, left)
    const sale: Sale = { ...terms, day: this.day, given, spentFrom, granted: [], left, back }
    for (const key of ['points', 'stamps', 'miles'] as const) {
      this.balances[key].value += given[key]
      this.balances[key].total += given[key]
    }
    if (name === 'club') points.lots.push({ sale, expires: this.day + 20, left: given.points })
    stamps.value -= 5 * grants.free
    sale.granted = grants.list.map((reward) => this.issue(reward, true))
    this.visits++
    this.lastVisit = this.day
    this.sales.push(sale)
    return sale
  }

  issue(reward: RewardKey, isOut = false): Coupon {
    const expires = reward === 'free' ? this.day + 10 : Number.POSITIVE_INFINITY
    const coupon: Coupon = { reward, status: 'active', expires, isOut }
    this.coupons.push(coupon)
    return coupon
  }

  /** Takes what expires first, last what never expires; says from where. */
  take(balance: Balance, amount: number): Sale['spentFrom'] {
    const from: Sale['spentFrom'] = []
    let missing = amount
    balance.value -= amount
    for (const lot of balance.lots) {
      const part = Math.min(missing, lot.left)
      if (part > 0) from.push({ lot, amount: part })
      lot.left -= part
      missing -= part
    }
    return missing > 0 ? [...from, { amount: missing }] : from
  }

  adjust(key: Key, amount: number): string | undefined {
    this.expire()
    const balance = this.balances[key]
    if (balance.value + amount < 0) return 'insufficient_points'
    if (amount < 0) this.take(balance, -amount)
    else balance.value += amount
    return undefined
  }

  /** `items` are quantities by line; everything that is left when undefined. */
  giveBack(sale: Sale, items?: ReadonlyMap<number, number>): string | { points: number; refund: number } {
    this.expire()
    const left = sale.left.map((quantity, i) => (items ? quantity - (items.get(i) ?? 0) : 0))
    if (sum(sale.left) === 0 || left.some((quantity) => quantity < 0)) return 'return_exceeds_sale'
    const isComplete = sum(left) === 0
    const whole = sum(sale.price.lines.map(({ cents }) => cents * parts))
    const returned = whole - weigh(sale.price.lines, left)
    const portion = (amount: number) => (whole === 0 ? 0 : Math.floor((amount * returned) / whole))
    const points = portion(sale.basket.points) - sale.back.points
    const refund = portion(sale.price.due - sale.worth) - sale.back.refund
    const again = isComplete ? nothing : evaluate(sale, left)
    const due = (key: Key) => sale.given[key] - again.given[key] - sale.back.given[key]

    const revoked = (['free', 'five', 'two'] as const).flatMap((reward) => {
      const mine = sale.granted.filter(
        (coupon) => coupon.reward === reward && coupon.status !== 'revoked' && coupon.isOut,
      )
      const unused = mine.filter(({ status }) => status !== 'redeemed')
      const still = again.grants.list.filter((item) => item === reward).length
      const excess = Math.min(unused.length, Math.max(0, mine.length - still))
      return unused.slice(unused.length - excess)
    })
    const unconsumed = 5 * revoked.filter(({ reward }) => reward === 'free').length
    const added: Given = { points, stamps: unconsumed, miles: 0 }
    const keys = ['points', 'stamps', 'miles'] as const
    const isShort = keys.some((key) => this.balances[key].value + added[key] < due(key))
    if (isShort && sale.card === 'guest') return 'insufficient_points'

    this.restore(sale, points)
    for (const key of keys) {
      const balance = this.balances[key]
      if (key !== 'points') balance.value += added[key]
      this.takeBack(sale, balance, Math.min(due(key), balance.value))
      balance.total -= Math.min(due(key), balance.total)
      sale.back.given[key] += due(key)
    }
    for (const coupon of revoked) {
      coupon.isOut = false
      if (coupon.status === 'active') coupon.status = 'revoked'
    }
    if (isComplete) for (const coupon of sale.basket.coupons) coupon!.status = 'active'
    sale.left = left
    sale.back.points += points
    sale.back.refund += refund
    this.expire()
    return { points, refund }
  }

  /** Points spent go back to where they came from, what was taken last first. */
  private restore(sale: Sale, points: number): void {
    this.balances.points.value += points
    let missing = points
    for (const from of sale.spentFrom.toReversed()) {
      const part = Math.min(missing, from.amount)
      from.amount -= part
      missing -= part
      if (from.lot) from.lot.left += part
    }
  }

  /** What was collected leaves from where the sale had put it, then like anything that is spent. */
  private takeBack(sale: Sale, balance: Balance, amount: number): void {
    const free = balance.value - sum(balance.lots.map(({ left }) => left))
    const own = balance.lots.find((lot) => lot.sale === sale)
    const first = Math.min(amount, own ? own.left : sale.card === 'guest' ? free : 0)
    if (own) own.left -= first
    balance.value -= first
    this.take(balance, amount - first)
  }
}

const couponRefusals = [
  'coupon_not_found',
  'coupon_already_redeemed',
  'coupon_expired',
  'coupon_revoked',
  'coupon_not_applicable',
]
const nothing = { given: { points: 0, stamps: 0, miles: 0 }, grants: { free: 0, list: [] as RewardKey[] } }

const stampsKept = (sale: Sale) => sale.given.stamps - sale.back.given.stamps
/** Cents off, for the rewards that are an amount. */
const amountsOff = { five: 500, two: 200 }

/** Takes off what the coupons of the order are worth, one after the other; undefined when one is worth nothing. */
function priceOf({ lines, discount, included = discount > 0, coupons }: Basket): Price | undefined {
  const total = sum(lines.map(({ cents }) => cents))
  let [worth, off] = [total, 0]
  let due = Math.max(0, total - discount)
  const left = lines.map(({ cents }) => cents)
  const free = lines.map(() => 0)
  for (const coupon of coupons) {
    const reward = coupon!.reward
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
/** The amount of what is left of the lines, in twelfths of a cent. */
const weigh = (lines: readonly Line[], left: readonly number[]) =>
  sum(lines.map(({ cents, quantity }, i) => (cents * left[i]! * parts) / quantity))

/** What a sale gives for the quantities that are left of it. */
function evaluate(
  { card, price, before, worth }: Pick<Sale, 'card' | 'price' | 'before' | 'worth'>,
  left: readonly number[],
): { given: Given; grants: { free: number; list: RewardKey[] } } {
  const { lines, due } = price
  const whole = weigh(
    lines,
    lines.map(({ quantity }) => quantity),
  )
  /** How often a price fits into lines, after their share of the discount and of the points was taken off. */
  const fits = (weight: number, price: number) =>
    whole === 0 ? 0 : Math.floor((weight * (due - worth)) / (whole * price))
  const isLatte = lines.map(({ product }) => product === 'latte')
  const all = weigh(lines, left)
  const lattes = left.filter((_, i) => isLatte[i])
  const passes = (at: number, points: number, out: number) =>
    Math.max(0, Math.floor((before.total + points) / at) - Math.max(Math.floor(before.total / at), out))
  if (card === 'guest') {
    const points = fits(all, 100)
    const list = Array<RewardKey>(passes(55, points, before.out.two)).fill('two')
    return { given: { points, stamps: 0, miles: 0 }, grants: { free: 0, list } }
  }
  const plain =
    3 * fits(all, 200) +
    fits(
      weigh(
        lines,
        left.map((item, i) => (isLatte[i] ? item : 0)),
      ),
      70,
    )
  const isLarge = whole > 0 && Math.round((due * all) / whole) >= 1500
  const points = isLarge ? Math.floor(plain * 1.5) : plain
  const stamps = Math.max(0, Math.min(sum(lattes), 6, 9 - before.stampsToday))
  const miles = 2 + (before.isFirst ? 10 : 0) + (before.total >= 60 ? 3 : 0)
  const free = Math.floor((before.stamps + stamps) / 5)
  const five = passes(40, points, before.out.five)
  const list = [...Array<RewardKey>(free).fill('free'), ...Array<RewardKey>(five).fill('five')]
  return { given: { points, stamps, miles }, grants: { free, list } }
}
