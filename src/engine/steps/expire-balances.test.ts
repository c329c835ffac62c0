import { describe, expect, test } from 'vitest'
import type { Lot } from '../../domain/lot.ts'
import {
  athens,
  attach,
  basketOf,
  club,
  evaluationOf,
  holding,
  line,
  refusalOf,
  tuesdayMorning,
  walletOf,
} from '../coffee-club.fixture.ts'
import { evaluate } from '../evaluate.ts'
import { expireBalances, inactiveAt, inactivityOf } from './expire-balances.ts'

const spend = { balance: 'points', worth: 0.01 }
const inDays = (days: number) => new Date(tuesdayMorning.getTime() + days * 86_400_000)
const lot = (version: number, remaining: number, days: number): Lot => ({
  key: 'points',
  version,
  remaining,
  expiresAt: inDays(days),
})
const pay = (points: number) => basketOf([line(10)], { pointsToSpend: points })

describe('spending', () => {
  test('takes what expires first, and what never expires last', () => {
    const wallet = walletOf({ balances: [holding(100)], lots: [lot(1, 30, 20), lot(2, 20, 10)] })
    const evaluation = evaluationOf({ campaign: { spend }, wallet, basket: pay(60) })
    expect(evaluation.lots).toEqual([lot(2, 0, 10), lot(1, 0, 20)])
    expect(evaluation.context.spentFrom).toEqual([
      ['points', 2, 20, inDays(10).getTime()],
      ['points', 1, 30, inDays(20).getTime()],
    ])
  })

  test('leaves the rest of a lot where it is', () => {
    const wallet = walletOf({ balances: [holding(50)], lots: [lot(1, 30, 20), lot(2, 20, 10)] })
    expect(evaluationOf({ campaign: { spend }, wallet, basket: pay(25) }).lots).toEqual([
      lot(2, 0, 10),
      lot(1, 25, 20),
    ])
  })

  test('takes the older of two lots that expire together', () => {
    const wallet = walletOf({ balances: [holding(50)], lots: [lot(7, 20, 10), lot(3, 30, 10)] })
    expect(evaluationOf({ campaign: { spend }, wallet, basket: pay(30) }).lots).toEqual([lot(3, 0, 10)])
  })
})

describe('what has expired', () => {
  const wallet = walletOf({ balances: [holding(50)], lots: [lot(1, 30, 0), lot(2, 20, 1)] })

  test('is booked before anything else, and the total stays', () => {
    const evaluation = evaluationOf({ campaign: { spend }, wallet, basket: pay(20) })
    expect(evaluation.movements).toMatchObject([
      { version: 2, kind: 'expire', amount: -30, valueAfter: 20, totalAfter: 50 },
      { version: 3, kind: 'spend', amount: -20, valueAfter: 0, totalAfter: 50 },
    ])
    expect(evaluation.effects).toHaveLength(1)
    expect(evaluation.context.balances).toEqual([['points', 20, 50]])
  })

  test('cannot be spent', () => {
    expect(refusalOf({ campaign: { spend }, wallet, basket: pay(21) })).toBe('insufficient_points')
  })

  test('is found without a basket too', () => {
    const expiry = expireBalances(wallet, [], tuesdayMorning, 'Europe/Athens')
    expect(expiry.movements).toMatchObject([{ kind: 'expire', amount: -30 }])
    expect(expiry.lots).toEqual([{ ...lot(1, 0, 0), expired: 30 }])
    expect(expireBalances(wallet, [], inDays(-1), 'Europe/Athens').movements).toEqual([])
  })
})

describe('collecting opens a lot', () => {
  const collecting = (expires: object) => ({
    ...club({ rules: [{ id: 'visit', kind: 'collect_per_visit', balance: 'points', amount: 5 }] }),
    balances: [{ key: 'points', expires }],
  })

  test.each([
    { rule: 'after a duration', expires: { after: 'P12M' }, expiresAt: '2027-03-10T08:00:00Z' },
    {
      rule: 'on the wall clock, across the change to summer time',
      expires: { after: 'P1M' },
      expiresAt: '2026-04-10T07:00:00Z',
    },
    {
      rule: 'at the end of the local month',
      expires: { after: 'P12M', endOf: 'month' },
      expiresAt: '2027-03-31T21:00:00Z',
    },
    {
      rule: 'at the end of the local day',
      expires: { after: 'P1D', endOf: 'day' },
      expiresAt: '2026-03-11T22:00:00Z',
    },
    {
      rule: 'at the end of the year',
      expires: { after: 'P1Y', endOf: 'year' },
      expiresAt: '2027-12-31T22:00:00Z',
    },
    { rule: 'after hours', expires: { after: 'PT36H' }, expiresAt: '2026-03-11T20:00:00Z' },
  ])('that expires $rule', ({ expires, expiresAt }) => {
    const evaluation = evaluationOf({ campaigns: [attach(collecting(expires))], basket: basketOf([line(1)]) })
    expect(evaluation.lots).toEqual([
      { key: 'points', version: 1, remaining: 5, expiresAt: new Date(expiresAt) },
    ])
  })

  test('only for the campaign whose balance expires', () => {
    const campaigns = [
      attach(club({ rules: [{ id: 'a', kind: 'collect_per_visit', balance: 'points', amount: 1 }] })),
      attach(collecting({ after: 'P1D' }), { id: 'cmp_other' }),
    ]
    const evaluation = evaluationOf({ campaigns, basket: basketOf([line(1)]) })
    expect(evaluation.lots).toMatchObject([{ version: 2, remaining: 5 }])
  })

  test('of what is left when it fills up a balance below zero', () => {
    const wallet = walletOf({ balances: [{ key: 'points', value: -3, total: 0, version: 4 }] })
    const evaluation = evaluationOf({
      campaigns: [attach(collecting({ after: 'P1D' }))],
      basket: basketOf([line(1)]),
      wallet,
    })
    expect(evaluation.lots).toMatchObject([{ version: 5, remaining: 2 }])
  })

  test('that thresholds consume from, soonest first', () => {
    const definition = {
      ...collecting({ after: 'P1M' }),
      rewards: [{ key: 'five', kind: 'amount_off', amount: 5 }],
      thresholds: [{ balance: 'points', at: 12, grant: 'five', consume: true }],
    }
    const wallet = walletOf({ balances: [holding(10)], lots: [lot(1, 10, 40)] })
    const evaluation = evaluationOf({ campaigns: [attach(definition)], basket: basketOf([line(1)]), wallet })
    expect(evaluation.lots).toEqual([lot(1, 3, 40)])
    expect(evaluation.origins).toMatchObject([{ key: 'points', at: 12, consumed: { units: 12, settled: 0 } }])
    expect(evaluation.origins[0]!.consumed!.from.map(([, version, units]) => [version, units])).toEqual([
      [2, 5],
      [1, 7],
    ])
  })
})

describe('inactivity', () => {
  const definition = { ...club({ spend }), balances: [{ key: 'points', expires: { inactivity: 'P6M' } }] }
  const wallet = (lastActivityAt: string) =>
    walletOf({ balances: [holding(50)], lots: [lot(1, 20, 300)], lastActivityAt: new Date(lastActivityAt) })

  test('takes the whole balance after so long', () => {
    const evaluation = evaluationOf({
      campaigns: [attach(definition)],
      basket: pay(0),
      wallet: wallet('2025-09-10T07:00:00Z'),
    })
    expect(evaluation.movements).toMatchObject([
      { kind: 'expire', amount: -50, valueAfter: 0, totalAfter: 50 },
    ])
    expect(evaluation.lots).toEqual([{ ...lot(1, 0, 300), expired: 20 }])
  })

  test('takes nothing before that', () => {
    const story = { campaigns: [attach(definition)], basket: pay(50), wallet: wallet('2025-09-10T07:00:01Z') }
    expect(evaluationOf(story).pointsSpent).toBe(50)
  })

  test('asks all campaigns that share the balance, also those that are not on the card', () => {
    const wallet = walletOf({ balances: [holding(50)], lastActivityAt: new Date('2025-09-10T07:00:00Z') })
    const other = attach({ ...club(), balances: [{ key: 'points', expires: { inactivity: 'P7M' } }] })
    const own = attach(definition)
    const story = { basket: pay(50), wallet, campaigns: [own], organization: athens, now: tuesdayMorning }
    const inactivity = inactivityOf([own, other])
    expect(evaluate(story)).toMatchObject({ ok: false, refusal: { code: 'insufficient_points' } })
    expect(evaluate({ ...story, inactivity })).toMatchObject({ ok: true, value: { pointsSpent: 50 } })
    const inTime = expireBalances(wallet, inactivity, tuesdayMorning, athens.timezone)
    expect(inTime.movements).toEqual([])
  })

  describe('of archived campaigns counts', () => {
    const lasting = (inactivity: string, status: 'published' | 'paused' | 'archived', key = 'points') => ({
      ...attach({ name: 'Club', balances: [{ key, expires: { inactivity } }] }),
      status,
    })
    const longest = (...campaigns: ReturnType<typeof lasting>[]) =>
      inactiveAt('points', new Date('2026-01-10T10:00:00Z'), inactivityOf(campaigns), 'UTC')?.toISOString()

    test.each([
      ['if there is no other', [lasting('P1Y', 'archived')], '2027-01-10'],
      [
        'if there are only archived ones, the longest',
        [lasting('P1M', 'archived'), lasting('P1Y', 'archived')],
        '2027-01-10',
      ],
      ['not beside a published one', [lasting('P1Y', 'archived'), lasting('P1M', 'published')], '2026-02-10'],
      ['not beside a paused one', [lasting('P1M', 'paused'), lasting('P1Y', 'archived')], '2026-02-10'],
      [
        'beside one for another balance',
        [lasting('P1Y', 'archived'), lasting('P1M', 'published', 'stamps')],
        '2027-01-10',
      ],
    ])('%s', (_name, campaigns, day) => {
      expect(longest(...campaigns)).toBe(`${day}T10:00:00.000Z`)
    })

    test('beside one that declares the balance without inactivity', () => {
      const plain = attach({ name: 'Club', balances: [{ key: 'points' }] })
      expect(inactivityOf([plain, lasting('P1Y', 'archived')])).toHaveLength(1)
    })
  })
})
