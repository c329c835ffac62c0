import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { campaignTemplatesIn } from '../../src/operations/campaigns/campaign-templates.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

interface Schema {
  type?: string
  title?: string
  description?: string
  const?: unknown
  enum?: string[]
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  'x-labels'?: Record<string, string>
  'x-names'?: string
  'x-sentence'?: string
}
interface Kind {
  kind: string
  title: string
  description: string
  schema: Schema
}

let service: TestService
let merchant: Merchant
let schemas: Record<string, Schema> & { rules: Kind[]; reward: Kind[] }

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  schemas = (await merchant.call('GET', '/v1/rule-schemas')).body
})
afterAll(() => service.close())

const single = ['when', 'limits', 'threshold', 'tier', 'spend', 'balance', 'campaign'] as const

/** Every member of a schema, with the way to it. */
function membersOf(schema: Schema, place: string): [string, Schema][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    [`${place}.${name}`, member],
    ...membersOf(member, `${place}.${name}`),
  ])
}

function everyField(): [string, Schema][] {
  const kinds = [...schemas.rules, ...schemas.reward]
  return [
    ...kinds.flatMap(({ kind, schema }) => membersOf(schema, kind)),
    ...single.flatMap((name) => membersOf(schemas[name]!, name)),
  ]
}

test('there is one for every kind of rule and reward, and for each other part of a campaign', () => {
  expect(Object.keys(schemas).sort()).toEqual([...single, 'rules', 'reward'].sort())
  expect(schemas.rules.map(({ kind }) => kind)).toEqual([
    'points_per_amount',
    'collect_per_item',
    'collect_per_visit',
    'multiply',
  ])
  expect(schemas.reward.map(({ kind }) => kind)).toEqual(['free_product', 'amount_off', 'percent_off'])
  for (const { kind, title, description, schema } of [...schemas.rules, ...schemas.reward]) {
    expect([kind, title.length > 3, description.length > 10]).toEqual([kind, true, true])
    expect(schema.properties!.kind).toMatchObject({ const: kind })
  }
})

test('every member has a title and a description for people, and every choice a label', () => {
  const members = everyField()
  expect(members.length).toBeGreaterThan(50)
  const bare = members.filter(
    ([, member]) => member.const === undefined && !(member.title && member.description),
  )
  expect(bare.map(([place]) => place)).toEqual([])
  const choices = members.flatMap(([place, member]) => {
    const choice = member.enum ? member : member.items?.enum ? member.items : undefined
    return choice ? [{ place, choice }] : []
  })
  expect(choices.length).toBe(3)
  for (const { place, choice } of choices) {
    expect([place, Object.keys(choice['x-labels'] ?? {})]).toEqual([place, choice.enum])
  }
})

test('a sentence names members that its object always has, and yes and no are called both', () => {
  const objects = [
    ...[...schemas.rules, ...schemas.reward].map(({ schema }) => schema),
    ...single.map((name) => schemas[name]!),
  ].filter((schema) => schema['x-sentence'])
  expect(objects.length).toBe(10)
  for (const { 'x-sentence': sentence, required } of objects) {
    const named = [...sentence!.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect([sentence, named.filter((name) => !required?.includes(name!))]).toEqual([sentence, []])
  }
  const yesNo = everyField().filter(([, { type }]) => type === 'boolean')
  expect(yesNo.length).toBe(3)
  for (const [place, { 'x-labels': labels }] of yesNo)
    expect([place, Object.keys(labels ?? {})]).toEqual([place, ['true', 'false']])
})

test('they are those the campaigns are checked with: what the templates hold is of them', () => {
  const problems: string[] = []
  const check = (schema: object, value: unknown, place: string) => {
    if (!Value.Check(schema as never, value)) problems.push(`${place}: ${JSON.stringify(value)}`)
  }
  const kindOf = (kinds: Kind[], kind: unknown) => kinds.find((item) => item.kind === kind)!.schema
  let parts = 0
  for (const { key, definition } of campaignTemplatesIn('USD')) {
    const { rules, rewards, thresholds, tiers, balances, spend, ...rest } = definition as Record<
      string,
      never
    >
    check(schemas.campaign!, rest, key)
    for (const { when, limits, ...rule } of (rules ?? []) as Record<string, unknown>[]) {
      check(kindOf(schemas.rules, rule.kind), rule, key)
      if (when) check(schemas.when!, when, key)
      if (limits) check(schemas.limits!, limits, key)
    }
    for (const reward of (rewards ?? []) as Record<string, unknown>[])
      check(kindOf(schemas.reward, reward.kind), reward, key)
    for (const [schema, list] of [
      ['threshold', thresholds],
      ['tier', tiers],
      ['balance', balances],
    ] as const)
      for (const value of (list ?? []) as unknown[]) {
        parts++
        check(schemas[schema]!, value, key)
      }
    if (spend) check(schemas.spend!, spend, key)
  }
  expect(problems).toEqual([])
  expect(parts).toBeGreaterThan(15)
  const rule = { kind: 'multiply', balance: 'points', factor: 2 }
  expect(Value.Check(kindOf(schemas.rules, 'multiply') as never, rule)).toBe(true)
  expect(Value.Check(kindOf(schemas.rules, 'multiply') as never, { ...rule, factor: 0.5 })).toBe(false)
  expect(Value.Check(kindOf(schemas.rules, 'multiply') as never, { ...rule, more: 1 })).toBe(false)
})

test('a till gets neither', async () => {
  const till = await merchant.connect(['pos'])
  for (const path of ['/v1/rule-schemas', '/v1/campaign-templates'])
    expectRefusal(await till('GET', path), 403, '_forbidden')
})
