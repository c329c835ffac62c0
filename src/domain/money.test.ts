import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { effort } from '../../test/support/full.ts'
import {
  clampUnits,
  decimalOf,
  decimalsOf,
  floorProduct,
  fromMinor,
  fromUnits,
  maxMoney,
  maxUnits,
  multiplyToMinor,
  toMinor,
  toUnits,
} from './money.ts'

describe('toMinor', () => {
  test.each([
    { rule: 'counts cents', amount: 12.5, decimals: 2, minor: 1250 },
    { rule: 'reads a number as its text', amount: 1.005, decimals: 2, minor: 101 },
    { rule: 'rounds half up', amount: 0.125, decimals: 2, minor: 13 },
    { rule: 'rounds less than half down', amount: 0.1249999, decimals: 2, minor: 12 },
    { rule: 'takes the noise off a sum of floats', amount: 0.1 + 0.2, decimals: 2, minor: 30 },
    { rule: 'knows currencies without decimals', amount: 499.5, decimals: 0, minor: 500 },
    { rule: 'knows currencies with three', amount: 1.0005, decimals: 3, minor: 1001 },
    { rule: 'reads exponents of small numbers', amount: 5e-7, decimals: 6, minor: 1 },
    { rule: 'drops what is far too small', amount: 1e-300, decimals: 2, minor: 0 },
    { rule: 'is exact at the upper bound', amount: 1e10, decimals: 4, minor: 1e14 },
    { rule: 'is exact just below the upper bound', amount: 9999999999.99, decimals: 2, minor: 999999999999 },
  ])('$rule', ({ amount, decimals, minor }) => expect(toMinor(amount, decimals)).toBe(minor))
})

describe('multiplyToMinor', () => {
  test.each([
    { rule: 'multiplies whole quantities', price: 0.1, quantity: 3, minor: 30 },
    { rule: 'multiplies weights', price: 12.99, quantity: 0.455, minor: 591 },
    { rule: 'rounds half up once, after multiplying', price: 0.005, quantity: 3, minor: 2 },
    { rule: 'does not round the price first', price: 0.004, quantity: 1000, minor: 400 },
    { rule: 'takes six decimals on both sides', price: 0.000001, quantity: 0.000001, minor: 0 },
    { rule: 'takes large prices', price: 9999999999.99999, quantity: 1, minor: 1000000000000 },
  ])('$rule', ({ price, quantity, minor }) => expect(multiplyToMinor(price, quantity, 2)).toBe(minor))
})

describe('toUnits', () => {
  test.each([
    { rule: 'counts in the decimals of the balance', value: 1.5, decimals: 2, units: 150 },
    { rule: 'has no answer for more decimals than declared', value: 1.505, decimals: 2, units: undefined },
    { rule: 'has no answer for a fraction of a stamp', value: 0.5, decimals: 0, units: undefined },
    { rule: 'has no answer for the smallest fraction', value: 1e-7, decimals: 6, units: undefined },
    { rule: 'takes the largest balance', value: 9e15, decimals: 0, units: 9e15 },
    { rule: 'has no answer beyond it', value: 9e15 + 2, decimals: 0, units: undefined },
    { rule: 'has no answer for infinity', value: Number.POSITIVE_INFINITY, decimals: 0, units: undefined },
    { rule: 'has no answer for what is no number', value: Number.NaN, decimals: 0, units: undefined },
    {
      rule: 'takes large balances with decimals',
      value: 12345678901234.56,
      decimals: 2,
      units: 1234567890123456,
    },
    { rule: 'takes negative adjustments', value: -2.5, decimals: 1, units: -25 },
    { rule: 'makes no negative zero', value: -0, decimals: 2, units: 0 },
  ])('$rule', ({ value, decimals, units }) => expect(toUnits(value, decimals)).toBe(units))
})

/** A decimal number together with its digits, as an independent reference. */
const decimal = (maxDigits: number) =>
  fc
    .record({
      digits: fc.bigInt({ min: 0n, max: 10n ** BigInt(maxDigits) }),
      decimals: fc.integer({ min: 0, max: 6 }),
    })
    .map(({ digits, decimals }) => {
      const text = digits.toString().padStart(decimals + 1, '0')
      const cut = text.length - decimals
      return { digits, decimals, value: Number(`${text.slice(0, cut)}.${text.slice(cut)}0`) }
    })

const halfUp = (digits: bigint, decimals: number, wanted: number) =>
  (digits * 10n ** BigInt(wanted) * 2n + 10n ** BigInt(decimals)) / (2n * 10n ** BigInt(decimals))

describe('for all numbers', () => {
  test('toMinor is half-up of the decimal as written', () => {
    fc.assert(
      fc.property(decimal(14), fc.integer({ min: 0, max: 4 }), ({ digits, decimals, value }, wanted) => {
        fc.pre(value <= maxMoney)
        expect(BigInt(toMinor(value, wanted))).toBe(halfUp(digits, decimals, wanted))
      }),
      { numRuns: 500 * effort },
    )
  })

  test('unitPrice × quantity is exact before it is rounded', () => {
    fc.assert(
      fc.property(decimal(10), decimal(9), fc.integer({ min: 0, max: 3 }), (price, quantity, wanted) => {
        const exact = halfUp(price.digits * quantity.digits, price.decimals + quantity.decimals, wanted)
        fc.pre(exact < 2n ** 53n)
        expect(BigInt(multiplyToMinor(price.value, quantity.value, wanted))).toBe(exact)
      }),
      { numRuns: 500 * effort },
    )
  })

  test('units and minor units convert back to the original number', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1e14, max: 1e14 }),
        fc.integer({ min: 0, max: 6 }),
        (units, decimals) => {
          expect(toUnits(fromUnits(units, decimals), decimals)).toBe(units)
          expect(toMinor(fromMinor(Math.abs(units), decimals), decimals)).toBe(Math.abs(units))
        },
      ),
    )
  })

  test('toUnits has an answer exactly when there are not too many decimals', () => {
    fc.assert(
      fc.property(decimal(14), fc.integer({ min: 0, max: 6 }), ({ value }, wanted) => {
        fc.pre(value * 10 ** wanted <= maxUnits)
        expect(toUnits(value, wanted) !== undefined).toBe(decimalOf(value).decimals <= wanted)
      }),
      { numRuns: 500 * effort },
    )
  })

  test('decimalsOf agrees with the shortest text', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(decimalsOf(value)).toBe(decimalOf(value).decimals)
      }),
      { numRuns: 500 * effort },
    )
  })

  test('floorProduct is exact and never beyond the largest balance', () => {
    const whole = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
    fc.assert(
      fc.property(whole, whole, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (a, b, c) => {
        const exact = (BigInt(a) * BigInt(b)) / BigInt(c)
        expect(floorProduct(a, b, c)).toBe(clampUnits(exact))
        expect(floorProduct(a, b, c)).toBeLessThanOrEqual(maxUnits + 1)
      }),
    )
  })
})
