/**
 * Coupons of thresholds on the total, after a return has lowered it: no more of a threshold are out than
 * there are multiples, among those it granted, that the total still reaches. Expired ones are given up first,
 * then unused ones are revoked, newest first, whichever sale granted them. Used ones stay and count, and so
 * do those that staff revoked: they cannot be regained by returning and buying again.
 *
 * An expired coupon is not exchanged for a fresh one by buying and returning: no more can be used than there
 * are multiples that were reached recently enough by what was kept.
 *
 * Those that stay stand for the lowest multiples, so that passing a multiple again grants the coupon that was
 * given up for it, and none that is still out.
 */
import type { Coupon } from '../../domain/coupon.ts'
import type { AgedTotal, KeptMultiple, Threshold, Wallet } from '../../domain/wallet.ts'
import type { WalletState } from '../steps/wallet-state.ts'
import { type OpenCoupon, reactivate } from './open-coupons.ts'

export interface Trimming {
  readonly wallet: Wallet
  readonly coupons: readonly OpenCoupon[]
  readonly agedTotals: readonly AgedTotal[]
  /** When the returned sale was processed. */
  readonly soldAt: Date
  readonly now: Date
}

/** The complete list that the wallet keeps from now on. */
export function trimThresholds(state: WalletState, trimming: Trimming): KeptMultiple[] {
  const { wallet, coupons, now } = trimming
  const kept = new Map((wallet.keptMultiples ?? []).map((entry) => [thresholdKey(entry), entry]))
  for (const [id, own] of thresholdsOf(coupons)) {
    const { threshold, out } = own
    // What is kept may be for coupons whose multiples are not known.
    if (out.length === 0) continue
    const reach = reachOf(threshold, out, state, trimming)
    const multiple = trimThreshold(out, reach)
    exchange(own, reach, now)
    if (multiple === undefined) kept.delete(id)
    else kept.set(id, { ...threshold, multiple })
  }
  return [...kept.values()]
}

function thresholdKey({ campaign, key, at, reward }: Threshold): string {
  return JSON.stringify([campaign, key, at, reward])
}

function thresholdsOf(coupons: readonly OpenCoupon[]) {
  const thresholds = new Map<string, CouponsOfThreshold>()
  for (const coupon of coupons) {
    const { origin, campaign, reward } = coupon.before
    if (origin === undefined || coupon.consumed !== undefined) continue
    const threshold = { campaign, key: origin.key, at: origin.at, reward: reward.key }
    const id = thresholdKey(threshold)
    const entry = thresholds.get(id) ?? { threshold, out: [], gone: [] }
    thresholds.set(id, entry)
    if (coupon.multiple !== undefined) entry.out.push(coupon)
    else if (coupon.phase === 'taken back' || coupon.phase === 'expired') entry.gone.push(coupon)
  }
  return thresholds
}

interface CouponsOfThreshold {
  readonly threshold: Threshold
  readonly out: OpenCoupon[]
  /** Those that earlier returns have revoked or given up. */
  readonly gone: OpenCoupon[]
}

/** How far a total reaches, in multiples of its threshold. */
interface Reach {
  readonly passed: number
  /** How many of the multiples that coupons are out for. */
  readonly reached: number
  /** How many recent coupons can be usable at most; older ones that are still valid have their own places. */
  readonly usable: number
  isRecent(coupon: OpenCoupon): boolean
}

function reachOf(
  threshold: Threshold,
  out: readonly OpenCoupon[],
  state: WalletState,
  { wallet, agedTotals, soldAt }: Trimming,
): Reach {
  const { key, at } = threshold
  const totalIn = (balances: Wallet['balances']) =>
    balances.find((balance) => balance.key === key)?.total ?? 0
  const total = totalIn(state.balances)
  const reachedBy = (amount: number) => out.filter(({ multiple }) => multiple! * at <= amount).length
  const reached = reachedBy(total)
  const passed = Math.floor(total / at)
  const aged = agedTotals.find((entry) => thresholdKey(entry) === thresholdKey(threshold))
  const used = out.filter(({ phase }) => phase === 'used' || phase === 'revoked by hand')
  const notUsed = Math.max(0, reached - used.length)
  if (aged === undefined) return { passed, reached, usable: notUsed, isRecent: () => true }
  const isRecent = ({ before }: OpenCoupon) => before.grantedAt! > aged.until
  const agedTotal = aged.total - (soldAt <= aged.until ? totalIn(wallet.balances) - total : 0)
  const ofLate = Math.max(0, reached - reachedBy(agedTotal) - used.filter(isRecent).length)
  return { passed, reached, usable: Math.min(notUsed, ofLate), isRecent }
}

/**
 * Exchanges coupons that are out for others of the threshold, until as many are usable as can be. An expired
 * one is given up for one that an earlier return has revoked, if what it was granted for comes back only now.
 * The other way around, a coupon that is restored now may have to give its place back to an expired one.
 */
function exchange({ out, gone }: CouponsOfThreshold, { usable, isRecent }: Reach, now: Date): void {
  const unused = newestUnused(out).filter(isRecent)
  let free = usable - unused.length
  const isFree = free > 0
  const from = isFree ? stayingExpired(out) : unused
  const to = gone.filter(({ before }) => isPast(before, now) !== isFree)
  for (const coupon of from) {
    const other = free === 0 ? undefined : to.shift()
    if (other === undefined) return
    other.multiple = coupon.multiple
    reactivate(other, now)
    leave(coupon)
    free += isFree ? -1 : 1
  }
}

const stayingExpired = (out: readonly OpenCoupon[]) =>
  out.filter(({ phase, multiple }) => phase === 'expired' && multiple !== undefined)

const newestUnused = (out: readonly OpenCoupon[]) =>
  out.filter(({ phase }) => phase === 'unused').toReversed()

/** Takes a coupon out: an unused one is revoked, and an expired one given up. */
function leave(coupon: OpenCoupon): void {
  coupon.multiple = undefined
  if (coupon.phase === 'unused') coupon.phase = 'taken back'
}

const isPast = ({ expiresAt }: Coupon, now: Date) =>
  expiresAt !== undefined && expiresAt.getTime() <= now.getTime()

/** Returns the multiple up to which coupons stay out although the total is below it. */
function trimThreshold(out: readonly OpenCoupon[], reach: Reach): number | undefined {
  const { passed, reached, usable } = reach
  const excess = out.length - reached
  if (excess === 0) return undefined
  const multiples = out.map((coupon) => coupon.multiple!).sort((a, b) => a - b)
  const expired = stayingExpired(out).toReversed()
  const unused = newestUnused(out)
  const recent = unused.filter(reach.isRecent)
  const tooMany = recent.slice(0, Math.max(0, recent.length - usable))
  const leaving = [...new Set([...tooMany, ...expired, ...unused])].slice(0, excess)
  for (const coupon of leaving) leave(coupon)
  const staying = out.filter((coupon) => coupon.multiple !== undefined)
  staying
    .sort((a, b) => a.multiple! - b.multiple!)
    .forEach((coupon, i) => {
      coupon.multiple = i < reached ? multiples[i] : passed + 1 + i - reached
    })
  const left = excess - leaving.length
  return left > 0 ? passed + left : undefined
}
