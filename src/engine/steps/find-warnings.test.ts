import { describe, expect, test } from 'vitest'
import type { Basket, Line } from '../../domain/basket.ts'
import { basketOf, coupon, couponIds, evaluationOf, line, walletOf } from '../coffee-club.fixture.ts'

const held = [
  coupon('five', { key: 'five', name: '5 off', kind: 'amount_off', amount: 5 }),
  coupon('five2', { key: 'five', name: '5 off', kind: 'amount_off', amount: 5 }),
]
const on = (...ids: string[]): Partial<Line> => ({ coupons: couponIds(...ids) })
const order = (...ids: string[]): Partial<Basket> => ({ coupons: couponIds(...ids) })

describe('a basket is accepted with a warning', () => {
  test.each<{ rule: string; lines: Line[]; order?: Partial<Basket>; warnings: string[] }>([
    { rule: 'or none', lines: [line(10, { discountAmount: 1 })], warnings: [] },
    {
      rule: 'when the discounts of a line contradict each other',
      lines: [line(1), line(10, { discountAmount: 2, discountedAmount: 3 })],
      warnings: ['discounts_disagree lines,1,discountedAmount'],
    },
    {
      rule: 'not when they agree, or one of them is 0',
      lines: [
        line(10, { discountAmount: 2, discountedAmount: 8 }),
        line(10, { discountAmount: 12, discountedAmount: 0 }),
        line(10, { discountAmount: 0, discountedAmount: 8 }),
      ],
      warnings: [],
    },
    {
      rule: 'when the discounts of the order contradict each other',
      lines: [line(10)],
      order: { discountAmount: 2, discountedAmount: 3 },
      warnings: ['discounts_disagree discountedAmount'],
    },
    {
      rule: 'not when the discount of the order repeats those of the lines, nor when it does not',
      lines: [line(10, { discountAmount: 2 })],
      order: { discountAmount: 2, discountedAmount: 8 },
      warnings: [],
    },
    {
      rule: 'not when the discount of the order comes on top of those of the lines',
      lines: [line(10, { discountAmount: 2 })],
      order: { discountAmount: 3, discountedAmount: 5 },
      warnings: [],
    },
    {
      rule: 'when the amount of the order is not the sum of its lines',
      lines: [line(3.5)],
      order: { amount: 99 },
      warnings: ['amount_differs amount'],
    },
    { rule: 'not when it is', lines: [line(3.5), line(1)], order: { amount: 4.5 }, warnings: [] },
    { rule: 'when it is empty', lines: [], order: { amount: 0 }, warnings: ['empty_basket lines'] },
    { rule: 'not when it has an amount', lines: [], order: { amount: 1 }, warnings: [] },
    { rule: 'not when it has a line, even of no price', lines: [line(0)], warnings: [] },
  ])('$rule', ({ lines, order: parts, warnings }) => expect(warningsOf(lines, parts)).toEqual(warnings))
})

describe('coupons are redeemed with a warning', () => {
  test.each<{ rule: string; lines: Line[]; order?: Partial<Basket>; warnings: string[] }>([
    { rule: 'not when they are simply taken off', lines: [line(10, on('five'))], warnings: [] },
    {
      rule: 'not when the discount at their place is what they are worth',
      lines: [line(10, { discountAmount: 5, ...on('five') })],
      warnings: [],
    },
    {
      rule: 'when the discount of their line is less than they are worth',
      lines: [line(20, { discountAmount: 9.99, ...on('five', 'five2') })],
      warnings: ['coupon_discount_differs lines,0,coupons'],
    },
    {
      rule: 'when the discount of the order is less than they are worth',
      lines: [line(20)],
      order: { ...order('five'), discountAmount: 4 },
      warnings: ['coupon_discount_differs coupons'],
    },
    {
      rule: 'when the price of the order leaves more than they are worth',
      lines: [line(20, on('five'))],
      order: { ...order('five2'), discountedAmount: 11 },
      warnings: ['coupon_discount_differs discountedAmount'],
    },
    {
      rule: 'not when the price of the order includes all of them',
      lines: [line(20, on('five'))],
      order: { ...order('five2'), discountedAmount: 10 },
      warnings: [],
    },
    {
      rule: 'when the client says that they are included and sent no discount',
      lines: [line(20, on('five'))],
      order: { couponsIncluded: true },
      warnings: ['coupon_discount_differs lines,0,coupons'],
    },
    {
      rule: 'not when the client says that they are included and put them elsewhere',
      lines: [line(20, on('five'))],
      order: { couponsIncluded: true, discountAmount: 5 },
      warnings: [],
    },
    {
      rule: 'when only the order has a discount, and the line with the coupon none',
      lines: [line(20, on('five'))],
      order: { discountAmount: 5 },
      warnings: ['coupon_discount_elsewhere lines,0,coupons'],
    },
    {
      rule: 'when only lines have a discount, and the order with the coupon none',
      lines: [line(20, { discountAmount: 5 })],
      order: order('five'),
      warnings: ['coupon_discount_elsewhere coupons'],
    },
    {
      rule: 'not when the client says what its discounts are',
      lines: [line(20, { discountAmount: 5 })],
      order: { ...order('five'), couponsIncluded: false },
      warnings: [],
    },
    {
      rule: 'not when the discount is of another line',
      lines: [line(20, { discountAmount: 5 }), line(20, on('five'))],
      warnings: [],
    },
  ])('$rule', ({ lines, order: parts, warnings }) => expect(warningsOf(lines, parts)).toEqual(warnings))

  test('in no more than twenty places, so that a stored sale stays small', () => {
    const wrong = Array.from({ length: 500 }, () => line(10, { discountAmount: 2, discountedAmount: 3 }))
    expect(warningsOf(wrong)).toHaveLength(20)
  })
})

function warningsOf(lines: Line[], parts: Partial<Basket> = {}): string[] {
  const basket = basketOf(lines, parts)
  return evaluationOf({ basket, wallet: walletOf({ coupons: held }) }).warnings.map(
    ({ code, at }) => `${code} ${at}`,
  )
}
