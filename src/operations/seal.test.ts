import { expect, test } from 'vitest'
import { createSeal } from './seal.ts'

const secret = Buffer.from('the key of a signature')
const { seal, open } = createSeal('pepper-of-this-installation')

test('a sealed secret is opened at its place only, by its installation only', () => {
  const sealed = seal(secret, 'webhook 1')
  expect(sealed.includes(secret)).toBe(false)
  expect(open(sealed, 'webhook 1')).toEqual(secret)
  expect(open(sealed, 'webhook 2')).toBeUndefined()
  expect(createSeal('pepper-of-another-one').open(sealed, 'webhook 1')).toBeUndefined()
})

test('the same secret is never sealed alike, and what was altered or cut off is not opened', () => {
  const sealed = seal(secret, 'x')
  expect(seal(secret, 'x').equals(sealed)).toBe(false)
  for (const at of [0, 12, 28, sealed.length - 1]) {
    const altered = Buffer.from(sealed)
    altered[at]! ^= 1
    expect(open(altered, 'x')).toBeUndefined()
    expect(open(sealed.subarray(0, at), 'x')).toBeUndefined()
  }
})
