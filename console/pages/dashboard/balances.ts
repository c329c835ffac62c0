/** The balances of the organization, with their worth in the running campaigns. */
import type { Schemas } from '../../api/client.ts'
import type { Program } from '../../i18n/campaign-names.ts'

export interface Balance {
  readonly key: string
  readonly name: string
  /** Formats a number with the balance's decimals. */
  readonly number: (value: number) => string
  /** The least and the most that one point is worth in money; undefined if it cannot be spent. */
  readonly worth?: { readonly least: number; readonly most: number }
}

/**
 * The balances of all campaigns, which share them by key. Those collected most come first, then those that
 * customers hold most of, then the oldest.
 */
export function balancesOf(program: Program, { collected, outstanding }: Schemas['Summary']): Balance[] {
  const running = program.campaigns.filter(({ status }) => status === 'published' || status === 'paused')
  const defined = running.toReversed().flatMap(({ balances }) => balances.map(({ key }) => key))
  const all = new Set([...defined, ...Object.keys(outstanding)])
  const more = (of: Readonly<Record<string, number>>, item: string, other: string) =>
    (of[other] ?? 0) - (of[item] ?? 0)
  const sorted = [...all].sort(
    (item, other) => more(collected, item, other) || more(outstanding, item, other),
  )
  return sorted.map((key) => {
    const worths = running.flatMap(({ spend }) => (spend?.balance === key ? [spend.worth] : []))
    return {
      key,
      name: program.balanceName(key),
      number: (value) => program.number(key, value),
      worth: worths.length > 0 ? { least: Math.min(...worths), most: Math.max(...worths) } : undefined,
    }
  })
}
