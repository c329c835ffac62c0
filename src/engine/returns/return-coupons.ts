/**
 * Takes back the coupons that a sale granted and no longer would: unused ones are revoked and what they had
 * consumed is restored; used ones stay, along with what they consumed. Coupons of one threshold are
 * interchangeable, so unused ones go first, whichever of them was used.
 */
import { type Coupon, couponStatus } from '../../domain/coupon.ts'
import type { CouponId } from '../../domain/ids.ts'
import { sumOf } from '../../domain/return-record.ts'
import type { Action, SaleContext } from '../../domain/transaction.ts'
import type { KeptMultiple, Wallet } from '../../domain/wallet.ts'
import type { AttachedCampaign } from '../definition/compile-campaign.ts'
import { keptMultiple, type OwnedThreshold, thresholdsInOrder } from '../steps/grant-coupons.ts'
import type { WalletState } from '../steps/wallet-state.ts'
import { type CustomerContext, grantedOf } from './customer-context.ts'
import { type Grant, toGrant } from './recompute-sale.ts'

export interface TakenCoupons {
  readonly revoked: readonly CouponId[]
  /** What the revoked coupons had consumed, by balance. */
  readonly unconsumed: ReadonlyMap<string, number>
  /** Number of revoked coupons, by `grantKey`. */
  readonly revokedByGrant: ReadonlyMap<string, number>
}

function grantKey({ campaign, key, at, reward }: Grant): string {
  return JSON.stringify([campaign, key, at, reward])
}

/**
 * `coupons` are those of the sale that no earlier return has revoked, and `still` the grants it would make
 * without the returned items. A coupon that expired unused is taken back like any other: what it consumed was
 * for goods that are gone.
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
    // Newest first, as the sale reached them last.
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
    const key = grantKey(toGrant(action))
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
 * What the wallet keeps for each threshold on `total` after a return has changed it. Every multiple is
 * granted once, so passing one again whose coupon has been granted must not grant another, and a revoked
 * coupon frees its multiple.
 *
 * What counts is how many coupons are outstanding, used or not. The total implies it as long as each multiple
 * below it has its coupon; where it does not, the difference is kept (see `keptMultiple`), because the next
 * return starts from it. The total does not show what was passed on a card where the threshold does not run,
 * so no more count than were granted.
 *
 * All current campaigns are considered, not only those of the sale: the balance is the customer's, and
 * thresholds of the other cards look at the same total.
 */
export function keptAfterReturn(
  wallet: Wallet,
  campaigns: readonly AttachedCampaign[],
  state: WalletState,
  coupons: TakenCoupons,
  sale: ReturnedSale,
  today: CustomerContext | undefined,
): KeptMultiple[] {
  const known = wallet.keptMultiples ?? []
  const kept = new Map(known.map((entry) => [grantKey(entry), entry]))
  const ran = new Set(campaigns.map(({ id }) => id))
  const seen = new Set<string>()
  for (const owned of thresholdsInOrder([...campaigns, ...(today?.campaigns ?? [])])) {
    const { campaign, threshold } = owned
    const balance = state.balances.find(({ key }) => key === threshold.key)
    const { key, at } = threshold
    const grant: Grant = { campaign, key, at, reward: threshold.grant.reward.key }
    const id = grantKey(grant)
    if (threshold.consume || balance === undefined || seen.has(id)) continue
    seen.add(id)
    const before = couponsOut(balance.totalBefore, at, keptMultiple(campaign, threshold, known))
    const without = sale.isFirstReturn && ran.has(campaign) ? passedWithoutCoupon(owned, sale, id) : 0
    const revoked = coupons.revokedByGrant.get(id) ?? 0
    const byTotal = Math.max(0, before - without - revoked)
    const out = Math.min(byTotal, grantedOf(today, grant) - revoked)
    const passed = Math.floor(balance.total / at)
    if (out > passed) kept.set(id, { ...grant, multiple: out })
    else if (byTotal < passed) kept.set(id, { ...grant, multiple: byTotal - passed })
    else kept.delete(id)
  }
  return [...kept.values()]
}

export interface ReturnedSale {
  readonly actions: readonly Action[]
  readonly context: SaleContext
  readonly isFirstReturn: boolean
}

function couponsOut(total: number, at: number, kept: number): number {
  const passed = Math.floor(total / at)
  return kept < 0 ? passed + kept : Math.max(passed, kept)
}

/**
 * Multiples that the sale passed without granting a coupon, because the campaign was paused or the basket had
 * reached its maximum of coupons. Sales do not record them, so the first return of the sale subtracts them.
 */
function passedWithoutCoupon(
  { campaign, threshold }: OwnedThreshold,
  sale: ReturnedSale,
  id: string,
): number {
  const { actions, context } = sale
  const { key, at } = threshold
  const totalBefore = context.balances.find(([owner]) => owner === key)?.[2] ?? 0
  const collected = sumOf(actions, (action) =>
    action.kind === 'collect' && action.movement.key === key ? action.movement.amount : 0,
  )
  const kept = keptMultiple(campaign, threshold, context.keptMultiples ?? [])
  const passed = Math.floor((totalBefore + collected) / at) - Math.max(Math.floor(totalBefore / at), kept)
  return Math.max(0, passed - (grantsOf(actions).get(id)?.length ?? 0))
}
