import { describe, expect, test } from 'vitest'
import type { Basket, Line } from '../../domain/basket.ts'
import {
  attach,
  basketOf,
  club,
  collectedSum,
  evaluationOf,
  line,
  skippedBecause,
} from '../coffee-club.fixture.ts'

interface Case {
  rule: string
  lines: Line[]
  points: number
  order?: Partial<Basket>
  per?: number
  of?: Record<string, unknown>
}

const evaluate = ({ lines, order, per = 1, of = {} }: Omit<Case, 'rule' | 'points'>) =>
  evaluationOf({
    campaign: {
      rules: [{ id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per, ...of }],
    },
    basket: basketOf(lines, order),
  })

const latte = { product: 'latte', category: 'coffee' }
const bun = { product: 'bun', category: 'bakery' }

describe('points per amount', () => {
  test.each<Case>([
    { rule: 'pays for every whole unit', lines: [line(10)], points: 10 },
    { rule: 'drops what is left of a unit', lines: [line(1.99)], points: 1 },
    { rule: 'adds the lines up before it rounds', lines: [line(1.5), line(1.5)], points: 3 },
    { rule: 'takes a line discount off first', lines: [line(10, { discountAmount: 2.5 })], points: 7 },
    {
      rule: 'prefers the discounted amount',
      lines: [line(10, { discountAmount: 9, discountedAmount: 8 })],
      points: 8,
    },
    { rule: 'never counts a line below zero', lines: [line(5, { discountAmount: 9 }), line(3)], points: 3 },
    {
      rule: 'takes the amount of the line before unit price × quantity',
      lines: [line(10, { amount: 4 })],
      points: 4,
    },
    { rule: 'multiplies unit price and quantity exactly', lines: [line(0.1, { quantity: 30 })], points: 3 },
    { rule: 'takes an order discount off', lines: [line(10)], order: { discountAmount: 2 }, points: 8 },
    {
      rule: 'prefers the discounted amount of the order',
      lines: [line(10)],
      order: { discountedAmount: 4 },
      points: 4,
    },
    { rule: 'never scales lines up', lines: [line(10)], order: { discountedAmount: 15 }, points: 10 },
    { rule: 'ignores the order amount next to lines', lines: [line(10)], order: { amount: 99 }, points: 10 },
    { rule: 'takes the order amount without lines', lines: [], order: { amount: 7.9 }, points: 7 },
    {
      rule: 'reduces an order without lines',
      lines: [],
      order: { amount: 7.9, discountAmount: 1 },
      points: 6,
    },
    { rule: 'pays per larger amounts', lines: [line(29.99)], per: 10, points: 2 },
    { rule: 'pays per parts of a unit', lines: [line(1.3)], per: 0.5, points: 2 },
    {
      rule: 'covers only its products',
      lines: [line(10, latte), line(5, bun)],
      of: { products: ['latte'] },
      points: 10,
    },
    {
      rule: 'covers only its categories',
      lines: [line(10, latte), line(5, bun)],
      of: { categories: ['bakery'] },
      points: 5,
    },
    {
      rule: 'covers products and categories, each line once',
      lines: [line(10, latte), line(5, bun), line(1)],
      of: { products: ['latte', 'bun'], categories: ['bakery'] },
      points: 15,
    },
    {
      rule: 'spreads an order discount over the lines in proportion',
      lines: [line(10, latte), line(20, bun)],
      order: { discountAmount: 15 },
      of: { products: ['latte'] },
      points: 5,
    },
    {
      rule: 'spreads as an exact fraction: two thirds of 29.99 are less than 20',
      lines: [line(20, latte), line(10, bun)],
      order: { discountedAmount: 29.99 },
      of: { products: ['latte'] },
      points: 19,
    },
    {
      rule: 'loses nothing to the fraction where it comes out even',
      lines: [line(10, latte), line(10, latte), line(10, bun)],
      order: { discountedAmount: 10.5 },
      of: { products: ['latte'] },
      points: 7,
    },
  ])('$rule', ({ rule: _, points, ...given }) => expect(collectedSum(evaluate(given))).toBe(points))

  test('gives each of ten thousand baskets of 0.01 nothing, and one of 100.00 a hundred', () => {
    const rules = [{ id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }]
    const story = { campaigns: [attach(club({ rules }))], basket: basketOf([line(0.01)]) }
    let points = 0
    for (let i = 0; i < 10_000; i++) points += collectedSum(evaluationOf(story))
    expect(points).toBe(0)
    expect(collectedSum(evaluate({ lines: Array.from({ length: 500 }, () => line(0.2)) }))).toBe(100)
  })

  test('says that the amount is too small', () => {
    expect(skippedBecause(evaluate({ lines: [line(0.99)] }))).toEqual({ base: 'amount' })
  })

  test('says that no line has its product', () => {
    expect(skippedBecause(evaluate({ lines: [line(5)], of: { products: ['latte'] } }))).toEqual({
      base: 'products',
    })
    expect(skippedBecause(evaluate({ lines: [line(5)], of: { categories: ['tea'] } }))).toEqual({
      base: 'categories',
    })
  })
})
