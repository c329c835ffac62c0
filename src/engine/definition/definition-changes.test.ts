import { describe, expect, test } from 'vitest'
import { definitionChanges } from './definition-changes.ts'

const base = { id: 'base', kind: 'points_per_amount', points: 1, per: 1 }
const visit = { id: 'visit', kind: 'collect_per_visit', amount: 5 }

describe('what changed between two versions', () => {
  test.each([
    {
      change: 'nothing',
      before: { name: 'A', rules: [base] },
      after: { rules: [base], name: 'A' },
      changes: [],
    },
    {
      change: 'a field of a rule, named by the rule',
      before: { rules: [base, visit] },
      after: { rules: [{ ...base, points: 2 }, visit] },
      changes: [{ place: 'rules[base].points', before: 1, after: 2 }],
    },
    {
      change: 'a rule that was moved is no change',
      before: { rules: [base, visit] },
      after: { rules: [visit, base] },
      changes: [],
    },
    {
      change: 'a rule that was added',
      before: { rules: [base] },
      after: { rules: [base, visit] },
      changes: [{ place: 'rules[visit]', after: visit }],
    },
    {
      change: 'a field that was removed',
      before: { name: 'A', spend: { min: 1 } },
      after: { name: 'A' },
      changes: [{ place: 'spend', before: { min: 1 } }],
    },
    {
      change: 'a threshold, named by what it grants',
      before: { thresholds: [{ balance: 'stamps', at: 10, grant: 'free', consume: true }] },
      after: { thresholds: [{ balance: 'stamps', at: 10, grant: 'free' }] },
      changes: [{ place: 'thresholds[stamps at 10: free].consume', before: true }],
    },
  ])('$change', ({ before, after, changes }) => expect(definitionChanges(before, after)).toEqual(changes))
})
