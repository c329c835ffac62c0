import { expect, test } from 'vitest'
import { basketOf, collectedSum, evaluationOf, line, skippedBecause } from '../coffee-club.fixture.ts'

const latte = (quantity: number) => line(3, { product: 'latte', category: 'coffee', quantity })
const beans = (quantity: number) => line(20, { product: 'beans', category: 'retail', quantity })

const evaluate = (lines: ReturnType<typeof line>[], of: Record<string, unknown> = {}) =>
  evaluationOf({
    campaign: { rules: [{ id: 'stamp', kind: 'collect_per_item', balance: 'stamps', amount: 1, ...of }] },
    basket: basketOf(lines),
  })

test.each([
  { rule: 'gives a stamp for every item', lines: [latte(1), latte(2)], stamps: 3 },
  { rule: 'counts whole quantities', lines: [beans(2.9)], stamps: 2 },
  { rule: 'adds quantities up before it drops the fraction', lines: [beans(0.5), beans(0.5)], stamps: 1 },
  { rule: 'adds small quantities exactly', lines: Array.from({ length: 10 }, () => beans(0.1)), stamps: 1 },
  { rule: 'counts free items too', lines: [line(0, { quantity: 2 })], stamps: 2 },
  { rule: 'counts only its products', lines: [latte(2), beans(5)], of: { products: ['latte'] }, stamps: 2 },
  {
    rule: 'counts only its categories',
    lines: [latte(2), beans(5)],
    of: { categories: ['retail'] },
    stamps: 5,
  },
  { rule: 'gives more than one', lines: [latte(3)], of: { amount: 2 }, stamps: 6 },
  { rule: 'gives nothing for an order without lines', lines: [], stamps: 0 },
])('$rule', ({ lines, of, stamps }) => expect(collectedSum(evaluate(lines, of), 'stamps')).toBe(stamps))

test('says that there is less than one item', () => {
  expect(skippedBecause(evaluate([beans(0.5)]))).toEqual({ stamp: 'quantity' })
})
