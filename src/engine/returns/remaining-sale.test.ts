import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { effort } from '../../../test/support/full.ts'
import type { Basket, Line } from '../../domain/basket.ts'
import type { ReturnRecord } from '../../domain/return-record.ts'
import type { Action } from '../../domain/transaction.ts'
import {
  attach,
  basketOf,
  club,
  coupon,
  couponIds,
  evaluationOf,
  holding,
  line,
  tuesdayMorning,
  walletOf,
} from '../coffee-club.fixture.ts'
import type { Sale } from './resolve-return.ts'
import { returnItems } from './return-items.ts'

const base = { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }
const spend = { balance: 'points', worth: 0.01 }
const campaigns = [attach(club({ rules: [base], spend, onInsufficientBalance: 'negative' }))]
const held = [
  coupon('latte', { key: 'free', name: 'Free', kind: 'free_product', products: ['latte'] }),
  coupon('five', { key: 'five', name: '5 off', kind: 'amount_off', amount: 5 }),
  coupon('half', { key: 'half', name: 'Half', kind: 'percent_off', percent: 50 }),
]
const on = (...ids: string[]): Partial<Line> => ({ coupons: couponIds(...ids) })

/** Sells a basket; each return says the refund and what is then left of the points the sale collected. */
function sell(lines: Line[], parts: Partial<Basket> = {}, wasBookedBefore = false) {
  const basket = basketOf(lines, parts)
  const wallet = walletOf({ balances: [holding(1000)], coupons: held })
  const evaluation = evaluationOf({ campaigns, basket, wallet })
  const actions = evaluation.effects.map((effect): Action => {
    if (effect.kind !== 'redeem_coupon') return effect as Action
    return wasBookedBefore ? { ...effect, takenFrom: undefined } : effect
  })
  const { pointsDiscountMinor, context, balances, lots, payableMinor } = evaluation
  const sale: Sale = { basket, actions, pointsDiscountMinor, context, processedAt: tuesdayMorning }
  let now = { ...wallet, balances, lots }
  const earlier: ReturnRecord[] = []
  const takeBack = (...items: [id: string, quantity: number][]) => {
    const result = returnItems({
      sale,
      campaigns,
      earlier,
      wallet: { ...now, coupons: [] },
      items: items.length > 0 ? items.map(([id, quantity]) => ({ id, quantity })) : undefined,
      now: tuesdayMorning,
    })
    if (!result.ok) throw new Error(result.refusal.code)
    const { balances, lots, record, refundMinor } = result.value
    now = { ...now, balances, lots }
    earlier.push(record)
    return { refund: refundMinor, points: balances[0]!.total - 1000 }
  }
  return { due: payableMinor - pointsDiscountMinor, points: balances[0]!.total - 1000, takeBack }
}

describe('of a sale that coupons were taken off from, a return pays back', () => {
  test('nothing for what was free, and the rest for the rest', () => {
    const sale = sell([line(3.5, { product: 'latte', ...on('latte') }), line(8)])
    expect(sale).toMatchObject({ due: 800, points: 8 })
    expect(sale.takeBack(['1', 1])).toEqual({ refund: 0, points: 8 })
    expect(sale.takeBack()).toEqual({ refund: 800, points: 0 })
  })

  test('a line with a coupon in proportion to its quantity', () => {
    const sale = sell([line(4, { product: 'latte', quantity: 4, ...on('latte') })])
    expect(sale).toMatchObject({ due: 1200, points: 12 })
    expect(sale.takeBack(['1', 1])).toEqual({ refund: 300, points: 9 })
    expect(sale.takeBack(['1', 2])).toEqual({ refund: 600, points: 3 })
    expect(sale.takeBack()).toEqual({ refund: 300, points: 0 })
  })

  test('other lines in full, whatever the coupon of a line', () => {
    const sale = sell([line(10, on('half')), line(10)])
    expect(sale.takeBack(['2', 1])).toEqual({ refund: 1000, points: 5 })
  })

  test('every line less its share of a coupon of the order', () => {
    const sale = sell([line(10), line(30)], { coupons: couponIds('five') })
    expect(sale).toMatchObject({ due: 3500, points: 35 })
    expect(sale.takeBack(['1', 1])).toEqual({ refund: 875, points: 26 })
    expect(sale.takeBack()).toEqual({ refund: 2625, points: 0 })
  })

  test('the line whose unit a coupon of the order made free', () => {
    const lines = [line(4, { product: 'latte' }), line(3, { product: 'latte' }), line(3)]
    const sale = sell(lines, { coupons: couponIds('latte') })
    expect(sale.takeBack(['2', 1])).toEqual({ refund: 0, points: 7 })
    expect(sale.takeBack(['1', 1])).toEqual({ refund: 400, points: 3 })
  })

  test('only the money, where points paid as well', () => {
    const sale = sell([line(10, on('five'))], { pointsToSpend: 200 })
    expect(sale).toMatchObject({ due: 300, points: 3 })
    expect(sale.takeBack()).toEqual({ refund: 300, points: 0 })
  })

  test('an order without lines', () => {
    expect(sell([], { amount: 12, coupons: couponIds('five') }).takeBack()).toMatchObject({ refund: 700 })
  })

  test('what it cost, if it was booked before coupons were taken off', () => {
    const { takeBack } = sell([line(3.5, { product: 'latte', ...on('latte') }), line(8)], {}, true)
    expect(takeBack(['1', 1])).toMatchObject({ refund: 350 })
    expect(takeBack()).toMatchObject({ refund: 800 })
  })

  test('exactly what was paid, in whatever pieces', () => {
    const sold = fc.record({
      product: fc.constantFrom('latte', 'bun'),
      quantity: fc.integer({ min: 1, max: 6 }),
      unitPrice: fc.integer({ min: 600, max: 2500 }).map((cents) => cents / 100),
    })
    const story = fc.record({
      lines: fc.array(sold, { minLength: 2, maxLength: 4 }),
      ofLine: fc.constantFrom('five', 'half'),
      ofOrder: fc.constantFrom('five', 'half'),
      discountAmount: fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined }),
      steps: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 6 })), { maxLength: 6 }),
    })
    fc.assert(
      fc.property(story, ({ lines, ofLine, ofOrder, discountAmount, steps }) => {
        const basket = lines.map((item, i) => line(0, { ...item, ...(i === 0 ? on(ofLine) : {}) }))
        const sale = sell(basket, {
          coupons: ofOrder === ofLine ? [] : couponIds(ofOrder),
          couponsIncluded: false,
          ...(discountAmount && { discountAmount: discountAmount / 100 }),
        })
        const left = lines.map(({ quantity }) => quantity)
        let refunded = 0
        for (const [at, wanted] of steps) {
          const index = at % left.length
          const quantity = Math.min(wanted, left[index]!)
          if (quantity === 0 || left.every((q, i) => (i === index ? q === quantity : q === 0))) continue
          left[index]! -= quantity
          refunded += sale.takeBack([String(index + 1), quantity]).refund
        }
        const last = sale.takeBack()
        expect([refunded + last.refund, last.points]).toEqual([sale.due, 0])
      }),
      { numRuns: 50 * effort },
    )
  })
})
