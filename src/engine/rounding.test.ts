/** Rounding never creates points. `test/races/rounding.test.ts` shows the same for stored data. */
import { expect, test } from 'vitest'
import type { Wallet } from '../domain/wallet.ts'
import { attach, basketOf, club, evaluationOf, holding, line, walletOf } from './coffee-club.fixture.ts'
import { walletAfter } from './steps/wallet-after.ts'

test('ten thousand baskets of 0.01 give what whole cents give and not a fraction more', () => {
  const campaign = attach({
    name: 'Cents',
    balances: [
      { key: 'exact', decimals: 2 },
      { key: 'whole' },
      { key: 'more' },
      { key: 'thirds', decimals: 2 },
    ],
    rules: [
      { id: 'exact', kind: 'points_per_amount', balance: 'exact', points: 0.01, per: 0.01 },
      { id: 'whole', kind: 'points_per_amount', balance: 'whole', points: 1, per: 0.02 },
      { id: 'more', kind: 'points_per_amount', balance: 'more', points: 1, per: 0.01 },
      { id: 'half', kind: 'multiply', balance: 'more', factor: 1.99 },
      { id: 'thirds', kind: 'points_per_amount', balance: 'thirds', points: 0.03, per: 0.03 },
    ],
  })
  let wallet: Wallet = walletOf({
    balances: ['exact', 'whole', 'more', 'thirds'].map((key) => holding(0, 0, key)),
  })
  const basket = basketOf([], { amount: 0.01 })
  for (let i = 0; i < 10_000; i++) {
    const evaluation = evaluationOf({ campaigns: [campaign], basket, wallet })
    wallet = { ...walletAfter(wallet, evaluation, basket.occurredAt), usage: [] }
  }
  const held = Object.fromEntries(wallet.balances.map(({ key, value, total }) => [key, [value, total]]))
  expect(held).toEqual({ exact: [10_000, 10_000], whole: [0, 0], more: [10_000, 10_000], thirds: [0, 0] })
})

/** All ways to write a number as a sum, the largest part first: 4, 3+1, 2+2, 2+1+1, 1+1+1+1. */
function partitions(whole: number, largest = whole): number[][] {
  if (whole === 0) return [[]]
  return Array.from({ length: Math.min(whole, largest) }, (_, i) => i + 1).flatMap((part) =>
    partitions(whole - part, part).map((rest) => [part, ...rest]),
  )
}

test('every way to split a line gives what the line gave, with discounts, multipliers and points spent', () => {
  const campaign = attach(
    club({
      balances: [{ key: 'points' }, { key: 'fine', decimals: 2 }, { key: 'stamps' }],
      rules: [
        { id: 'base', kind: 'points_per_amount', balance: 'points', points: 3, per: 0.07 },
        { id: 'some', kind: 'points_per_amount', balance: 'fine', points: 0.05, per: 0.03, products: ['a'] },
        { id: 'item', kind: 'collect_per_item', balance: 'stamps', amount: 2, products: ['a'] },
        { id: 'more', kind: 'multiply', balance: 'points', factor: 1.37 },
      ],
      spend: { balance: 'points', worth: 0.003 },
    }),
  )
  const wallet = walletOf({ balances: [holding(1_000), holding(0, 0, 'fine'), holding(0, 0, 'stamps')] })
  const given = (cents: readonly number[], order: { discountAmount?: number; pointsToSpend?: number }) => {
    // The other line shares in the order's discount, so that the split one has a fraction of it.
    const lines = cents.map((n) =>
      line(0, { product: 'a', quantity: n / 8, unitPrice: undefined, amount: n / 100 }),
    )
    const other = line(0, { product: 'b', unitPrice: undefined, amount: 0.1 })
    const basket = basketOf([...lines, other], order)
    return evaluationOf({ campaigns: [campaign], basket, wallet }).balances
  }
  const splits = partitions(17)
  expect(splits).toHaveLength(297)
  for (const order of [{}, { discountAmount: 0.05 }, { discountAmount: 0.01, pointsToSpend: 11 }]) {
    const whole = given([17], order)
    for (const parts of splits) expect([parts, given(parts, order)]).toEqual([parts, whole])
  }
})
