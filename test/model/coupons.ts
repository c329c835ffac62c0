/** Coupons, and what a return does to them. */
import type { Balance } from './balance.ts'
import { type RewardKey, sum } from './baskets.ts'

export interface Coupon {
  readonly reward: RewardKey
  status: 'active' | 'redeemed' | 'revoked' | 'taken back'
  readonly expires: number
  /** The multiple of its threshold that it is out for; without one it was given up, or is of no such threshold. */
  multiple?: number
  /** The stamps it was granted for. */
  readonly consumed?: number
  /** How many of these have paid for returns, or were paid in its place while it is taken back. */
  settled: number
}

/** `revoked` is by hand, and `taken back` by a return: both look the same. */
export function statusOf(
  { status, expires }: Coupon,
  day: number,
): 'active' | 'redeemed' | 'expired' | 'revoked' {
  if (status === 'active') return expires <= day ? 'expired' : 'active'
  return status === 'taken back' ? 'revoked' : status
}

export interface Threshold {
  readonly reward: RewardKey
  readonly at: number
}

const outOf = (coupons: readonly Coupon[], { reward }: Threshold) =>
  coupons.filter((coupon) => coupon.reward === reward && coupon.multiple !== undefined)

/** The coupons that are out for multiples above the total. */
export function stillOut(coupons: readonly Coupon[], threshold: Threshold, total: number): Coupon[] {
  return outOf(coupons, threshold).filter(({ multiple }) => multiple! * threshold.at > total)
}

/** Takes coupons back until no more are out than there are multiples, of those granted, that the total reaches. */
export function trim(
  coupons: readonly Coupon[],
  threshold: Threshold,
  { total, redeemed, day }: { total: number; redeemed: readonly Coupon[]; day: number },
): void {
  const out = outOf(coupons, threshold)
  const tooMany = stillOut(coupons, threshold, total).length
  const multiples = out.map(({ multiple }) => multiple!).toSorted((a, b) => a - b)
  const newestFirst = out.toReversed()
  const expired = newestFirst.filter((coupon) => statusOf(coupon, day) === 'expired')
  const unused = newestFirst.filter((coupon) => statusOf(coupon, day) === 'active')
  for (const coupon of [...expired, ...unused].slice(0, tooMany)) {
    coupon.multiple = undefined
    if (unused.includes(coupon)) coupon.status = 'taken back'
  }
  // Those that stay are out for the lowest multiples, and without a gap above the total.
  const reached = multiples.slice(0, out.length - tooMany)
  const above = Math.floor(total / threshold.at) + 1
  const staying = outOf(coupons, threshold).toSorted((a, b) => a.multiple! - b.multiple!)
  for (const [i, coupon] of staying.entries()) coupon.multiple = reached[i] ?? above + i - reached.length

  // One that comes back expired is given up for a better one that an earlier return took: it would have gone first.
  for (const coupon of redeemed) {
    if (coupon.multiple === undefined || coupon.reward !== threshold.reward) continue
    if (statusOf(coupon, day) !== 'expired') continue
    const better = coupons.find(
      ({ reward, status, expires }) =>
        reward === threshold.reward && status === 'taken back' && expires > day,
    )
    if (better === undefined) continue
    better.status = 'active'
    better.multiple = coupon.multiple
    coupon.multiple = undefined
  }
}

/** Settles stamps, which have no lots, and the coupons that were granted for them. */
export class Stamps {
  private readonly balance: Balance
  /** Those that consumed stamps, oldest first. */
  private readonly coupons: readonly Coupon[]
  private readonly day: number
  private value: number

  constructor(balance: Balance, coupons: readonly Coupon[], day: number) {
    this.balance = balance
    this.coupons = coupons.filter(({ consumed }) => consumed !== undefined)
    this.day = day
    this.value = balance.value
  }

  /** Spent stamps, and coupons that were redeemed, come back: returns what of the stamps reached the value. */
  giveBack(spent: number, redeemed: readonly Coupon[]): { restored: number; settled: number } {
    const { balance, day } = this
    const restored = this.coupons.filter((coupon) => redeemed.includes(coupon))
    // A coupon that comes back is worth what it consumed, and has to be affordable again.
    const usable = restored.filter((coupon) => statusOf(coupon, day) === 'active')
    const expired = restored.filter((coupon) => statusOf(coupon, day) === 'expired')
    for (const coupon of usable) this.takeBack(coupon)
    const back = spent + sum(usable.map(({ consumed }) => consumed!))
    const settled = Math.min(back, balance.shortfall)
    balance.shortfall -= settled
    this.value += spent - settled
    const instead = sum(expired.map((coupon) => this.payWithExpired(coupon)))
    if (back > settled || restored.length > 0) {
      const isEach = this.reinstate()
      if (isEach) this.refill(back - settled + instead)
    }
    return { restored: spent - Math.min(settled, spent), settled }
  }

  /** Takes what is due: from the value, from what ended coupons consumed, and from unused coupons. */
  charge(due: number, isForgiven: boolean): void {
    let missing = Math.max(0, due - Math.max(0, this.value))
    this.value -= due
    for (const coupon of this.ended()) {
      const part = Math.min(missing, restOf(coupon))
      coupon.settled += part
      this.value += part
      missing -= part
    }
    for (const coupon of this.coupons.toReversed()) {
      if (missing === 0 || statusOf(coupon, this.day) !== 'active') continue
      this.takeBack(coupon)
      missing = Math.max(0, missing - coupon.consumed!)
    }
    if (isForgiven) {
      this.balance.shortfall += missing
      this.value += missing
    }
  }

  book(): void {
    this.balance.loose = Math.max(0, this.value)
    this.balance.below = Math.max(0, -this.value)
  }

  private takenBack(): Coupon[] {
    return this.coupons.filter(({ status }) => status === 'taken back')
  }

  private ended(): Coupon[] {
    return this.coupons.filter(
      (coupon) => coupon.status === 'revoked' || statusOf(coupon, this.day) === 'expired',
    )
  }

  private takeBack(coupon: Coupon): void {
    coupon.status = 'taken back'
    coupon.settled = 0
    this.value += coupon.consumed!
  }

  /**
   * What an expired coupon consumed pays only what is missing: a shortfall, a value below zero, and what coupons
   * had to pay that were taken back. Returns the latter, which is worth something again.
   */
  private payWithExpired(coupon: Coupon): number {
    const shortfall = Math.min(restOf(coupon), this.balance.shortfall)
    this.balance.shortfall -= shortfall
    coupon.settled += shortfall
    const below = Math.min(restOf(coupon), Math.max(0, -this.value))
    this.value += below
    coupon.settled += below
    let instead = 0
    for (const other of this.takenBack()) {
      const part = Math.min(restOf(coupon), restOf(other))
      coupon.settled += part
      other.settled += part
      instead += part
    }
    this.value += instead
    return instead
  }

  /** Oldest first, as long as the value can pay; false when it could not pay for all. */
  private reinstate(): boolean {
    for (const coupon of this.takenBack()) {
      if (coupon.consumed! > this.value) return false
      this.value -= coupon.consumed!
      coupon.status = 'active'
      coupon.settled = 0
    }
    return true
  }

  /** Ended coupons get back what they have paid, the newest first. */
  private refill(units: number): void {
    let left = Math.max(0, Math.min(this.value, units))
    for (const coupon of this.ended().toReversed()) {
      const part = Math.min(left, coupon.settled)
      coupon.settled -= part
      this.value -= part
      left -= part
    }
  }
}

const restOf = ({ consumed, settled }: Coupon) => consumed! - settled
