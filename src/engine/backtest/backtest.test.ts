import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { effort } from '../../../test/support/full.ts'
import type { PastSale } from '../../domain/backtest.ts'
import type { Basket } from '../../domain/basket.ts'
import type { Coupon } from '../../domain/coupon.ts'
import type { CustomerId, TransactionId } from '../../domain/ids.ts'
import type { Wallet } from '../../domain/wallet.ts'
import {
  athens,
  attach,
  basketOf,
  club,
  clubId,
  line,
  tuesdayMorning,
  walletOf,
} from '../coffee-club.fixture.ts'
import { evaluate } from '../evaluate.ts'
import { walletAfter } from '../steps/wallet-after.ts'
import { createBacktest } from './backtest.ts'

const rules = [
  { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 },
  { id: 'stamp', kind: 'collect_per_item', balance: 'stamps', amount: 1, limits: { perTransaction: 3 } },
  { id: 'hello', kind: 'collect_per_visit', balance: 'points', amount: 50, when: { firstTransaction: true } },
]
const whole = {
  rules,
  rewards: [
    { key: 'coffee', kind: 'free_product', products: ['latte'] },
    { key: 'five', kind: 'amount_off', amount: 5 },
  ],
  thresholds: [
    { balance: 'stamps', at: 4, grant: 'coffee', consume: true },
    { balance: 'points', at: 100, grant: 'five' },
  ],
  tiers: [{ balance: 'points', key: 'gold', name: 'Gold', from: 60 }],
  spend: { balance: 'points', worth: 0.01 },
}

/** Sells one basket after the other, each on the next day, and keeps the sales. */
function history(definition: object, baskets: readonly Basket[], start: Wallet = walletOf()): PastSale[] {
  const campaign = attach(club({ ...definition }))
  let wallet = start
  return baskets.map((basket, index) => {
    const now = new Date(tuesdayMorning.getTime() + index * 7_200_000)
    const sold = { ...basket, occurredAt: now }
    const outcome = evaluate({ basket: sold, wallet, campaigns: [campaign], organization: athens, now })
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.refusal))
    const evaluation = outcome.value
    wallet = walletAfter(wallet, evaluation, now)
    return {
      id: `txn_${index}` as TransactionId,
      customer: 'cus_1' as CustomerId,
      status: 1,
      own: clubId,
      branchOpaqueId: 'main',
      occurredAt: now,
      createdAt: now,
      basket: sold,
      result: {
        ...evaluation,
        actions: evaluation.effects as PastSale['result']['actions'],
        balances: evaluation.balances.map((balance) => ({ ...balance, decimals: 0 })),
        campaigns: [],
      },
    }
  })
}

function backtest(definition: object, sales: readonly PastSale[], today: object = definition) {
  const campaign = attach(club({ ...definition }))
  const spendOf = (spender: ReturnType<typeof attach>) =>
    new Map(spender.compiled.spend ? [[spender.compiled.spend.key, spender.compiled.spend]] : [])
  const run = createBacktest({
    campaign,
    attachedTo: (own) => (own === clubId ? [campaign] : []),
    organization: athens,
    spends: { given: spendOf(attach(club({ ...today }))), wouldGive: spendOf(campaign) },
  })
  for (const sale of sales) run.add(sale)
  return run.result()
}

const latte = (quantity = 1) => basketOf([line(3.5, { product: 'latte', quantity })])

test('a campaign that ran would have given what it gave, whatever customers bought, spent and redeemed', () => {
  const bought = fc.record({
    quantity: fc.integer({ min: 1, max: 5 }),
    price: fc.integer({ min: 1, max: 4000 }),
    discount: fc.integer({ min: 0, max: 300 }),
    redeems: fc.boolean(),
    where: fc.constantFrom('line', 'order'),
    points: fc.integer({ min: 0, max: 20 }),
  })
  fc.assert(
    fc.property(fc.array(bought, { minLength: 1, maxLength: 12 }), (visits) => {
      const coupons = visits.map(
        (_, i): Coupon => ({
          id: `cpn_${i}`,
          status: 1,
          reward: { key: 'five', name: 'five', kind: 'amount_off', amount: 5 },
          campaign: clubId,
        }),
      )
      const baskets = visits.map(({ quantity, price, discount, redeems, where, points }, i) => {
        const redeemed = redeems ? [coupons[i]!.id] : []
        const bought = line(price / 100, { quantity, coupons: where === 'line' ? redeemed : [] })
        return basketOf([{ ...bought, discountAmount: discount / 100 }, line(20, { id: '2' })], {
          coupons: where === 'order' ? redeemed : [],
          pointsToSpend: i > 3 ? points : 0,
        })
      })
      const wallet = walletOf({ coupons, transactionCount: 0 })
      const sales = history(whole, baskets, wallet)
      const { given, wouldGive, rows, salesShortOfPoints, leftOut } = backtest(whole, sales)
      expect(wouldGive).toEqual(given)
      expect(rows).toEqual([])
      expect([salesShortOfPoints, leftOut.refused]).toEqual([0, 0])
    }),
    { numRuns: 40 * effort },
  )
})

describe('another campaign', () => {
  const double = { ...whole, rules: [{ ...rules[0]!, points: 2 }, rules[1]!, rules[2]!] }

  test('is compared in all: what it gives, its coupons and its cost', () => {
    const { given, wouldGive } = backtest(double, history(whole, [latte(10), latte(10), latte(10)]), whole)
    // 35 points and three stamps each; four stamps make a coffee of 3.50.
    expect(given).toEqual({
      collected: { points: 105, stamps: 9 },
      coupons: 3,
      rewards: { coffee: 2, five: 1 },
      costMinor: 105 + 700 + 500,
      couponsWithoutWorth: 0,
    })
    expect(wouldGive).toEqual({
      collected: { points: 210, stamps: 9 },
      coupons: 4,
      rewards: { coffee: 2, five: 2 },
      costMinor: 210 + 700 + 1000,
      couponsWithoutWorth: 0,
    })
  })

  test('is compared by day and by group', () => {
    const sales = history(
      whole,
      Array.from({ length: 9 }, () => latte(10)),
    )
    const { days, groups, payableMinor } = backtest(double, sales, whole)
    expect(days.map(({ day, sales }) => [day, sales])).toEqual([
      ['2026-03-10', 7],
      ['2026-03-11', 2],
    ])
    const named = groups.map(({ by, name, sales }) => [by, name, sales])
    // Two visits with 70 points each make gold; with one of them the customer is below it.
    expect(named).toEqual([
      ['visits', 'returning', 9],
      ['tier', '', 1],
      ['tier', 'Gold', 8],
      ['branch', 'main', 9],
    ])
    expect(payableMinor).toBe(9 * 3500)
  })

  test('shows the sales with the largest differences, rule by rule', () => {
    const sales = history(whole, [latte(1), latte(20), latte(4)])
    const { rows } = backtest(double, sales, whole)
    expect(rows.map(({ transaction }) => transaction)).toEqual(['txn_1', 'txn_2', 'txn_0'])
    expect(rows[0]!.rules).toEqual([
      { rule: 'base', key: 'points', given: 70, wouldGive: 140 },
      { rule: 'stamp', key: 'stamps', given: 3, wouldGive: 3 },
    ])
  })

  test('that gives less leaves customers short of points, which are then not spent', () => {
    const sales = history(whole, [latte(20), { ...latte(20), pointsToSpend: 70 }])
    const nothing = { ...whole, rules: [rules[1]!] }
    const { salesShortOfPoints, wouldGive, given } = backtest(nothing, sales, whole)
    expect(salesShortOfPoints).toBe(1)
    expect(given.collected.points).toBe(70 + 69)
    expect(wouldGive.collected).toEqual({ stamps: 6 })
  })
})

test('sales that were returned, and those with other cards, are left out', () => {
  const [first, second, third] = history(whole, [latte(), latte(), latte()]) as [PastSale, PastSale, PastSale]
  const { leftOut, sales } = backtest(whole, [
    { ...first, status: 3 },
    { ...second, own: 'cmp_other' },
    third,
  ])
  expect(leftOut).toEqual({ returned: 1, otherCards: 1, refused: 0 })
  expect(sales).toBe(1)
})

test('a coupon for a product that nobody bought has no known worth', () => {
  const tea = { ...whole, rewards: [{ ...whole.rewards[0]!, products: ['tea'] }, whole.rewards[1]!] }
  const { wouldGive } = backtest(tea, history(whole, [latte(3), latte(3)]))
  // 20 points, and one free tea.
  expect(wouldGive).toMatchObject({ costMinor: 20, couponsWithoutWorth: 1 })
})
