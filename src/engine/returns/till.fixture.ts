/** A till with one customer, for tests of returns: it keeps the wallet up to date as the store would. */
import type { Basket, Line } from '../../domain/basket.ts'
import type { Coupon, CouponStatus } from '../../domain/coupon.ts'
import type { CouponId } from '../../domain/ids.ts'
import type { Result } from '../../domain/result.ts'
import type { ReturnRecord } from '../../domain/return-record.ts'
import type { Action } from '../../domain/transaction.ts'
import type { AgedTotal, Threshold, Wallet } from '../../domain/wallet.ts'
import {
  athens,
  attach,
  basketOf,
  coupon,
  couponIds,
  tuesdayMorning,
  walletOf,
} from '../coffee-club.fixture.ts'
import type { AttachedCampaign } from '../definition/compile-campaign.ts'
import { type Evaluation, evaluate } from '../evaluate.ts'
import { type Inactivity, inactivityOf } from '../steps/expire-balances.ts'
import type { Sale } from './resolve-return.ts'
import { type ReturnDecision, returnItems } from './return-items.ts'

type Items = { id: string; quantity: number }[]

export function till(
  definition: Record<string, unknown>,
  start: Wallet = walletOf(),
  more: readonly AttachedCampaign[] = [],
) {
  let campaigns: readonly AttachedCampaign[] = [attach(definition), ...more]
  const inactivity: Inactivity[] = inactivityOf(campaigns)
  let wallet = start
  let coupons = 0
  /** What is left of each sale in the totals. */
  const kept: { readonly at: Date; readonly totals: Map<string, number> }[] = []
  // Ids ascend as text.
  const nextCouponId = (): CouponId => {
    const number = String(++coupons)
    return `cpn_${'z'.repeat(number.length - 1)}${number}`
  }
  const lots = (changed: Evaluation['lots']) => {
    const byId = new Map(wallet.lots.map((lot) => [`${lot.key} ${lot.version}`, lot]))
    for (const lot of changed) byId.set(`${lot.key} ${lot.version}`, lot)
    return [...byId.values()].filter((lot) => lot.remaining > 0 || lot.expired)
  }
  const setStatus = (ids: readonly CouponId[], status: CouponStatus) => {
    wallet = { ...wallet, coupons: wallet.coupons.map((c) => (ids.includes(c.id) ? { ...c, status } : c)) }
  }
  const replace = (changed: readonly Coupon[]) => {
    const byId = new Map(changed.map((c) => [c.id, c]))
    wallet = { ...wallet, coupons: wallet.coupons.map((c) => byId.get(c.id) ?? c) }
  }
  const agedTotals = (now: Date): AgedTotal[] => {
    const thresholds = new Map<string, { threshold: Threshold; expired: number; newest: number }>()
    for (const { origin, campaign, reward, expiresAt, grantedAt } of wallet.coupons) {
      if (!origin || origin.consumed || !expiresAt || !grantedAt) continue
      const threshold = { campaign, key: origin.key, at: origin.at, reward: reward.key }
      const id = JSON.stringify(threshold)
      const expired = expiresAt <= now ? grantedAt.getTime() : 0
      thresholds.set(id, {
        threshold,
        expired: Math.max(thresholds.get(id)?.expired ?? 0, expired),
        newest: now.getTime() - (expiresAt.getTime() - grantedAt.getTime()),
      })
    }
    return [...thresholds.values()].map(({ threshold, expired, newest }) => {
      const until = Math.max(expired, newest)
      const aged = kept.filter(({ at }) => at.getTime() <= until)
      const total = aged.reduce((sum, { totals }) => sum + (totals.get(threshold.key) ?? 0), 0)
      return { ...threshold, total, until: new Date(until) }
    })
  }
  const balanceOf = (key: string) => wallet.balances.find((b) => b.key === key)
  return {
    wallet: () => wallet,
    value: (key = 'points') => balanceOf(key)?.value,
    total: (key = 'points') => balanceOf(key)?.total,
    shortfall: (key = 'points') => balanceOf(key)?.shortfall ?? 0,
    active: () => wallet.coupons.filter((c) => c.status === 1).map((c) => c.id),
    out: () => wallet.coupons.filter((c) => c.status !== 5).length,
    setStatus: (id: string, status: AttachedCampaign['status']) => {
      campaigns = campaigns.map((campaign) => (campaign.id === id ? { ...campaign, status } : campaign))
    },
    setExpiry: (id: string, expiresAt: Date) => {
      wallet = {
        ...wallet,
        coupons: wallet.coupons.map((c) => (couponIds(id).includes(c.id) ? { ...c, expiresAt } : c)),
      }
    },
    use: (...ids: string[]) => setStatus(couponIds(...ids), 3),
    expire: (...ids: string[]) => setStatus(couponIds(...ids), 4),
    revoke: (...ids: string[]) => setStatus(couponIds(...ids), 5),

    sell(lines: Line[], parts: Partial<Basket> = {}, at = tuesdayMorning) {
      const basket = basketOf(lines, { occurredAt: at, ...parts })
      const outcome = evaluate({ basket, wallet, campaigns, inactivity, organization: athens, now: at })
      if (!outcome.ok) throw new Error(outcome.refusal.code)
      const evaluation = outcome.value
      const actions = evaluation.effects.map((effect): Action => {
        if (effect.kind !== 'grant_coupon') return effect
        return { ...effect, coupon: nextCouponId(), expiresAt: effect.expiresAt?.toISOString() }
      })
      const grants = actions.flatMap((a) => (a.kind === 'grant_coupon' ? [a] : []))
      const granted = grants.map(({ coupon: id, reward, expiresAt }, i) =>
        coupon(id!.slice(4), reward, {
          origin: evaluation.origins[i],
          expiresAt: expiresAt ? new Date(expiresAt) : undefined,
          grantedAt: at,
        }),
      )
      const totals = new Map(
        evaluation.balances.map(({ key, total }) => [key, total - (balanceOf(key)?.total ?? 0)]),
      )
      kept.push({ at, totals })
      wallet = {
        ...wallet,
        balances: evaluation.balances,
        lots: lots(evaluation.lots),
        coupons: [...wallet.coupons, ...granted],
        transactionCount: wallet.transactionCount + 1,
        lastActivityAt: at,
      }
      setStatus(
        actions.flatMap((a) => (a.kind === 'redeem_coupon' ? [a.coupon] : [])),
        3,
      )
      const { context, pointsDiscountMinor } = JSON.parse(JSON.stringify(evaluation))
      const sale: Sale = {
        basket,
        actions: JSON.parse(JSON.stringify(actions)),
        context,
        pointsDiscountMinor,
        processedAt: at,
      }
      const earlier: ReturnRecord[] = []
      const tryReturn = (items?: Items, now = at): Result<ReturnDecision> => {
        const result = returnItems({
          sale,
          campaigns,
          earlier,
          wallet,
          agedTotals: agedTotals(now),
          inactivity,
          items,
          now,
        })
        if (!result.ok) return result
        const decision = result.value
        earlier.push(JSON.parse(JSON.stringify(decision.record)))
        for (const { key, total } of decision.balances)
          totals.set(key, (totals.get(key) ?? 0) + total - (balanceOf(key)?.total ?? 0))
        wallet = {
          ...wallet,
          balances: decision.balances,
          lots: lots(decision.lots),
          keptMultiples: decision.keptMultiples,
        }
        replace(decision.coupons)
        return result
      }
      const takeBack = (items?: Items, now = at): ReturnDecision => {
        const result = tryReturn(items, now)
        if (!result.ok) throw new Error(result.refusal.code)
        return result.value
      }
      return {
        evaluation,
        granted: granted.map(({ id }) => id),
        takeBack,
        tryReturn,
        refusal: (items?: Items) => {
          const result = tryReturn(items)
          return result.ok ? undefined : result.refusal.code
        },
      }
    },
  }
}
