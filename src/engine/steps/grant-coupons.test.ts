import { describe, expect, test } from 'vitest'
import type { Wallet } from '../../domain/wallet.ts'
import {
  attach,
  basketOf,
  club,
  clubId,
  evaluationOf,
  holding,
  line,
  walletOf,
} from '../coffee-club.fixture.ts'

const rules = [{ id: 'stamp', kind: 'collect_per_item', balance: 'stamps', amount: 1 }]
const rewards = [
  { key: 'coffee', kind: 'free_product', products: ['latte'], validDays: 30 },
  { key: 'five', name: '5 off', kind: 'amount_off', amount: 5 },
]
const stamps = (quantity: number) => basketOf([line(1, { quantity })])
const have = (value: number, total = value, parts: Partial<Wallet> = {}) =>
  walletOf({ balances: [holding(value, total, 'stamps')], ...parts })

const story = (thresholds: object[], quantity: number, wallet?: Wallet) => {
  const evaluation = evaluationOf({
    campaign: { rules, rewards, thresholds },
    basket: stamps(quantity),
    wallet,
  })
  const granted = evaluation.effects.flatMap((e) => (e.kind === 'grant_coupon' ? [e.reward.key] : []))
  const balance = evaluation.balances.find(({ key }) => key === 'stamps')!
  return { granted, value: balance.value, total: balance.total }
}

const consume = { balance: 'stamps', at: 10, grant: 'coffee', consume: true }
const reach = { balance: 'stamps', at: 10, grant: 'five' }

describe('a threshold that consumes', () => {
  test.each([
    { rule: 'waits until it is reached', quantity: 9, granted: [], value: 9 },
    { rule: 'takes what it needs', quantity: 10, granted: ['coffee'], value: 0 },
    { rule: 'grants as often as it fits', quantity: 25, granted: ['coffee', 'coffee'], value: 5 },
    { rule: 'counts what was there before', quantity: 1, wallet: have(9), granted: ['coffee'], value: 0 },
    { rule: 'leaves a balance below zero alone', quantity: 5, wallet: have(-8), granted: [], value: -3 },
  ])('$rule', ({ quantity, wallet, granted, value }) =>
    expect(story([consume], quantity, wallet)).toMatchObject({ granted, value }),
  )

  test('does not touch the total', () => expect(story([consume], 25).total).toBe(25))

  test('grants even when the basket itself collects nothing', () => {
    const evaluation = evaluationOf({
      campaign: { rewards, thresholds: [consume] },
      basket: stamps(1),
      wallet: have(12),
    })
    expect(evaluation.effects).toMatchObject([
      { kind: 'grant_coupon', movement: { kind: 'consume', amount: -10 } },
    ])
  })
})

describe('a threshold that does not consume', () => {
  test.each([
    { rule: 'grants when the total passes it', quantity: 3, wallet: have(8), granted: ['five'] },
    { rule: 'grants when the total reaches it exactly', quantity: 2, wallet: have(8), granted: ['five'] },
    {
      rule: 'grants once for each multiple passed',
      quantity: 25,
      wallet: have(8),
      granted: ['five', 'five', 'five'],
    },
    { rule: 'does not grant again before the next multiple', quantity: 5, wallet: have(12), granted: [] },
    { rule: 'looks at the total and not at the value', quantity: 1, wallet: have(0, 19), granted: ['five'] },
    { rule: 'takes nothing', quantity: 10, granted: ['five'], value: 10 },
    {
      rule: 'does not grant a multiple again whose coupon was kept',
      quantity: 10,
      wallet: have(0, 5, {
        keptMultiples: [{ campaign: clubId, key: 'stamps', at: 10, reward: 'five', multiple: 1 }],
      }),
      granted: [],
    },
    {
      rule: 'grants the multiple after that',
      quantity: 20,
      wallet: have(0, 5, {
        keptMultiples: [{ campaign: clubId, key: 'stamps', at: 10, reward: 'five', multiple: 1 }],
      }),
      granted: ['five'],
    },
  ])('$rule', ({ quantity, wallet, granted, value }) =>
    expect(story([reach], quantity, wallet)).toMatchObject(
      value === undefined ? { granted } : { granted, value },
    ),
  )
})

describe('several thresholds', () => {
  test('are looked at from the highest down', () => {
    const large = { balance: 'stamps', at: 15, grant: 'five', consume: true }
    expect(story([consume, large], 27)).toMatchObject({ granted: ['five', 'coffee'], value: 2 })
  })

  test('of several campaigns compete for a shared balance by the same rule', () => {
    const campaigns = [
      attach(club({ rules, rewards, thresholds: [consume] })),
      attach(club({ rewards, thresholds: [{ ...consume, at: 15, grant: 'five' }] }), { id: 'cmp_other' }),
    ]
    const { effects } = evaluationOf({ campaigns, basket: stamps(27) })
    expect(effects.filter((e) => e.kind === 'grant_coupon')).toMatchObject([
      { campaign: 'cmp_other', threshold: { key: 'stamps', at: 15 } },
      { campaign: clubId, threshold: { key: 'stamps', at: 10 } },
    ])
  })

  test('never make more than a thousand coupons of one basket', () => {
    const { granted, value } = story([{ ...consume, at: 1 }], 5000)
    expect(granted).toHaveLength(1000)
    expect(value).toBe(4000)
  })

  test('never make coupons of more than a megabyte of rewards, and the rest stays for the next basket', () => {
    const products = Array.from({ length: 1000 }, (_, i) => `product ${i} of a long list`)
    const { effects, balances } = evaluationOf({
      campaign: {
        rules,
        rewards: [{ key: 'any', kind: 'free_product', products }],
        thresholds: [{ ...consume, at: 1, grant: 'any' }],
      },
      basket: stamps(500),
    })
    const granted = effects.filter((effect) => effect.kind === 'grant_coupon')
    const bytes = granted.reduce((sum, { reward }) => sum + JSON.stringify(reward).length, 0)
    expect(granted.length).toBeGreaterThan(20)
    expect(bytes).toBeLessThanOrEqual(1_048_576)
    expect(balances.find(({ key }) => key === 'stamps')!.value).toBe(500 - granted.length)
  })

  test('of a paused campaign grant nothing', () => {
    const campaigns = [attach(club({ rules, rewards, thresholds: [consume] }), { status: 'paused' })]
    expect(evaluationOf({ campaigns, basket: stamps(1), wallet: have(30) }).effects).toEqual([])
  })
})

test('a granted coupon carries its reward and its expiry', () => {
  const { effects } = evaluationOf({
    campaign: { rules, rewards, thresholds: [consume, reach] },
    basket: stamps(10),
  })
  expect(effects.slice(1)).toEqual([
    {
      kind: 'grant_coupon',
      campaign: clubId,
      reward: { key: 'coffee', name: 'coffee', kind: 'free_product', products: ['latte'] },
      expiresAt: new Date('2026-04-09T08:00:00Z'),
      movement: { key: 'stamps', version: 2, kind: 'consume', amount: -10, valueAfter: 0, totalAfter: 10 },
      threshold: { key: 'stamps', at: 10 },
    },
    {
      kind: 'grant_coupon',
      campaign: clubId,
      reward: { key: 'five', name: '5 off', kind: 'amount_off', amount: 5 },
      threshold: { key: 'stamps', at: 10 },
    },
  ])
})

describe('progress', () => {
  test.each([
    { rule: 'counts the value toward a threshold that consumes', threshold: consume, quantity: 13, have: 3 },
    { rule: 'counts the total toward the next multiple', threshold: reach, quantity: 23, have: 3 },
    { rule: 'starts at nothing', threshold: reach, quantity: 10, have: 0 },
  ])('$rule', ({ threshold, quantity, have: units }) => {
    const campaign = { rules, rewards, thresholds: [threshold] }
    expect(evaluationOf({ campaign, basket: stamps(quantity) }).progress).toEqual([
      { key: 'stamps', have: units, need: 10, reward: threshold.grant },
    ])
  })
})
