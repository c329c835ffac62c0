import { describe, expect, test } from 'vitest'
import { club } from '../coffee-club.fixture.ts'
import { CampaignDefinition } from './campaign-definition.ts'
import { checkDefinition } from './check-definition.ts'
import { compileCampaign } from './compile-campaign.ts'
import type { DefinitionContext } from './definition-problem.ts'

const context: DefinitionContext = {
  currencyDecimals: 2,
  knownBalances: [{ key: 'miles', decimals: 2 }],
  knownCampaigns: ['cmp_self', 'cmp_other'],
  self: 'cmp_self',
}
const problemsOf = (definition: unknown) =>
  checkDefinition(definition, context).map(({ kind, place }) => `${kind} ${place}`)

const base = { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }
const visit = { id: 'visit', kind: 'collect_per_visit', balance: 'points', amount: 5 }
const double = { id: 'double', kind: 'multiply', balance: 'points', factor: 2 }
const five = { key: 'five', name: '5 off', kind: 'amount_off', amount: 5 }
const percent = { key: 'ten', kind: 'percent_off', percent: 10 }
const rule = (parts: object) => club({ rules: [{ ...base, ...parts }] })
const when = (parts: object) => rule({ when: parts })
const threshold = (parts: object) =>
  club({ rewards: [five], thresholds: [{ balance: 'points', at: 10, grant: 'five', ...parts }] })
const spend = (parts: object) => club({ spend: { balance: 'points', worth: 0.01, ...parts } })
const balance = (parts: object) => ({ name: 'Club', balances: [{ key: 'points', ...parts }] })
const tiers = (...froms: number[]) =>
  club({ tiers: froms.map((from, index) => ({ key: `t${index}`, balance: 'points', from })) })

/** The example from the API documentation, word for word. */
const example = {
  name: 'Coffee club',
  balances: [
    { key: 'points', name: 'Points', decimals: 0 },
    { key: 'stamps', name: 'Stamps' },
  ],
  rules: [
    { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 },
    {
      id: 'coffee',
      kind: 'collect_per_item',
      balance: 'stamps',
      amount: 1,
      products: ['latte', 'flat-white'],
    },
    {
      id: 'visit',
      kind: 'collect_per_visit',
      balance: 'points',
      amount: 5,
      when: { days: ['tue'], from: '08:00', to: '11:00' },
    },
    { id: 'double', kind: 'multiply', balance: 'points', factor: 2, when: { branches: ['store-12'] } },
  ],
  rewards: [
    { key: 'free-coffee', name: 'Free coffee', kind: 'free_product', products: ['latte'], validDays: 30 },
    { key: 'five-off', name: '5 off', kind: 'amount_off', amount: 5 },
    { key: 'ten-percent', name: '10 % off', kind: 'percent_off', percent: 10, maxAmount: 20 },
  ],
  thresholds: [
    { balance: 'stamps', at: 10, grant: 'free-coffee', consume: true },
    { balance: 'points', at: 500, grant: 'five-off' },
  ],
  spend: { balance: 'points', worth: 0.01, min: 100, maxShare: 0.5 },
}

describe('a definition is accepted', () => {
  test.each<{ rule: string; definition: unknown }>([
    { rule: 'as the interface shows it', definition: example },
    { rule: 'with a name and balances only', definition: { name: 'Club', balances: [{ key: 'points' }] } },
    { rule: 'with everything at once', definition: { ...example, ...everything() } },
    {
      rule: 'with a thousand rules',
      definition: club({ rules: Array.from({ length: 1000 }, (_, i) => ({ ...base, id: `r${i}` })) }),
    },
    {
      rule: 'with rules that have no id',
      definition: club({ rules: [{ ...base, id: undefined }, visit].map(({ id: _, ...r }) => r) }),
    },
    { rule: 'over midnight', definition: when({ from: '22:00', to: '02:00' }) },
    {
      rule: 'with the decimals an existing balance has',
      definition: { name: 'C', balances: [{ key: 'miles', decimals: 2 }] },
    },
    {
      rule: 'with fractions of points where the balance has decimals',
      definition: { ...balance({ decimals: 2 }), rules: [{ ...base, points: 0.25 }] },
    },
    { rule: 'with a share of nothing and of everything', definition: spend({ maxShare: 1, min: 0 }) },
    { rule: 'with a name in any script', definition: club({ name: 'Καφές ☕ 😀' }) },
  ])('$rule', ({ definition }) => expect(problemsOf(definition)).toEqual([]))

  function everything() {
    return {
      balances: [
        { key: 'points', expires: { after: 'P12M', endOf: 'month' } },
        { key: 'stamps', expires: { inactivity: 'P6M' } },
      ],
      tiers: [
        { key: 'silver', name: 'Silver', balance: 'points', from: 0 },
        { key: 'gold', balance: 'points', from: 500 },
      ],
      rules: [
        {
          ...base,
          categories: ['coffee'],
          limits: { perTransaction: 10, perDay: 20, perCustomer: 100, total: 10_000 },
          when: {
            days: ['mon', 'sun'],
            from: '08:00',
            to: '20:00',
            startsAt: '2026-01-01T00:00:00Z',
            endsAt: '2027-01-01T00:00:00Z',
            branches: ['main'],
            minAmount: 5.5,
            products: ['latte'],
            categories: ['coffee'],
            firstTransaction: true,
            tiers: ['gold'],
          },
        },
      ],
      spend: { balance: 'points', worth: 0.005, min: 100, maxShare: 0.5, earns: true },
      runsOn: ['cmp_other'],
      startsAt: '2026-01-01',
      endsAt: '2027-01-01',
      onInsufficientBalance: 'negative',
    }
  }
})

describe('a definition of the wrong shape', () => {
  test.each<{ rule: string; definition: unknown; problems: string[] }>([
    { rule: 'is no object', definition: 5, problems: ['syntax '] },
    { rule: 'is null', definition: null, problems: ['syntax '] },
    { rule: 'is a list', definition: [], problems: ['syntax '] },
    { rule: 'misses what is required', definition: {}, problems: ['syntax name', 'syntax balances'] },
    { rule: 'has an unknown property', definition: club({ colour: 'red' }), problems: ['syntax colour'] },
    {
      rule: 'has an unknown property far inside',
      definition: when({ day: 'mon' }),
      problems: ['syntax rules[0].when.day'],
    },
    {
      rule: 'has a property of another kind of rule',
      definition: rule({ factor: 2 }),
      problems: ['syntax rules[0].factor'],
    },
    {
      rule: 'has a property that only looks like one',
      definition: JSON.parse('{"name":"C","balances":[],"__proto__":1}'),
      problems: ['syntax __proto__'],
    },
    { rule: 'has a number as text', definition: rule({ points: '1' }), problems: ['syntax rules[0].points'] },
    { rule: 'has null', definition: rule({ per: null }), problems: ['syntax rules[0].per'] },
    {
      rule: 'has infinity',
      definition: rule({ per: Number.POSITIVE_INFINITY }),
      problems: ['syntax rules[0].per'],
    },
    {
      rule: 'has a rule without its amount',
      definition: club({ rules: [{ ...visit, amount: undefined }] }),
      problems: ['syntax rules[0].amount'],
    },
    {
      rule: 'has a rule that is no object',
      definition: club({ rules: [base, 'double'] }),
      problems: ['syntax rules[1]'],
    },
    {
      rule: 'has a rule without a kind',
      definition: club({ rules: [{ id: 'x' }] }),
      problems: ['syntax rules[0].kind'],
    },
    { rule: 'has rules that are no list', definition: club({ rules: base }), problems: ['syntax rules'] },
    {
      rule: 'has a reward of the wrong shape',
      definition: club({ rewards: [{ ...five, amount: '5' }] }),
      problems: ['syntax rewards[0].amount'],
    },
    {
      rule: 'has a day that is no text',
      definition: when({ days: [1] }),
      problems: ['syntax rules[0].when.days[0]'],
    },
  ])('$rule', ({ definition, problems }) => expect(problemsOf(definition)).toEqual(problems))
})

describe('a definition makes no sense', () => {
  test.each<{ rule: string; definition: unknown; place: string }>([
    { rule: 'with an empty name', definition: club({ name: '' }), place: 'name' },
    { rule: 'with an endless name', definition: club({ name: 'x'.repeat(201) }), place: 'name' },
    { rule: 'with a name that is no text', definition: club({ name: 'a\u0000b' }), place: 'name' },
    { rule: 'with half a character', definition: club({ name: 'a\ud800b' }), place: 'name' },
    {
      rule: 'with doubled balance keys',
      definition: club({ balances: [{ key: 'a' }, { key: 'a' }] }),
      place: 'balances[1].key',
    },
    {
      rule: 'with a key that is no word',
      definition: balance({ key: 'my points' }),
      place: 'balances[0].key',
    },
    {
      rule: 'with a key that objects have',
      definition: balance({ key: 'constructor' }),
      place: 'balances[0].key',
    },
    { rule: 'with an empty key', definition: balance({ key: '' }), place: 'balances[0].key' },
    {
      rule: 'with decimals below zero',
      definition: balance({ decimals: -1 }),
      place: 'balances[0].decimals',
    },
    { rule: 'with half a decimal', definition: balance({ decimals: 1.5 }), place: 'balances[0].decimals' },
    { rule: 'with too many decimals', definition: balance({ decimals: 7 }), place: 'balances[0].decimals' },
    {
      rule: 'with other decimals for a key that exists',
      definition: balance({ key: 'miles', decimals: 1 }),
      place: 'balances[0].decimals',
    },
    {
      rule: 'with no decimals for a key that has some',
      definition: balance({ key: 'miles' }),
      place: 'balances[0].decimals',
    },
    {
      rule: 'with an expiry that says nothing',
      definition: balance({ expires: {} }),
      place: 'balances[0].expires',
    },
    {
      rule: 'with an expiry that says two things',
      definition: balance({ expires: { after: 'P1M', inactivity: 'P1M' } }),
      place: 'balances[0].expires',
    },
    {
      rule: 'with a duration that is none',
      definition: balance({ expires: { after: '12 months' } }),
      place: 'balances[0].expires.after',
    },
    {
      rule: 'with a duration of nothing',
      definition: balance({ expires: { inactivity: 'P0D' } }),
      place: 'balances[0].expires.inactivity',
    },
    {
      rule: 'with an unknown end',
      definition: balance({ expires: { after: 'P1M', endOf: 'week' } }),
      place: 'balances[0].expires.endOf',
    },
    {
      rule: 'with an end and nothing to round',
      definition: balance({ expires: { inactivity: 'P1M', endOf: 'month' } }),
      place: 'balances[0].expires.endOf',
    },
    {
      rule: 'with a rule of an unknown kind',
      definition: rule({ kind: 'give_all' }),
      place: 'rules[0].kind',
    },
    {
      rule: 'with a rule on an unknown balance',
      definition: rule({ balance: 'nope' }),
      place: 'rules[0].balance',
    },
    {
      rule: 'with doubled rule ids',
      definition: club({ rules: [base, { ...visit, id: 'base' }] }),
      place: 'rules[1].id',
    },
    {
      rule: 'with an id that is the position of another',
      definition: club({
        rules: [
          { ...base, id: '2' },
          { ...visit, id: undefined },
        ].map(({ id, ...r }) => (id ? { id, ...r } : r)),
      }),
      place: 'rules[1].id',
    },
    { rule: 'per nothing', definition: rule({ per: 0 }), place: 'rules[0].per' },
    { rule: 'per less than nothing', definition: rule({ per: -1 }), place: 'rules[0].per' },
    { rule: 'per less than a cent', definition: rule({ per: 0.001 }), place: 'rules[0].per' },
    { rule: 'per more than there is', definition: rule({ per: 1e11 }), place: 'rules[0].per' },
    { rule: 'with negative points', definition: rule({ points: -1 }), place: 'rules[0].points' },
    { rule: 'with no points', definition: rule({ points: 0 }), place: 'rules[0].points' },
    { rule: 'with half a point', definition: rule({ points: 0.5 }), place: 'rules[0].points' },
    { rule: 'with points beyond all bounds', definition: rule({ points: 1e16 }), place: 'rules[0].points' },
    {
      rule: 'with points that could overflow a balance',
      definition: rule({ points: 1e9, per: 0.01 }),
      place: 'rules[0]',
    },
    {
      rule: 'with negative stamps',
      definition: club({ rules: [{ ...visit, amount: -5 }] }),
      place: 'rules[0].amount',
    },
    { rule: 'with no products to look for', definition: rule({ products: [] }), place: 'rules[0].products' },
    {
      rule: 'with a product without a name',
      definition: rule({ products: [''] }),
      place: 'rules[0].products[0]',
    },
    {
      rule: 'with a factor below one',
      definition: club({ rules: [base, { ...double, factor: 0.5 }] }),
      place: 'rules[1].factor',
    },
    {
      rule: 'with a factor of zero',
      definition: club({ rules: [base, { ...double, factor: 0 }] }),
      place: 'rules[1].factor',
    },
    {
      rule: 'with a negative factor',
      definition: club({ rules: [base, { ...double, factor: -2 }] }),
      place: 'rules[1].factor',
    },
    {
      rule: 'with a factor beyond bounds',
      definition: club({ rules: [base, { ...double, factor: 1001 }] }),
      place: 'rules[1].factor',
    },
    {
      rule: 'with a factor too fine',
      definition: club({ rules: [base, { ...double, factor: 1.00001 }] }),
      place: 'rules[1].factor',
    },
    {
      rule: 'with an impossible hour',
      definition: when({ from: '25:00', to: '26:00' }),
      place: 'rules[0].when.from',
    },
    {
      rule: 'with an impossible minute',
      definition: when({ from: '08:00', to: '09:75' }),
      place: 'rules[0].when.to',
    },
    {
      rule: 'with a window that never opens',
      definition: when({ from: '08:00', to: '08:00' }),
      place: 'rules[0].when.to',
    },
    {
      rule: 'with a window up to the start of the day',
      definition: when({ to: '00:00' }),
      place: 'rules[0].when.to',
    },
    { rule: 'with an unknown day', definition: when({ days: ['tuesday'] }), place: 'rules[0].when.days[0]' },
    { rule: 'with no day', definition: when({ days: [] }), place: 'rules[0].when.days' },
    { rule: 'with a day twice', definition: when({ days: ['mon', 'mon'] }), place: 'rules[0].when.days' },
    {
      rule: 'with a start that is no time',
      definition: when({ startsAt: 'soon' }),
      place: 'rules[0].when.startsAt',
    },
    {
      rule: 'with an end before the start',
      definition: when({ startsAt: '2026-02-01T00:00:00Z', endsAt: '2026-01-01T00:00:00Z' }),
      place: 'rules[0].when.endsAt',
    },
    {
      rule: 'with a start that is the end',
      definition: when({ startsAt: '2026-02-01T00:00:00Z', endsAt: '2026-02-01T01:00:00+01:00' }),
      place: 'rules[0].when.endsAt',
    },
    {
      rule: 'with two ways of writing time',
      definition: when({ startsAt: '2026-01-01', endsAt: '2026-02-01T00:00:00Z' }),
      place: 'rules[0].when.endsAt',
    },
    {
      rule: 'with a negative minimum',
      definition: when({ minAmount: -1 }),
      place: 'rules[0].when.minAmount',
    },
    { rule: 'with an unknown tier', definition: when({ tiers: ['gold'] }), place: 'rules[0].when.tiers[0]' },
    {
      rule: 'with a limit of nothing',
      definition: rule({ limits: { perDay: 0 } }),
      place: 'rules[0].limits.perDay',
    },
    {
      rule: 'with a limit of half a point',
      definition: rule({ limits: { total: 10.5 } }),
      place: 'rules[0].limits.total',
    },
    {
      rule: 'with a reward of an unknown kind',
      definition: club({ rewards: [{ key: 'x', kind: 'cash' }] }),
      place: 'rewards[0].kind',
    },
    {
      rule: 'with doubled reward keys',
      definition: club({ rewards: [five, five] }),
      place: 'rewards[1].key',
    },
    {
      rule: 'with nothing off',
      definition: club({ rewards: [{ ...five, amount: 0 }] }),
      place: 'rewards[0].amount',
    },
    {
      rule: 'with less than a cent off',
      definition: club({ rewards: [{ ...five, amount: 0.005 }] }),
      place: 'rewards[0].amount',
    },
    {
      rule: 'with more than all off',
      definition: club({ rewards: [{ ...percent, percent: 101 }] }),
      place: 'rewards[0].percent',
    },
    {
      rule: 'with less than nothing off',
      definition: club({ rewards: [{ ...percent, percent: -1 }] }),
      place: 'rewards[0].percent',
    },
    {
      rule: 'with coupons that are never valid',
      definition: club({ rewards: [{ ...five, validDays: 0 }] }),
      place: 'rewards[0].validDays',
    },
    {
      rule: 'with free products that do not exist',
      definition: club({ rewards: [{ key: 'f', kind: 'free_product', products: [] }] }),
      place: 'rewards[0].products',
    },
    {
      rule: 'with a threshold on an unknown balance',
      definition: threshold({ balance: 'nope' }),
      place: 'thresholds[0].balance',
    },
    {
      rule: 'with a threshold for an unknown reward',
      definition: threshold({ grant: 'nope' }),
      place: 'thresholds[0].grant',
    },
    { rule: 'with a threshold at nothing', definition: threshold({ at: 0 }), place: 'thresholds[0].at' },
    {
      rule: 'with a threshold at half a stamp',
      definition: threshold({ at: 0.5 }),
      place: 'thresholds[0].at',
    },
    {
      rule: 'with spending from an unknown balance',
      definition: spend({ balance: 'nope' }),
      place: 'spend.balance',
    },
    { rule: 'with points worth nothing', definition: spend({ worth: 0 }), place: 'spend.worth' },
    { rule: 'with a share above all', definition: spend({ maxShare: 1.1 }), place: 'spend.maxShare' },
    { rule: 'with a share below nothing', definition: spend({ maxShare: -0.1 }), place: 'spend.maxShare' },
    { rule: 'with a least below nothing', definition: spend({ min: -1 }), place: 'spend.min' },
    { rule: 'with tiers out of order', definition: tiers(100, 50), place: 'tiers[1].from' },
    { rule: 'with two tiers at one place', definition: tiers(100, 100), place: 'tiers[1].from' },
    { rule: 'with a tier below nothing', definition: tiers(-1), place: 'tiers[0].from' },
    {
      rule: 'with a tier on an unknown balance',
      definition: club({ tiers: [{ key: 'a', balance: 'nope', from: 1 }] }),
      place: 'tiers[0].balance',
    },
    {
      rule: 'with doubled tiers',
      definition: club({
        tiers: [
          { key: 'a', balance: 'points', from: 1 },
          { key: 'a', balance: 'points', from: 2 },
        ],
      }),
      place: 'tiers[1].key',
    },
    { rule: 'on an unknown campaign', definition: club({ runsOn: ['cmp_nope'] }), place: 'runsOn[0]' },
    { rule: 'on itself', definition: club({ runsOn: ['cmp_self'] }), place: 'runsOn[0]' },
    {
      rule: 'twice on another',
      definition: club({ runsOn: ['cmp_other', 'cmp_other'] }),
      place: 'runsOn[1]',
    },
    {
      rule: 'ended before it started',
      definition: club({ startsAt: '2026-02-01T00:00:00Z', endsAt: '2026-01-01T00:00:00Z' }),
      place: 'endsAt',
    },
    {
      rule: 'starting on a day that does not exist',
      definition: club({ startsAt: '2026-02-30T00:00:00Z' }),
      place: 'startsAt',
    },
    {
      rule: 'with an unknown policy',
      definition: club({ onInsufficientBalance: 'ignore' }),
      place: 'onInsufficientBalance',
    },
    {
      rule: 'with more rules than fit',
      definition: club({ rules: Array.from({ length: 1001 }, (_, i) => ({ ...base, id: `r${i}` })) }),
      place: 'rules',
    },
  ])('$rule', ({ definition, place }) => expect(problemsOf(definition)).toContain(`semantics ${place}`))

  test('with several problems names them all, those of shape alone when there are any', () => {
    expect(
      problemsOf(
        club({
          rules: [
            { ...base, balance: 'nope', per: 0 },
            { ...visit, id: 'base' },
          ],
        }),
      ),
    ).toEqual(['semantics rules[0].per', 'semantics rules[0].balance', 'semantics rules[1].id'])
    expect(problemsOf(club({ colour: 1, rules: [{ ...base, per: 0 }] }))).toEqual([
      'syntax colour',
      'semantics rules[0].per',
    ])
  })

  test('with a limit that keeps large points in bounds does', () => {
    expect(problemsOf(rule({ points: 1e9, per: 0.01, limits: { perTransaction: 1e9 } }))).toEqual([])
  })

  test('however deep it is nested', () => {
    let deep: unknown = 'x'
    for (let i = 0; i < 100_000; i++) deep = [deep]
    expect(problemsOf(club({ rules: [{ kind: 'nope', deep }], other: deep }))).toContain('syntax other')
    expect(problemsOf(club({ rules: [{ kind: 'nope', deep }] }))).toEqual(['semantics rules[0].kind'])
    expect(problemsOf(club({ rules: [{ ...base, products: deep }] }))).toContain(
      'syntax rules[0].products[0]',
    )
  })
})

test('a thousand rules are checked and compiled in less than a second of a processor', () => {
  const definition = club({
    rules: Array.from({ length: 1000 }, (_, i) => ({
      ...base,
      id: `r${i}`,
      products: [`p${i}`],
      when: { days: ['mon'] },
    })),
  })
  const start = process.cpuUsage()
  expect(problemsOf(definition)).toEqual([])
  expect(compileCampaign(definition, { currencyDecimals: 2 }).rules).toHaveLength(1000)
  const { user, system } = process.cpuUsage(start)
  expect(user + system).toBeLessThan(1_000_000)
})

test('the schema says what a form needs to know', () => {
  const schema = JSON.parse(JSON.stringify(CampaignDefinition))
  const [pointsPerAmount] = schema.properties.rules.items.anyOf
  expect(pointsPerAmount).toMatchObject({
    title: 'Points for money',
    required: ['kind', 'balance', 'points', 'per'],
    properties: { points: { title: 'Points', type: 'number', exclusiveMinimum: 0, 'x-unit': 'balance' } },
  })
})
