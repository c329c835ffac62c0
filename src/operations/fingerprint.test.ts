import { expect, test } from 'vitest'
import { fingerprintOf } from './fingerprint.ts'

const items = [{ product: 'latte', unitPrice: 3.5 }]
const meaning = { opaqueId: 'T1-000123', items }

test('a body with the same meaning matches, in any order of its properties', () => {
  const { value } = fingerprintOf(meaning)
  expect(
    fingerprintOf({ items: [{ unitPrice: 3.5, product: 'latte' }], opaqueId: 'T1-000123' }).value,
  ).toEqual(value)
  expect(fingerprintOf(meaning, { ...meaning, retry: 1 }).matches(value)).toBe(true)
  expect(fingerprintOf({ ...meaning, items: [] }).matches(value)).toBe(false)
  expect(fingerprintOf(meaning).matches(undefined)).toBe(false)
})

test('a fingerprint that version 0.1.0 stored matches the same body, and no other', () => {
  const sent = { ...meaning, items: [{ ...items[0], quantity: 1 }], retry: 1 }
  // Calculated by that version, of the body as sent.
  const stored = Buffer.from('76038e775914ce00b14b7eceb89dd563', 'hex')
  expect(fingerprintOf(meaning, sent).matches(stored)).toBe(true)
  expect(fingerprintOf(meaning, { ...sent, retry: 2 }).matches(stored)).toBe(false)
})
