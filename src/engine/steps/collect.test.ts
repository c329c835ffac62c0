import { describe, expect, test } from 'vitest'
import type { RuleUsage } from '../../domain/wallet.ts'
import {
  attach,
  basketOf,
  club,
  clubId,
  collectedBy,
  evaluationOf,
  holding,
  line,
  refusalOf,
  skippedBecause,
  walletOf,
} from '../coffee-club.fixture.ts'

const base = { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }
const used = (day: number, customer: number, total: number): RuleUsage => ({
  campaign: clubId,
  rule: 'base',
  day,
  customer,
  total,
})

describe('limits', () => {
  test.each([
    { rule: 'cut a basket', limits: { perTransaction: 7 }, gives: 7 },
    { rule: 'leave smaller baskets alone', limits: { perTransaction: 70 }, gives: 10 },
    { rule: 'cut the day', limits: { perDay: 12 }, usage: used(5, 0, 0), gives: 7 },
    { rule: 'cut what a customer ever gets', limits: { perCustomer: 12 }, usage: used(0, 9, 9), gives: 3 },
    { rule: 'cut what all customers get', limits: { total: 1000 }, usage: used(0, 0, 999), gives: 1 },
    {
      rule: 'hold all at once',
      limits: { perTransaction: 9, perDay: 8, total: 6 },
      usage: used(1, 1, 1),
      gives: 5,
    },
    { rule: 'count from nothing for a new rule', limits: { perDay: 4, perCustomer: 6 }, gives: 4 },
    {
      rule: 'stay closed when more was given than they now allow',
      limits: { perDay: 5 },
      usage: used(8, 8, 8),
      gives: 0,
    },
  ])('$rule', ({ limits, usage, gives }) => {
    const evaluation = evaluationOf({
      campaign: { rules: [{ ...base, limits }] },
      basket: basketOf([line(10)]),
      wallet: walletOf({ usage: usage ? [usage] : [] }),
    })
    expect(collectedBy(evaluation).base ?? 0).toBe(gives)
  })

  test('that are used up are the reason why nothing was given', () => {
    const campaign = { rules: [{ ...base, limits: { perDay: 5 } }] }
    const evaluation = evaluationOf({
      campaign,
      basket: basketOf([line(10)]),
      wallet: walletOf({ usage: [used(5, 5, 5)] }),
    })
    expect(skippedBecause(evaluation)).toEqual({ base: 'limit' })
    expect(evaluation.usage).toEqual([])
  })

  test('tell what to count, and only of rules that look beyond one basket', () => {
    const rules = [
      { ...base, limits: { perDay: 5, total: 1000 } },
      { ...base, id: 'second', limits: { perTransaction: 3 } },
      { ...base, id: 'third' },
    ]
    expect(evaluationOf({ campaign: { rules }, basket: basketOf([line(10)]) }).usage).toEqual([
      { campaign: clubId, rule: 'base', amount: 5, perDay: true, perCustomer: false, isShared: true },
    ])
    expect(attach(club({ rules })).compiled.countedRules).toEqual([
      { rule: 'base', perDay: true, perCustomer: false, isShared: true },
    ])
  })

  test('of one campaign do not count what a rule of the same id gave in another', () => {
    const campaign = { rules: [{ ...base, limits: { perDay: 5 } }] }
    const usage = [{ ...used(5, 5, 5), campaign: 'cmp_other' as const }]
    const evaluation = evaluationOf({ campaign, basket: basketOf([line(10)]), wallet: walletOf({ usage }) })
    expect(collectedBy(evaluation)).toEqual({ base: 5 })
  })
})

describe('collecting', () => {
  test('gives every rule its own movement with the balance after it', () => {
    const campaign = { rules: [base, { ...base, id: 'more', points: 2 }] }
    const evaluation = evaluationOf({
      campaign,
      basket: basketOf([line(3)]),
      wallet: walletOf({ balances: [holding(7, 9)] }),
    })
    expect(evaluation.movements).toEqual([
      { key: 'points', version: 2, kind: 'collect', amount: 3, valueAfter: 10, totalAfter: 12 },
      { key: 'points', version: 3, kind: 'collect', amount: 6, valueAfter: 16, totalAfter: 18 },
    ])
    expect(evaluation.balances).toEqual([{ key: 'points', value: 16, total: 18, version: 3 }])
  })

  test('opens a balance that the customer does not have yet', () => {
    const evaluation = evaluationOf({
      campaign: { rules: [base] },
      basket: basketOf([line(3)]),
      wallet: walletOf({ balances: [] }),
    })
    expect(evaluation.balances).toEqual([{ key: 'points', value: 3, total: 3, version: 1 }])
  })

  test('refuses a balance larger than can be counted', () => {
    const basket = basketOf([line(10)])
    const story = { campaign: { rules: [base] }, basket }
    expect(refusalOf({ ...story, wallet: walletOf({ balances: [holding(9e15 - 9)] }) })).toBe(
      '_invalid_payload',
    )
    expect(refusalOf({ ...story, wallet: walletOf({ balances: [holding(0, 9e15 - 9)] }) })).toBe(
      '_invalid_payload',
    )
    expect(refusalOf({ ...story, wallet: walletOf({ balances: [holding(9e15 - 10)] }) })).toBe(undefined)
  })

  test('counts in the decimals of the balance', () => {
    const definition = {
      ...club({ rules: [{ ...base, points: 0.25 }] }),
      balances: [{ key: 'points', decimals: 2 }],
    }
    const evaluation = evaluationOf({ campaigns: [attach(definition)], basket: basketOf([line(3.9)]) })
    expect(collectedBy(evaluation)).toEqual({ base: 75 })
  })

  test('knows currencies without decimals', () => {
    const campaign = { rules: [{ ...base, per: 100 }] }
    const evaluation = evaluationOf({ campaign, basket: basketOf([line(1250)]), currencyDecimals: 0 })
    expect(collectedBy(evaluation)).toEqual({ base: 12 })
    expect(evaluation.payableMinor).toBe(1250)
  })

  test('knows rules without an id by their position', () => {
    const { id: _, ...nameless } = base
    expect(
      collectedBy(evaluationOf({ campaign: { rules: [nameless] }, basket: basketOf([line(2)]) })),
    ).toEqual({ 1: 2 })
  })
})

describe('tiers', () => {
  const tiers = [
    { key: 'bronze', balance: 'points', from: 0 },
    { key: 'silver', balance: 'points', from: 100 },
    { key: 'gold', balance: 'points', from: 200 },
  ]
  const changes = (total: number, amount: number) =>
    evaluationOf({
      campaign: { rules: [base], tiers },
      basket: basketOf([line(amount)]),
      wallet: walletOf({ balances: [holding(0, total)] }),
    }).effects.filter((effect) => effect.kind === 'change_tier')

  test.each([
    { rule: 'change when the total reaches one', total: 90, amount: 10, tier: ['silver'] },
    { rule: 'do not change below it', total: 90, amount: 9, tier: [] },
    { rule: 'do not change again within it', total: 100, amount: 50, tier: [] },
    { rule: 'change once to the highest reached', total: 50, amount: 200, tier: ['gold'] },
    { rule: 'that everybody has are not reached', total: 0, amount: 5, tier: [] },
  ])('$rule', ({ total, amount, tier }) =>
    expect(changes(total, amount)).toEqual(
      tier.map((key) => ({ kind: 'change_tier', campaign: clubId, tier: key })),
    ),
  )
})

describe('a basket beyond the bounds', () => {
  test.each([
    { rule: 'of money', basket: basketOf([line(1e11)]) },
    { rule: 'of quantity', basket: basketOf([line(1, { quantity: 1e7 })]) },
    { rule: 'of the product of both', basket: basketOf([line(1e9, { quantity: 1e5 })]) },
    { rule: 'of the sum of its lines', basket: basketOf([line(9e9), line(9e9)]) },
    { rule: 'below zero', basket: basketOf([line(1, { discountAmount: -1 })]) },
    { rule: 'without quantity', basket: basketOf([line(1, { quantity: 0 })]) },
    { rule: 'of decimals in prices', basket: basketOf([line(0.0000001)]) },
    { rule: 'of decimals in quantities', basket: basketOf([line(1, { quantity: 1.0000001 })]) },
    { rule: 'that is no number', basket: basketOf([], { amount: Number.NaN }) },
    { rule: 'that is infinite', basket: basketOf([], { discountedAmount: Number.POSITIVE_INFINITY }) },
  ])('$rule is refused for its shape', ({ basket }) =>
    expect(refusalOf({ campaign: { rules: [base] }, basket })).toBe('_invalid_payload'),
  )
})
