/** The figures of the home page: where the reports contain each, and the list that it counts. */
import type { Schemas } from '../../api/client.ts'
import { paths } from '../../paths.ts'
import type { Search } from '../../ui/page-link.tsx'
import type { DayRange } from './range.ts'

type Figures = Omit<Schemas['DailyFigures'], 'day'>

export interface Figure {
  /** Translation key of the figure. */
  readonly key: string
  /** Value of the figure in a report; `balance` is the key of the selected balance. */
  readonly read: (figures: Figures, balance: string) => number
  /** Whether the figure is in points and not a count. */
  readonly isBalance?: boolean
  /** Link to what was counted on these days. */
  readonly listOf: (range: DayRange, balance: string) => { readonly to: string; readonly search?: Search }
}

const sales: Figure['listOf'] = ({ from, to }) => ({ to: paths.transactions(), search: { from, to } })
const endedCoupons =
  (status: string): Figure['listOf'] =>
  ({ from, to }) => ({ to: paths.coupons(), search: { status, endedFrom: from, endedTo: to } })

export const figureGroups: readonly { readonly key: string; readonly figures: readonly Figure[] }[] = [
  {
    key: 'balance',
    figures: [
      {
        key: 'collected',
        isBalance: true,
        read: ({ collected }, balance) => collected[balance] ?? 0,
        listOf: sales,
      },
      {
        key: 'spent',
        isBalance: true,
        read: ({ spent }, balance) => spent[balance] ?? 0,
        listOf: ({ from, to }, spent) => ({ to: paths.transactions(), search: { from, to, spent } }),
      },
      {
        key: 'outstanding',
        isBalance: true,
        read: ({ outstanding }, balance) => outstanding[balance] ?? 0,
        // The number of holders is known only for today.
        listOf: (_, holds) => ({ to: paths.customers(), search: { holds } }),
      },
    ],
  },
  {
    key: 'customers',
    figures: [
      {
        key: 'active',
        read: ({ activeCustomers }) => activeCustomers,
        listOf: ({ from, to }) => ({ to: paths.customers(), search: { activeFrom: from, activeTo: to } }),
      },
      {
        key: 'registrations',
        read: ({ customers }) => customers,
        listOf: ({ from, to }) => ({ to: paths.customers(), search: { from, to } }),
      },
      { key: 'sales', read: ({ transactions }) => transactions, listOf: sales },
    ],
  },
  {
    key: 'coupons',
    figures: [
      {
        key: 'granted',
        read: ({ coupons }) => coupons.granted,
        listOf: ({ from, to }) => ({ to: paths.coupons(), search: { from, to } }),
      },
      { key: 'redeemed', read: ({ coupons }) => coupons.redeemed, listOf: endedCoupons('3') },
      { key: 'expired', read: ({ coupons }) => coupons.expired, listOf: endedCoupons('4') },
    ],
  },
]

export const allFigures: readonly Figure[] = figureGroups.flatMap(({ figures }) => figures)
