import type { Fact } from '../../domain/event.ts'
import type { CustomerId } from '../../domain/ids.ts'
import type { Movement } from '../../domain/ledger-entry.ts'
import { fromUnits } from '../../domain/money.ts'

/** Expirations among these movements, whether found by the job, a basket, a return or an adjustment. */
export function expiredFacts(
  customer: CustomerId,
  movements: readonly Movement[],
  decimals: ReadonlyMap<string, number>,
): Fact[] {
  return movements.flatMap(({ kind, key, amount }): Fact[] => {
    if (kind !== 'expire') return []
    return [
      {
        type: 'balance.expired',
        data: { customer, key, amount: fromUnits(-amount, decimals.get(key) ?? 0) },
      },
    ]
  })
}

export function decimalsByKey(
  balances: readonly { readonly key: string; readonly decimals: number }[],
): Map<string, number> {
  return new Map(balances.map(({ key, decimals }) => [key, decimals]))
}
