import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { effort } from '../../../test/support/full.ts'
import type { Basket, Line } from '../../domain/basket.ts'
import type { Coupon, Reward } from '../../domain/coupon.ts'
import {
  basketOf,
  collectedBy,
  coupon,
  couponIds,
  evaluationOf,
  holding,
  line,
  outcomeOf,
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
      order: order('five2'),
      worth: [500, 300],
    },
    {
      rule: 'nothing in a basket without prices, which only redeems',
      lines: [{ id: '1', product: 'latte', quantity: 1, coupons: couponIds('latte') }],
      order: order('half'),
      worth: [0, 0],
    },
    { rule: 'nothing in a basket without anything', lines: [], order: order('five'), worth: [0] },
    {
      rule: 'one unit even of less than one',
      lines: [latte(8, { quantity: 0.25, ...on('latte') })],
      worth: [200],
    },
  ])('$rule', ({ lines, order: parts, worth }) => expect(discounts(lines, parts)).toEqual(worth))

  test('is reported with its line, and without one at order level', () => {
    const basket = basketOf([line(8, { id: 'a', ...on('five') })], order('half'))
    const { effects, payableMinor } = evaluationOf({ basket, wallet: walletOf({ coupons: held }) })
    expect(effects).toEqual([
      { kind: 'redeem_coupon', coupon: 'cpn_five', line: 'a', discountMinor: 500, takenFrom: 0 },
      { kind: 'redeem_coupon', coupon: 'cpn_half', discountMinor: 300, takenFrom: 'order' },
    ])
    expect(payableMinor).toBe(0)
  })
})

describe('what a coupon is worth is', () => {
  interface Case {
    rule: string
    lines: Line[]
    order?: Partial<Basket>
    /** Worth of each coupon, and where it is taken off. */
    coupons: [number, (number | 'order')?][]
    payable: number
  }
  const outcome = (lines: Line[], parts: Partial<Basket> = {}) => {
    const { effects, payableMinor } = evaluationOf({
      basket: basketOf(lines, parts),
      wallet: walletOf({ coupons: held }),
    })
    const coupons = effects.flatMap((effect) => {
      if (effect.kind !== 'redeem_coupon') return []
      return [
        effect.takenFrom === undefined ? [effect.discountMinor] : [effect.discountMinor, effect.takenFrom],
      ]
    })
    return { coupons, payable: payableMinor }
  }

  test.each<Case>([
    {
      rule: 'taken off its line where there is no discount',
      lines: [line(12), line(8, on('five'))],
      coupons: [[500, 1]],
      payable: 1500,
    },
    {
      rule: 'taken off the order where there is no discount',
      lines: [line(12), line(8)],
      order: order('five'),
      coupons: [[500, 'order']],
      payable: 1500,
    },
    {
      rule: 'included in a discount of its line',
      lines: [line(8, { discountAmount: 5, ...on('five') })],
      coupons: [[500]],
      payable: 300,
    },
    {
      rule: 'included in a price of its line below the amount',
      lines: [line(8, { discountedAmount: 7.99, ...on('five') })],
      coupons: [[500]],
      payable: 799,
    },
    {
      rule: 'not included in a price of its line that is the amount',
      lines: [line(8, { discountedAmount: 8, ...on('five') })],
      coupons: [[500, 0]],
      payable: 300,
    },
    {
      rule: 'not included in a discount of 0, nor in one that rounds to 0',
      lines: [
        line(8, { discountAmount: 0, ...on('five') }),
        line(8, { discountAmount: 0.001, ...on('five2') }),
      ],
      coupons: [
        [500, 0],
        [500, 1],
      ],
      payable: 600,
    },
    {
      rule: 'included in a discount of the order, for coupons of the order',
      lines: [line(12)],
      order: { ...order('five'), discountAmount: 5 },
      coupons: [[500]],
      payable: 700,
    },
    {
      rule: 'not included in a discount of another place',
      lines: [line(8, { discountAmount: 1 }), line(8, on('five'))],
      order: { ...order('five2'), amount: 16 },
      coupons: [
        [500, 1],
        [500, 'order'],
      ],
      payable: 500,
    },
    {
      rule: 'not included in a discount of the order, for coupons of a line',
      lines: [line(10, on('five')), line(10)],
      order: { discountAmount: 2 },
      coupons: [[500, 0]],
      payable: 1300,
    },
    {
      rule: 'always included in the price of the order',
      lines: [line(10, on('five'))],
      order: { ...order('five2'), discountedAmount: 10 },
      coupons: [[500], [500]],
      payable: 1000,
    },
    {
      rule: 'included everywhere if the client says so',
      lines: [line(10, on('five'))],
      order: { ...order('five2'), couponsIncluded: true },
      coupons: [[500], [500]],
      payable: 1000,
    },
    {
      rule: 'on top of all discounts if the client says so',
      lines: [line(10, { discountAmount: 1, ...on('five') })],
      order: { ...order('half'), discountAmount: 1, couponsIncluded: false },
      coupons: [
        [500, 0],
        [300, 'order'],
      ],
      payable: 0,
    },
    {
      rule: 'included together where one discount is for several coupons',
      lines: [line(20, { discountAmount: 10, ...on('five', 'five2') })],
      coupons: [[500], [500]],
      payable: 1000,
    },
    {
      rule: 'taken off up to what is payable at its line',
      lines: [line(10, { discountAmount: 7, ...on('five') }), line(10)],
      order: { couponsIncluded: false },
      coupons: [[300, 0]],
      payable: 1000,
    },
    {
      rule: 'taken off up to what is payable for the order',
      lines: [line(10, on('five'))],
      order: { discountAmount: 8, couponsIncluded: false },
      coupons: [[200, 0]],
      payable: 0,
    },
    {
      rule: 'of the amount before discounts for percentages, which do not compound',
      lines: [line(10, { discountAmount: 2, ...on('ten') }), line(10)],
      order: { ...order('half'), couponsIncluded: false },
      coupons: [
        [100, 0],
        [1000, 'order'],
      ],
      payable: 700,
    },
    {
      rule: 'taken off the line of the unit that becomes free',
      lines: [latte(4), latte(3), line(1)],
      order: order('latte'),
      coupons: [[300, 1]],
      payable: 500,
    },
    {
      rule: 'taken off the first of equally cheap units',
      lines: [latte(3), latte(3)],
      order: order('latte'),
      coupons: [[300, 0]],
      payable: 300,
    },
    {
      rule: 'that of a unit that is still payable',
      lines: [latte(3, { discountAmount: 3 }), latte(4), latte(0)],
      order: order('latte'),
      coupons: [[400, 1]],
      payable: 0,
    },
    {
      rule: 'that of a unit that the client made free, if its discounts include the coupon',
      lines: [latte(3, { discountAmount: 3 })],
      order: { ...order('latte'), couponsIncluded: true },
      coupons: [[300]],
      payable: 0,
    },
    {
      rule: 'taken off an order without lines',
      lines: [],
      order: { ...order('five'), amount: 12 },
      coupons: [[500, 'order']],
      payable: 700,
    },
  ])('$rule', ({ lines, order: parts, coupons, payable }) =>
    expect(outcome(lines, parts)).toEqual({ coupons, payable }),
  )

  const collecting = (campaign: object, lines: Line[], parts: Partial<Basket> = {}) =>
    collectedBy(
      evaluationOf({
        campaign: { ...campaign },
        basket: basketOf(lines, parts),
        wallet: walletOf({ coupons: held }),
      }),
    )
  const base = { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }

  test('not collected on', () => {
    const rules = [base, { ...base, id: 'latte', products: ['latte'] }]
    const lines = [latte(4, on('latte')), latte(3), line(6)]
    expect(collecting({ rules }, lines)).toEqual({ base: 9, latte: 3 })
    expect(collecting({ rules }, [latte(5), line(5)], order('five'))).toEqual({ base: 5, latte: 2 })
    const amount = { ...order('five'), amount: 12 }
    expect(collecting({ rules: [base] }, [], amount)).toEqual({ base: 7 })
  })

  test('not part of what minAmount looks at', () => {
    const rules = [{ ...base, when: { minAmount: 5 } }]
    expect(collecting({ rules }, [line(10)], order('five'))).toEqual({ base: 5 })
    expect(collecting({ rules }, [line(9.99)], order('five'))).toEqual({})
  })

  test('not payable with points', () => {
    const campaign = { spend: { balance: 'points', worth: 0.01, maxShare: 0.5 } }
    const wallet = walletOf({ balances: [holding(1000)], coupons: held })
    const basket = (pointsToSpend: number) => basketOf([line(15)], { ...order('five'), pointsToSpend })
    expect(refusalOf({ campaign, wallet, basket: basket(501) })).toBe('points_above_share')
    expect(evaluationOf({ campaign, wallet, basket: basket(500) }).pointsDiscountMinor).toBe(500)
    const free = basketOf([latte(3, on('latte'))], { pointsToSpend: 1 })
    expect(refusalOf({ campaign, wallet, basket: free })).toBe('points_above_share')
  })

  const priced = fc.record(
    {
      product: fc.constantFrom('latte', 'bun'),
      quantity: fc.constantFrom(1, 2, 0.5),
      amount: fc.integer({ min: 0, max: 1500 }).map((cents) => cents / 100),
      discountAmount: fc.integer({ min: 0, max: 800 }).map((cents) => cents / 100),
      coupon: fc.constantFrom('latte', 'five', 'ten', 'half'),
    },
    { requiredKeys: ['product', 'quantity', 'amount'] },
  )
  const baskets = fc
    .record(
      {
        lines: fc.array(priced, { maxLength: 4 }),
        coupons: fc.subarray(couponIds('latte2', 'five2', 'soon')),
        amount: fc.integer({ min: 0, max: 2000 }).map((cents) => cents / 100),
        discountAmount: fc.integer({ min: 0, max: 900 }).map((cents) => cents / 100),
        couponsIncluded: fc.boolean(),
      },
      { requiredKeys: ['lines', 'coupons'] },
    )
    .map(({ lines, ...parts }) => {
      const named = new Set<string>()
      const isNew = (id: string) => !named.has(id) && named.add(id)
      return basketOf(
        lines.map(({ coupon: id, ...item }) =>
          line(0, { ...item, unitPrice: undefined, ...(id && isNew(id) ? on(id) : {}) }),
        ),
        parts,
      )
    })

  test('above 0, and together with what remains what was payable, whatever the basket', () => {
    fc.assert(
      fc.property(baskets, (basket) => {
        const wallet = walletOf({ coupons: held })
        const decided = outcomeOf({ basket, wallet })
        if (!decided.ok) {
          expect(decided.refusal.code).toBe('coupon_not_applicable')
          return
        }
        const bare = { ...basket, coupons: [], lines: basket.lines.map((item) => ({ ...item, coupons: [] })) }
        const before = evaluationOf({ basket: bare }).payableMinor
        let taken = 0
        for (const effect of decided.value.effects) {
          if (effect.kind !== 'redeem_coupon') continue
          const isPriced = basket.lines.length > 0 || basket.amount !== undefined
          expect(effect.discountMinor).toBeGreaterThanOrEqual(isPriced ? 1 : 0)
          if (effect.takenFrom !== undefined) taken += effect.discountMinor
          if (basket.couponsIncluded !== undefined && isPriced)
            expect(effect.takenFrom !== undefined).toBe(!basket.couponsIncluded)
        }
        expect(decided.value.payableMinor).toBe(before - taken)
        expect(decided.value.payableMinor).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 125 * effort },
    )
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
      rule: 'when no unit is left that another has not made free',
      lines: [latte(3, on('latte', 'latte2'))],
      code: 'coupon_not_applicable',
    },
    {
      rule: 'when no unit is left in the order',
      lines: [latte(3, on('latte')), line(9)],
      order: order('latte2'),
      code: 'coupon_not_applicable',
    },
    {
      rule: 'when no unit is left, even in a basket without prices',
      lines: [{ id: '1', product: 'latte', quantity: 1, coupons: couponIds('latte', 'latte2') }],
      code: 'coupon_not_applicable',
    },
    { rule: 'on a line that costs nothing', lines: [line(0, on('five'))], code: 'coupon_not_applicable' },
    {
      rule: 'on an amount of 0',
      lines: [],
      order: { ...order('five'), amount: 0 },
      code: 'coupon_not_applicable',
    },
    {
      rule: 'on a line without a price in a basket with prices',
      lines: [{ id: '1', quantity: 1, coupons: couponIds('five') }, line(3)],
      code: 'coupon_not_applicable',
    },
    {
      rule: 'when other coupons leave nothing',
      lines: [line(5, on('five'))],
      order: order('half'),
      code: 'coupon_not_applicable',
    },
    {
      rule: 'when its percentage rounds to nothing',
      lines: [line(0.04, on('ten'))],
      code: 'coupon_not_applicable',
    },
    {
      rule: 'when the client leaves nothing to pay and does not include it',
      lines: [line(5, { discountAmount: 5, ...on('five') })],
      order: { couponsIncluded: false },
      code: 'coupon_not_applicable',
    },
    {
      rule: 'beside a price of the order that it is to come off from',
      lines: [line(5, on('five'))],
      order: { discountedAmount: 5, couponsIncluded: false },
      code: '_invalid_payload',
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
