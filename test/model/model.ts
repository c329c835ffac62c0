/**
 * A second opinion on what a wallet should be: the rules of baskets and returns for the three campaigns of
 * `campaigns.ts`, written down a second time in the plainest way. It shares no code with the service. Money is in
 * cents and time in days. What a sale collects is computed from the sale and from what the wallet was before it,
 * so that a return can ask again for the part that is left.
 */
import { Balance, cutLast, type Lot, type Part } from './balance.ts'
import {
  type CardName,
  collect,
  type Given,
  type Key,
  type Order,
  priceOf,
  type RewardKey,
  returnedPart,
  sum,
  type Terms,
} from './baskets.ts'
import { type Coupon, Stamps, statusOf, stillOut, trim } from './coupons.ts'

export interface Basket extends Order {
  readonly points: number
  readonly coupons: readonly (Coupon | undefined)[]
}
export interface Sale extends Terms {
  readonly basket: Basket
  readonly day: number
  readonly given: Given
  /** Where the club's units went; loose ones have no lot. */
  readonly lots: { readonly [key in Key]?: Lot }
  /** Where the points spent came from and were not put back to yet, in order. */
  readonly spentFrom: Part[]
  readonly granted: readonly Coupon[]
  readonly progress: readonly Progress[]
  left: number[]
  readonly back: { points: number; refund: number; readonly given: Given }
}
export interface Progress {
  readonly key: Key
  readonly have: number
  readonly need: number
  readonly reward: RewardKey
}
export interface Return {
  /** Points that reached the value. */
  readonly points: number
  readonly refund: number
  /** By balance, what paid an older shortfall. */
  readonly settled: Partial<Given>
}

const keys = ['points', 'stamps', 'miles'] as const
const validDays = { free: 10, five: Number.POSITIVE_INFINITY, two: 8, snack: 6 }
const policies = { club: 'floor', guest: 'reject', bar: 'negative' } as const
/** What is spent on a card, and what a unit is worth in cents. */
const spending = {
  club: { key: 'points', cents: 5 },
  guest: undefined,
  bar: { key: 'stamps', cents: 10 },
} as const
/** The thresholds of the cards. Those on stamps consume, those on points look at the total. */
const consuming = {
  club: { reward: 'free', at: 5 },
  guest: undefined,
  bar: { reward: 'snack', at: 7 },
} as const
const onTotal = {
  club: { reward: 'five', at: 40 },
  guest: { reward: 'two', at: 25 },
  bar: undefined,
} as const

export class Model {
  day = 0
  isBlocked = false
  visits = 0
  /** Or when staff last gave something. */
  lastVisit?: number
  readonly cards: { [name in CardName]?: 'active' | 'blocked' } = {}
  readonly balances = { points: new Balance(), stamps: new Balance(), miles: new Balance() }
  /** Oldest first. */
  readonly coupons: Coupon[] = []
  readonly sales: Sale[] = []

  /** What has expired by now is gone, whoever asks. */
  expire(): void {
    const { points, miles } = this.balances
    points.expire(points.lots.filter(({ expires }) => expires <= this.day))
    if (this.lastVisit === undefined || this.day - this.lastVisit < 15) return
    miles.expire(miles.lots)
    miles.loose = 0
  }

  statusOf(coupon: Coupon): ReturnType<typeof statusOf> {
    return statusOf(coupon, this.day)
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
    const price = priceOf(basket, rewardsOf(basket))
    if (price === undefined) return 'coupon_not_applicable'
    if (points === 0) return undefined
    const spend = spending[name]
    if (spend === undefined) return 'points_not_spendable'
    if (points > this.balances[spend.key].value) return 'insufficient_points'
    if (name === 'club' && points < 10) return 'points_below_minimum'
    const share = name === 'club' ? 2 : 1
    return points * spend.cents * share > price.due ? 'points_above_share' : undefined
  }

  /** What the customer has for spending on this card. */
  spendable(card: CardName): number {
    this.expire()
    const spend = spending[card]
    return spend ? Math.max(0, this.balances[spend.key].value) : 0
  }

  process(card: CardName, basket: Basket): string | Sale {
    this.expire()
    const refusal = this.refuse(card, basket)
    if (refusal !== undefined) return refusal
    const { points, stamps } = this.balances
    for (const coupon of basket.coupons) coupon!.status = 'redeemed'
    const spend = spending[card]
    const spentFrom = spend ? this.balances[spend.key].take(basket.points) : []
    const today = this.sales.filter((sale) => sale.card === 'club' && sale.day === this.day)
    const before = {
      total: points.total,
      isFirst: this.visits === 0,
      stampsToday: sum(today.map(({ given, back }) => given.stamps - back.given.stamps)),
    }
    const price = priceOf(basket, rewardsOf(basket))!
    const terms = { card, price, before, worth: basket.points * (spend?.cents ?? 0) }
    const left = basket.lines.map(({ quantity }) => quantity)
    const given = collect(terms, left)
    const lots = card === 'club' ? { points: this.openLot('points'), miles: this.openLot('miles') } : {}
    for (const key of keys) {
      this.balances[key].add(given[key], key === 'stamps' ? undefined : lots[key])
      this.balances[key].total += given[key]
    }
    const granted = [...this.grantConsuming(card), ...this.grantOnTotal(card, before.total)]
    this.visits++
    this.lastVisit = this.day
    const progress = this.progressOf(card, stamps, points)
    const back = { points: 0, refund: 0, given: { points: 0, stamps: 0, miles: 0 } }
    const sale = { ...terms, basket, day: this.day, given, lots, spentFrom, granted, progress, left, back }
    this.sales.push(sale)
    return sale
  }

  private openLot(key: 'points' | 'miles'): Lot {
    const expires = key === 'points' ? this.day + 20 : Number.POSITIVE_INFINITY
    const lot = { expires, left: 0, lost: 0, owed: 0, payers: [] }
    this.balances[key].lots.push(lot)
    return lot
  }

  private grantConsuming(card: CardName): Coupon[] {
    const threshold = consuming[card]
    const granted: Coupon[] = []
    while (threshold && this.balances.stamps.value >= threshold.at) {
      this.balances.stamps.take(threshold.at)
      granted.push(this.issue(threshold.reward, { consumed: threshold.at }))
    }
    return granted
  }

  /** One coupon for each multiple passed, less those that are still out for a multiple above the old total. */
  private grantOnTotal(card: CardName, totalBefore: number): Coupon[] {
    const threshold = onTotal[card]
    if (!threshold) return []
    const { reward, at } = threshold
    const from = Math.floor(totalBefore / at) + stillOut(this.coupons, threshold, totalBefore).length
    const to = Math.floor(this.balances.points.total / at)
    const granted: Coupon[] = []
    for (let multiple = from + 1; multiple <= to; multiple++) granted.push(this.issue(reward, { multiple }))
    return granted
  }

  /** What is still missing for the next coupon: coupons that are out already, and what is below zero, count. */
  private progressOf(card: CardName, stamps: Balance, { total }: Balance): Progress[] {
    const progress: Progress[] = []
    const first = consuming[card]
    if (first) {
      const { reward, at } = first
      progress.push({ key: 'stamps', have: stamps.held, need: at + stamps.below, reward })
    }
    const second = onTotal[card]
    if (second) {
      const { reward, at } = second
      const out = stillOut(this.coupons, second, total).length
      progress.push({ key: 'points', have: total % at, need: at + at * out, reward })
    }
    return progress
  }

  issue(reward: RewardKey, origin: Pick<Coupon, 'consumed' | 'multiple'> = {}): Coupon {
    const coupon: Coupon = {
      reward,
      status: 'active',
      expires: this.day + validDays[reward],
      settled: 0,
      isOfTotal: origin.multiple !== undefined,
      ...origin,
    }
    this.coupons.push(coupon)
    return coupon
  }

  adjust(key: Key, amount: number): string | undefined {
    this.expire()
    const balance = this.balances[key]
    if (amount < 0 && balance.value + amount < 0) return 'insufficient_points'
    if (amount < 0) balance.take(-amount)
    else {
      balance.add(amount)
      this.lastVisit = this.day
    }
    return undefined
  }

  /** `items` are quantities by line; everything that is left when undefined. */
  giveBack(sale: Sale, items?: ReadonlyMap<number, number>): string | Return {
    this.expire()
    const { card, price, basket, worth, given, back } = sale
    const left = sale.left.map((quantity, i) => (items ? quantity - (items.get(i) ?? 0) : 0))
    if (sum(sale.left) === 0 || left.some((quantity) => quantity < 0)) return 'return_exceeds_sale'
    const spent = returnedPart(price, left, basket.points) - back.points
    const refund = returnedPart(price, left, price.due - worth) - back.refund
    const again = collect(sale, left)
    const due = (key: Key) => given[key] - again[key] - back.given[key]
    // Nothing that would help comes back with a sale of the guest card.
    if (policies[card] === 'reject' && due('points') > this.balances.points.held) return 'insufficient_points'

    const redeemed = sum(left) === 0 ? this.coupons.filter((coupon) => basket.coupons.includes(coupon)) : []
    for (const coupon of redeemed) coupon.status = 'active'
    const spentKey = spending[card]?.key
    const parts = cutLast(sale.spentFrom, spent)
    const points = this.settle(sale, 'points', spentKey === 'points' ? parts : [], due('points'))
    const account = new Stamps(this.balances.stamps, this.coupons, this.day)
    const stamps = account.giveBack(spentKey === 'stamps' ? spent : 0, redeemed)
    account.charge(due('stamps'), policies[card] === 'floor')
    account.book()
    const miles = this.settle(sale, 'miles', [], due('miles'))
    for (const key of keys) {
      const balance = this.balances[key]
      balance.total -= Math.min(due(key), balance.total)
    }
    sale.left = left
    back.points += spent
    back.refund += refund
    for (const key of keys) back.given[key] = given[key] - again[key]
    const { total } = this.balances.points
    for (const threshold of [onTotal.club, onTotal.guest]) {
      // Had only what was kept been bought, coupons for this part of the total would have expired by now.
      const old = this.sales.filter(({ day }) => day + validDays[threshold.reward] <= this.day)
      const aged = sum(old.map((earlier) => earlier.given.points - earlier.back.given.points))
      trim(this.coupons, threshold, { total, aged, day: this.day })
    }
    const settled = { points: points.settled, stamps: stamps.settled, miles: miles.settled }
    return { points: points.restored + stamps.restored, refund, settled }
  }

  /** Settles a balance of which no coupon consumes: what was spent comes back, and what is due is taken. */
  private settle(sale: Sale, key: 'points' | 'miles', spent: readonly Part[], due: number) {
    const balance = this.balances[key]
    const { reached, freed } = balance.putBack(spent, this.day)
    const settled = Math.min(reached, balance.shortfall)
    balance.shortfall -= settled
    const filled = Math.min(balance.held - settled, balance.below)
    balance.below -= filled
    balance.take(settled + filled, freed)
    const stillFreed = Math.max(0, Math.min(balance.loose, freed - settled - filled))

    // What has expired is not asked for again, and what is left of the sale's own units goes first.
    const lot = sale.lots[key]
    const isUsedUp = !lot || lot.left + lot.lost === 0
    const lost = Math.min(due, lot?.lost ?? 0)
    const own = Math.min(due - lost, lot?.left ?? 0)
    if (lot) {
      lot.lost -= lost
      lot.left -= own
    }
    const others = due - lost - own
    const paid = Math.min(others, balance.held)
    // What was collected loose is taken loose. So are miles: used ones are not remembered, as nothing spends them.
    const looseFirst = !lot || (key === 'miles' && isUsedUp) ? others : 0
    const payers = balance.take(paid, stillFreed + looseFirst)
    if (lot && key === 'points') {
      lot.owed += others
      lot.payers.push(...payers.filter((part) => part.lot))
    }
    if (policies[sale.card] === 'floor') balance.shortfall += others - paid
    else balance.below += others - paid
    return { restored: reached - settled, settled }
  }
}

const couponRefusals = [
  'coupon_not_found',
  'coupon_already_redeemed',
  'coupon_expired',
  'coupon_revoked',
  'coupon_not_applicable',
]

const rewardsOf = ({ coupons }: Basket) => coupons.map((coupon) => coupon!.reward)
