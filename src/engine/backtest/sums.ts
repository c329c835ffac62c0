/** What was given and would have been, summed up: in all, by day and by group. */
import type {
  BacktestGroupKind,
  BacktestResult,
  GivenComparison,
  PastSale,
  SalesComparison,
} from '../../domain/backtest.ts'
import type { CustomerId } from '../../domain/ids.ts'
import { addFigures, type Figures, noFigures, toGiven, type Worth } from './figures.ts'

export type Both = Record<'given' | 'wouldGive', Figures>
export type BothWorth = Record<'given' | 'wouldGive', Worth>

interface Sum {
  sales: number
  payableMinor: number
  readonly both: Both
}

/** What a sale is grouped by, besides its branch. */
interface Traits {
  readonly day: string
  readonly isNew: boolean
  readonly tier: string
}

export interface Sums {
  add(sale: PastSale, both: Both, traits: Traits): void
  result(worth: BothWorth): Omit<BacktestResult, 'rows' | 'leftOut' | 'salesShortOfPoints'>
}

export function createSums(): Sums {
  const total = noSum()
  const days = new Map<string, Sum>()
  const groups: Record<BacktestGroupKind, Map<string, Sum>> = {
    visits: new Map(),
    tier: new Map(),
    branch: new Map(),
  }
  const customers = new Set<CustomerId>()
  return {
    add({ customer, branchOpaqueId, result }, both, { day, isNew, tier }) {
      customers.add(customer)
      const grouped = [
        total,
        sumOf(days, day),
        sumOf(groups.visits, isNew ? 'new' : 'returning'),
        sumOf(groups.tier, tier),
        sumOf(groups.branch, branchOpaqueId),
      ]
      for (const sum of grouped) {
        sum.sales++
        sum.payableMinor += result.payableMinor
        addFigures(sum.both.given, both.given)
        addFigures(sum.both.wouldGive, both.wouldGive)
      }
    },
    result: (worth) => ({
      ...toComparison(total, worth),
      customers: customers.size,
      days: inOrder(days).map(([day, sum]) => ({ day, ...toComparison(sum, worth) })),
      groups: (['visits', 'tier', 'branch'] as const).flatMap((by) =>
        inOrder(groups[by]).map(([name, sum]) => ({ by, name, ...toComparison(sum, worth) })),
      ),
    }),
  }
}

export const toBoth = ({ given, wouldGive }: Both, worth: BothWorth): GivenComparison => ({
  given: toGiven(given, worth.given),
  wouldGive: toGiven(wouldGive, worth.wouldGive),
})

const toComparison = ({ sales, payableMinor, both }: Sum, worth: BothWorth): SalesComparison => ({
  sales,
  payableMinor,
  ...toBoth(both, worth),
})

const noSum = (): Sum => ({ sales: 0, payableMinor: 0, both: { given: noFigures(), wouldGive: noFigures() } })

function sumOf(sums: Map<string, Sum>, key: string): Sum {
  const known = sums.get(key)
  if (known) return known
  const added = noSum()
  sums.set(key, added)
  return added
}

const inOrder = (sums: ReadonlyMap<string, Sum>) => [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
