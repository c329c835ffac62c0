/**
 * Grants coupons where balances have reached thresholds, the highest `at` first. A threshold that consumes
 * takes `at` from the value each time, as often as it fits; one that does not consume grants for each
 * multiple of `at` that the total passed in this basket.
 */
import type { CouponOrigin } from '../../domain/coupon.ts'
import type { Effect } from '../../domain/effect.ts'
import type { CampaignId } from '../../domain/ids.ts'
import type { KeptMultiple } from '../../domain/wallet.ts'
import type { AttachedCampaign, CompiledReward, CompiledThreshold } from '../definition/compile-campaign.ts'
import { type OpenBalance, recordMovement, takeFromLots, type WalletState } from './wallet-state.ts'

/**
 * The most coupons that one basket grants; a threshold of 1 under a large sale would otherwise create coupons
 * without end. What a consuming threshold has not taken stays in the value for the next basket.
 */
export const maxGrantedCoupons = 1000
/**
 * And the most that their rewards take up together, in the response and in the database: a reward may list a
 * thousand products.
 */
const maxRewardBytes = 1_048_576

const dayMs = 86_400_000

export interface OwnedThreshold {
  readonly campaign: CampaignId
  readonly threshold: CompiledThreshold
}

type GrantEffect = Extract<Effect, { kind: 'grant_coupon' }>

export interface Granting {
  readonly effects: readonly GrantEffect[]
  /** What each of the coupons stands for, in the same order. */
  readonly origins: readonly CouponOrigin[]
}

export function grantCoupons(
  running: readonly AttachedCampaign[],
  state: WalletState,
  kept: readonly KeptMultiple[],
  now: Date,
): Granting {
  const effects: GrantEffect[] = []
  const origins: CouponOrigin[] = []
  let left = maxGrantedCoupons
  let leftBytes = maxRewardBytes
  for (const { campaign, threshold } of thresholdsInOrder(running)) {
    const balance = state.balances.find((candidate) => candidate.key === threshold.key)
    if (balance === undefined) continue
    const { key, at, consume } = threshold
    const granted = consume ? 0 : grantedBefore(campaign, threshold, balance, kept)
    const reached = Math.floor((consume ? balance.value : balance.total) / at)
    const fitting = Math.min(left, Math.floor(leftBytes / threshold.grant.bytes))
    const times = Math.min(fitting, Math.max(0, reached - granted))
    left -= times
    leftBytes -= times * threshold.grant.bytes
    for (let time = 1; time <= times; time++) {
      const grant = toGrantEffect(campaign, threshold, now)
      if (consume) {
        const from = takeFromLots(state, key, at)
        effects.push({ ...grant, movement: recordMovement(state, balance, 'consume', -at, 0) })
        origins.push({ key, at, consumed: { units: at, from, settled: 0 } })
      } else {
        effects.push(grant)
        origins.push({ key, at, multiple: granted + time })
      }
    }
  }
  return { effects, origins }
}

/**
 * Thresholds of all campaigns that share a balance compete for it: the highest first, regardless of campaign.
 */
export function thresholdsInOrder(running: readonly AttachedCampaign[]): OwnedThreshold[] {
  const owned: OwnedThreshold[] = []
  let owners = 0
  for (const { id, compiled } of running) {
    if (compiled.thresholds.length > 0) owners++
    for (const threshold of compiled.thresholds) owned.push({ campaign: id, threshold })
  }
  if (owners < 2) return owned
  const position = new Map<string, number>()
  for (const { threshold } of owned)
    if (!position.has(threshold.key)) position.set(threshold.key, position.size)
  return owned.sort(
    (a, b) =>
      position.get(a.threshold.key)! - position.get(b.threshold.key)! || b.threshold.at - a.threshold.at,
  )
}

/** The multiple up to which a threshold on the total grants nothing more. */
function grantedBefore(
  campaign: CampaignId,
  threshold: CompiledThreshold,
  balance: OpenBalance,
  kept: readonly KeptMultiple[],
): number {
  return Math.max(Math.floor(balance.totalBefore / threshold.at), keptMultiple(campaign, threshold, kept))
}

/** The multiple up to which coupons are out although the total is below it; 0 when there is none. */
export function keptMultiple(
  campaign: CampaignId,
  { key, at, grant }: CompiledThreshold,
  kept: readonly KeptMultiple[],
): number {
  for (const entry of kept) {
    const isSame = entry.campaign === campaign && entry.key === key && entry.at === at
    if (isSame && entry.reward === grant.reward.key) return entry.multiple
  }
  return 0
}

function toGrantEffect(campaign: CampaignId, { key, at, grant }: CompiledThreshold, now: Date) {
  const shared = { kind: 'grant_coupon', campaign, reward: grant.reward, threshold: { key, at } } as const
  const expiresAt = couponExpiry(grant, now)
  return expiresAt === undefined ? shared : { ...shared, expiresAt }
}

/** A coupon is valid for whole days of 24 hours from the moment it was granted. */
export function couponExpiry({ validDays }: CompiledReward, now: Date): Date | undefined {
  return validDays === undefined ? undefined : new Date(now.getTime() + validDays * dayMs)
}
