/**
 * Settles one balance after a return: what is due is paid, in this order, by the value, by what ended coupons
 * had consumed, and by unused coupons; the rest is up to the policy. What is given back goes the other way:
 * it pays an older shortfall, reinstates coupons that returns had revoked, gives ended coupons back what they
 * have paid, and only then reaches the value. As each is the exact reverse of the other, the order of two
 * returns does not matter.
 */
import type { LotTake } from '../../domain/lot.ts'
import { maxUnits } from '../../domain/money.ts'
import { ok, type Result, refuse } from '../../domain/result.ts'
import {
  balanceOf,
  balanceTooLarge,
  type OpenLot,
  recordMovement,
  takeFromLots,
  type WalletState,
} from '../steps/wallet-state.ts'
import { type OpenCoupon, reactivate } from './open-coupons.ts'
import {
  chargeLots,
  findLot,
  notePayers,
  type OwnLots,
  putBack,
  sumOfTakes,
  takeOut,
  unitsInLots,
} from './return-lots.ts'

export type Policy = 'floor' | 'negative' | 'reject'

export interface BalanceReturn {
  readonly key: string
  readonly dues: readonly OwnLots[]
  /** Spent points that are given back: units, and those of them that were taken from lots. */
  readonly points: { readonly units: number; readonly from: readonly LotTake[] }
  /** The customer's coupons that consumed from this balance, oldest first. */
  readonly coupons: readonly OpenCoupon[]
  /** Those that were redeemed on the returned sale. */
  readonly restored: readonly OpenCoupon[]
  readonly policy: Policy
  readonly now: Date
}

export interface Settled {
  /** Given back points that reached the value. */
  readonly pointsRestored: number
  /** What paid an older shortfall. */
  readonly settled: number
}

/** A balance while it is settled. */
interface Account {
  readonly key: string
  value: number
  shortfall: number
  /** Units in no lot. */
  outside: number
  /** Those of them that have come back for units that were charged before. */
  freed: number
}

export function settleBalance(state: WalletState, given: BalanceReturn): Result<Settled> {
  const { key, dues } = given
  const balance = balanceOf(state, key)
  const { value, shortfall } = balance
  const outside = Math.max(0, value) - unitsInLots(state, key)
  const account = { key, value, shortfall, outside, freed: 0 }
  const settled = giveBack(state, account, given)
  const missing = charge(state, account, given)
  if (missing > 0 && given.policy === 'reject') return refuse('insufficient_points')
  if (account.value > maxUnits) return balanceTooLarge(key)
  account.value = Math.max(account.value, -maxUnits)

  const due = dues.reduce((sum, { units }) => sum + units, 0)
  const change = {
    value: account.value - value,
    total: -Math.min(due, balance.total),
    shortfall: account.shortfall - shortfall,
  }
  if (change.value !== 0 || change.total !== 0 || change.shortfall !== 0)
    recordMovement(state, balance, 'return', change.value, change.total, change.shortfall)
  return ok(settled)
}

/** Gives back spent points and what restored coupons had consumed. */
function giveBack(state: WalletState, account: Account, given: BalanceReturn): Settled {
  const { points, coupons, restored, now } = given
  const { reached } = addUnits(state, account, points, now)
  for (const coupon of restored) {
    reactivate(coupon, now)
    if (coupon.phase === 'unused') takeBack(state, account, coupon, now)
  }
  const back = account.value - balanceOf(state, account.key).value
  const settled = Math.min(back, account.shortfall)
  account.shortfall -= settled
  account.value -= settled
  payMissing(account, restored)
  const credits = restored.filter(hasEnded)
  const moved = payInstead(account, coupons, credits)
  fitLots(state, account, 0)
  const isGiven = back > settled || restored.length > 0
  if (isGiven && reinstate(state, account, coupons, now)) refill(account, coupons, back - settled + moved)
  fitLots(state, account, 0)
  return { pointsRestored: reached - Math.min(settled, reached), settled }
}

/** Takes what is due, and returns what could not be paid. */
function charge(state: WalletState, account: Account, given: BalanceReturn): number {
  const { dues, coupons, policy, now } = given
  if (dues.length === 0) return 0
  const lowest = Math.min(0, account.value)
  const charges = dues.map((due) => chargeLots(state, due))
  let inNoLot = 0
  for (const charged of charges) {
    account.value -= charged.units
    inNoLot += charged.inNoLot
  }
  const missing = payByCoupons(state, account, coupons, { missing: lowest - account.value, now })
  if (policy === 'floor') {
    account.value += missing
    account.shortfall += missing
  }
  notePayers(charges, fitLots(state, account, inNoLot))
  reinstate(state, account, coupons, now, 0)
  return missing
}

/** Takes units out of the lots until they fit the value; `inNoLot` of them were collected into no lot. */
function fitLots(state: WalletState, account: Account, inNoLot: number): LotTake[] {
  const { key, outside, freed } = account
  const leaving = outside + unitsInLots(state, key) - Math.max(0, account.value)
  const takes = leaving > 0 ? takeOut(state, key, leaving, { outside, inNoLot: inNoLot + freed }) : []
  account.outside = Math.max(0, account.value) - unitsInLots(state, key)
  account.freed = Math.max(0, Math.min(account.outside, freed - leaving))
  return takes
}

/**
 * A restored coupon that has expired in the meantime gives nothing back, but what it consumed pays what is
 * still missing from before.
 */
function payMissing(account: Account, restored: readonly OpenCoupon[]): void {
  for (const coupon of restored) {
    const missing = account.shortfall + Math.max(0, -account.value)
    const paid = hasEnded(coupon) ? payWithCredit(coupon, missing) : 0
    const forShortfall = Math.min(paid, account.shortfall)
    account.shortfall -= forShortfall
    account.value += paid - forShortfall
  }
}

/**
 * Had they been restored before, these expired coupons would have paid what others had to pay by being
 * revoked: that comes back to the value, so that it can reinstate the others. Returns how much it is.
 */
function payInstead(
  account: Account,
  coupons: readonly OpenCoupon[],
  credits: readonly OpenCoupon[],
): number {
  let moved = 0
  for (const coupon of coupons) {
    if (coupon.phase !== 'taken back') continue
    for (const ended of credits) {
      const { units, from, settled } = coupon.consumed!
      const paid = payWithCredit(ended, units - settled)
      coupon.consumed = { units, from, settled: settled + paid }
      moved += paid
    }
  }
  account.value += moved
  account.outside += moved
  return moved
}

/** Lets what an ended coupon had consumed pay; it does not come back to the value. */
function payWithCredit(coupon: OpenCoupon, missing: number): number {
  const { units, from, settled } = coupon.consumed!
  const paid = Math.min(missing, units - settled)
  if (paid > 0) coupon.consumed = { units, from, settled: settled + paid }
  return paid
}

/** Adds units to the value, into the lots they came from. */
function addUnits(
  state: WalletState,
  account: Account,
  { units, from }: { readonly units: number; readonly from: readonly LotTake[] },
  now: Date,
): { readonly reached: number; readonly lost: readonly LotTake[] } {
  const { reached, outside, lost } = putBack(state, from, now)
  const inNoLot = units - sumOfTakes(from)
  account.outside += inNoLot + outside
  account.freed += outside
  account.value += reached + inNoLot
  return { reached: reached + inNoLot, lost }
}

/** Revokes a coupon: what it consumed comes back, except for what lots have lost by expiry since. */
function takeBack(state: WalletState, account: Account, coupon: OpenCoupon, now: Date): void {
  const { lost } = addUnits(state, account, coupon.consumed!, now)
  coupon.phase = 'taken back'
  coupon.consumed = { units: coupon.consumed!.units, from: lost, settled: 0 }
}

/** Lets coupons pay what the value cannot, and returns what is still missing. */
function payByCoupons(
  state: WalletState,
  account: Account,
  coupons: readonly OpenCoupon[],
  { missing, now }: { readonly missing: number; readonly now: Date },
): number {
  let left = Math.max(0, missing)
  for (const coupon of coupons) {
    if (left === 0 || !hasEnded(coupon)) continue
    const paid = payWithCredit(coupon, left)
    account.value += paid
    left -= paid
  }
  for (const coupon of coupons.toReversed()) {
    if (left === 0) break
    if (coupon.phase !== 'unused') continue
    // What it consumed may have expired, and then revoking it would not help.
    const { units, from } = coupon.consumed!
    if (units === sumOfTakes(from) && putBack(copyOfLots(state), from, now).reached === 0) continue
    const before = account.value
    takeBack(state, account, coupon, now)
    left = Math.max(0, left - (account.value - before))
  }
  return left
}

const copyOfLots = (state: WalletState) => ({ ...state, lots: state.lots.map((lot) => ({ ...lot })) })

/** Whether a coupon is gone without having been used; what it consumed pays for returns. */
const hasEnded = ({ phase }: OpenCoupon) => phase === 'expired' || phase === 'revoked by hand'

/**
 * Reinstates coupons, oldest first, as long as `most` of the value can pay for them; returns whether it
 * could. Units that have expired since the coupons were revoked would not have expired in them, and pay
 * first.
 */
function reinstate(
  state: WalletState,
  account: Account,
  coupons: readonly OpenCoupon[],
  now: Date,
  most = account.value,
): boolean {
  let left = Math.max(0, most)
  for (const coupon of coupons) {
    if (coupon.phase !== 'taken back') continue
    const { units } = coupon.consumed!
    const takenBack = coupons.filter(({ phase }) => phase === 'taken back')
    const price = Math.max(0, units - lostUnits(state, takenBack))
    if (price > left) return false
    const again = takeLost(state, [coupon, ...takenBack], units - price)
    const from = [...again, ...takeFromLots(state, account.key, price)]
    coupon.consumed = { units, from, settled: 0 }
    account.value -= price
    left -= price
    reactivate(coupon, now)
  }
  return true
}

/** What these coupons had consumed and is still expired in its lots. */
function lostUnits(state: WalletState, takenBack: readonly OpenCoupon[]): number {
  const byLot = new Map<OpenLot, number>()
  for (const { consumed } of takenBack) {
    for (const [key, version, units] of consumed!.from) {
      const lot = findLot(state, key, version)
      if (lot !== undefined) byLot.set(lot, (byLot.get(lot) ?? 0) + units)
    }
  }
  let sum = 0
  for (const [lot, units] of byLot) sum += Math.min(units, Math.max(0, lot.expired))
  return sum
}

/** Takes such units out of their lots again; the coupons that had lost them lose the claim to them. */
function takeLost(state: WalletState, takenBack: readonly OpenCoupon[], wanted: number): LotTake[] {
  const taken: LotTake[] = []
  let left = wanted
  for (const coupon of takenBack) {
    const { units, from, settled } = coupon.consumed!
    const rest: LotTake[] = []
    for (const [key, version, lost, expiresAtMs] of from) {
      const lot = findLot(state, key, version)
      const part = Math.min(left, lost, Math.max(0, lot?.expired ?? 0))
      if (lost > part) rest.push([key, version, lost - part, expiresAtMs])
      if (part === 0) continue
      taken.push([key, version, part, expiresAtMs])
      lot!.expired -= part
      lot!.isChanged = true
      left -= part
    }
    coupon.consumed = { units, from: rest, settled }
  }
  return taken
}

/** Gives ended coupons back what they have paid for earlier returns. */
function refill(account: Account, coupons: readonly OpenCoupon[], units: number): void {
  let left = Math.min(units, account.value)
  for (const coupon of coupons.toReversed()) {
    if (left <= 0) return
    if (!hasEnded(coupon)) continue
    const consumed = coupon.consumed!
    const back = Math.min(left, consumed.settled)
    if (back > 0) coupon.consumed = { ...consumed, settled: consumed.settled - back }
    account.value -= back
    left -= back
  }
}
