/**
 * The wallet as a decided basket leaves it, so that the customer's next basket can be decided before this one
 * is written.
 */
import { type Coupon, couponStatus } from '../../domain/coupon.ts'
import type { Lot } from '../../domain/lot.ts'
import type { Wallet } from '../../domain/wallet.ts'
import type { Evaluation } from '../evaluate.ts'

export function walletAfter<W extends Omit<Wallet, 'usage'>>(
  wallet: W,
  evaluation: Evaluation,
  now: Date,
): W {
  return {
    ...wallet,
    balances: evaluation.balances,
    lots: lotsAfter(wallet.lots, evaluation.lots),
    coupons: couponsAfter(wallet.coupons, evaluation),
    transactionCount: wallet.transactionCount + (evaluation.isVisit ? 1 : 0),
    lastActivityAt: now,
  }
}

function lotsAfter(before: readonly Lot[], changed: readonly Lot[]): readonly Lot[] {
  if (changed.length === 0) return before
  const isSame = (a: Lot, b: Lot) => a.key === b.key && a.version === b.version
  const kept = before.filter((lot) => !changed.some((newer) => isSame(newer, lot)))
  return [...kept, ...changed.filter((lot) => lot.remaining > 0)]
}

function couponsAfter(before: readonly Coupon[], { effects }: Evaluation): readonly Coupon[] {
  const redeemed = new Set<string>()
  for (const effect of effects) if (effect.kind === 'redeem_coupon') redeemed.add(effect.coupon)
  if (redeemed.size === 0) return before
  return before.map((coupon) =>
    redeemed.has(coupon.id) ? { ...coupon, status: couponStatus.redeemed } : coupon,
  )
}
