import type { Movement } from '../domain/ledger-entry.ts'
import type { DailyCount } from '../store/daily-sums.ts'

/** What movements add to the day's sums. */
export function movedCounts(movements: readonly Movement[]): DailyCount[] {
  return movements.map(({ kind, key, amount }) => ({ measure: kind, key, amount }))
}
