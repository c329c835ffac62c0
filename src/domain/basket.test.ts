import { expect, test } from 'vitest'
import { findWrongNumber, type Line } from './basket.ts'
import { maxMoney, maxQuantity } from './money.ts'
import type { Problem } from './refusal.ts'

const right: Line = { id: '1', quantity: 1, unitPrice: 0.123456, coupons: [] }

test.each<{ line?: Partial<Line>; amount?: number; problem: Problem | undefined }>([
  { line: { quantity: 0.000001, amount: 0, discountAmount: maxMoney }, problem: undefined },
  { amount: -1, problem: { kind: 'too_small', at: ['amount'], least: 0 } },
  { amount: Number.NaN, problem: { kind: 'too_small', at: ['amount'], least: 0 } },
  { amount: 2 * maxMoney, problem: { kind: 'too_large', at: ['amount'], most: maxMoney } },
  {
    line: { discountedAmount: -0.01 },
    problem: { kind: 'too_small', at: ['lines', 1, 'discountedAmount'], least: 0 },
  },
  {
    line: { unitPrice: 2 * maxMoney },
    problem: { kind: 'too_large', at: ['lines', 1, 'unitPrice'], most: maxMoney },
  },
  {
    line: { unitPrice: 0.1234567 },
    problem: { kind: 'too_many_decimals', at: ['lines', 1, 'unitPrice'], most: 6 },
  },
  { line: { quantity: 0 }, problem: { kind: 'not_positive', at: ['lines', 1, 'quantity'] } },
  {
    line: { quantity: maxQuantity + 1 },
    problem: { kind: 'too_large', at: ['lines', 1, 'quantity'], most: maxQuantity },
  },
  {
    line: { quantity: 1e-7 },
    problem: { kind: 'too_many_decimals', at: ['lines', 1, 'quantity'], most: 6 },
  },
])('the first number beyond the bounds is named with its place: %j', ({ line, amount, problem }) =>
  expect(findWrongNumber({ amount, lines: [right, { ...right, ...line }] })).toEqual(problem),
)
