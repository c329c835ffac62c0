/** Coupons, and what a return does to them. */
import type { Balance } from './balance.ts'
import { type RewardKey, sum } from './baskets.ts'

export interface Coupon {
  readonly reward: RewardKey
  status: 'active' | 'redeemed' | 'revoked' | 'taken back'
  readonly expires: number
  /** The multiple of its threshold that it is out for; without one it was given up, or is of no such threshold. */
  multiple?: number
  /** Whether it was granted for such a multiple. */
  readonly isOfTotal: boolean
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
  { total, aged, day }: { total: number; aged: number; day: number },
): void {
  const out = outOf(coupons, threshold)
  const tooMany = stillOut(coupons, threshold, total).length
  const multiples = out.map(({ multiple }) => multiple!).toSorted((a, b) => a - b)
  const reached = multiples.slice(0, out.length - tooMany)
  // As many places are for coupons of long ago, and one for each that was used or revoked since; or if there are
  // more of these, one for each of all that were ever used or revoked.
  const used = out.filter(({ status }) => status === 'redeemed' || status === 'revoked')
  const agedPlaces = multiples.filter((multiple) => multiple * threshold.at <= aged).length
  const taken = agedPlaces + used.filter(({ expires }) => expires > day).length
  const places = Math.max(0, reached.length - Math.max(used.length, taken))

  const newestFirst = out.toReversed()
  const expired = newestFirst.filter((coupon) => statusOf(coupon, day) === 'expired')
  const unused = newestFirst.filter((coupon) => statusOf(coupon, day) === 'active')
  const without = Math.max(0, unused.length - places)
  const inTurn = [...unused.slice(0, without), ...expired, ...unused.slice(without)]
  for (const coupon of inTurn.slice(0, tooMany)) {
    coupon.multiple = undefined
    if (unused.includes(coupon)) coupon.status = 'taken back'
  }
  // Those that stay are out for the lowest multiples, and without a gap above the total.
  const above = Math.floor(total / threshold.at) + 1
  const staying = outOf(coupons, threshold).toSorted((a, b) => a.multiple! - b.multiple!)
  for (const [i, coupon] of staying.entries()) coupon.multiple = reached[i] ?? above + i - reached.length

  // The places for those that can be used are filled with such that were taken back, at the expense of expired ones;
  // and if there are too many of them, the other way around.
  const active = unused.filter(({ status }) => status === 'active')
  const isFree = active.length < places
  const goes = isFree ? expired.filter(({ multiple }) => multiple !== undefined).toReversed() : active
  const gone = coupons.filter(
    (coupon) => coupon.reward === threshold.reward && coupon.isOfTotal && !out.includes(coupon),
  )
  const comes = gone.filter(({ status, expires }) =>
    isFree ? status === 'taken back' && expires > day : status !== 'redeemed' && expires <= day,
  )
  const exchanged = Math.min(Math.abs(places - active.length), goes.length, comes.length)
  for (let i = 0; i < exchanged; i++) {
    comes[i]!.status = 'active'
    comes[i]!.multiple = goes[i]!.multiple
    goes[i]!.multiple = undefined
    if (!isFree) goes[i]!.status = 'taken back'
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
    for (const coupon of restored) {
      if (statusOf(coupon, day) === 'active') this.takeBack(coupon)
      else {
        coupon.settled = coupon.consumed!
        this.value += coupon.consumed!
      }
    }
    const back = spent + sum(restored.map(({ consumed }) => consumed!))
    const settled = Math.min(back, balance.shortfall)
    balance.shortfall -= settled
    this.value += spent - settled
    if (back > settled || restored.length > 0) this.serve(back - settled)
    return { restored: spent - Math.min(settled, spent), settled }
  }

  /** Takes what is due: from the value, and from coupons that have ended or are unused, the newest first. */
  charge(due: number, isForgiven: boolean): void {
    let missing = Math.max(0, due - Math.max(0, this.value))
    this.value -= due
    for (const coupon of this.coupons.toReversed()) {
      if (missing === 0) break
      if (this.hasEnded(coupon)) {
        const part = Math.min(missing, coupon.consumed! - coupon.settled)
        coupon.settled += part
        this.value += part
        missing -= part
      } else if (statusOf(coupon, this.day) === 'active') {
        this.takeBack(coupon)
        missing = Math.max(0, missing - coupon.consumed!)
      }
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

  private hasEnded(coupon: Coupon): boolean {
    return coupon.status === 'revoked' || statusOf(coupon, this.day) === 'expired'
  }

  private takeBack(coupon: Coupon): void {
    coupon.status = 'taken back'
    coupon.settled = 0
    this.value += coupon.consumed!
  }

  /** Gives coupons back what they have paid, the oldest first, until one cannot be served. */
  private serve(most: number): void {
    let left = most
    for (const coupon of this.coupons) {
      const there = Math.max(0, this.value)
      if (coupon.status === 'taken back') {
        if (coupon.consumed! > there) return
        coupon.status = 'active'
        this.value -= coupon.consumed!
        left = Math.max(0, left - coupon.consumed!)
      } else if (this.hasEnded(coupon)) {
        const part = Math.min(coupon.settled, left, there)
        coupon.settled -= part
        this.value -= part
        left -= part
        if (coupon.settled > 0) return
      }
    }
  }
}
