/** The figures of the home page: where each stands in the reports, and the list it is counted from. */
import type { Schemas } from '../../api/client.ts'
import { paths } from '../../paths.ts'
import type { Search } from '../../ui/page-link.tsx'
import type { DayRange } from './range.ts'

type Figures = Omit<Schemas['DailyFigures'], 'day'>

export interface Figure {
  /** Its name among the texts. */
  readonly key: string
  /** `balance` is the key of the balance that is looked at. */
  readonly read: (figures: Figures, balance: string) => number
  /** In points, not a count. */
  readonly isBalance?: boolean
  readonly listOf: (range: DayRange) => { readonly to: string; readonly search?: Search }
  /** Where a day leads, when the list cannot be cut to it. */
  readonly dayListOf?: Figure['listOf']
}

const sales: Figure['listOf'] = ({ from, to }) => ({ to: paths.transactions(), search: { from, to } })
const registrations: Figure['listOf'] = ({ from, to }) => ({ to: paths.customers(), search: { from, to } })
// Coupons are listed by when they were granted: those redeemed or expired in a range can be older than it.
const couponsIn =
  (status: string): Figure['listOf'] =>
  () => ({ to: paths.coupons(), search: { status } })

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
      { key: 'spent', isBalance: true, read: ({ spent }, balance) => spent[balance] ?? 0, listOf: sales },
      {
        key: 'outstanding',
        isBalance: true,
        read: ({ outstanding }, balance) => outstanding[balance] ?? 0,
        listOf: () => ({ to: paths.customers() }),
        dayListOf: sales,
      },
    ],
  },
  {
    key: 'customers',
    figures: [
      { key: 'active', read: ({ activeCustomers }) => activeCustomers, listOf: sales },
      { key: 'registrations', read: ({ customers }) => customers, listOf: registrations },
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
      {
        key: 'redeemed',
        read: ({ coupons }) => coupons.redeemed,
        listOf: couponsIn('3'),
        dayListOf: sales,
      },
      { key: 'expired', read: ({ coupons }) => coupons.expired, listOf: couponsIn('4') },
    ],
  },
]

export const allFigures: readonly Figure[] = figureGroups.flatMap(({ figures }) => figures)
