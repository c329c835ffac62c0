/**
 * The coffee club used by the engine's tests: builders for baskets, wallets and campaigns in which a test
 * names only what it is about. Definitions are checked before they are compiled, so no test relies on a
 * campaign that could not be published.
 */
import type { Basket, Line } from '../domain/basket.ts'
import type { Coupon, Reward } from '../domain/coupon.ts'
import type { CampaignId, CouponId } from '../domain/ids.ts'
import type { Balance, Wallet } from '../domain/wallet.ts'
import { checkDefinition } from './definition/check-definition.ts'
import { type AttachedCampaign, compileCampaign } from './definition/compile-campaign.ts'
import { type Evaluation, evaluate } from './evaluate.ts'

/** A Tuesday, 10:00 in Athens. */
export const tuesdayMorning = new Date('2026-03-10T08:00:00Z')
export const athens = { currencyDecimals: 2, timezone: 'Europe/Athens' }

export const clubId: CampaignId = 'cmp_club'

/** One balance `points` and one `stamps`, and whatever the test adds. */
export function club(parts: Record<string, unknown> = {}): Record<string, unknown> {
  return { name: 'Coffee club', balances: [{ key: 'points' }, { key: 'stamps' }], ...parts }
}

export function attach(
  definition: unknown,
  options: Partial<AttachedCampaign> & { currencyDecimals?: number } = {},
): AttachedCampaign {
  const { currencyDecimals = 2, ...attached } = options
  const context = { currencyDecimals, knownBalances: [], knownCampaigns: [] }
  const problems = checkDefinition(definition, context)
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  const compiled = compileCampaign(definition, { currencyDecimals })
  return { id: clubId, version: 1, status: 'published', compiled, ...attached }
}

/** A line of one item at a price. */
export function line(unitPrice: number, parts: Partial<Line> = {}): Line {
  return { id: '1', quantity: 1, unitPrice, coupons: [], ...parts }
}

export function basketOf(lines: readonly Line[], parts: Partial<Basket> = {}): Basket {
  return {
    lines: lines.map((item, index) => (item.id === '1' ? { ...item, id: String(index + 1) } : item)),
    coupons: [],
    pointsToSpend: 0,
    occurredAt: tuesdayMorning,
    branch: 'main',
    ...parts,
  }
}

export function holding(value: number, total = value, key = 'points'): Balance {
  return { key, value, total, version: value === 0 && total === 0 ? 0 : 1 }
}

/** A customer who has been here before. */
export function walletOf(parts: Partial<Wallet> = {}): Wallet {
  return {
    balances: [holding(0), holding(0, 0, 'stamps')],
    lots: [],
    coupons: [],
    usage: [],
    transactionCount: 3,
    ...parts,
  }
}

export function coupon(id: string, reward: Reward, parts: Partial<Coupon> = {}): Coupon {
  return { id: `cpn_${id}`, status: 1, reward, campaign: clubId, ...parts }
}

export const couponIds = (...ids: string[]): CouponId[] => ids.map((id): CouponId => `cpn_${id}`)

export interface Story {
  readonly campaign?: Record<string, unknown>
  readonly campaigns?: readonly AttachedCampaign[]
  readonly basket: Basket
  readonly wallet?: Wallet
  readonly now?: Date
  readonly currencyDecimals?: number
}

export function outcomeOf(story: Story) {
  const { campaign = {}, basket, wallet = walletOf(), now = tuesdayMorning, currencyDecimals = 2 } = story
  const campaigns = story.campaigns ?? [attach(club(campaign), { currencyDecimals })]
  return evaluate({ basket, wallet, campaigns, organization: { ...athens, currencyDecimals }, now })
}

/** The evaluation of a basket that must not be refused. */
export function evaluationOf(story: Story): Evaluation {
  const outcome = outcomeOf(story)
  if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.refusal)}`)
  return outcome.value
}

/** The refusal code that a basket must result in. */
export function refusalOf(story: Story): string | undefined {
  const outcome = outcomeOf(story)
  return outcome.ok ? undefined : outcome.refusal.code
}

/** What the rules gave to a balance, by rule. */
export function collectedBy(evaluation: Evaluation, key = 'points'): Record<string, number> {
  const collected: Record<string, number> = {}
  for (const effect of evaluation.effects) {
    if (effect.kind === 'collect' && effect.movement.key === key) {
      collected[effect.rule] = (collected[effect.rule] ?? 0) + effect.movement.amount
    }
  }
  return collected
}

export function collectedSum(evaluation: Evaluation, key = 'points'): number {
  return Object.values(collectedBy(evaluation, key)).reduce((sum, units) => sum + units, 0)
}

export function skippedBecause(evaluation: Evaluation): Record<string, string> {
  return Object.fromEntries(evaluation.skipped.map(({ rule, reason }) => [rule, reason]))
}
