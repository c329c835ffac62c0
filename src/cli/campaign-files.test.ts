import { expect, test } from 'vitest'
import { compareDefinitions, fingerprint, toDefinition, toFileName, toFileText } from './campaign-files.ts'

const club = {
  id: 'cmp_1',
  status: 'published',
  rules: [
    { points: 1, kind: 'points_per_amount', id: 'base', per: 1, balance: 'points' },
    { id: 'visit', kind: 'collect_per_visit', amount: 1, balance: 'stamps' },
  ],
  balances: [{ name: 'Points', key: 'points' }],
  name: 'Club',
  rewards: [],
}

test('a file has the definition only, always in the same order', () => {
  const shuffled = Object.fromEntries(Object.entries(club).reverse())
  const text = toFileText({ id: 'cmp_1', base: 'x', definition: toDefinition(club) })
  expect(toFileText({ id: 'cmp_1', base: 'x', definition: toDefinition(shuffled) })).toBe(text)
  expect(Object.keys(JSON.parse(text))).toEqual(['id', 'base', 'name', 'balances', 'rules'])
  expect(Object.keys(JSON.parse(text).rules[0])).toEqual(['id', 'kind', 'balance', 'per', 'points'])
  expect(text.endsWith('}\n')).toBe(true)
})

test('differences are told field by field, and an empty list is none', () => {
  const before = toDefinition(club)
  const after = toDefinition({
    ...club,
    rewards: undefined,
    rules: [{ ...club.rules[0], points: 2 }, club.rules[1]],
  })
  expect(compareDefinitions(before, after)).toEqual([{ place: 'rules[base].points', before: 1, after: 2 }])
})

test('another order of the rules is a difference, too', () => {
  const before = toDefinition(club)
  const after = toDefinition({ ...club, rules: [...club.rules].reverse() })
  expect(fingerprint(before)).not.toBe(fingerprint(after))
  expect(compareDefinitions(before, after)).toEqual([
    { place: 'rules', before: ['base', 'visit'], after: ['visit', 'base'] },
  ])
})

test.each([
  ['Coffee club', 'coffee-club.json'],
  ['Über Café 2!', 'uber-cafe-2.json'],
  ['王', 'campaign.json'],
  ['Taken', 'taken-2.json'],
])('%s is written to %s', (name, file) => expect(toFileName(name, new Set(['taken.json']))).toBe(file))
