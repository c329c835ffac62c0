import { describe, expect, test } from 'vitest'
import type { Basket, Line } from '../../domain/basket.ts'
import type { Coupon, Reward } from '../../domain/coupon.ts'
import {
  basketOf,
  coupon,
  couponIds,
  evaluationOf,
  line,
  refusalOf,
  tuesdayMorning,
  walletOf,
} from '../coffee-club.fixture.ts'

const freeLatte: Reward = { key: 'free', name: 'Free latte', kind: 'free_product', products: ['latte'] }
const fiveOff: Reward = { key: 'five', name: '5 off', kind: 'amount_off', amount: 5 }
const tenPercent: Reward = { key: 'ten', name: '10 % off', kind: 'percent_off', percent: 10, maxAmount: 20 }
const half: Reward = { key: 'half', name: 'Half', kind: 'percent_off', percent: 50 }
const held = [
  coupon('latte', freeLatte),
  coupon('latte2', freeLatte),
  coupon('five', fiveOff),
  coupon('five2', fiveOff),
  coupon('ten', tenPercent),
  coupon('half', half),
  coupon('used', fiveOff, { status: 3 }),
  coupon('revoked', fiveOff, { status: 5 }),
  coupon('old', fiveOff, { expiresAt: tuesdayMorning }),
  coupon('soon', fiveOff, { expiresAt: new Date(tuesdayMorning.getTime() + 1) }),
]
const on = (...ids: string[]): Partial<Line> => ({ coupons: couponIds(...ids) })
const order = (...ids: string[]): Partial<Basket> => ({ coupons: couponIds(...ids) })
const latte = (price: number, parts: Partial<Line> = {}) => line(price, { product: 'latte', ...parts })

const discounts = (lines: Line[], parts: Partial<Basket> = {}) =>
  evaluationOf({ basket: basketOf(lines, parts), wallet: walletOf({ coupons: held }) }).effects.map(
    (effect) => (effect.kind === 'redeem_coupon' ? effect.discountMinor : effect.kind),
  )

describe('a redeemed coupon is worth', () => {
  test.each<{ rule: string; lines: Line[]; order?: Partial<Basket>; worth: number[] }>([
    {
      rule: 'one unit of a free product',
      lines: [latte(3.5, { quantity: 2, ...on('latte') })],
      worth: [350],
    },
    {
      rule: 'a share of the amount where there is no unit price',
      lines: [
        { id: '1', product: 'latte', quantity: 3, amount: 10, ...on('latte'), coupons: couponIds('latte') },
      ],
      worth: [333],
    },
    {
      rule: 'no more than the amount of the line',
      lines: [latte(3.5, { amount: 2, ...on('latte') })],
      worth: [200],
    },
    { rule: 'its amount', lines: [line(12, on('five'))], worth: [500] },
    { rule: 'its amount, capped by the line', lines: [line(3, on('five')), line(9)], worth: [300] },
    { rule: 'its percentage of the line', lines: [line(12.35, on('ten'))], worth: [124] },
    { rule: 'its percentage up to the maximum', lines: [line(900, on('ten'))], worth: [2000] },
    {
      rule: 'its reward before client discounts',
      lines: [line(12, { discountedAmount: 1, ...on('half') })],
      worth: [600],
    },
    { rule: 'its amount for the order', lines: [line(2), line(2)], order: order('five'), worth: [400] },
    { rule: 'its percentage of the order', lines: [line(10), line(10)], order: order('ten'), worth: [200] },
    {
      rule: 'the order amount without lines',
      lines: [],
      order: { ...order('half'), amount: 8 },
      worth: [400],
    },
    {
      rule: 'the sum of the lines, whatever the order amount says',
      lines: [line(8)],
      order: { ...order('half'), amount: 100 },
      worth: [400],
    },
    {
      rule: 'the cheapest matching line of the order',
      lines: [latte(4), latte(3), line(1)],
      order: order('latte'),
      worth: [300],
    },
    {
      rule: 'the next cheapest for a second coupon',
      lines: [latte(4), latte(3)],
      order: order('latte', 'latte2'),
      worth: [300, 400],
    },
    {
      rule: 'the same line again while it has units',
      lines: [latte(4), latte(3, { quantity: 2 })],
      order: order('latte', 'latte2'),
      worth: [300, 300],
    },
    { rule: 'together no more than the line', lines: [line(8, on('five', 'five2'))], worth: [500, 300] },
    {
      rule: 'together no more than the order',
      lines: [line(8, on('five'))],
      order: order('five2', 'half'),
      worth: [500, 300, 0],
    },
  ])('$rule', ({ lines, order: parts, worth }) => expect(discounts(lines, parts)).toEqual(worth))

  test('is reported with its line, and without one at order level', () => {
    const basket = basketOf([line(8, { id: 'a', ...on('five') })], order('half'))
    const { effects, payableMinor } = evaluationOf({ basket, wallet: walletOf({ coupons: held }) })
    expect(effects).toEqual([
      { kind: 'redeem_coupon', coupon: 'cpn_five', line: 'a', discountMinor: 500 },
      { kind: 'redeem_coupon', coupon: 'cpn_half', discountMinor: 300 },
    ])
    expect(payableMinor).toBe(800)
  })
})

describe('a coupon is refused', () => {
  test.each<{
    rule: string
    lines: Line[]
    order?: Partial<Basket>
    code: string | undefined
    coupons?: Coupon[]
  }>([
    { rule: 'that the customer does not have', lines: [], order: order('nobody'), code: 'coupon_not_found' },
    { rule: 'that was used', lines: [line(1, on('used'))], code: 'coupon_already_redeemed' },
    { rule: 'from the moment it expires', lines: [line(1, on('old'))], code: 'coupon_expired' },
    { rule: 'not before that', lines: [line(1, on('soon'))], code: undefined },
    { rule: 'that was taken back', lines: [line(1, on('revoked'))], code: 'coupon_revoked' },
    {
      rule: 'on a line with another product',
      lines: [line(1, on('latte')), latte(3)],
      code: 'coupon_not_applicable',
    },
    {
      rule: 'on an order without its product',
      lines: [line(1)],
      order: order('latte'),
      code: 'coupon_not_applicable',
    },
    { rule: 'on an order without lines', lines: [], order: order('latte'), code: 'coupon_not_applicable' },
    { rule: 'named twice on a line', lines: [line(9, on('five', 'five'))], code: 'coupon_not_applicable' },
    {
      rule: 'named on a line and on the order',
      lines: [line(9, on('five'))],
      order: order('five'),
      code: 'coupon_not_applicable',
    },
    {
      rule: 'by the first reason in the list, not by the first coupon',
      lines: [line(9, on('revoked', 'old', 'used', 'latte'))],
      order: order('nobody'),
      code: 'coupon_not_found',
    },
    { rule: 'used before expired', lines: [line(9, on('old', 'used'))], code: 'coupon_already_redeemed' },
    { rule: 'expired before revoked', lines: [line(9, on('revoked', 'old'))], code: 'coupon_expired' },
  ])('$rule', ({ lines, order: parts, code }) =>
    expect(refusalOf({ basket: basketOf(lines, parts), wallet: walletOf({ coupons: held }) })).toBe(code),
  )
})
