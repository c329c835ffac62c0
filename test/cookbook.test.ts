/**
 * Cooks every recipe of `docs/guides/cookbook.md` as it is written: what the guide posts is posted to the real
 * service, and the replies it shows are compared with the ones that come.
 *
 * A JSON block says in the comment before it what it is: `POST <path>` is sent (a campaign is named with `as`
 * and published at once), `reply` is what the call before it answers, with the status where it is a refusal.
 * `<name>` stands for an id, the same one throughout a recipe, and `…` for the rest of a text. A reply may leave
 * out members of objects, but shows lists whole, all balances, and every list of a basket that is not empty.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { campaignTemplatesIn } from '../src/operations/campaigns/campaign-templates.ts'
import { type Merchant, type Reply, startTestService, type TestService } from './support/service.ts'

interface Step {
  /** As the comment has it: a call, or a reply. */
  what: string
  json: Json
  line: number
}

interface Recipe {
  title: string
  steps: Step[]
}

type Json = string | number | boolean | null | Json[] | { [member: string]: Json }
type Names = Map<string, string>

const guide = readFileSync(new URL('../docs/guides/cookbook.md', import.meta.url), 'utf8')
const [opening, ...recipes] = readRecipes(guide)

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('the cookbook has ten recipes, and every block of JSON in it is run', () => {
  expect(recipes).toHaveLength(10)
  for (const { title, steps } of recipes) {
    const calls = steps.map(({ what }) => what).filter((what) => !what.includes(' as <'))
    expect(calls.length, title).toBeLessThan(steps.length)
    expect(calls, title).toContain('POST /v1/transactions/process')
    for (const [index, what] of calls.entries()) {
      expect(what, title).toMatch(index % 2 === 0 ? /^POST \/v1\/\S+$/ : /^reply( 4\d\d)?$/)
    }
    expect(calls.at(-1), title).toMatch(/^reply/)
  }
  const steps = [opening, ...recipes].flatMap((recipe) => recipe?.steps)
  expect(steps).toHaveLength(guide.split('```json').length - 1)
})

test('the templates are the campaigns of the recipes, in their order, and can be published as they are', async () => {
  const merchant = await service.createMerchant({ currency: 'EUR', timezone: 'Europe/Berlin' })
  const campaignTemplates = campaignTemplatesIn('EUR')
  const reply = await merchant.call('GET', '/v1/campaign-templates')
  expect(reply.body).toEqual(campaignTemplates)
  expect(new Set(campaignTemplates.map(({ key }) => key)).size).toBe(recipes.length)
  for (const [index, { title, steps }] of recipes.entries()) {
    // The last one is what the recipe is about; its dates and the campaign it runs on are the recipe's own.
    const written = steps.filter(({ what }) => what.includes(' as <')).at(-1)!.json as {
      [member: string]: Json
    }
    const { runsOn, startsAt, endsAt, ...definition } = written
    expect(campaignTemplates[index]!.definition, title).toEqual(definition)
    await publish(merchant, '/v1/campaigns', campaignTemplates[index]!.definition as Json)
  }
})

test.each(recipes)('$title', async ({ steps }) => {
  service.setTime(new Date('2026-03-01T08:00:00+01:00'))
  const merchant = await service.createMerchant({
    country: 'DE',
    currency: 'EUR',
    timezone: 'Europe/Berlin',
  })
  const names: Names = new Map()
  /** Of the recipe's first campaign, whose cards the customers have. */
  let campaign: string | undefined
  let reply: Reply | undefined
  for (const { what, json, line } of steps) {
    const place = `cookbook.md:${line}`
    const [, path, name] = /^POST (\S+)(?: as <(.+)>)?$/.exec(what) ?? []
    if (path === undefined) {
      compare(json, reply, { what, names, place })
    } else if (name !== undefined) {
      const published = await publish(merchant, path, fillIn(json, names))
      names.set(name, published)
      campaign ??= published
    } else {
      await registerCustomer(merchant, json, names, campaign)
      const address = path.replace(/<.+?>/g, (placeholder) => String(fillIn(placeholder, names)))
      reply = await post(merchant, address, fillIn(json, names) as object)
    }
  }
  const integrity = await service.call('GET', '/v1/integrity', { token: await tokenOf(merchant) })
  expect(integrity.body).toMatchObject({ ok: true, problems: [] })
})

/** The guide by its headings: what stands before the first recipe, then the recipes. */
function readRecipes(markdown: string): Recipe[] {
  const recipes: Recipe[] = [{ title: 'Opening', steps: [] }]
  const marks = /^## (?<title>\d+\. .+)$|^<!-- cookbook: (?<what>.+) -->\n+```json\n(?<json>[\s\S]*?)^```$/gm
  for (const { groups, index } of markdown.matchAll(marks)) {
    const { title, what = '', json = '' } = groups!
    if (title !== undefined) recipes.push({ title, steps: [] })
    else recipes.at(-1)!.steps.push({ what, json: JSON.parse(json), line: lineAt(markdown, index) })
  }
  return recipes
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

/** A call at the time that its body says the sale happened. */
async function post(merchant: Merchant, path: string, body: object): Promise<Reply> {
  if ('occurredAt' in body) service.setTime(new Date(String(body.occurredAt)))
  return service.call('POST', path, { body, token: await tokenOf(merchant) })
}

/** Fresh for every call: days pass between two baskets. */
async function tokenOf({ apiKey, apiSecret }: Merchant): Promise<string> {
  const headers = { 'x-api-key': apiKey, 'x-api-secret': apiSecret }
  return (await service.call('POST', '/auth/token', { headers })).body.accessToken
}

async function publish(merchant: Merchant, path: string, definition: Json): Promise<string> {
  const created = await post(merchant, path, definition as object)
  expect(created.status, created.text).toBe(201)
  const published = await post(merchant, `${path}/${created.body.id}/publish`, {})
  expect(published.status, published.text).toBe(200)
  return created.body.id
}

/** Registers a customer that a body names for the first time, the way the opening of the guide does it. */
async function registerCustomer(
  merchant: Merchant,
  body: Json,
  names: Names,
  campaign: string | undefined,
): Promise<void> {
  const { customer, card } = body as { customer?: string; card?: string }
  if (customer === undefined || names.has(bare(customer))) return
  const [registration, answer] = opening!.steps
  const own: Names = new Map([['campaign', campaign!]])
  const path = registration!.what.replace('POST ', '')
  const reply = await post(merchant, path, fillIn(registration!.json, own) as object)
  compare(answer!.json, reply, { what: answer!.what, names: own, place: `cookbook.md:${answer!.line}` })
  names.set(bare(customer), own.get('customer')!)
  names.set(bare(card ?? '<card>'), own.get('card')!)
}

function bare(placeholder: string): string {
  return placeholder.replace(/^<(.+)>$/, '$1')
}

function fillIn(json: Json, names: Names): Json {
  if (typeof json === 'string') {
    if (!isPlaceholder(json)) return json
    const id = names.get(bare(json))
    if (id === undefined) throw new Error(`nothing has the name ${json} yet`)
    return id
  }
  if (Array.isArray(json)) return json.map((item) => fillIn(item, names))
  if (json === null || typeof json !== 'object') return json
  return Object.fromEntries(Object.entries(json).map(([member, value]) => [member, fillIn(value, names)]))
}

function isPlaceholder(text: string): boolean {
  return /^<[^<>]+>$/.test(text)
}

function compare(
  shown: Json,
  reply: Reply | undefined,
  { what, names, place }: { what: string; names: Names; place: string },
): void {
  const expected = /^reply (\d{3})$/.exec(what)?.[1] ?? '20'
  expect(String(reply?.status).startsWith(expected), `${place}: ${reply?.text}`).toBe(true)
  expect(shorten(reply?.body, shown, names), place).toEqual(shown)
  const executed = reply?.body.executedActions
  if (executed === undefined) return
  const { executedActions } = shown as { executedActions: { [member: string]: Json } }
  const lists = ['actions', 'coupons', 'skipped', 'progress'].filter((list) => executed[list].length > 0)
  expect(Object.keys(executedActions), place).toEqual(expect.arrayContaining(['collectables', ...lists]))
  expect(Object.keys(executedActions.collectables!), place).toEqual(Object.keys(executed.collectables))
}

/** The reply cut to what the guide shows of it, with the guide's words where they stand for what came. */
function shorten(came: unknown, shown: Json | undefined, names: Names): unknown {
  if (Array.isArray(came) && Array.isArray(shown)) {
    return came.map((item, index) => shorten(item, shown[index], names))
  }
  if (isObject(came) && isObject(shown)) {
    return Object.fromEntries(
      Object.entries(shown).map(([member, value]) => [member, shorten(came[member], value as Json, names)]),
    )
  }
  if (typeof came !== 'string' || typeof shown !== 'string') return came
  if (shown.endsWith('…')) return came.startsWith(shown.slice(0, -1)) ? shown : came
  if (!isPlaceholder(shown)) return came
  const known = names.get(bare(shown))
  if (known === undefined && ![...names.values()].includes(came)) names.set(bare(shown), came)
  return names.get(bare(shown)) === came ? shown : came
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
