import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createSeal } from './seal.ts'

const header = Buffer.from('header')
const place = { number: 3, isLast: false }
const piece = randomBytes(100)

describe.each([
  ['with a key', randomBytes(32)],
  ['without a key', undefined],
])('%s', (_, key) => {
  const closed = createSeal(header, key).close(piece, place)

  test('a piece opens at its place', () => {
    expect(createSeal(header, key).open(closed, place)).toEqual(piece)
  })

  test.each([
    ['at another place', header, key, { ...place, number: 4 }],
    ['as the last one', header, key, { ...place, isLast: true }],
    ['after another header', Buffer.from('Header'), key, place],
    ['with another key', header, randomBytes(32), place],
  ])('a piece does not open %s', (__, otherHeader, otherKey, otherPlace) => {
    expect(createSeal(otherHeader, otherKey).open(closed, otherPlace)).toBeUndefined()
  })

  test('a piece with another bit does not open, wherever the bit is', () => {
    const seal = createSeal(header, key)
    for (let at = 0; at < closed.length; at++) {
      const copy = Buffer.from(closed)
      copy[at]! ^= 1
      expect(seal.open(copy, place)).toBeUndefined()
    }
  })
})

test('with a key, nothing of a piece can be read', () => {
  const text = Buffer.from('Anna Beispiel, +49 151 0000000')
  expect(createSeal(header, randomBytes(32)).close(text, place).includes('Anna')).toBe(false)
})
