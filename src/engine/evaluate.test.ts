/**
 * Properties of every publishable campaign and every well-formed basket. Definitions and baskets are random;
 * a failing case is printed with the seed that reproduces it.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { effort } from '../../test/support/full.ts'
import type { Basket, Line } from '../domain/basket.ts'
import type { Result } from '../domain/result.ts'
import type { Wallet } from '../domain/wallet.ts'
import {
  attach,
  basketOf,
  club,
  clubId,
  collectedSum,
  coupon,
  couponIds,
  evaluationOf,
  holding,
  line,
  outcomeOf,
  walletOf,
} from './coffee-club.fixture.ts'
import { checkDefinition } from './definition/check-definition.ts'
import { compileCampaign } from './definition/compile-campaign.ts'
import { type Evaluation, evaluate } from './evaluate.ts'

const products = ['latte', 'bun', 'beans']
const categories = ['coffee', 'bakery']
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
const some = (words: string[]) => fc.uniqueArray(fc.constantFrom(...words), { minLength: 1 })

const money = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 20_000 }).map((cents) => cents / 100) },
  { weight: 1, arbitrary: fc.double({ min: 0, max: 1e10, noNaN: true }) },
)
const price = fc.oneof(
  fc.integer({ min: 0, max: 100_000 }).map((cents) => cents / 100),
  fc.integer({ min: 0, max: 1e9 }).map((millionths) => millionths / 1e6),
)
const quantity = fc.oneof(
  fc.integer({ min: 1, max: 5 }),
  fc.integer({ min: 1, max: 5e6 }).map((millionths) => millionths / 1e6),
)
const lineArbitrary: fc.Arbitrary<Line> = fc.record(
  {
    id: fc.constant('1'),
    product: fc.constantFrom(...products),
    category: fc.constantFrom(...categories),
    quantity,
    unitPrice: price,
    amount: money,
    discountAmount: money,
    discountedAmount: money,
    coupons: fc.constant([]),
  },
  { requiredKeys: ['id', 'quantity', 'coupons'] },
)
const basketArbitrary: fc.Arbitrary<Basket> = fc
  .record(
    {
      lines: fc.array(lineArbitrary, { maxLength: 6 }),
      amount: money,
      discountAmount: money,
      discountedAmount: money,
      coupons: fc.oneof(fc.constant([]), fc.subarray(couponIds('free', 'five', 'ten'))),
      couponsIncluded: fc.boolean(),
      pointsToSpend: fc.oneof(fc.constant(0), fc.constant(0), fc.integer({ min: 0, max: 100 })),
      occurredAt: fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
      branch: fc.constantFrom('main', 'store-12'),
    },
    { requiredKeys: ['lines', 'coupons', 'pointsToSpend', 'occurredAt', 'branch'] },
  )
  .map(({ lines, ...parts }) => basketOf(lines, parts))

const key = fc.constantFrom('points', 'stamps')
const units = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 2000 }))
const limits = fc.record(
  { perTransaction: units, perDay: units, perCustomer: units, total: units },
  { requiredKeys: [] },
)
const when = fc.record(
  {
    days: some(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']),
    from: fc.constantFrom('00:00', '08:00', '22:00'),
    to: fc.constantFrom('02:00', '11:00', '23:59'),
    startsAt: fc.constantFrom('2022-01-01T00:00:00Z', '2024-06-01T00:00:00+02:00'),
    endsAt: fc.constantFrom('2025-01-01T00:00:00Z', '2029-01-01T00:00:00Z'),
    branches: some(['main', 'store-12']),
    minAmount: fc.constantFrom(0, 5, 100.5),
    products: some(products),
    categories: some(categories),
    firstTransaction: fc.boolean(),
    tiers: some(['silver', 'gold']),
  },
  { requiredKeys: [] },
)
const filter = { products: rarely(some(products)), categories: rarely(some(categories)) }
const per = fc.constantFrom(0.01, 0.5, 1, 3.33, 10)
const ruleBody = fc.oneof(
  fc.record({
    kind: fc.constant('points_per_amount'),
    balance: key,
    points: fc.integer({ min: 1, max: 20 }),
    per,
    ...filter,
  }),
  fc.record({
    kind: fc.constant('collect_per_item'),
    balance: key,
    amount: fc.integer({ min: 1, max: 20 }),
    ...filter,
  }),
  fc.record({ kind: fc.constant('collect_per_visit'), balance: key, amount: units }),
  fc.record({
    kind: fc.constant('multiply'),
    balance: key,
    factor: fc.constantFrom(1, 1.5, 2, 3.3333),
  }),
)
const ruleArbitrary = fc
  .record({ body: ruleBody, when: rarely(when), limits: rarely(limits) })
  .map(({ body, ...rest }) => ({ ...body, ...rest }))
const expires = fc.constantFrom(
  { after: 'P1M', endOf: 'month' },
  { after: 'PT1H' },
  { inactivity: 'P6M' },
  undefined,
)
const definitionArbitrary = fc
  .record({
    rules: fc.array(ruleArbitrary, { maxLength: 8 }),
    expires,
    thresholds: fc.uniqueArray(
      fc.record({
        balance: key,
        at: fc.constantFrom(10, 250, 1000),
        grant: fc.constantFrom('free', 'five'),
        consume: fc.boolean(),
      }),
      { maxLength: 4, selector: (t) => `${t.balance} ${t.at} ${t.grant}` },
    ),
    spend: optional(
      fc.record({
        balance: key,
        worth: fc.constantFrom(0.01, 0.005, 0.000001, 3),
        min: fc.constantFrom(0, 10),
        maxShare: fc.constantFrom(0, 0.5, 1),
        earns: fc.boolean(),
      }),
    ),
  })
  .map(({ expires: expiry, ...rest }) =>
    withoutUndefined({
      name: 'Random',
      balances: [{ key: 'points', expires: expiry }, { key: 'stamps' }],
      rewards: [
        { key: 'free', kind: 'free_product', products: ['latte'], validDays: 30 },
        { key: 'five', kind: 'amount_off', amount: 5 },
      ],
      tiers: [
        { key: 'silver', balance: 'points', from: 50 },
        { key: 'gold', balance: 'points', from: 500 },
      ],
      ...rest,
    }),
  )

/** A definition comes from JSON, in which there is no undefined. */
function withoutUndefined(definition: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(definition))
}

const balanceArbitrary = (name: string) =>
  fc
    .tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 1000 }))
    .map(([a, b]) => holding(a, a + b, name))
const walletArbitrary: fc.Arbitrary<Wallet> = fc
  .record({
    points: balanceArbitrary('points'),
    stamps: balanceArbitrary('stamps'),
    lotShare: fc.double({ min: 0, max: 1, noNaN: true }),
    days: fc.integer({ min: -10, max: 400 }),
    transactionCount: fc.integer({ min: 0, max: 2 }),
    used: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 8 }),
  })
  .map(({ points, stamps, lotShare, days, transactionCount, used }) =>
    walletOf({
      balances: [points, stamps],
      lots: [
        {
          key: 'points',
          version: 1,
          remaining: Math.floor(points.value * lotShare),
          expiresAt: new Date(now.getTime() + days * 86_400_000),
        },
      ],
      coupons: [
        coupon('free', { key: 'free', name: 'Free', kind: 'free_product', products: ['latte'] }),
        coupon('five', { key: 'five', name: 'Five', kind: 'amount_off', amount: 5 }),
        coupon('ten', { key: 'ten', name: 'Ten', kind: 'percent_off', percent: 12.5 }),
      ],
      usage: used.map((amount, index) => ({
        campaign: clubId,
        rule: String(index + 1),
        day: amount,
        customer: amount * 2,
        total: amount * 3,
      })),
      transactionCount,
      lastActivityAt: new Date(now.getTime() - Math.abs(days) * 86_400_000),
    }),
  )
const now = new Date('2026-03-10T08:00:00Z')

const stories = fc.record({
  definition: definitionArbitrary,
  basket: basketArbitrary,
  wallet: walletArbitrary,
})
const decide = ({ definition, basket, wallet }: { definition: unknown; basket: Basket; wallet: Wallet }) =>
  outcomeOf({ campaigns: [attach(definition)], basket, wallet, now })

const runs = { numRuns: 60 * effort }

/** Whether two lattes cost about the same. */
function isTied({ lines }: Basket): boolean {
  const prices = lines.flatMap(({ product, unitPrice, amount, quantity }) => {
    if (product !== 'latte') return []
    const whole = amount ?? (unitPrice ?? 0) * quantity
    return [Math.min(whole, unitPrice ?? whole / Math.max(1, quantity))]
  })
  return prices.some((price, i) => prices.some((other, j) => i < j && Math.abs(price - other) < 0.02))
}

/** An outcome with the ids of lines in place of their positions. */
function withIds(outcome: Result<Evaluation>, lines: readonly Line[]) {
  if (!outcome.ok) return outcome
  const idAt = (at: unknown) => (typeof at === 'number' ? `line ${lines[at]!.id}` : at)
  const effects = outcome.value.effects.map((effect) =>
    effect.kind === 'redeem_coupon' ? { ...effect, takenFrom: idAt(effect.takenFrom) } : effect,
  )
  const warnings = outcome.value.warnings.map(({ code, at }) => `${code} ${at.map(idAt)}`).sort()
  return { ...outcome.value, effects, warnings }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    for (const item of Object.values(value)) deepFreeze(item)
    Object.freeze(value)
  }
  return value
}

describe('for every campaign, basket and wallet', () => {
  test('there is an outcome and the input is not changed', () => {
    fc.assert(
      fc.property(stories, (story) => {
        const { definition, basket, wallet } = deepFreeze(story)
        expect(
          checkDefinition(definition, { currencyDecimals: 2, knownBalances: [], knownCampaigns: [] }),
        ).toEqual([])
        const outcome = decide({ definition, basket, wallet })
        expect(decide({ definition, basket, wallet })).toEqual(outcome)
      }),
      runs,
    )
  })

  test('movements explain every balance, versions without gaps', () => {
    fc.assert(
      fc.property(stories, (story) => {
        const outcome = decide(story)
        if (!outcome.ok) return
        const { balances, movements } = outcome.value
        for (const after of balances) {
          let { value, total, version } = story.wallet.balances.find(({ key }) => key === after.key)!
          for (const movement of movements.filter((m) => m.key === after.key)) {
            value += movement.amount
            if (movement.kind === 'collect') total += movement.amount
            version += 1
            const explains = [movement.version, movement.valueAfter, movement.totalAfter]
            const goesItsWay = movement.kind === 'collect' ? movement.amount > 0 : movement.amount < 0
            const isSound =
              goesItsWay && value >= 0 && Number.isSafeInteger(value) && Number.isSafeInteger(total)
            if (!isSound || explains.join() !== [version, value, total].join())
              expect(movement).toBeUndefined()
          }
          expect(after).toEqual({ key: after.key, value, total, version })
        }
      }),
      runs,
    )
  })

  test('lots never hold more than the value, and never less than nothing', () => {
    fc.assert(
      fc.property(stories, (story) => {
        const outcome = decide(story)
        if (!outcome.ok) return
        const lots = new Map(story.wallet.lots.map((lot) => [`${lot.key} ${lot.version}`, lot]))
        for (const lot of outcome.value.lots) lots.set(`${lot.key} ${lot.version}`, lot)
        for (const { key, value } of outcome.value.balances) {
          const held = [...lots.values()].filter((lot) => lot.key === key)
          expect(held.every((lot) => lot.remaining >= 0)).toBe(true)
          expect(held.reduce((sum, lot) => sum + lot.remaining, 0)).toBeLessThanOrEqual(value)
        }
      }),
      runs,
    )
  })

  test('every rule either has an effect or one reason', () => {
    fc.assert(
      fc.property(stories, (story) => {
        const outcome = decide(story)
        if (!outcome.ok) return
        const ran = outcome.value.effects.flatMap((e) => (e.kind === 'collect' ? [e.rule] : []))
        const skipped = outcome.value.skipped.map((s) => s.rule)
        const rules = story.definition.rules as unknown[]
        expect([...ran, ...skipped].sort()).toEqual(rules.map((_, index) => String(index + 1)).sort())
      }),
      runs,
    )
  })

  test('no limit is ever exceeded', () => {
    fc.assert(
      fc.property(stories, (story) => {
        const outcome = decide(story)
        if (!outcome.ok) return
        const rules = story.definition.rules as { limits?: Record<string, number> }[]
        for (const effect of outcome.value.effects) {
          if (effect.kind !== 'collect') continue
          const given = effect.movement.amount
          const allowed = rules[Number(effect.rule) - 1]?.limits ?? {}
          const used = story.wallet.usage.find(({ rule }) => rule === effect.rule)
          const { perTransaction, perDay, perCustomer, total } = allowed
          expect(given).toBeLessThanOrEqual(perTransaction ?? Number.POSITIVE_INFINITY)
          expect(given + (used?.day ?? 0)).toBeLessThanOrEqual(perDay ?? Number.POSITIVE_INFINITY)
          expect(given + (used?.customer ?? 0)).toBeLessThanOrEqual(perCustomer ?? Number.POSITIVE_INFINITY)
          expect(given + (used?.total ?? 0)).toBeLessThanOrEqual(total ?? Number.POSITIVE_INFINITY)
        }
      }),
      runs,
    )
  })

  test('the order of the lines does not matter', () => {
    fc.assert(
      fc.property(stories, fc.array(fc.nat(), { minLength: 6, maxLength: 6 }), (story, ranks) => {
        const rank = (id: string) => ranks[Number(id) - 1] ?? 0
        const lines = story.basket.lines.toSorted((a, b) => rank(a.id) - rank(b.id))
        // Of two units of the same price the first becomes free, so that here their order does matter.
        const coupons = isTied(story.basket) ? [] : story.basket.coupons
        const told = { ...story.basket, coupons }
        const outcome = decide({ ...story, basket: told })
        const shuffled = decide({ ...story, basket: { ...told, lines } })
        expect(withIds(shuffled, lines)).toEqual(withIds(outcome, told.lines))
      }),
      runs,
    )
  })

  test('the context is safe as JSON', () => {
    fc.assert(
      fc.property(stories, (story) => {
        const outcome = decide(story)
        if (!outcome.ok) return
        const { context } = outcome.value
        expect(JSON.parse(JSON.stringify(context))).toEqual(context)
      }),
      runs,
    )
  })
})

describe('points are never created', () => {
  const rules = [
    { id: 'all', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 },
    { id: 'latte', kind: 'points_per_amount', balance: 'points', points: 3, per: 0.7, products: ['latte'] },
    { id: 'item', kind: 'collect_per_item', balance: 'stamps', amount: 1, products: ['latte'] },
    { id: 'double', kind: 'multiply', balance: 'points', factor: 1.5 },
  ]
  const campaigns = [attach(club({ rules }))]
  const sold = fc.record({
    cents: fc.integer({ min: 0, max: 5000 }),
    millionths: fc.integer({ min: 1, max: 5_000_000 }),
    product: fc.constantFrom('latte', 'bun'),
  })
  const asLine = ({ cents, millionths, product }: { cents: number; millionths: number; product: string }) =>
    line(0, { amount: cents / 100, quantity: millionths / 1e6, product })

  test('by splitting a line in any way', () => {
    const split = fc.record({
      sold: fc.array(sold, { minLength: 1, maxLength: 4 }),
      at: fc.nat(),
      how: fc.double({ min: 0, max: 1, noNaN: true }),
      discount: optional(fc.integer({ min: 0, max: 2000 })),
    })
    fc.assert(
      fc.property(split, ({ sold: whole, at, how, discount }) => {
        const order = discount === undefined ? {} : { discountAmount: discount / 100 }
        const index = at % whole.length
        const chosen = whole[index]!
        fc.pre(chosen.millionths > 1)
        const cents = Math.floor(chosen.cents * how)
        const millionths = Math.min(chosen.millionths - 1, Math.max(1, Math.floor(chosen.millionths * how)))
        const parts = [
          { ...chosen, cents, millionths },
          { ...chosen, cents: chosen.cents - cents, millionths: chosen.millionths - millionths },
        ]
        const joined = evaluationOf({ campaigns, basket: basketOf(whole.map(asLine), order) })
        const apart = evaluationOf({
          campaigns,
          basket: basketOf(whole.toSpliced(index, 1, ...parts).map(asLine), order),
        })
        expect(collectedSum(apart)).toBe(collectedSum(joined))
        expect(collectedSum(apart, 'stamps')).toBe(collectedSum(joined, 'stamps'))
      }),
      runs,
    )
  })

  test('by splitting a basket in two', () => {
    fc.assert(
      fc.property(fc.array(sold, { maxLength: 4 }), fc.array(sold, { maxLength: 4 }), (first, second) => {
        const points = (parts: typeof first) =>
          collectedSum(evaluationOf({ campaigns, basket: basketOf(parts.map(asLine)) }))
        expect(points(first) + points(second)).toBeLessThanOrEqual(points([...first, ...second]))
      }),
      runs,
    )
  })

  test('by order discounts: exactly the fraction that BigInt computes', () => {
    const one = [attach(club({ rules: [{ ...rules[1], points: 1 }] }))]
    fc.assert(
      fc.property(
        fc.array(sold, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 20_000 }),
        (parts, cents) => {
          const sum = parts.reduce((total, part) => total + part.cents, 0)
          const latte = parts.reduce((total, part) => total + (part.product === 'latte' ? part.cents : 0), 0)
          const reduced = Math.min(cents, sum)
          const exact = sum === 0 ? 0n : (BigInt(latte) * BigInt(reduced)) / (BigInt(sum) * 70n)
          const basket = basketOf(parts.map(asLine), { discountedAmount: cents / 100 })
          expect(BigInt(collectedSum(evaluationOf({ campaigns: one, basket })))).toBe(exact)
        },
      ),
      runs,
    )
  })

  test('by a thousand baskets of 0.01: together they are worth what one of 10.00 is', () => {
    const cent = [
      attach({
        ...club({ rules: [{ ...rules[0], points: 0.01, per: 0.01 }] }),
        balances: [{ key: 'points', decimals: 2 }],
      }),
    ]
    let wallet = walletOf({ balances: [holding(0)] })
    for (let i = 0; i < 1000; i++) {
      const { balances } = evaluationOf({ campaigns: cent, basket: basketOf([line(0.01)]), wallet })
      wallet = { ...wallet, balances }
    }
    expect(wallet.balances).toMatchObject([{ value: 1000, total: 1000, version: 1000 }])
  })
})

describe('a thousand rules', () => {
  const rulesOf = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      id: `r${i}`,
      kind: 'points_per_amount',
      balance: 'points',
      points: 1,
      per: 1,
      products: [`p${i}`],
    }))
  const compiled = (count: number) =>
    compileCampaign(club({ rules: rulesOf(count) }), { currencyDecimals: 2 })
  const lines = Array.from({ length: 5 }, (_, i) => line(3, { product: `p${i}` }))

  test('on products cost a basket well under a millisecond', () => {
    const campaigns = [{ id: clubId, version: 1, status: 'published' as const, compiled: compiled(1000) }]
    const input = {
      basket: basketOf(lines),
      wallet: walletOf(),
      campaigns,
      organization: { currencyDecimals: 2, timezone: 'Europe/Athens' },
      now,
    }
    for (let i = 0; i < 200; i++) evaluate(input)
    const times = Array.from({ length: 101 }, () => {
      const start = performance.now()
      evaluate(input)
      return performance.now() - start
    }).sort((a, b) => a - b)
    expect(times[50]).toBeLessThan(1)
  })
})
