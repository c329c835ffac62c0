/**
 * A basket as rules see it, built from its prices after coupons and from what was known about the customer at the time. The
 * worth of spent points is deducted like an order-level reduction, and no reduction ever makes a line larger.
 */
import { type Basket, isVisit } from '../../domain/basket.ts'
import type { CampaignId } from '../../domain/ids.ts'
import type { RuleUsage } from '../../domain/wallet.ts'
import { localTime } from '../clock/local-time.ts'
import type { Covered } from '../rules/rule.ts'
import type { ConditionInput } from '../rules/rule-conditions.ts'
import type { CoverableLine } from './cover-lines.ts'
import type { PricedBasket } from './price-basket.ts'

/** A basket as rules see it; `payable` and `quantity` are those of the whole basket. */
export interface RuleInput extends ConditionInput, Covered {
  readonly lines: readonly CoverableLine[]
  /** What rules with limits have given before, by `usageKey`. */
  readonly usage: ReadonlyMap<string, RuleUsage>
  readonly now: Date
  readonly timezone: string
}

export interface RuleContext {
  readonly isFirst: boolean
  readonly usage: readonly RuleUsage[]
  readonly timezone: string
  readonly now: Date
}

export function toRuleInput(
  basket: Basket,
  priced: PricedBasket,
  pointsPartMinor: number,
  { isFirst, usage, timezone, now }: RuleContext,
): RuleInput {
  const lines = priced.lines.map(({ line, payableMinor, quantity }) => ({
    product: line.product,
    category: line.category,
    payable: payableMinor,
    quantity,
  }))
  const hasLines = lines.length > 0
  const collectingMinor = priced.payableMinor - pointsPartMinor
  const isReduced = hasLines && collectingMinor < priced.linesPayableMinor
  return {
    lines,
    payable: hasLines ? priced.linesPayableMinor : collectingMinor,
    quantity: lines.reduce((sum, line) => sum + line.quantity, 0),
    spreadNumerator: isReduced ? collectingMinor : 1,
    spreadDenominator: isReduced ? priced.linesPayableMinor : 1,
    isVisit: isVisit(basket, priced),
    payableMinor: priced.payableMinor,
    branch: basket.branch,
    at: basket.occurredAt,
    local: localTime(basket.occurredAt, timezone),
    isFirst,
    usage: new Map(usage.map((entry) => [usageKey(entry.campaign, entry.rule), entry])),
    now,
    timezone,
  }
}

export function usageKey(campaign: CampaignId, rule: string): string {
  return `${campaign}/${rule}`
}
