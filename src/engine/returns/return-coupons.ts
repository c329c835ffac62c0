/**
 * Coupons of thresholds on the total, after a return has lowered it: no more of a threshold are out than
 * there are multiples, among those it granted, that the total still reaches. Expired ones are given up first,
 * then unused ones are revoked, newest first, whichever sale granted them. Used ones stay and count, and so
 * do those that staff revoked: they cannot be regained by returning and buying again.
 *
 * Those that stay stand for the lowest multiples, so that passing a multiple again grants the coupon that was
 * given up for it, and none that is still out.
 */
import { type Coupon, couponStatus } from '../../domain/coupon.ts'
import type { KeptMultiple, Wallet } from '../../domain/wallet.ts'
import type { WalletState } from '../steps/wallet-state.ts'
import { type OpenCoupon, reactivate } from './open-coupons.ts'

type Threshold = Omit<KeptMultiple, 'multiple'>

/** The complete list that the wallet keeps from now on. */
export function trimThresholds(
  { keptMultiples = [] }: Wallet,
  coupons: readonly OpenCoupon[],
  state: WalletState,
  now: Date,
): KeptMultiple[] {
  const kept = new Map(keptMultiples.map((entry) => [thresholdKey(entry), entry]))
  for (const [id, { threshold, out, takenBack }] of thresholdsOf(coupons)) {
    // What is kept may be for coupons whose multiples are not known.
    if (out.length === 0) continue
    const multiple = trimThreshold(threshold, out, state)
    replaceRestored(out, takenBack, now)
    if (multiple === undefined) kept.delete(id)
    else kept.set(id, { ...threshold, multiple })
  }
  return [...kept.values()]
}

function thresholdKey({ campaign, key, at, reward }: Threshold): string {
  return JSON.stringify([campaign, key, at, reward])
}

function thresholdsOf(coupons: readonly OpenCoupon[]) {
  const thresholds = new Map<string, OutOfThreshold>()
  for (const coupon of coupons) {
    const { origin, campaign, reward } = coupon.before
    if (origin === undefined || coupon.consumed !== undefined) continue
    const threshold = { campaign, key: origin.key, at: origin.at, reward: reward.key }
    const id = thresholdKey(threshold)
    const entry = thresholds.get(id) ?? { threshold, out: [], takenBack: [] }
    thresholds.set(id, entry)
    if (coupon.multiple !== undefined) entry.out.push(coupon)
    else if (coupon.phase === 'taken back') entry.takenBack.push(coupon)
  }
  return thresholds
}

interface OutOfThreshold {
  readonly threshold: Threshold
  readonly out: OpenCoupon[]
  /** Those that earlier returns have revoked. */
  readonly takenBack: OpenCoupon[]
}

/**
 * A redeemed coupon that is restored after its expiry is given up for one that an earlier return has revoked:
 * had it been restored before that return, it would have been given up then.
 */
function replaceRestored(out: readonly OpenCoupon[], takenBack: readonly OpenCoupon[], now: Date): void {
  for (const coupon of out) {
    const isRestored = coupon.phase === 'expired' && coupon.before.status === couponStatus.redeemed
    if (!isRestored || coupon.multiple === undefined) continue
    const better = takenBack.find(({ phase, before }) => phase === 'taken back' && !isPast(before, now))
    if (better === undefined) return
    better.multiple = coupon.multiple
    reactivate(better, now)
    coupon.multiple = undefined
  }
}

const isPast = ({ expiresAt }: Coupon, now: Date) =>
  expiresAt !== undefined && expiresAt.getTime() <= now.getTime()

/** Returns the multiple up to which coupons stay out although the total is below it. */
function trimThreshold(
  { key, at }: Threshold,
  out: readonly OpenCoupon[],
  state: WalletState,
): number | undefined {
  const total = state.balances.find((balance) => balance.key === key)?.total ?? 0
  const passed = Math.floor(total / at)
  const multiples = out.map((coupon) => coupon.multiple!).sort((a, b) => a - b)
  const reached = multiples.filter((multiple) => multiple <= passed).length
  let excess = out.length - reached
  if (excess === 0) return undefined
  const newestFirst = out.toReversed()
  for (const phase of ['expired', 'unused'] as const) {
    for (const coupon of newestFirst) {
      if (excess === 0 || coupon.phase !== phase) continue
      coupon.multiple = undefined
      if (phase === 'unused') coupon.phase = 'taken back'
      excess -= 1
    }
  }
  const staying = out.filter((coupon) => coupon.multiple !== undefined)
  staying
    .sort((a, b) => a.multiple! - b.multiple!)
    .forEach((coupon, i) => {
      coupon.multiple = i < reached ? multiples[i] : passed + 1 + i - reached
    })
  return excess > 0 ? passed + excess : undefined
}
