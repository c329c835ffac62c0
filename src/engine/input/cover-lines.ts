/**
 * Sums up what each rule's filter covers of the lines, for all rules of a campaign in one pass. Lines are
 * looked up in the index of products and categories, so that the cost grows with the rules that a line
 * concerns and not with the number of rules.
 */
import type { RuleIndex } from '../definition/compile-campaign.ts'

/** A line as rules see it. */
export interface CoverableLine {
  readonly product?: string
  readonly category?: string
  /** Payable amount, before the spread. */
  readonly payable: number
  /** In millionths. */
  readonly quantity: number
}

export const productFlag = 1
export const categoryFlag = 2
export const coveredFlag = 4

/** What each rule's filter covers of the lines, and whether the lines that `when` asks for are present. */
export interface Coverage {
  readonly payable: Float64Array
  readonly quantity: Float64Array
  readonly flags: Uint8Array
}

export function coverLines(
  index: RuleIndex,
  lines: readonly CoverableLine[],
  ruleCount: number,
): Coverage | undefined {
  const { coverByProduct, coverByCategory, needByProduct, needByCategory } = index
  if (coverByProduct.size + coverByCategory.size + needByProduct.size + needByCategory.size === 0)
    return undefined
  const coverage: Coverage = {
    payable: new Float64Array(ruleCount),
    quantity: new Float64Array(ruleCount),
    flags: new Uint8Array(ruleCount),
  }
  // The last line each rule covered: a line that is found by both its product and its category counts once.
  const lastLine = new Int32Array(ruleCount)
  for (let position = 0; position < lines.length; position++) {
    const line = lines[position]!
    if (line.product !== undefined) {
      coverLine(coverage, lastLine, coverByProduct.get(line.product), line, position + 1)
      flagRules(coverage.flags, needByProduct.get(line.product), productFlag)
    }
    if (line.category !== undefined) {
      coverLine(coverage, lastLine, coverByCategory.get(line.category), line, position + 1)
      flagRules(coverage.flags, needByCategory.get(line.category), categoryFlag)
    }
  }
  return coverage
}

function coverLine(
  coverage: Coverage,
  lastLine: Int32Array,
  rules: readonly number[] | undefined,
  line: CoverableLine,
  number: number,
): void {
  if (rules === undefined) return
  for (const rule of rules) {
    if (lastLine[rule] === number) continue
    lastLine[rule] = number
    coverage.payable[rule]! += line.payable
    coverage.quantity[rule]! += line.quantity
    coverage.flags[rule]! |= coveredFlag
  }
}

function flagRules(flags: Uint8Array, rules: readonly number[] | undefined, flag: number): void {
  if (rules !== undefined) for (const rule of rules) flags[rule]! |= flag
}
