/**
 * The list of rule kinds. A new kind is a file beside this one, its test, and one line here; the schema of
 * definitions, their check, the API reference and the console's forms follow from the list.
 */
import { collectPerItem } from './collect-per-item.ts'
import { collectPerVisit } from './collect-per-visit.ts'
import { multiply } from './multiply.ts'
import { pointsPerAmount } from './points-per-amount.ts'
import type { RuleKind } from './rule.ts'

export const allRules: readonly RuleKind[] = [pointsPerAmount, collectPerItem, collectPerVisit, multiply]

const byKind = new Map(allRules.map((rule) => [rule.kind, rule]))

export function ruleKind(kind: string): RuleKind | undefined {
  return byKind.get(kind)
}
