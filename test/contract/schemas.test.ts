import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Call, OpenApiDocument } from '../../src/http/openapi/reference/document.ts'
import { audit } from '../support/audit.ts'
import { findCall, findUndocumented } from '../support/expect-documented.ts'
import { isFull } from '../support/full.ts'
import { type Method, type Reply, startTestService, type TestService } from '../support/service.ts'
import { type Attempt, listAttempts, missingFields, rightAttempt } from './attempts.ts'
import { createWorld, knownRoutes, type Recipe, recipeOf, shareWorlds, type World } from './recipes.ts'
import { listRoutes } from './route-table.ts'
import { type Changes, findOrgNumber, watchChanges } from './watch-changes.ts'

let service: TestService
let document: OpenApiDocument
let changes: Changes
let shared: World
const made: Record<string, number> = {}
const inWorld = shareWorlds()

beforeAll(async () => {
  service = await startTestService()
  // As on a computer that is infinitely fast: no token ends meanwhile, and no guess is forgiven.
  service.holdTime()
  document = (await service.call('GET', '/openapi.json')).body
  shared = await createWorld(service)
  await shared.merchant.call('POST', '/v1/customers', { data: { email: 'findable@example.com' } })
  changes = await watchChanges(service.database.pool)
})
afterAll(async () => {
  expect(await audit(service.database.pool)).toEqual([])
  await service.close()
})

test('every route there is has a recipe, and every recipe is of a route there is', () => {
  const names = listRoutes(service).map((route) => route.name)
  expect(names.toSorted()).toEqual(knownRoutes.toSorted())
})

describe('what is wrong is refused in words of the document, and what is refused changes nothing', () => {
  test.each(knownRoutes)('%s', async (route) => {
    const call = findCall(document, route)
    if (call.method === 'GET') await tryAll(route, call, await withRequest(shared))
    else await inWorld(service, (world) => tryAll(route, call, world))
  })

  /** With its newest request: of thousands, the log keeps the last. */
  async function withRequest(world: World): Promise<World> {
    return { ...world, ids: { ...world.ids, request: await world.merchant.lastRequest() } }
  }

  async function tryAll(route: string, call: Call, world: World): Promise<void> {
    const isRead = call.method === 'GET'
    const recipe = recipeOf(route, world)!
    expect(missingFields(document, call, recipe)).toEqual([])
    // All others are made from this call: if it did not succeed, they would say nothing.
    const right = await send(call, rightCall(recipe))
    expect([right.status < 300, right.text.slice(0, right.status < 300 ? 0 : 500)]).toEqual([true, ''])
    expect(findUndocumented(document, right)).toEqual([])

    // What it did cannot always be done twice; then the wrong ones get things of their own.
    const isRepeatable = isRead || (await send(call, rightCall(recipeOf(route, world)!))).status < 300
    const next = isRepeatable ? world : await createWorld(service, world.merchant)
    const attempts = listAttempts(document, call, () => recipeOf(route, next)!)
    const impossible = attempts.filter((attempt) => attempt.isImpossible)
    const others = attempts.filter((attempt) => !attempt.isImpossible)
    // What a call of the platform touches belongs to no organization, or to any.
    const { pool } = service.database
    const org = route.includes(' /v1/') ? await findOrgNumber(pool, next.merchant.id) : undefined
    const testsBefore = await listTests(org)
    await changes()
    const together = await tryTogether(call, impossible)
    const { problems, touched } = await tryOneByOne(call, others)
    problems.unshift(...together)
    // A live organization creates and deletes its own test organizations, and a clock is that of one.
    const own = [org, ...testsBefore, ...(await listTests(org))].map((number) => ` of ${number}`)
    const isOwn = (name: string) => own.some((end) => name.endsWith(end))
    const mayTouch = (name: string) =>
      !isRead && (org === undefined || isOwn(name) || ofPlatform[route]?.includes(name))
    expect(touched.filter((name) => !mayTouch(name))).toEqual([])
    expect(problems.slice(0, 20), `${problems.length} problems`).toEqual([])
  }

  test('and these were not a few', () => {
    expect(Object.values(made).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(isFull ? 9_000 : 1_100)
  })
})

/** What belongs to no organization and a call of one touches all the same: software gets a key of its own. */
const ofPlatform: Record<string, readonly string[]> = {
  'POST /v1/connections': ['integrations of all', 'integration_keys of all'],
  'POST /v1/test-organizations': ['integrations of all', 'integration_keys of all'],
}

/** The numbers of an organization's test organizations. */
async function listTests(org: number | undefined): Promise<number[]> {
  const { rows } = await service.database.pool.query(
    'SELECT org_id AS number FROM organizations WHERE test_of = $1',
    [org ?? null],
  )
  return rows.map(({ number }) => number)
}

const atOnce = 16

/** Calls that must all be refused: nothing may have changed after the last. */
async function tryTogether(call: Call, attempts: readonly Attempt[]): Promise<string[]> {
  const problems: string[] = []
  for (let i = 0; i < attempts.length; i += atOnce) {
    const some = attempts.slice(i, i + atOnce)
    const replies = await Promise.all(some.map((attempt) => send(call, attempt)))
    problems.push(...replies.flatMap((reply, n) => problemsOf(some[n]!, reply)))
  }
  const changed = await changes()
  return changed.length === 0 ? problems : [...problems, `refused, and yet changed: ${changed}`]
}

/** Calls that may be fine; each that is refused may have changed nothing. What the others did, they may have to. */
async function tryOneByOne(
  call: Call,
  attempts: readonly Attempt[],
): Promise<{ problems: string[]; touched: string[] }> {
  const problems: string[] = []
  const touched = new Set<string>()
  const isRead = call.method === 'GET'
  for (const attempt of attempts) {
    const reply = await send(call, attempt)
    problems.push(...problemsOf(attempt, reply))
    if (isRead) continue
    const changed = await changes()
    for (const what of changed) touched.add(what)
    if (reply.status >= 400 && changed.length > 0)
      problems.push(
        `${attempt.kind} ${attempt.what}: refused with ${reply.text}, and yet changed: ${changed}`,
      )
  }
  for (const what of await changes()) touched.add(what)
  return { problems, touched: [...touched] }
}

function problemsOf(attempt: Attempt, reply: Reply): string[] {
  const what = `${attempt.kind} ${attempt.what}`
  const problems = findUndocumented(document, reply)
  if (reply.status >= 500) problems.push(`got ${reply.text}`)
  if (attempt.isImpossible && reply.status < 400)
    problems.push(`was accepted with ${reply.text.slice(0, 300)}`)
  if (reply.status >= 400 && attempt.names && !reply.body.description.includes(attempt.names))
    problems.push(`${attempt.names} is not named: ${reply.text}`)
  return problems.map((problem) => `${what}: ${problem}`)
}

const rightCall = (recipe: Recipe) => ({ ...rightAttempt(recipe), kind: 'body' as const })

function send(call: Call, attempt: Omit<Attempt, 'what' | 'isImpossible'>): Promise<Reply> {
  made[attempt.kind] = (made[attempt.kind] ?? 0) + 1
  const { address, payload, token, headers } = attempt
  const type = payload !== undefined && { 'content-type': 'application/json' }
  return service.call(call.method as Method, address, {
    body: payload,
    token,
    headers: { ...type, ...headers },
    address: nextAddress(),
  })
}

let visitors = 0

/** Each call comes from elsewhere: or the wrong passwords of one route would shut out the right one of the next. */
function nextAddress(): string {
  visitors++
  return `10.${visitors >> 16}.${(visitors >> 8) & 255}.${visitors & 255}`
}
