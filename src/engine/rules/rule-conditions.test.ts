import { describe, expect, test } from 'vitest'
import type { Basket } from '../../domain/basket.ts'
import type { Wallet } from '../../domain/wallet.ts'
import {
  attach,
  basketOf,
  club,
  evaluationOf,
  holding,
  line,
  skippedBecause,
  walletOf,
} from '../coffee-club.fixture.ts'

const visit = (when: Record<string, unknown>) => ({
  rules: [{ id: 'visit', kind: 'collect_per_visit', balance: 'points', amount: 1, when }],
  tiers: [
    { key: 'silver', balance: 'points', from: 100 },
    { key: 'gold', balance: 'points', from: 200 },
  ],
})

/** Why the rule was skipped, or undefined when it ran. */
const reason = (when: Record<string, unknown>, basket: Partial<Basket>, wallet?: Wallet) =>
  skippedBecause(
    evaluationOf({
      campaign: visit(when),
      basket: basketOf([line(10, { product: 'latte', category: 'coffee' })], basket),
      wallet,
    }),
  ).visit

/** Athens is two hours ahead of UTC in winter and three in summer. */
const at = (text: string) => ({ occurredAt: new Date(text) })

describe('a rule runs', () => {
  test.each([
    { rule: 'on its day', when: { days: ['tue'] }, at: '2026-03-10T08:00:00Z', skipped: undefined },
    {
      rule: 'not on another day',
      when: { days: ['wed', 'sun'] },
      at: '2026-03-10T08:00:00Z',
      skipped: 'day',
    },
    {
      rule: 'on the local day, not the day in London',
      when: { days: ['wed'] },
      at: '2026-03-10T22:30:00Z',
      skipped: undefined,
    },
    {
      rule: 'from its time on',
      when: { from: '10:00', to: '11:00' },
      at: '2026-03-10T08:00:00Z',
      skipped: undefined,
    },
    {
      rule: 'not a minute before',
      when: { from: '10:00', to: '11:00' },
      at: '2026-03-10T07:59:59Z',
      skipped: 'time',
    },
    {
      rule: 'up to the last second',
      when: { from: '10:00', to: '11:00' },
      at: '2026-03-10T08:59:59.999Z',
      skipped: undefined,
    },
    {
      rule: 'not at its end',
      when: { from: '10:00', to: '11:00' },
      at: '2026-03-10T09:00:00Z',
      skipped: 'time',
    },
    {
      rule: 'from a time to the end of the day',
      when: { from: '10:00' },
      at: '2026-03-10T21:59:00Z',
      skipped: undefined,
    },
    {
      rule: 'from the start of the day to a time',
      when: { to: '10:00' },
      at: '2026-03-09T22:00:00Z',
      skipped: undefined,
    },
    {
      rule: 'before midnight',
      when: { from: '22:00', to: '02:00' },
      at: '2026-03-10T20:00:00Z',
      skipped: undefined,
    },
    {
      rule: 'over midnight',
      when: { from: '22:00', to: '02:00' },
      at: '2026-03-10T23:59:00Z',
      skipped: undefined,
    },
    {
      rule: 'not after the night',
      when: { from: '22:00', to: '02:00' },
      at: '2026-03-11T00:00:00Z',
      skipped: 'time',
    },
    {
      rule: 'up to midnight',
      when: { from: '22:00', to: '00:00' },
      at: '2026-03-10T21:59:00Z',
      skipped: undefined,
    },
    {
      rule: 'not past midnight then',
      when: { from: '22:00', to: '00:00' },
      at: '2026-03-10T22:00:00Z',
      skipped: 'time',
    },
    {
      rule: 'through the night that started on its day',
      when: { days: ['fri'], from: '22:00', to: '02:00' },
      at: '2026-03-13T23:30:00Z',
      skipped: undefined,
    },
    {
      rule: 'not in the night that ended on its day',
      when: { days: ['fri'], from: '22:00', to: '02:00' },
      at: '2026-03-12T23:30:00Z',
      skipped: 'day',
    },
    {
      rule: 'at the wall clock’s time in summer',
      when: { from: '10:00', to: '11:00' },
      at: '2026-07-07T07:30:00Z',
      skipped: undefined,
    },
    {
      rule: 'after clocks went forward in the night',
      when: { from: '04:00', to: '05:00' },
      at: '2026-03-29T01:00:00Z',
      skipped: undefined,
    },
    {
      rule: 'never in the hour that is skipped',
      when: { from: '03:00', to: '04:00' },
      at: '2026-03-29T01:00:00Z',
      skipped: 'time',
    },
    {
      rule: 'in the first of two equal hours',
      when: { from: '03:00', to: '04:00' },
      at: '2026-10-25T00:30:00Z',
      skipped: undefined,
    },
    {
      rule: 'in the second of two equal hours',
      when: { from: '03:00', to: '04:00' },
      at: '2026-10-25T01:30:00Z',
      skipped: undefined,
    },
    {
      rule: 'from its start on',
      when: { startsAt: '2026-03-10T10:00:00+02:00' },
      at: '2026-03-10T08:00:00Z',
      skipped: undefined,
    },
    {
      rule: 'not before its start',
      when: { startsAt: '2026-03-10T08:00:01Z' },
      at: '2026-03-10T08:00:00Z',
      skipped: 'window',
    },
    {
      rule: 'not at its end',
      when: { endsAt: '2026-03-10T08:00:00Z' },
      at: '2026-03-10T08:00:00Z',
      skipped: 'window',
    },
    {
      rule: 'from a local start on',
      when: { startsAt: '2026-03-10' },
      at: '2026-03-09T22:00:00Z',
      skipped: undefined,
    },
    {
      rule: 'not before a local start',
      when: { startsAt: '2026-03-10' },
      at: '2026-03-09T21:59:00Z',
      skipped: 'window',
    },
  ])('$rule', ({ when, at: time, skipped }) => expect(reason(when, at(time))).toBe(skipped))

  const regular = walletOf({ balances: [holding(0, 150)] })
  test.each([
    { rule: 'in its branch', when: { branches: ['store-12', 'main'] }, skipped: undefined },
    { rule: 'in no other branch', when: { branches: ['store-12'] }, skipped: 'branch' },
    { rule: 'from its amount on', when: { minAmount: 10 }, skipped: undefined },
    { rule: 'not below its amount', when: { minAmount: 10.01 }, skipped: 'min_amount' },
    {
      rule: 'not when a discount takes the order below its amount',
      when: { minAmount: 10 },
      basket: { discountAmount: 0.01 },
      skipped: 'min_amount',
    },
    { rule: 'with one of its products', when: { products: ['tea', 'latte'] }, skipped: undefined },
    { rule: 'not without its product', when: { products: ['tea'] }, skipped: 'products' },
    { rule: 'with one of its categories', when: { categories: ['coffee'] }, skipped: undefined },
    { rule: 'not without its category', when: { categories: ['tea'] }, skipped: 'categories' },
    {
      rule: 'not with its product but without its category',
      when: { products: ['latte'], categories: ['tea'] },
      skipped: 'categories',
    },
    {
      rule: 'on the first basket',
      when: { firstTransaction: true },
      wallet: walletOf({ transactionCount: 0 }),
      skipped: undefined,
    },
    { rule: 'only on the first basket', when: { firstTransaction: true }, skipped: 'first_transaction' },
    {
      rule: 'not on an empty basket, which is nobody’s first',
      when: { firstTransaction: true },
      basket: { lines: [] },
      wallet: walletOf({ transactionCount: 0 }),
      skipped: 'first_transaction',
    },
    {
      rule: 'on a first basket without lines',
      when: { firstTransaction: true },
      basket: { lines: [], amount: 5 },
      wallet: walletOf({ transactionCount: 0 }),
      skipped: undefined,
    },
    {
      rule: 'only on later baskets',
      when: { firstTransaction: false },
      wallet: walletOf({ transactionCount: 0 }),
      skipped: 'first_transaction',
    },
    { rule: 'for its tier', when: { tiers: ['silver'] }, wallet: regular, skipped: undefined },
    { rule: 'not for a tier below', when: { tiers: ['gold'] }, wallet: regular, skipped: 'tier' },
    {
      rule: 'not for a tier above',
      when: { tiers: ['silver'] },
      wallet: walletOf({ balances: [holding(0, 200)] }),
      skipped: 'tier',
    },
    { rule: 'not without a tier', when: { tiers: ['silver'] }, skipped: 'tier' },
  ])('$rule', ({ when, basket = {}, wallet, skipped }) => expect(reason(when, basket, wallet)).toBe(skipped))

  test('only when all of it holds, and names the first that does not', () => {
    const when = { days: ['wed'], branches: ['store-12'], minAmount: 100 }
    expect(reason(when, {})).toBe('day')
    expect(reason({ ...when, days: ['tue'] }, {})).toBe('branch')
  })
})

describe('a campaign', () => {
  const rules = [{ id: 'visit', kind: 'collect_per_visit', balance: 'points', amount: 1 }]

  test.each([
    { rule: 'collects while it runs', startsAt: '2026-03-10T08:00:00Z', skipped: undefined },
    {
      rule: 'collects nothing before it starts',
      startsAt: '2026-03-10T08:00:01Z',
      skipped: 'campaign_window',
    },
    {
      rule: 'collects nothing after it has ended',
      endsAt: '2026-03-10T08:00:00Z',
      skipped: 'campaign_window',
    },
  ])('$rule', ({ rule: _, skipped, ...period }) => {
    const evaluation = evaluationOf({ campaign: { rules, ...period }, basket: basketOf([line(1)]) })
    expect(skippedBecause(evaluation).visit).toBe(skipped)
  })

  test('collects for a sale that happened while it ran, even when it arrives later', () => {
    const evaluation = evaluationOf({
      campaign: { rules, endsAt: '2026-03-10T08:00:01Z' },
      basket: basketOf([line(1)]),
      now: new Date('2026-03-12T08:00:00Z'),
    })
    expect(skippedBecause(evaluation)).toEqual({})
  })

  test('that is paused next to one that runs is skipped by itself', () => {
    const campaigns = [
      attach(club({ rules }), { status: 'paused' }),
      attach(club({ rules: [{ ...rules[0], id: 'other' }] }), { id: 'cmp_other' }),
    ]
    const evaluation = evaluationOf({ campaigns, basket: basketOf([line(1)]) })
    expect(evaluation.effects).toMatchObject([{ kind: 'collect', campaign: 'cmp_other', rule: 'other' }])
    expect(evaluation.skipped).toEqual([{ campaign: 'cmp_club', rule: 'visit', reason: 'paused' }])
  })
})
