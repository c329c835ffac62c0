import { expect, test } from 'vitest'
import { basketOf, collectedSum, evaluationOf, line, skippedBecause } from '../coffee-club.fixture.ts'

const campaign = { rules: [{ id: 'visit', kind: 'collect_per_visit', balance: 'points', amount: 5 }] }

test.each([
  { rule: 'gives once for a basket, however many lines', basket: basketOf([line(1), line(1)]), points: 5 },
  { rule: 'counts a line that costs nothing', basket: basketOf([line(0)]), points: 5 },
  { rule: 'counts an amount without lines', basket: basketOf([], { amount: 0.01 }), points: 5 },
  { rule: 'does not count an empty basket', basket: basketOf([]), points: 0 },
  { rule: 'does not count an amount of zero', basket: basketOf([], { amount: 0 }), points: 0 },
])('$rule', ({ basket, points }) => expect(collectedSum(evaluationOf({ campaign, basket }))).toBe(points))

test('says that there was no visit', () => {
  expect(skippedBecause(evaluationOf({ campaign, basket: basketOf([]) }))).toEqual({ visit: 'amount' })
})
