import { expect, test } from 'vitest'
import { guessDateOrder, readAmount, readAnswer, readDay } from './read-values.ts'

test.each([
  ['120', 120],
  ['1,234', 1234],
  ['1,234,567.5', 1234567.5],
  ['1.234,50', 1234.5],
  ['1.234', 1.234],
  ['12,5', 12.5],
  ['0,125', 0.125],
  ['1 234', 1234],
  ['€ 5', 5],
  ['-3', -3],
  ['1,23,4', undefined],
  ['twelve', undefined],
  ['', undefined],
])('the amount %j', (text, amount) => expect(readAmount(text)).toBe(amount))

test('a point before three digits is no decimal point where decimals have a comma', () => {
  expect(['1.234', '1,234', '1.5', '0,5'].map((text) => readAmount(text, true))).toEqual([
    1234, 1.234, 1.5, 0.5,
  ])
})

test.each([
  ['2027-03-14', 'dmy', '2027-03-14'],
  ['2027-03-14T10:00:00Z', 'dmy', '2027-03-14T10:00:00Z'],
  ['2027-03-14 10:00:00 UTC', 'dmy', '2027-03-14'],
  ['14.3.2027', 'mdy', '2027-03-14'],
  ['03/04/2027', 'mdy', '2027-03-04'],
  ['03/04/2027', 'dmy', '2027-04-03'],
  ['3/14/2027', 'dmy', '2027-03-14'],
  ['14/3/2027', 'mdy', '2027-03-14'],
  ['31.02.2027', 'dmy', undefined],
  ['soon', 'dmy', undefined],
] as const)('the day %j', (text, order, day) => expect(readDay(text, order)).toBe(day))

test('answers in three languages, and those of other systems', () => {
  expect(['yes', 'Ja', 'نعم', '1', 'subscribed', 'opted-in'].map(readAnswer)).not.toContain(false)
  expect(['no', 'Nein', 'لا', '0', 'unsubscribed', 'not_subscribed'].map(readAnswer)).not.toContain(true)
  expect(readAnswer('perhaps')).toBeUndefined()
})

test('one day that can be read in one way only tells how the others are meant', () => {
  expect(guessDateOrder(['03/04/2027', '03/25/2027'])).toBe('mdy')
  expect(guessDateOrder(['03/04/2027', '25/03/2027'])).toBe('dmy')
  expect(guessDateOrder(['03/04/2027'])).toBeUndefined()
})
