import { describe, expect, test } from 'vitest'
import {
  attach,
  basketOf,
  club,
  collectedBy,
  coupon,
  couponIds,
  evaluationOf,
  holding,
  line,
  outcomeOf,
  refusalOf,
  walletOf,
} from '../coffee-club.fixture.ts'
import { mostPoints } from './spend-points.ts'

const spend = { balance: 'points', worth: 0.01 }
const base = { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }
const wallet = walletOf({ balances: [holding(500)] })
const pay = (points: number, amount = 10) => basketOf([line(amount)], { pointsToSpend: points })

describe('points to spend are refused', () => {
  test.each([
    { rule: 'when the card has no point balance', campaign: {}, points: 100, code: 'points_not_spendable' },
    { rule: 'when there are fewer', campaign: { spend }, points: 501, code: 'insufficient_points' },
    {
      rule: 'when they are fewer than the least',
      campaign: { spend: { ...spend, min: 100 } },
      points: 99,
      code: 'points_below_minimum',
    },
    {
      rule: 'when they are worth less than a cent',
      campaign: { spend: { ...spend, worth: 0.001 } },
      points: 9,
      code: 'points_below_minimum',
    },
    {
      rule: 'not when they are worth exactly a cent',
      campaign: { spend: { ...spend, worth: 0.001 } },
      points: 10,
      code: undefined,
    },
    {
      rule: 'when they are worth less than a cent, even where there is nothing to pay',
      campaign: { spend: { ...spend, worth: 0.001 } },
      points: 9,
      amount: 0,
      code: 'points_below_minimum',
    },
    {
      rule: 'when they pay more than the share',
      campaign: { spend: { ...spend, maxShare: 0.5 } },
      points: 401,
      amount: 8,
      code: 'points_above_share',
    },
    {
      rule: 'when they pay more than the basket',
      campaign: { spend },
      points: 500,
      amount: 4.99,
      code: 'points_above_share',
    },
    {
      rule: 'when there is nothing to pay',
      campaign: { spend },
      points: 1,
      amount: 0,
      code: 'points_above_share',
    },
    {
      rule: 'with more decimals than the balance',
      campaign: { spend },
      points: 1.5,
      code: '_invalid_payload',
    },
    { rule: 'below zero', campaign: { spend }, points: -1, code: '_invalid_payload' },
    { rule: 'when they are no number', campaign: { spend }, points: Number.NaN, code: '_invalid_payload' },
    {
      rule: 'beyond all bounds like any amount one does not have',
      campaign: { spend },
      points: 1e300,
      code: 'insufficient_points',
    },
    {
      rule: 'not at exactly the share',
      campaign: { spend: { ...spend, maxShare: 0.5 } },
      points: 400,
      amount: 8,
      code: undefined,
    },
    {
      rule: 'not at exactly the least',
      campaign: { spend: { ...spend, min: 100 } },
      points: 100,
      code: undefined,
    },
    { rule: 'not when they pay everything', campaign: { spend }, points: 500, amount: 5, code: undefined },
    {
      rule: 'not when there are none, even below the least',
      campaign: { spend: { ...spend, min: 100 } },
      points: 0,
      code: undefined,
    },
    { rule: 'not when there are none and no point balance', campaign: {}, points: 0, code: undefined },
  ])('$rule', ({ campaign, points, amount, code }) =>
    expect(refusalOf({ campaign, wallet, basket: pay(points, amount) })).toBe(code),
  )

  test('naming the field when the request is malformed', () => {
    expect(outcomeOf({ campaign: { spend }, wallet, basket: pay(0.5) })).toEqual({
      ok: false,
      refusal: {
        code: '_invalid_payload',
        problem: { kind: 'too_many_decimals', at: ['pointsToSpend'], most: 0 },
      },
    })
  })

  test('too few before too little, too little before too much', () => {
    const campaign = { spend: { ...spend, min: 1000, maxShare: 0.1 } }
    expect(refusalOf({ campaign, wallet, basket: pay(600) })).toBe('insufficient_points')
    expect(refusalOf({ campaign, wallet, basket: pay(500) })).toBe('points_below_minimum')
  })

  test('after the coupons, but wrong decimals before them', () => {
    const used = coupon('used', { key: 'x', name: 'X', kind: 'amount_off', amount: 1 }, { status: 3 })
    const given = { campaign: { spend }, wallet: walletOf({ balances: [holding(500)], coupons: [used] }) }
    const basket = (points: number) => ({ ...pay(points), coupons: couponIds('used') })
    expect(refusalOf({ ...given, basket: basket(501) })).toBe('coupon_already_redeemed')
    expect(refusalOf({ ...given, basket: basket(0.5) })).toBe('_invalid_payload')
  })

  test('when only another campaign than the card’s own lets one spend', () => {
    const campaigns = [attach(club()), attach(club({ spend }), { id: 'cmp_other' })]
    expect(refusalOf({ campaigns, wallet, basket: pay(100) })).toBe('points_not_spendable')
  })
})

describe('the most points', () => {
  const most = (terms: object, payableMinor: number, balance = 500) => {
    const { compiled } = attach(club({ spend: { ...spend, ...terms } }))
    return mostPoints(balance, compiled.spend!, { payableMinor, currencyDecimals: 2 })
  }

  test.each([
    { rule: 'are all there are', terms: {}, payable: 1000, points: 500 },
    { rule: 'pay the basket and no more', terms: {}, payable: 499, points: 499 },
    { rule: 'stay within the share', terms: { maxShare: 0.5 }, payable: 333, points: 166 },
    { rule: 'may be worth less than a cent each', terms: { worth: 0.003 }, payable: 100, points: 333 },
    { rule: 'may be worth more than a unit of money each', terms: { worth: 2.5 }, payable: 999, points: 3 },
    {
      rule: 'are none when they are worth less than a cent',
      terms: { worth: 0.00001 },
      payable: 99,
      points: 0,
    },
    { rule: 'are none when there is nothing to pay', terms: {}, payable: 0, points: 0 },
    { rule: 'are none below the least', terms: { min: 100 }, payable: 99, points: 0 },
    { rule: 'may be exactly the least', terms: { min: 100 }, payable: 100, points: 100 },
  ])('$rule', ({ terms, payable, points }) => {
    expect(most(terms, payable)).toBe(points)
    const campaign = { spend: { ...spend, ...terms } }
    const refused = (count: number) =>
      refusalOf({ campaign, wallet, basket: pay(count, payable / 100) }) !== undefined
    expect(refused(points)).toBe(false)
    expect(refused(points + 1)).toBe(true)
  })

  test('are none of a balance below zero', () => {
    expect(most({}, 1000, -20)).toBe(0)
  })
})

describe('points spent', () => {
  test('leave the balance and not the total, and are worth money', () => {
    const evaluation = evaluationOf({ campaign: { spend }, wallet, basket: pay(150) })
    expect(evaluation.effects).toEqual([
      {
        kind: 'spend_points',
        movement: {
          key: 'points',
          version: 2,
          kind: 'spend',
          amount: -150,
          valueAfter: 350,
          totalAfter: 500,
        },
        discountMinor: 150,
      },
    ])
    expect(evaluation).toMatchObject({ payableMinor: 1000, pointsSpent: 150, pointsDiscountMinor: 150 })
  })

  test.each([
    { rule: 'collect nothing for the part they pay', points: 250, collected: { base: 7 } },
    { rule: 'collect on what is left, dropping fractions', points: 201, collected: { base: 7 } },
    { rule: 'collect nothing when they pay all', points: 500, amount: 5, collected: {} },
  ])('$rule', ({ points, amount, collected }) => {
    const evaluation = evaluationOf({
      campaign: { spend, rules: [base] },
      wallet,
      basket: pay(points, amount),
    })
    expect(collectedBy(evaluation)).toEqual(collected)
  })

  test('collect where the campaign says that they earn', () => {
    const campaign = { spend: { ...spend, earns: true }, rules: [base] }
    expect(collectedBy(evaluationOf({ campaign, wallet, basket: pay(250) }))).toEqual({ base: 10 })
  })

  test('are taken off every line in proportion', () => {
    const campaign = { spend, rules: [{ ...base, products: ['latte'] }] }
    const basket = basketOf([line(8, { product: 'latte' }), line(2)], { pointsToSpend: 500 })
    expect(collectedBy(evaluationOf({ campaign, wallet, basket }))).toEqual({ base: 4 })
  })

  test('cannot be collected and spent in the same basket', () => {
    const campaign = { spend, rules: [base] }
    expect(refusalOf({ campaign, wallet: walletOf({ balances: [holding(5)] }), basket: pay(10, 100) })).toBe(
      'insufficient_points',
    )
  })

  test.each([
    { rule: 'are worth fractions of a cent together', worth: 0.005, points: 101, minor: 50 },
    { rule: 'are worth whole cents only', worth: 0.005, points: 3, minor: 1 },
    { rule: 'may be worth more than a unit of money', worth: 2.5, points: 3, minor: 750 },
  ])('$rule', ({ worth, points, minor }) => {
    const evaluation = evaluationOf({ campaign: { spend: { ...spend, worth } }, wallet, basket: pay(points) })
    expect(evaluation.pointsDiscountMinor).toBe(minor)
  })

  test('may have the decimals of their balance', () => {
    const definition = {
      ...club({ spend: { ...spend, worth: 1 } }),
      balances: [{ key: 'points', decimals: 2 }],
    }
    const evaluation = evaluationOf({ campaigns: [attach(definition)], wallet, basket: pay(1.25) })
    expect(evaluation).toMatchObject({ pointsSpent: 125, pointsDiscountMinor: 125 })
  })
})

test.each(['paused', 'archived'] as const)(
  'a %s campaign still lets one spend and collects nothing',
  (status) => {
    const campaigns = [attach(club({ spend, rules: [base] }), { status })]
    const evaluation = evaluationOf({ campaigns, wallet, basket: pay(100) })
    expect(evaluation.pointsSpent).toBe(100)
    expect(evaluation.skipped).toEqual([{ campaign: 'cmp_club', rule: 'base', reason: 'paused' }])
  },
)
