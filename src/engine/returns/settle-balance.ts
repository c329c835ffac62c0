/**
 * Settles one balance after a return. What is due is paid by the value, and then by coupons, the newest
 * first: an unused one is revoked, and what an expired one or one revoked by hand had consumed pays without
 * coming back; the rest is up to the policy. What is given back goes the other way: it pays an older
 * shortfall, then serves coupons, the oldest first, and only then reaches the value. As each is the reverse
 * of the other, the order of two returns does not matter.
 */
import type { Consumed } from '../../domain/coupon.ts'
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
    else drain(account, coupon)
  }
  const back = account.value - balanceOf(state, account.key).value
  const settled = Math.min(back, account.shortfall)
  account.shortfall -= settled
  account.value -= settled
  fitLots(state, account, 0)
  if (back > settled || restored.length > 0) refill(state, account, coupons, { most: back - settled, now })
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
  // Units that a revoked coupon has lost by expiry may be enough for an older one.
  for (const coupon of coupons) {
    if (coupon.phase === 'taken back' && !reinstate(state, account, coupons, coupon, 0, now)) break
  }
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

/** Lets all that an expired coupon had consumed pay; what is not needed goes back to it in its turn. */
function drain(account: Account, coupon: OpenCoupon): void {
  const units = payWithCredit(coupon, coupon.consumed!.units)
  account.value += units
  account.outside += units
  account.freed += units
}

/** Lets coupons pay what the value cannot, the newest first, and returns what is still missing. */
function payByCoupons(
  state: WalletState,
  account: Account,
  coupons: readonly OpenCoupon[],
  { missing, now }: { readonly missing: number; readonly now: Date },
): number {
  let left = Math.max(0, missing)
  for (const coupon of coupons.toReversed()) {
    if (left === 0) break
    const before = account.value
    if (hasEnded(coupon)) account.value += payWithCredit(coupon, left)
    else if (coupon.phase === 'unused' && reachesValue(state, coupon.consumed!, now))
      takeBack(state, account, coupon, now)
    left = Math.max(0, left - (account.value - before))
  }
  return left
}

/** Whether revoking a coupon would help: what it consumed may have expired. */
function reachesValue(state: WalletState, { units, from }: Consumed, now: Date): boolean {
  return units > sumOfTakes(from) || putBack(copyOfLots(state), from, now).reached > 0
}

const copyOfLots = (state: WalletState) => ({ ...state, lots: state.lots.map((lot) => ({ ...lot })) })

/** Whether a coupon is gone without having been used; what it consumed pays for returns. */
const hasEnded = ({ phase }: OpenCoupon) => phase === 'expired' || phase === 'revoked by hand'

/**
 * The reverse of `payByCoupons`: the oldest first, ended coupons get back what they have paid, up to `most`,
 * and revoked ones are reinstated if the value can pay for them. The first that cannot be served ends it.
 */
function refill(
  state: WalletState,
  account: Account,
  coupons: readonly OpenCoupon[],
  { most, now }: { readonly most: number; readonly now: Date },
): void {
  let left = most
  for (const coupon of coupons) {
    const before = account.value
    if (hasEnded(coupon)) {
      const { units, from, settled } = coupon.consumed!
      const back = Math.max(0, Math.min(settled, left, account.value))
      if (back > 0) coupon.consumed = { units, from, settled: settled - back }
      account.value -= back
      if (back < settled) return
    } else if (
      coupon.phase === 'taken back' &&
      !reinstate(state, account, coupons, coupon, account.value, now)
    ) {
      return
    }
    left = Math.max(0, left - (before - account.value))
  }
}

/**
 * Reinstates a coupon if `most` of the value can pay for it. Units that have expired since coupons were
 * revoked would not have expired in them, and pay first.
 */
function reinstate(
  state: WalletState,
  account: Account,
  coupons: readonly OpenCoupon[],
  coupon: OpenCoupon,
  most: number,
  now: Date,
): boolean {
  const { units } = coupon.consumed!
  const takenBack = coupons.filter(({ phase }) => phase === 'taken back')
  const price = Math.max(0, units - lostUnits(state, takenBack))
  if (price > Math.max(0, most)) return false
  const again = takeLost(state, [coupon, ...takenBack], units - price)
  const from = [...again, ...takeFromLots(state, account.key, price)]
  coupon.consumed = { units, from, settled: 0 }
  account.value -= price
  reactivate(coupon, now)
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
