/** Renders a backtest: units and minor units become numbers with decimals. */
import type { BacktestRow, GivenComparison, GivenFigures, SalesComparison } from '../../domain/backtest.ts'
import { fromMinor, fromUnits } from '../../domain/money.ts'
import type { Organization } from '../../domain/organization.ts'
import type { StartedBacktest } from '../../operations/campaigns/backtest-campaign.ts'
import type { Decimals } from './balance-decimals.ts'

interface Rendering {
  readonly decimals: Decimals
  readonly currencyDecimals: number
}

export function toBacktestReply(started: StartedBacktest, { currencyDecimals }: Organization) {
  const rendering = { decimals: started.decimals, currencyDecimals }
  const { days, groups, rows, customers, leftOut, salesShortOfPoints, ...total } = started.result()
  return {
    ...started.range,
    cards: started.cards,
    ...toSales(total, rendering),
    customers,
    days: days.map(({ day, ...sum }) => ({ day, ...toSales(sum, rendering) })),
    groups: groups.map(({ by, name, ...sum }) => ({ by, name, ...toSales(sum, rendering) })),
    rows: rows.map((row) => toRow(row, rendering)),
    leftOut,
    salesShortOfPoints,
    couponsWithoutWorth: total.wouldGive.couponsWithoutWorth,
  }
}

function toSales({ sales, payableMinor, ...both }: SalesComparison, rendering: Rendering) {
  return {
    sales,
    payableAmount: fromMinor(payableMinor, rendering.currencyDecimals),
    ...toBoth(both, rendering),
  }
}

const toBoth = ({ given, wouldGive }: GivenComparison, rendering: Rendering) => ({
  given: toFigures(given, rendering),
  wouldGive: toFigures(wouldGive, rendering),
})

function toFigures({ collected, coupons, rewards, costMinor }: GivenFigures, rendering: Rendering) {
  const { decimals, currencyDecimals } = rendering
  return {
    collected: Object.fromEntries(
      Object.entries(collected).map(([key, units]) => [key, fromUnits(units, decimals(key))]),
    ),
    coupons,
    rewards,
    cost: fromMinor(costMinor, currencyDecimals),
  }
}

function toRow(
  { transaction, customer, occurredAt, payableMinor, rules, ...both }: BacktestRow,
  rendering: Rendering,
) {
  const { decimals, currencyDecimals } = rendering
  return {
    transaction,
    customer,
    occurredAt: occurredAt.toISOString(),
    payableAmount: fromMinor(payableMinor, currencyDecimals),
    ...toBoth(both, rendering),
    rules: rules.map(({ rule, key, given, wouldGive }) => ({
      rule,
      key,
      given: fromUnits(given, decimals(key)),
      wouldGive: fromUnits(wouldGive, decimals(key)),
    })),
  }
}
