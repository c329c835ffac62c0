import type { TransactionResult } from '../../domain/transaction.ts'

export type Decimals = (key: string) => number

/** The decimals of each balance, as they were when the result was stored. */
export function decimalsIn({ balances }: Pick<TransactionResult, 'balances'>): Decimals {
  return (key) => balances.find((balance) => balance.key === key)?.decimals ?? 0
}
