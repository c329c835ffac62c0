import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StoredBasket, TransactionResult } from '../../src/domain/transaction.ts'
import { packBasket, packResult, unpackBasket, unpackResult } from '../../src/store/transaction-codec.ts'

const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 })
const whole = fc.integer({ min: -9e15, max: 9e15 })
const count = fc.nat()
const text = fc.string({ maxLength: 12 })

const result = fc
  .record({
    campaigns: fc.uniqueArray(hex, { minLength: 1, maxLength: 3 }),
    keys: fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
  })
  .chain(({ campaigns, keys }): fc.Arbitrary<TransactionResult> => {
    const campaign = fc.constantFrom(...campaigns).map((id) => `cmp_${id}` as const)
    const key = fc.constantFrom(...keys)
    const movement = <K extends 'spend' | 'collect' | 'consume'>(kind: K) =>
      fc.record({
        key,
        version: count,
        kind: fc.constant(kind),
        amount: whole,
        valueAfter: whole,
        totalAfter: count,
      })
    const coupon = hex.map((id) => `cpn_${id}` as const)
    const reward = fc.constant({ key: 'free', name: 'Free', kind: 'amount_off' as const, amount: 5 })
    const action = fc.oneof(
      fc.record(
        {
          kind: fc.constant('redeem_coupon' as const),
          coupon,
          line: text,
          discountMinor: count,
          takenFrom: fc.oneof(fc.constant('order' as const), fc.nat(499)),
        },
        { requiredKeys: ['kind', 'coupon', 'discountMinor'] },
      ),
      fc.record({
        kind: fc.constant('spend_points' as const),
        movement: movement('spend'),
        discountMinor: count,
      }),
      fc.record({
        kind: fc.constant('collect' as const),
        movement: movement('collect'),
        campaign,
        rule: text,
      }),
      fc.record(
        {
          kind: fc.constant('grant_coupon' as const),
          coupon,
          campaign,
          reward,
          expiresAt: fc.constant('2026-03-14T00:00:00.000Z'),
          movement: movement('consume'),
          threshold: fc.record({ key, at: count }),
        },
        { requiredKeys: ['kind', 'campaign', 'reward', 'threshold'] },
      ),
      fc.record({ kind: fc.constant('change_tier' as const), campaign, tier: text }),
    )
    const warning = fc.record({
      code: fc.constantFrom('discounts_disagree' as const, 'empty_basket' as const),
      at: fc.oneof(
        fc.constant(['lines']),
        fc.tuple(fc.constant('lines'), fc.nat(499), fc.constant('coupons')),
      ),
    })
    const always = {
      amountMinor: count,
      payableMinor: count,
      pointsDiscountMinor: count,
      actions: fc.array(action, { maxLength: 6 }),
      skipped: fc.array(fc.record({ campaign, rule: text, reason: text }), { maxLength: 3 }),
      progress: fc.array(
        fc.record({ key: fc.oneof(key, fc.constant('new')), have: count, need: count, reward: text }),
        {
          maxLength: 3,
        },
      ),
      balances: fc.constant(keys.map((item, i) => ({ key: item, value: i, total: i, decimals: 0 }))),
      campaigns: fc.constant(campaigns.map((id, i) => ({ id: `cmp_${id}` as const, version: i + 1 }))),
      context: fc.record(
        {
          currencyDecimals: fc.constantFrom(0, 2, 3),
          timezone: fc.constantFrom('UTC', 'Asia/Tbilisi'),
          balances: fc.array(fc.tuple(fc.oneof(key, fc.constant('gone')), whole, count), { maxLength: 3 }),
          isFirst: fc.boolean(),
          paused: fc.array(campaign, { minLength: 1, maxLength: 2 }),
          spentFrom: fc.array(fc.tuple(key, count, count, count), { minLength: 1, maxLength: 2 }),
        },
        { requiredKeys: ['currencyDecimals', 'timezone', 'balances', 'isFirst'] },
      ),
    }
    const warnings = fc.array(warning, { minLength: 1, maxLength: 3 })
    const requiredKeys = Object.keys(always) as (keyof typeof always)[]
    return fc.record({ ...always, warnings }, { requiredKeys }) as fc.Arbitrary<TransactionResult>
  })

const asStored = <T>(value: T): T => JSON.parse(JSON.stringify(value))

test('a result comes back from the database as it went in', () => {
  fc.assert(
    fc.property(result, (item) => {
      expect(unpackResult(asStored(packResult(item)))).toEqual(item)
    }),
  )
})

test('a coupon that was redeemed before coupons were taken off comes back as one that was not', () => {
  const [coupon, uuid] = [`cpn_${'1'.repeat(32)}`, '11111111-1111-1111-1111-111111111111']
  const stored = (action: unknown[]) =>
    unpackResult([[350, 350, 0], [], [], [action as never], [], [], [2, 'UTC', [], 0]]).actions
  expect(stored(['r', uuid, 350, '1'])).toEqual([
    { kind: 'redeem_coupon', coupon, line: '1', discountMinor: 350 },
  ])
  expect(stored(['r', uuid, 350])).toEqual([{ kind: 'redeem_coupon', coupon, discountMinor: 350 }])
})

const line = fc.record(
  {
    id: text,
    product: text,
    quantity: fc.constantFrom(1, 2, 0.5),
    unitPrice: fc.constantFrom(1, 0.1),
    coupons: fc.array(
      hex.map((id) => `cpn_${id}` as const),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: ['id', 'quantity', 'coupons'] },
)

const basket = fc.record(
  {
    lines: fc.array(line, { maxLength: 4 }),
    amount: count,
    coupons: fc.array(
      hex.map((id) => `cpn_${id}` as const),
      { maxLength: 2 },
    ),
    couponsIncluded: fc.boolean(),
    pointsToSpend: count,
    metaData: fc.constant({ a: 1 }),
  },
  { requiredKeys: ['lines', 'coupons', 'pointsToSpend'] },
) as fc.Arbitrary<StoredBasket>

test('a basket comes back from the database as it went in', () => {
  fc.assert(
    fc.property(basket, (item) => {
      expect(unpackBasket(asStored(packBasket(item)))).toEqual(item)
    }),
  )
})
