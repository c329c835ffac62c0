/**
 * Takes back the coupons that a sale granted and no longer would: unused ones are revoked and what they had
 * consumed comes back; used ones stay, with what they consumed. Coupons of one threshold are alike, so unused
 * ones go first, whichever of them was used.
 */
import { type Coupon, couponStatus } from '../domain/coupon.ts'
import type { CouponId } from '../domain/ids.ts'
import type { Action } from '../domain/transaction.ts'
import type { KeptMultiple, Wallet } from '../domain/wallet.ts'
import type { AttachedCampaign } from './compile-campaign.ts'
import { keptMultiple, thresholdsInOrder } from './grant-coupons.ts'
import { type Grant, grantOf } from './recompute-sale.ts'
import type { WalletState } from './wallet-state.ts'

export interface TakenCoupons {
  readonly revoked: readonly CouponId[]
  /** What the revoked coupons had consumed, by balance. */
  readonly unconsumed: ReadonlyMap<string, number>
  /** How many were revoked, by `grantKey`. */
  readonly revokedByGrant: ReadonlyMap<string, number>
}

function grantKey({ campaign, key, at, reward }: Grant): string {
  return JSON.stringify([campaign, key, at, reward])
}

/**
 * `coupons` are those of the sale that no earlier return has revoked, and `still` its grants without what came
 * back. A coupon that expired unused is taken back like any other: what it consumed was for goods that are gone.
 */
export function takeBackCoupons(
  actions: readonly Action[],
  coupons: readonly Coupon[],
  still: readonly Grant[],
): TakenCoupons {
  const status = new Map(coupons.map((coupon) => [coupon.id, coupon.status]))
  const wanted = countBy(still.map(grantKey))
  const revoked: CouponId[] = []
  const unconsumed = new Map<string, number>()
  const revokedByGrant = new Map<string, number>()
  for (const [key, granted] of grantsOf(actions)) {
    const out = granted.filter(({ coupon }) => {
      const now = coupon && status.get(coupon)
      return now !== undefined && now !== couponStatus.revoked
    })
    const unused = out.filter(({ coupon }) => status.get(coupon!) !== couponStatus.redeemed)
    const excess = Math.min(unused.length, Math.max(0, out.length - (wanted.get(key) ?? 0)))
    // The newest first, as they were the last that the sale had reached.
    for (const { coupon, movement } of unused.slice(unused.length - excess)) {
      revoked.push(coupon!)
      revokedByGrant.set(key, (revokedByGrant.get(key) ?? 0) + 1)
      if (movement) unconsumed.set(movement.key, (unconsumed.get(movement.key) ?? 0) - movement.amount)
    }
  }
  return { revoked, unconsumed, revokedByGrant }
}

function grantsOf(actions: readonly Action[]) {
  const byGrant = new Map<string, Extract<Action, { kind: 'grant_coupon' }>[]>()
  for (const action of actions) {
    if (action.kind !== 'grant_coupon') continue
    const key = grantKey(grantOf(action))
    byGrant.set(key, [...(byGrant.get(key) ?? []), action])
  }
  return byGrant
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

/**
 * Up to which multiple each threshold counts as granted once totals have gone down. Every multiple is granted
 * once: taking goods back and buying them again must not make coupons. A revoked coupon frees its multiple.
 */
export function keptAfterReturn(
  wallet: Wallet,
  campaigns: readonly AttachedCampaign[],
  state: WalletState,
  coupons: TakenCoupons,
): KeptMultiple[] {
  const known = wallet.keptMultiples ?? []
  const kept = new Map(known.map((entry) => [grantKey(entry), entry]))
  for (const { campaign, threshold } of thresholdsInOrder(campaigns)) {
    const balance = state.balances.find(({ key }) => key === threshold.key)
    if (threshold.consume || balance === undefined) continue
    const grant: Grant = {
      campaign,
      key: threshold.key,
      at: threshold.at,
      reward: threshold.grant.reward.key,
    }
    const out = Math.max(Math.floor(balance.totalBefore / grant.at), keptMultiple(campaign, threshold, known))
    const multiple = out - (coupons.revokedByGrant.get(grantKey(grant)) ?? 0)
    if (multiple > Math.floor(balance.total / grant.at)) kept.set(grantKey(grant), { ...grant, multiple })
    else kept.delete(grantKey(grant))
  }
  return [...kept.values()]
}
