/** The balances of the organization, named and valued by the campaigns that run. */
import type { Schemas } from '../../api/client.ts'

export interface Balance {
  readonly key: string
  readonly name: string
  readonly decimals: number
  /** What one point is worth in money, least and most, when it can be spent. */
  readonly worth?: { readonly least: number; readonly most: number }
}

/**
 * Campaigns share balances by their key; one without a campaign keeps its key as its name. What was collected most
 * comes first.
 */
export function balancesOf(
  campaigns: readonly Schemas['Campaign'][],
  { collected, outstanding }: Schemas['Summary'],
): Balance[] {
  const running = campaigns.filter(({ status }) => status === 'published' || status === 'paused')
  const definitions = running.flatMap(({ balances }) => balances)
  const all = new Set([...definitions.map(({ key }) => key), ...Object.keys(outstanding)])
  const sorted = [...all].sort((one, other) => (collected[other] ?? 0) - (collected[one] ?? 0))
  return sorted.map((key) => {
    const definition = definitions.find((one) => one.key === key)
    const worths = running.flatMap(({ spend }) => (spend?.balance === key ? [spend.worth] : []))
    return {
      key,
      name: definition?.name ?? key,
      decimals: definition?.decimals ?? 0,
      worth: worths.length > 0 ? { least: Math.min(...worths), most: Math.max(...worths) } : undefined,
    }
  })
}
