import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { effort } from '../../../test/support/full.ts'
import {
  attach,
  club,
  clubId,
  coupon,
  couponIds,
  holding,
  line,
  tuesdayMorning,
  walletOf,
} from '../coffee-club.fixture.ts'
import type { ReturnDecision } from './return-items.ts'
import { till } from './till.fixture.ts'

const base = { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }
const stamp = { id: 'stamp', kind: 'collect_per_item', balance: 'stamps', amount: 1 }
const rewards = [{ key: 'five', kind: 'amount_off', amount: 5 }]
const consume = { balance: 'stamps', at: 10, grant: 'five', consume: true }
const reach = { balance: 'points', at: 100, grant: 'five' }
const spend = { balance: 'points', worth: 0.01 }
const inDays = (days: number) => new Date(tuesdayMorning.getTime() + days * 86_400_000)

describe('a whole return', () => {
  test('takes back what was collected and gives back the money', () => {
    const shop = till(
      club({ rules: [base, stamp] }),
      walletOf({ balances: [holding(50), holding(2, 2, 'stamps')] }),
    )
    const decision = shop.sell([line(10), line(2.5)]).takeBack()
    expect(decision).toMatchObject({ refundMinor: 1250, pointsRestored: 0, record: { isComplete: true } })
    expect(decision.movements).toEqual([
      { key: 'points', version: 3, kind: 'return', amount: -12, valueAfter: 50, totalAfter: 50 },
      { key: 'stamps', version: 3, kind: 'return', amount: -2, valueAfter: 2, totalAfter: 2 },
    ])
  })

  test('gives points back, and only the money that was paid with money', () => {
    const shop = till(club({ rules: [base], spend }), walletOf({ balances: [holding(500)] }))
    const decision = shop.sell([line(10)], { pointsToSpend: 300 }).takeBack()
    expect(decision).toMatchObject({ pointsRestored: 300, refundMinor: 700 })
    expect(decision.movements).toMatchObject([
      { kind: 'return', amount: 293, valueAfter: 500, totalAfter: 500 },
    ])
  })

  test('brings redeemed coupons back', () => {
    const held = coupon('held', { key: 'five', name: '5', kind: 'amount_off', amount: 5 })
    const shop = till(club(), walletOf({ coupons: [held] }))
    const sale = shop.sell([line(10, { coupons: couponIds('held'), quantity: 2 })])
    expect(sale.takeBack([{ id: '1', quantity: 1 }]).restoredCoupons).toEqual([])
    expect(sale.takeBack().restoredCoupons).toEqual(['cpn_held'])
    expect(shop.active()).toEqual(['cpn_held'])
  })

  test('works for an order without lines', () => {
    const shop = till(club({ rules: [base] }))
    const sale = shop.sell([], { amount: 7.5 })
    expect(sale.takeBack()).toMatchObject({ refundMinor: 750, movements: [{ amount: -7 }] })
    expect(sale.refusal()).toBe('return_exceeds_sale')
  })

  test('moves no balance when nothing was collected', () => {
    expect(
      till(club())
        .sell([line(5)])
        .takeBack(),
    ).toMatchObject({ movements: [], refundMinor: 500 })
  })
})

describe('a partial return', () => {
  test('recomputes the sale without the returned items', () => {
    const shop = till(club({ rules: [base] }))
    const sale = shop.sell([line(1.5, { quantity: 3 })])
    expect(shop.value()).toBe(4)
    expect(sale.takeBack([{ id: '1', quantity: 1 }])).toMatchObject({
      refundMinor: 150,
      movements: [{ amount: -1 }],
    })
    expect(sale.takeBack([{ id: '1', quantity: 1 }])).toMatchObject({
      refundMinor: 150,
      movements: [{ amount: -2 }],
    })
    expect(sale.takeBack()).toMatchObject({ refundMinor: 150, movements: [{ amount: -1 }] })
    expect([shop.value(), shop.total()]).toEqual([0, 0])
  })

  test('loses nothing to thirds: three lines of a third each are a whole', () => {
    const shop = till(club({ rules: [base] }))
    const third = [
      { id: '1', quantity: 1 },
      { id: '2', quantity: 1 },
      { id: '3', quantity: 1 },
    ]
    const sale = shop.sell([1, 2, 3].map(() => line(0, { amount: 10, quantity: 3 })))
    sale.takeBack(third)
    expect(shop.value()).toBe(20)
    sale.takeBack(third)
    expect(shop.value()).toBe(10)
  })

  test('keeps the fraction of an order discount', () => {
    const shop = till(club({ rules: [base] }))
    const sale = shop.sell([line(10), line(10)], { discountAmount: 0.01 })
    expect(shop.value()).toBe(19)
    const decision = sale.takeBack([{ id: '1', quantity: 1 }])
    expect(shop.value()).toBe(9)
    expect(decision.refundMinor).toBe(999)
    expect(sale.takeBack().refundMinor).toBe(1000)
  })

  test('restores points pro rata, rounded down, the rest with the last', () => {
    const shop = till(club({ spend }), walletOf({ balances: [holding(100)] }))
    const sale = shop.sell([line(10, { quantity: 3 })], { pointsToSpend: 100 })
    const restored = [1, 1].map(() => sale.takeBack([{ id: '1', quantity: 1 }]).pointsRestored)
    expect([...restored, sale.takeBack().pointsRestored]).toEqual([33, 33, 34])
    expect(shop.value()).toBe(100)
  })

  test('takes a bonus back that the rest is too small for', () => {
    const bonus = {
      id: 'bonus',
      kind: 'collect_per_visit',
      balance: 'points',
      amount: 50,
      when: { minAmount: 20 },
    }
    const shop = till(club({ rules: [bonus] }))
    const sale = shop.sell([line(15), line(5), line(3)])
    sale.takeBack([{ id: '3', quantity: 1 }])
    expect(shop.value()).toBe(50)
    sale.takeBack([{ id: '2', quantity: 1 }])
    expect(shop.value()).toBe(0)
  })

  test('keeps to the first visit, the tier and the counters of the sale', () => {
    const rules = [
      { ...base, id: 'first', when: { firstTransaction: true } },
      { ...base, id: 'silver', when: { tiers: ['silver'] } },
      { ...base, id: 'daily', limits: { perDay: 15 } },
    ]
    const tiers = [{ key: 'silver', balance: 'points', from: 100 }]
    const usage = [{ campaign: clubId, rule: 'daily', day: 5, customer: 5, total: 5 }]
    const shop = till(
      club({ rules, tiers }),
      walletOf({ balances: [holding(100)], transactionCount: 0, usage }),
    )
    const sale = shop.sell([line(12), line(8)])
    expect(shop.value()).toBe(100 + 20 + 20 + 10)
    shop.sell([line(1)])
    const decision = sale.takeBack([{ id: '2', quantity: 1 }])
    expect(decision.movements).toMatchObject([{ amount: -16 }])
    expect(decision.usage).toEqual([])
    expect(sale.takeBack().usage).toEqual([
      { campaign: clubId, rule: 'daily', perDay: true, perCustomer: false, isShared: false, amount: -10 },
    ])
  })

  test('is refused for more than is left', () => {
    const sale = till(club({ rules: [base] })).sell([line(1, { quantity: 2 }), line(1)])
    expect(sale.refusal([{ id: '1', quantity: 3 }])).toBe('return_exceeds_sale')
    expect(sale.refusal([{ id: '9', quantity: 1 }])).toBe('return_exceeds_sale')
    expect(
      sale.refusal([
        { id: '1', quantity: 1 },
        { id: '1', quantity: 1.5 },
      ]),
    ).toBe('return_exceeds_sale')
    expect(sale.refusal([{ id: '1', quantity: 0 }])).toBe('_invalid_payload')
    expect(sale.refusal([])).toBe('_invalid_payload')
    expect(sale.refusal([{ id: '1', quantity: 1.5 }])).toBe(undefined)
    expect(sale.refusal([{ id: '1', quantity: 1 }])).toBe('return_exceeds_sale')
    expect(sale.refusal()).toBe(undefined)
    expect(sale.refusal()).toBe('return_exceeds_sale')
  })
})

describe('coupons granted by the sale', () => {
  test('are revoked when they no longer would be, and what they consumed is restored', () => {
    const shop = till(
      club({ rules: [stamp], rewards, thresholds: [consume] }),
      walletOf({ balances: [holding(4, 4, 'stamps')] }),
    )
    const sale = shop.sell([line(1, { quantity: 7 })])
    expect(shop.value('stamps')).toBe(1)
    const decision = sale.takeBack([{ id: '1', quantity: 2 }])
    expect(decision.revokedCoupons).toEqual(['cpn_1'])
    expect(decision.movements).toMatchObject([{ kind: 'return', amount: 8, valueAfter: 9, totalAfter: 9 }])
  })

  test('pay with what they consumed when they have expired, and nothing of it comes back', () => {
    const shop = till(
      club({ rules: [stamp], rewards, thresholds: [consume] }),
      walletOf({ balances: [holding(8, 8, 'stamps')] }),
    )
    const sale = shop.sell([line(1, { quantity: 3 })])
    shop.expire('1')
    expect(sale.takeBack([{ id: '1', quantity: 2 }]).movements).toMatchObject([{ amount: -1, valueAfter: 0 }])
    expect(sale.takeBack().movements).toMatchObject([{ amount: 0, valueAfter: 0, totalAfter: 8 }])
    expect([shop.shortfall('stamps'), shop.wallet().coupons[0]!.origin?.consumed?.settled]).toEqual([0, 2])
  })

  test('stay while they still would be', () => {
    const shop = till(club({ rules: [stamp], rewards, thresholds: [consume] }))
    const sale = shop.sell([line(1, { quantity: 12 })])
    expect(sale.takeBack([{ id: '1', quantity: 2 }]).revokedCoupons).toEqual([])
    expect(shop.value('stamps')).toBe(0)
  })

  test('stay when they are used, with what they consumed', () => {
    const shop = till(
      club({ rules: [stamp], rewards, thresholds: [consume] }),
      walletOf({ balances: [holding(8, 8, 'stamps')] }),
    )
    const sale = shop.sell([line(1, { quantity: 4 })])
    shop.use('1')
    const decision = sale.takeBack()
    expect(decision.revokedCoupons).toEqual([])
    expect([shop.value('stamps'), shop.total('stamps')]).toEqual([0, 8])
  })

  test('that are unused go first when only some go', () => {
    const shop = till(club({ rules: [stamp], rewards, thresholds: [consume] }))
    const sale = shop.sell([line(1, { quantity: 20 })])
    shop.use('2')
    expect(sale.takeBack([{ id: '1', quantity: 5 }]).revokedCoupons).toEqual(['cpn_1'])
    expect(shop.value('stamps')).toBe(5)
  })

  test('go newest first, whichever sale granted them', () => {
    const shop = till(club({ rules: [stamp], rewards, thresholds: [consume] }))
    const sale = shop.sell([line(1, { quantity: 10 })])
    shop.sell([line(1, { quantity: 10 })])
    expect(sale.takeBack([{ id: '1', quantity: 3 }]).revokedCoupons).toEqual(['cpn_2'])
    expect([shop.active(), shop.value('stamps')]).toEqual([['cpn_1'], 7])
    // The next one that gives back reinstates it, or the next basket grants another.
    shop.sell([line(1, { quantity: 3 })])
    expect(shop.active()).toEqual(['cpn_1', 'cpn_3'])

    const total = till(club({ rules: [base], rewards, thresholds: [reach] }))
    const first = total.sell([line(100)])
    total.sell([line(100)])
    expect(first.takeBack().revokedCoupons).toEqual(['cpn_2'])
  })

  test('that staff revoked count as used, and pay with what they consumed', () => {
    const shop = till(club({ rules: [stamp], rewards, thresholds: [consume] }))
    const sale = shop.sell([line(1, { quantity: 10 })])
    shop.revoke('1')
    expect(sale.takeBack().movements).toMatchObject([{ amount: 0, valueAfter: 0, totalAfter: 0 }])
    expect(shop.shortfall('stamps')).toBe(0)

    const total = till(club({ rules: [base], rewards, thresholds: [reach] }))
    const large = total.sell([line(100)])
    total.revoke('1')
    large.takeBack()
    total.sell([line(100)])
    expect(total.active()).toEqual([])
  })

  test('for a total are granted again after they were revoked', () => {
    const shop = till(club({ rules: [base], rewards, thresholds: [reach] }))
    expect(shop.sell([line(120)]).takeBack().revokedCoupons).toEqual(['cpn_1'])
    shop.sell([line(120)])
    expect(shop.active()).toEqual(['cpn_2'])
  })

  test('for a total are not granted again after they were used', () => {
    const shop = till(club({ rules: [base], rewards, thresholds: [reach] }))
    const sale = shop.sell([line(120)])
    shop.use('1')
    expect(sale.takeBack().keptMultiples).toEqual([
      { campaign: clubId, key: 'points', at: 100, reward: 'five', multiple: 1 },
    ])
    const again = shop.sell([line(120)])
    expect(shop.active()).toEqual([])
    again.takeBack()
    shop.sell([line(120)])
    expect(shop.active()).toEqual([])
    shop.sell([line(90)])
    expect(shop.active()).toEqual(['cpn_2'])
  })

  test('for a total are never granted twice by returning an older sale and buying again', () => {
    const shop = till(club({ rules: [base], rewards, thresholds: [reach] }))
    const first = shop.sell([line(60)])
    shop.sell([line(60)])
    expect(shop.active()).toEqual(['cpn_1'])
    expect(first.takeBack().revokedCoupons).toEqual(['cpn_1'])
    shop.sell([line(60)])
    expect(shop.active()).toEqual(['cpn_2'])
    shop.sell([line(80)])
    expect(shop.active()).toEqual(['cpn_2', 'cpn_3'])
  })
})

describe('multiples of a total', () => {
  const definition = club({ rules: [base], rewards, thresholds: [{ ...reach, at: 60 }] })
  const kept = (shop: ReturnType<typeof till>) => shop.wallet().keptMultiples?.map(({ multiple }) => multiple)
  const multiplesOf = (shop: ReturnType<typeof till>) =>
    shop.wallet().coupons.flatMap(({ id, origin }) => (origin?.multiple ? [[id, origin.multiple]] : []))

  test('are free once no coupon is outstanding, however the sale was returned', () => {
    const shop = till(definition)
    const sale = shop.sell([line(20), line(110)])
    shop.sell([line(30)])
    sale.takeBack([{ id: '1', quantity: 1 }])
    expect([shop.total(), shop.out(), kept(shop)]).toEqual([140, 2, []])
    sale.takeBack()
    expect([shop.total(), shop.out(), kept(shop)]).toEqual([30, 0, []])
    shop.sell([line(40)])
    expect(shop.active()).toEqual(['cpn_3'])
  })

  test('are free too when another sale takes the total down', () => {
    const shop = till(definition)
    const sale = shop.sell([line(20), line(110)])
    const other = shop.sell([line(49)])
    sale.takeBack([{ id: '1', quantity: 1 }])
    other.takeBack()
    expect([shop.total(), shop.out(), kept(shop)]).toEqual([110, 1, []])
    shop.sell([line(10)])
    expect(shop.out()).toBe(2)
  })

  describe('with coupons that expire', () => {
    const shopOf = () => {
      const expiring = [{ ...rewards[0], validDays: 3 }]
      const shop = till(club({ rules: [base], rewards: expiring, thresholds: [reach] }))
      return { shop, sell: (amount: number, days = 0) => shop.sell([line(amount)], {}, inDays(days)) }
    }

    test('do not exchange an expired one for a fresh one by buying and returning', () => {
      const { shop, sell } = shopOf()
      sell(105)
      expect(sell(100, 5).takeBack().revokedCoupons).toEqual(['cpn_2'])
      expect(multiplesOf(shop)).toEqual([['cpn_1', 1]])
      sell(100, 5)
      expect(multiplesOf(shop)).toEqual([
        ['cpn_1', 1],
        ['cpn_3', 2],
      ])
    })

    test('give the expired one up when what it was granted for comes back', () => {
      const { shop, sell } = shopOf()
      const old = sell(105)
      sell(100, 5)
      expect(old.takeBack(undefined, inDays(5)).revokedCoupons).toEqual([])
      expect(multiplesOf(shop)).toEqual([['cpn_2', 1]])
    })

    test('restore the fresh one when that comes back only later', () => {
      const { shop, sell } = shopOf()
      const old = sell(105)
      const [small] = [sell(10, 5), sell(85, 5)]
      expect(small!.takeBack().revokedCoupons).toEqual(['cpn_2'])
      expect(old.takeBack([{ id: '1', quantity: 0.1 }], inDays(5)).restoredCoupons).toEqual(['cpn_2'])
      expect(multiplesOf(shop)).toEqual([['cpn_2', 1]])
    })

    test('leave older ones that are valid for longer their places', () => {
      const { shop, sell } = shopOf()
      const first = sell(100)
      sell(100, 1)
      shop.setExpiry('2', inDays(365))
      sell(100, 6)
      expect(first.takeBack(undefined, inDays(6)).revokedCoupons).toEqual([])
      expect(multiplesOf(shop)).toEqual([
        ['cpn_2', 1],
        ['cpn_3', 2],
      ])
    })

    test('do not exchange an expired one for one that is valid for longer', () => {
      const { shop, sell } = shopOf()
      sell(100)
      const second = sell(100, 5)
      shop.setExpiry('2', inDays(365))
      expect(second.takeBack(undefined, inDays(5)).revokedCoupons).toEqual(['cpn_2'])
      expect(multiplesOf(shop)).toEqual([['cpn_1', 1]])
    })

    test('count those that were used since as fresh ones', () => {
      const { shop, sell } = shopOf()
      const [old] = [sell(105), sell(100, 5)]
      shop.use('2')
      old!.takeBack(undefined, inDays(5))
      expect([multiplesOf(shop), shop.active()]).toEqual([[['cpn_2', 1]], ['cpn_1']])
    })
  })

  test('that were passed while the campaign was paused block nothing', () => {
    const gifts = attach(
      { ...club({ rewards, thresholds: [{ ...reach, at: 60 }] }) },
      { id: 'cmp_gifts', status: 'paused' },
    )
    const shop = till(club({ rules: [base] }), walletOf(), [gifts])
    const older = shop.sell([line(100), line(20)])
    shop.setStatus('cmp_gifts', 'published')
    const sale = shop.sell([line(60)])
    expect([shop.total(), shop.out()]).toEqual([180, 1])
    older.takeBack([{ id: '1', quantity: 1 }])
    older.takeBack()
    // The coupon was granted for 180, and nothing was granted for 60.
    expect([shop.total(), shop.out(), kept(shop)]).toEqual([60, 0, []])
    sale.takeBack()
    expect([shop.total(), shop.out(), kept(shop)]).toEqual([0, 0, []])
    shop.sell([line(60)])
    expect(shop.out()).toBe(1)
  })

  const steps = fc.array(
    fc.oneof(
      fc.record({
        sell: fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ giveBack: fc.nat(), item: fc.nat() }),
      fc.record({ use: fc.nat() }),
    ),
    { minLength: 4, maxLength: 20 },
  )

  test('are counted by the coupons that are out, whatever is sold, used and brought back', () => {
    fc.assert(
      fc.property(steps, (story) => {
        const shop = till(definition)
        const open: { sale: ReturnType<typeof shop.sell>; items: string[] }[] = []
        for (const step of story) {
          const outBefore = shop.out()
          if ('sell' in step) {
            const sale = shop.sell(step.sell.map((amount) => line(amount)))
            open.push({ sale, items: step.sell.map((_, index) => String(index + 1)) })
            expect(shop.out()).toBeLessThanOrEqual(Math.max(outBefore, Math.floor(shop.total()! / 60)))
          } else if ('use' in step) {
            const active = shop.active()
            if (active.length > 0) shop.use(active[step.use % active.length]!.slice(4))
          } else if (open.length > 0) {
            const at = step.giveBack % open.length
            const { sale, items } = open[at]!
            const [id] = items.splice(step.item % items.length, 1)
            sale.takeBack([{ id: id!, quantity: 1 }])
            if (items.length === 0) open.splice(at, 1)
          }
          const passed = Math.floor(shop.total()! / 60)
          const [multiple = 0] = kept(shop) ?? []
          expect(Math.max(passed, multiple)).toBe(shop.out())
        }
      }),
      { numRuns: 75 * effort },
    )
  })
})

describe('when the balance is too small', () => {
  const broke = (policy?: string) => {
    const shop = till(club({ rules: [base], spend, ...(policy && { onInsufficientBalance: policy }) }))
    const sale = shop.sell([line(10)])
    shop.sell([line(1)], { pointsToSpend: 8 })
    return { shop, sale }
  }

  test('it goes to zero, and the total down all the same', () => {
    const { shop, sale } = broke()
    expect(sale.takeBack().movements).toMatchObject([{ amount: -2, valueAfter: 0, totalAfter: 0 }])
    expect(shop.value()).toBe(0)
  })

  test('it goes below zero where the campaign says so', () => {
    const { shop, sale } = broke('negative')
    sale.takeBack()
    expect([shop.value(), shop.total()]).toEqual([-8, 0])
    shop.sell([line(10)])
    expect(shop.value()).toBe(2)
  })

  test('it is refused where the campaign says so, and nothing changes', () => {
    const { shop, sale } = broke('reject')
    expect(sale.refusal()).toBe('insufficient_points')
    expect(shop.value()).toBe(2)
    expect(sale.refusal()).toBe('insufficient_points')
  })
})

describe('lots', () => {
  const expiring = {
    ...club({ rules: [base], spend }),
    balances: [{ key: 'points', expires: { after: 'P1M' } }],
  }
  const lot = (version: number, remaining: number, days: number) => ({
    key: 'points',
    version,
    remaining,
    expiresAt: inDays(days),
  })

  test('get back what was spent from them, the last taken first', () => {
    const start = walletOf({
      balances: [{ key: 'points', value: 100, total: 100, version: 5 }],
      lots: [lot(1, 30, 5), lot(2, 40, 9)],
    })
    const shop = till(club({ spend }), start)
    const sale = shop.sell([line(10, { quantity: 2 })], { pointsToSpend: 80 })
    expect(shop.wallet().lots).toEqual([])
    expect(sale.takeBack([{ id: '1', quantity: 1 }]).lots).toEqual([lot(2, 30, 9)])
    sale.takeBack()
    expect(shop.wallet().lots.toSorted((a, b) => a.version - b.version)).toEqual([
      lot(1, 30, 5),
      lot(2, 40, 9),
    ])
    expect(shop.value()).toBe(100)
  })

  test('that have expired since lose again what was put back', () => {
    const start = walletOf({
      balances: [{ key: 'points', value: 30, total: 30, version: 5 }],
      lots: [lot(1, 30, 5)],
    })
    const shop = till(club({ spend }), start)
    const decision = shop.sell([line(10)], { pointsToSpend: 30 }).takeBack(undefined, inDays(6))
    expect([decision.pointsRestored, decision.record.pointsRestored]).toEqual([0, 30])
    expect([decision.movements, shop.value()]).toEqual([[], 0])
  })

  test('of a balance that has gone inactive lose again what was put back', () => {
    const shop = till(
      { ...club({ spend }), balances: [{ key: 'points', expires: { inactivity: 'P10D' } }] },
      walletOf({ balances: [{ key: 'points', value: 30, total: 30, version: 5 }] }),
    )
    const decision = shop.sell([line(10)], { pointsToSpend: 30 }).takeBack(undefined, inDays(11))
    expect([decision.pointsRestored, decision.record.pointsRestored, shop.value()]).toEqual([0, 30, 0])
    expect(decision.movements.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['return', 30],
      ['expire', -30],
    ])
  })

  test('get back what they have paid for units that were used, and lose it if they have expired', () => {
    const shop = till({
      ...club({ rules: [stamp], rewards, thresholds: [{ ...consume, at: 5 }] }),
      balances: [{ key: 'stamps', expires: { after: 'P5D' } }],
    })
    const sell = (quantity: number, coupons: string[] = [], at = tuesdayMorning) =>
      shop.sell([line(2, { quantity })], { coupons: couponIds(...coupons), couponsIncluded: true }, at)
    const first = sell(5)
    const redeeming = sell(1, ['1'])
    const others = [sell(3), sell(2)]
    // Its stamps were consumed for the coupon that was used: those of the others pay.
    first.takeBack()
    redeeming.takeBack()
    expect(shop.active()).toEqual(['cpn_1'])
    const later = inDays(12)
    others.push(sell(1, [], later))
    for (const sale of others) sale.takeBack(undefined, later)
    expect([shop.active(), shop.value('stamps'), shop.total('stamps')]).toEqual([[], 0, 0])
  })

  test('of the sale are emptied before others', () => {
    const shop = till(
      expiring,
      walletOf({ balances: [{ key: 'points', value: 20, total: 20, version: 5 }], lots: [lot(1, 20, 5)] }),
    )
    const sale = shop.sell([line(10)])
    sale.takeBack()
    expect(shop.wallet().lots).toEqual([lot(1, 20, 5)])
  })
})

describe('for all sales and all ways to return them', () => {
  const definition = {
    ...club({
      rules: [
        base,
        { ...stamp, products: ['latte'] },
        { id: 'bonus', kind: 'collect_per_visit', balance: 'points', amount: 7, when: { minAmount: 15 } },
        {
          id: 'latte',
          kind: 'points_per_amount',
          balance: 'points',
          points: 3,
          per: 0.7,
          products: ['latte'],
          limits: { perTransaction: 60, perCustomer: 200 },
        },
        { id: 'half', kind: 'multiply', balance: 'points', factor: 1.5 },
      ],
      rewards,
      thresholds: [consume, { ...consume, at: 4 }, reach, { ...reach, at: 30 }],
      spend: { ...spend, worth: 0.003 },
    }),
    balances: [{ key: 'points', expires: { after: 'P1M' } }, { key: 'stamps' }],
  }
  const lineArbitrary = fc.record({
    product: fc.constantFrom('latte', 'bun'),
    quantity: fc.oneof(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 9_000_000 }).map((n) => n / 1e6),
    ),
    amount: fc.integer({ min: 0, max: 5000 }).map((cents) => cents / 100),
  })
  const stories = fc.record({
    lines: fc.array(lineArbitrary, { minLength: 1, maxLength: 5 }),
    discount: fc.option(fc.integer({ min: 0, max: 3000 }), { nil: undefined }),
    points: fc.integer({ min: 0, max: 300 }),
    steps: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 6_000_000 })), { maxLength: 6 }),
    use: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 2 }),
    between: fc.boolean(),
  })

  test('returns add up to the sale, and the wallet stays sound', () => {
    fc.assert(
      fc.property(stories, ({ lines, discount, points, steps, use, between }) => {
        const start = walletOf({ balances: [holding(300, 400), holding(3, 9, 'stamps')] })
        const shop = till(definition, start)
        const basket = lines.map((l) => line(0, l))
        const order = discount === undefined ? {} : { discountAmount: discount / 100 }
        const sum = lines.reduce((cents, l) => cents + Math.round(l.amount * 100), 0) - (discount ?? 0)
        // Points that are worth less than a cent are refused.
        fc.pre(points * 0.3 <= sum && (points === 0 || points * 0.3 >= 1))
        const sale = shop.sell(basket, { ...order, pointsToSpend: points })
        const after = shop.wallet()
        shop.use(...use.map(String))
        const used = use.some((n) => after.coupons.some((c) => c.id === `cpn_${n}`))
        if (between) shop.sell([line(9)])
        const other = between ? shop.total()! - after.balances[0]!.total : 0
        const left = lines.map((l) => Math.round(l.quantity * 1e6))
        const done: ReturnDecision[] = []
        for (const [at, wanted] of steps) {
          const index = at % lines.length
          const quantity = Math.min(wanted, left[index]!)
          if (quantity === 0 || left.every((q, i) => (i === index ? q === quantity : q === 0))) continue
          left[index]! -= quantity
          done.push(sale.takeBack([{ id: String(index + 1), quantity: quantity / 1e6 }]))
          for (const { key, value, total } of shop.wallet().balances) {
            expect(value).toBeGreaterThanOrEqual(0)
            expect(total).toBeGreaterThanOrEqual(0)
            const inLots = shop
              .wallet()
              .lots.filter((lot) => lot.key === key)
              .reduce((units, lot) => units + lot.remaining, 0)
            expect(inLots).toBeLessThanOrEqual(value)
          }
        }
        done.push(sale.takeBack())
        expect(sale.refusal()).toBe('return_exceeds_sale')
        const total = (of: (decision: ReturnDecision) => number) =>
          done.reduce((units, d) => units + of(d), 0)
        expect(total((d) => d.pointsRestored)).toBe(points)
        expect(total((d) => d.refundMinor)).toBe(
          sale.evaluation.payableMinor - sale.evaluation.pointsDiscountMinor,
        )
        expect([shop.total(), shop.total('stamps')]).toEqual([400 + other, 9])
        if (!used && !between) expect([shop.value(), shop.value('stamps')]).toEqual([300, 3])
        if (!used && !between) expect(shop.active()).toEqual([])
        if (!used && !between) expect(shop.wallet().lots).toEqual([])
      }),
      { numRuns: 60 * effort },
    )
  })
})
