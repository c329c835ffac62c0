/**
 * What a customer holds depends on what was kept and used, never on the order of the returns: proven over
 * random histories of sales, spending, redeeming, expiry and partial returns, under every policy.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { effort } from '../../../test/support/full.ts'
import { attach, club, line, tuesdayMorning, walletOf } from '../coffee-club.fixture.ts'
import { type CouponPhase, openCoupons } from './open-coupons.ts'
import { till } from './till.fixture.ts'

const dayMs = 86_400_000
const numRuns = 70 * effort

interface Rules {
  readonly policy: 'floor' | 'negative' | 'reject'
  /** Whether the coupons of points are paid with them. */
  readonly consumesPoints: boolean
  /** Days after which collected units expire. */
  readonly pointsExpire: number | undefined
  readonly stampsExpire: number | undefined
  /** Days after which coupons expire. */
  readonly validDays: number | undefined
  /** Whether another campaign gives to the same points, which expire sooner. */
  readonly hasGuest: boolean
}

const rewards = (validDays: number | undefined) => [
  { key: 'reach', kind: 'amount_off', amount: 1, validDays },
  { key: 'coffee', kind: 'amount_off', amount: 1, validDays },
]

function campaignOf({ policy, consumesPoints, pointsExpire, stampsExpire, validDays }: Rules) {
  const expires = (days: number | undefined) => (days === undefined ? undefined : { after: `P${days}D` })
  return club({
    balances: [
      { key: 'points', expires: expires(pointsExpire) },
      { key: 'stamps', expires: expires(stampsExpire) },
    ],
    rules: [
      { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 },
      { id: 'stamp', kind: 'collect_per_item', balance: 'stamps', amount: 1 },
    ],
    rewards: rewards(validDays),
    thresholds: [
      { balance: 'points', at: 40, grant: 'reach', consume: consumesPoints },
      { balance: 'stamps', at: 5, grant: 'coffee', consume: true },
    ],
    spend: { balance: 'points', worth: 0.01, earns: true },
    onInsufficientBalance: policy,
  })
}

const guest = attach(
  {
    ...club({
      rules: [{ id: 'extra', kind: 'points_per_amount', balance: 'points', points: 2, per: 3 }],
    }),
    balances: [{ key: 'points', expires: { after: 'P5D' } }],
  },
  { id: 'cmp_guest' },
)

/** A sale of some items for a whole amount each. */
interface SaleStep {
  readonly quantity: number
  readonly price: number
  /** Share of the points that it spends, in quarters. */
  readonly spends: number
  readonly redeems: readonly ('reach' | 'coffee')[]
  /** Days that pass before it. */
  readonly days: number
}

interface ReturnStep {
  readonly sale: number
  /** All that is left if undefined. */
  readonly quantity: number | undefined
}

type Step = { readonly sell: SaleStep } | { readonly take: ReturnStep }

const anyRules = (policies: readonly Rules['policy'][]): fc.Arbitrary<Rules> =>
  fc.record({
    policy: fc.constantFrom(...policies),
    consumesPoints: fc.boolean(),
    pointsExpire: fc.option(fc.constantFrom(5, 30), { nil: undefined }),
    stampsExpire: fc.option(fc.constantFrom(5, 30), { nil: undefined }),
    validDays: fc.option(fc.constantFrom(3, 20), { nil: undefined }),
    hasGuest: fc.boolean(),
  })

const anySale: fc.Arbitrary<SaleStep> = fc.record({
  quantity: fc.integer({ min: 1, max: 12 }),
  price: fc.integer({ min: 2, max: 6 }),
  spends: fc.constantFrom(0, 0, 1, 3, 4),
  redeems: fc.subarray(['reach', 'coffee'] as const),
  days: fc.constantFrom(0, 0, 1, 4, 12),
})

const keys = ['points', 'stamps'] as const

type Sold = ReturnType<ReturnType<typeof till>['sell']> & {
  readonly step: SaleStep
  /** Quantity that was not returned. */
  left: number
  readonly spent: number
  /** Points given back, whether or not they reached the value. */
  restored: number
  /** What its coupons are of. */
  readonly redeemed: readonly string[]
}

/** Plays steps and skips what is not possible at that point. */
function play(rules: Rules, start = walletOf({ balances: [], transactionCount: 0 })) {
  const shop = till(campaignOf(rules), start, rules.hasGuest ? [guest] : [])
  const sales: Sold[] = []
  let now = tuesdayMorning
  const pass = (days: number) => {
    now = new Date(now.getTime() + days * dayMs)
  }
  const sell = (step: SaleStep) => {
    pass(step.days)
    const usable = openCoupons(shop.wallet().coupons, now).filter(({ phase }) => phase === 'unused')
    const coupons = step.redeems.flatMap((key) => {
      const found = usable.find(({ before }) => before.reward.key === key)
      return found ? [found.before] : []
    })
    // Expiry is booked at the till, so only what has not expired by now can be spent.
    const expired = shop
      .wallet()
      .lots.reduce(
        (sum, lot) => (lot.key === 'points' && lot.expiresAt <= now ? sum + lot.remaining : sum),
        0,
      )
    const held = Math.max(0, (shop.value() ?? 0) - expired)
    const amount = step.quantity * step.price
    const spent = Math.min(Math.floor((held * step.spends) / 4), amount * 100)
    const sold = shop.sell(
      [line(step.price, { id: 'a', quantity: step.quantity })],
      { coupons: coupons.map(({ id }) => id), pointsToSpend: spent, couponsIncluded: true },
      now,
    )
    const redeemed = coupons.map(({ reward }) => reward.key)
    sales.push({ ...sold, left: step.quantity, step, spent, redeemed, restored: 0 })
  }
  /** False if it was refused. */
  const take = ({ sale, quantity }: ReturnStep): boolean => {
    const sold = sales[sale]
    if (sold === undefined || sold.left === 0) return true
    const units = Math.min(quantity ?? sold.left, sold.left)
    const result = sold.tryReturn([{ id: 'a', quantity: units }], now)
    for (const key of keys) {
      const inLots = shop.wallet().lots.reduce((sum, lot) => (lot.key === key ? sum + lot.remaining : sum), 0)
      expect(inLots).toBeLessThanOrEqual(Math.max(0, shop.value(key) ?? 0))
    }
    if (result.ok) {
      sold.left -= units
      sold.restored += result.value.record.pointsRestored
    } else if (result.refusal.code !== 'insufficient_points') throw new Error(result.refusal.code)
    return result.ok
  }
  return { shop, sales, sell, take, pass, now: () => now }
}

type Played = ReturnType<typeof play>

/** What is held, with coupons as numbers: which one of several is revoked is not what counts. */
function heldBy({ shop, now }: Played) {
  const coupons = openCoupons(shop.wallet().coupons, now())
  const count = (key: string, phase: CouponPhase) =>
    coupons.filter(({ before, phase: own }) => before.reward.key === key && own === phase).length
  return {
    balances: keys.map((key) => [key, shop.value(key) ?? 0, shop.total(key) ?? 0, shop.shortfall(key)]),
    coupons: ['reach', 'coffee'].map((key) => [key, count(key, 'unused'), count(key, 'used')]),
    credit: keys.map((key) => creditOf(coupons, key)),
    kept: shop.wallet().keptMultiples ?? [],
  }
}

/** What ended coupons have consumed and not paid back yet. */
function creditOf(coupons: ReturnType<typeof openCoupons>, key: string): number {
  return coupons.reduce((sum, { before, phase, consumed }) => {
    const hasEnded = phase === 'expired' || phase === 'revoked by hand'
    if (!hasEnded || !consumed || before.origin?.key !== key) return sum
    return sum + consumed.units - consumed.settled
  }, 0)
}

describe('everything returned', () => {
  test('leaves nothing that was not there before, in any order and in any pieces', () => {
    fc.assert(
      fc.property(
        anyRules(['floor', 'negative']),
        fc.array(
          fc.oneof(
            { weight: 2, arbitrary: anySale.map((sell): Step => ({ sell })) },
            {
              weight: 1,
              arbitrary: fc
                .record({
                  sale: fc.nat(5),
                  quantity: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
                })
                .map((take): Step => ({ take })),
            },
          ),
          { maxLength: 12 },
        ),
        fc.array(fc.nat(99), { minLength: 12, maxLength: 12 }),
        (rules, steps, order) => {
          const played = play(rules)
          for (const step of steps) {
            if ('sell' in step) played.sell(step.sell)
            else played.take(step.take)
          }
          const rest = played.sales.map((_, i) => i).sort((a, b) => order[a]! - order[b]! || a - b)
          for (const sale of rest) {
            // In two pieces.
            played.take({ sale, quantity: 3 })
            played.take({ sale, quantity: undefined })
          }
          const { balances, coupons } = heldBy(played)
          for (const [key, value, total] of balances) {
            expect({ key, isMore: (value as number) > 0, total }).toEqual({ key, isMore: false, total: 0 })
          }
          expect(coupons).toEqual([
            ['reach', 0, 0],
            ['coffee', 0, 0],
          ])
        },
      ),
      { numRuns },
    )
  })
})

/**
 * What is held and what has expired, in units: the value, what can be had back from unused and ended coupons,
 * and what lots have lost, less what is still owed.
 */
function netOf({ shop, now }: Played, key: string): number {
  const coupons = openCoupons(shop.wallet().coupons, now()).filter(({ before }) => before.origin?.key === key)
  const unused = coupons.filter(({ phase }) => phase === 'unused')
  const inCoupons = unused.reduce((sum, { consumed }) => sum + (consumed?.units ?? 0), 0)
  const lots = shop.wallet().lots.filter((lot) => lot.key === key)
  const expired = lots.reduce((sum, lot) => sum + Math.max(0, lot.expired ?? 0), 0)
  return (shop.value(key) ?? 0) - shop.shortfall(key) + inCoupons + creditOf(coupons, key) + expired
}

/** Whether coupons were paid with units that would have expired since. */
function hasExpiredUnderCoupons({ shop, now }: Played): boolean {
  return shop
    .wallet()
    .coupons.some(({ origin }) =>
      origin?.consumed?.from.some(([, , , expiresAtMs]) => expiresAtMs <= now().getTime()),
    )
}

const anyReturns = fc.array(
  fc.record({ sale: fc.nat(6), quantity: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }) }),
  { minLength: 2, maxLength: 6 },
)

/** The returns with the quantities that are left for them. */
function piecesOf(steps: readonly SaleStep[], returns: readonly ReturnStep[]): Required<ReturnStep>[] {
  const left = steps.map(({ quantity }) => quantity)
  return returns.flatMap(({ sale, quantity }) => {
    const index = sale % steps.length
    const units = Math.min(quantity ?? 99, left[index]!)
    left[index]! -= units
    return units > 0 ? [{ sale: index, quantity: units }] : []
  })
}

const anyOrder = fc.array(fc.nat(99), { minLength: 13, maxLength: 13 })
const shuffled = <T>(items: readonly T[], order: readonly number[]): T[] =>
  items
    .map((item, i) => ({ item, at: order[i]! }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)

describe('two orders of the returns after the same sales', () => {
  // Where coupons were paid with units that have expired since, which of them stay may depend on the order,
  // but not what all of it is worth.
  test('end alike', () => {
    fc.assert(
      fc.property(
        anyRules(['floor', 'negative']),
        fc.array(anySale, { minLength: 1, maxLength: 7 }),
        anyReturns,
        fc.constantFrom(0, 1, 6, 40),
        anyOrder,
        (rules, steps, returns, days, order) => {
          const [play1, play2] = [play(rules), play(rules)]
          for (const played of [play1, play2]) {
            for (const step of steps) played.sell(step)
            played.pass(days)
          }
          const isExact = !hasExpiredUnderCoupons(play1)
          const pieces = piecesOf(steps, returns)
          for (const piece of pieces) play1.take(piece)
          for (const piece of shuffled(pieces, order)) play2.take(piece)
          if (isExact) expect(heldBy(play2)).toEqual(heldBy(play1))
          for (const key of keys) expect(netOf(play2, key)).toBe(netOf(play1, key))
        },
      ),
      { numRuns },
    )
  })

  test('end alike under reject, if both are accepted', () => {
    let accepted = 0
    fc.assert(
      fc.property(
        anyRules(['reject']),
        fc.array(anySale, { minLength: 1, maxLength: 6 }),
        anyReturns,
        anyOrder,
        (rules, steps, returns, order) => {
          const [play1, play2] = [play(rules), play(rules)]
          for (const played of [play1, play2]) for (const step of steps) played.sell(step)
          fc.pre(!hasExpiredUnderCoupons(play1))
          const pieces = piecesOf(steps, returns)
          const isAccepted = pieces.every((piece) => play1.take(piece))
          if (!isAccepted || !shuffled(pieces, order).every((piece) => play2.take(piece))) return
          accepted++
          expect(heldBy(play2)).toEqual(heldBy(play1))
        },
      ),
      { numRuns },
    )
    expect(accepted).toBeGreaterThan(numRuns / 4)
  })

  test('is accepted under reject with the newest sale first', () => {
    fc.assert(
      fc.property(anyRules(['reject']), fc.array(anySale, { minLength: 1, maxLength: 6 }), (rules, steps) => {
        const played = play(rules)
        for (const step of steps) played.sell(step)
        for (let sale = steps.length - 1; sale >= 0; sale--) {
          expect(played.take({ sale, quantity: 2 })).toBe(true)
          expect(played.take({ sale, quantity: undefined })).toBe(true)
        }
        for (const [, value] of heldBy(played).balances) expect(value).toBeLessThanOrEqual(0)
      }),
      { numRuns },
    )
  })
})

/** Sales at one moment, and what comes back of each right after it or later. */
const anyStory = fc.array(
  fc.record({ sell: anySale, back: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }) }),
  { minLength: 1, maxLength: 6 },
)

describe('any order of sales and returns under negative', () => {
  test('ends alike', () => {
    let compared = 0
    fc.assert(
      fc.property(anyRules(['negative']), anyStory, anyOrder, anyOrder, (rules, story, order1, order2) => {
        const tell = (order: readonly number[]) => {
          const played = play(rules)
          // Each sale keeps its place, and its return comes any time after it.
          const returns = story.map(({ back }, sale) => ({ sale, back, at: sale + (order[sale]! % 8) }))
          story.forEach(({ sell }, now) => {
            played.sell({ ...sell, days: 0 })
            for (const { sale, back, at } of returns)
              if (back !== undefined && at === now) played.take({ sale, quantity: back })
          })
          for (const { sale, back, at } of returns)
            if (back !== undefined && at >= story.length) played.take({ sale, quantity: back })
          return played
        }
        const [play1, play2] = [tell(order1), tell(order2)]
        // What can be spent and redeemed depends on the order; what was must be the same.
        const used = ({ sales }: Played) => sales.map(({ spent, redeemed }) => [spent, redeemed])
        if (JSON.stringify(used(play1)) !== JSON.stringify(used(play2))) return
        compared++
        for (const key of keys) {
          expect([play2.shop.total(key), netOf(play2, key)]).toEqual([
            play1.shop.total(key),
            netOf(play1, key),
          ])
        }
        // Coupons that are paid for are granted by the next sale, and not by a return.
        if (!rules.consumesPoints) expect(heldBy(play2).coupons[0]).toEqual(heldBy(play1).coupons[0])
      }),
      { numRuns },
    )
    expect(compared).toBeGreaterThan(numRuns / 4)
  })
})

describe('what is held', () => {
  test('is never worth more than to a customer who bought only what was kept, under negative and reject', () => {
    fc.assert(
      fc.property(
        anyRules(['negative', 'reject']),
        fc.array(
          fc.record({ sell: anySale, back: fc.option(fc.nat(12), { nil: undefined }), at: fc.nat(7) }),
          {
            minLength: 1,
            maxLength: 7,
          },
        ),
        (rules, story) => {
          const played = play(rules)
          story.forEach(({ sell }, now) => {
            played.sell(sell)
            story.forEach(({ back, at }, sale) => {
              if (back && sale + at === now) played.take({ sale, quantity: back })
            })
          })
          const twin = play(rules)
          for (const { left, step } of played.sales) {
            if (left > 0) twin.sell({ ...step, quantity: left, spends: 0, redeems: [] })
            else twin.pass(step.days)
          }
          const coupons = openCoupons(played.shop.wallet().coupons, played.now())
          for (const key of keys) {
            expect(played.shop.total(key) ?? 0).toBe(twin.shop.total(key) ?? 0)
            const spent =
              key === 'points' ? played.sales.reduce((sum, sale) => sum + sale.spent - sale.restored, 0) : 0
            const usedUp = coupons.reduce(
              (sum, { before, phase, consumed }) =>
                phase === 'used' && before.origin?.key === key ? sum + (consumed?.units ?? 0) : sum,
              0,
            )
            expect(netOf(played, key) + spent + usedUp).toBeLessThanOrEqual(twin.shop.total(key) ?? 0)
          }
          const [[, unused, used]] = heldBy(played).coupons as [[string, number, number]]
          const reached = Math.floor((twin.shop.total() ?? 0) / 40)
          if (rules.consumesPoints) return
          expect(unused).toBeLessThanOrEqual(Math.max(0, reached - used))
          // Nor are expired coupons exchanged for fresh ones.
          expect(unused).toBeLessThanOrEqual(heldBy(twin).coupons[0]![1] as number)
        },
      ),
      { numRuns },
    )
  })
})
