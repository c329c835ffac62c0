/**
 * The customer's coupons while a return is decided. Only what a return can change is kept here: whether a
 * coupon can be used, the multiple it stands for, and what it has consumed.
 */
import { type Consumed, type Coupon, couponStatus, couponStatusAt } from '../../domain/coupon.ts'
import type { CouponId } from '../../domain/ids.ts'

/** An expired coupon may not be booked as such yet; a taken back one was revoked by a return. */
export type CouponPhase = 'unused' | 'used' | 'expired' | 'revoked by hand' | 'taken back'

export interface OpenCoupon {
  readonly before: Coupon
  phase: CouponPhase
  multiple: number | undefined
  consumed: Consumed | undefined
}

/** Oldest first: ids ascend with time. */
export function openCoupons(coupons: readonly Coupon[], now: Date): OpenCoupon[] {
  return coupons
    .map((coupon) => ({
      before: coupon,
      phase: phaseOf(coupon, now),
      multiple: coupon.origin?.multiple,
      consumed: coupon.origin?.consumed,
    }))
    .sort((a, b) => (a.before.id < b.before.id ? -1 : 1))
}

function phaseOf(coupon: Coupon, now: Date): CouponPhase {
  switch (couponStatusAt(coupon, now)) {
    case couponStatus.active:
      return 'unused'
    case couponStatus.redeemed:
      return 'used'
    case couponStatus.expired:
      return 'expired'
    case couponStatus.revoked:
      return coupon.isTakenBack ? 'taken back' : 'revoked by hand'
  }
}

/** Makes a coupon usable again; one that is past its expiry counts as expired. */
export function reactivate(coupon: OpenCoupon, now: Date): void {
  coupon.phase = phaseOf({ ...coupon.before, status: couponStatus.active }, now)
}

export interface CouponChanges {
  /** Coupons that changed, as they are afterwards. */
  readonly coupons: readonly Coupon[]
  readonly revokedCoupons: readonly CouponId[]
  /** Coupons that can be used again, with their original expiry. */
  readonly restoredCoupons: readonly CouponId[]
}

export function changesOf(open: readonly OpenCoupon[], now: Date): CouponChanges {
  const coupons: Coupon[] = []
  const revokedCoupons: CouponId[] = []
  const restoredCoupons: CouponId[] = []
  for (const { before, phase, multiple, consumed } of open) {
    const { origin } = before
    const isSamePhase = phaseOf(before, now) === phase
    if (isSamePhase && multiple === origin?.multiple && consumed === origin?.consumed) continue
    coupons.push({
      ...before,
      status: isSamePhase ? before.status : statusOf(phase),
      isTakenBack: phase === 'taken back',
      ...(origin && { origin: { key: origin.key, at: origin.at, multiple, consumed } }),
    })
    if (isSamePhase) continue
    if (phase === 'taken back') revokedCoupons.push(before.id)
    else if (phase === 'unused') restoredCoupons.push(before.id)
  }
  return { coupons, revokedCoupons, restoredCoupons }
}

/** Booking the expiry of a coupon that has just become usable again is up to the job. */
function statusOf(phase: CouponPhase): Coupon['status'] {
  if (phase === 'unused' || phase === 'expired') return couponStatus.active
  return phase === 'used' ? couponStatus.redeemed : couponStatus.revoked
}
