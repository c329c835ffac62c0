import { describe, expect, test } from 'vitest'
import {
  attach,
  basketOf,
  club,
  collectedBy,
  evaluationOf,
  line,
  skippedBecause,
} from '../coffee-club.fixture.ts'

const base = { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }
const times = (id: string, factor: number, of: Record<string, unknown> = {}) => ({
  id,
  kind: 'multiply',
  balance: 'points',
  factor,
  ...of,
})
const visit = { id: 'visit', kind: 'collect_per_visit', balance: 'points', amount: 3 }
const stamp = { id: 'stamp', kind: 'collect_per_visit', balance: 'stamps', amount: 1 }

const given = (amount: number, ...rules: object[]) =>
  collectedBy(evaluationOf({ campaign: { rules }, basket: basketOf([line(amount)]) }))

describe('multiply', () => {
  test.each([
    {
      rule: 'adds what is missing to the product',
      rules: [base, times('x2', 2)],
      gives: { base: 10, x2: 10 },
    },
    { rule: 'works at any position', rules: [times('x2', 2), base], gives: { base: 10, x2: 10 } },
    {
      rule: 'works on all other rules',
      rules: [base, visit, times('x2', 2)],
      gives: { base: 10, visit: 3, x2: 13 },
    },
    {
      rule: 'multiplies factors',
      rules: [base, times('x2', 2), times('x3', 3)],
      gives: { base: 10, x2: 10, x3: 40 },
    },
    { rule: 'is nothing for a factor of 1', rules: [base, times('x1', 1)], gives: { base: 10 } },
    { rule: 'rounds down', rules: [visit, times('x', 1.5)], gives: { visit: 3, x: 1 } },
    {
      rule: 'rounds down once, after all factors',
      rules: [{ ...visit, amount: 5 }, times('a', 1.5), times('b', 1.5)],
      gives: { visit: 5, a: 2, b: 4 },
    },
    {
      rule: 'stays within its own limits',
      rules: [base, times('x5', 5, { limits: { perTransaction: 15 } })],
      gives: { base: 10, x5: 15 },
    },
    {
      rule: 'works on what limits have left of the others',
      rules: [{ ...base, limits: { perTransaction: 4 } }, times('x2', 2)],
      gives: { base: 4, x2: 4 },
    },
    {
      rule: 'works on what the limit of another factor has left',
      rules: [base, times('x2', 2, { limits: { perTransaction: 5 } }), times('x3', 3)],
      gives: { base: 10, x2: 5, x3: 30 },
    },
    {
      rule: 'leaves other balances alone',
      rules: [stamp, base, times('x2', 2)],
      gives: { base: 10, x2: 10 },
    },
  ])('$rule', ({ rules, gives }) => expect(given(10, ...rules)).toEqual(gives))

  test('says that there was nothing to multiply', () => {
    const evaluation = evaluationOf({
      campaign: { rules: [stamp, times('x2', 2)] },
      basket: basketOf([line(10)]),
    })
    expect(skippedBecause(evaluation)).toEqual({ x2: 'nothing_to_multiply' })
  })

  test('does not multiply what another campaign gave', () => {
    const campaigns = [
      attach(club({ rules: [base] })),
      attach(club({ rules: [times('x2', 2)] }), { id: 'cmp_other' }),
    ]
    expect(collectedBy(evaluationOf({ campaigns, basket: basketOf([line(10)]) }))).toEqual({ base: 10 })
  })
})
