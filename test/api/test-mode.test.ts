/** Test organizations and the clock in them, from the creation to the end. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { sendRound } from '../../src/jobs/send-messages.ts'
import { listWork } from '../../src/store/due-work.ts'
import { platformTenant } from '../../src/store/tenant.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { isFull } from '../support/full.ts'
import { startMailServer } from '../support/mail-server.ts'
import { createTestPerson } from '../support/people.ts'
import {
  type Merchant,
  type Method,
  type Reply,
  startTestService,
  type TestService,
} from '../support/service.ts'
import { auditWithReturns, type Body, times } from '../support/shop.ts'

let service: TestService
let second: TestService
let live: Merchant
let club: string

/** A Saturday. */
const start = '2027-01-09T11:00:00.000Z'
const definition = {
  name: 'Club',
  balances: [{ key: 'points', expires: { after: 'P30D' } }],
  rules: [
    { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 },
    { id: 'monday', kind: 'collect_per_visit', balance: 'points', amount: 100, when: { days: ['mon'] } },
  ],
  rewards: [{ key: 'gift', name: 'Gift', kind: 'amount_off', amount: 5, validDays: 7 }],
  thresholds: [{ balance: 'points', at: 10, grant: 'gift' }],
}

beforeAll(async () => {
  service = await startTestService()
  second = await startTestService({ sharing: service })
  for (const each of [service, second]) {
    each.holdTime()
    each.setTime(new Date(start))
  }
  live = await service.createMerchant({ timezone: 'Europe/Berlin', currency: 'EUR' })
  club = await live.publishCampaign(definition)
  await live.call('PATCH', '/v1/organization', { color: '#0b7285' })
  await live.call('POST', '/v1/products', { opaqueId: 'latte', name: 'Latte', price: 3.5 })
  await live.call('POST', '/v1/branches', { opaqueId: 'harbor', name: 'Harbor' })
  for (const kind of ['birthday', 'coupon_expiring', 'points_expiring', 'reward_earned'])
    await live.call('PATCH', `/v1/message-kinds/${kind}`, { channels: ['email'] })
})
afterAll(async () => {
  expect(await auditWithReturns(service)).toEqual([])
  await second.close()
  await service.close()
})

interface Tester {
  readonly id: string
  readonly created: Body
  readonly token: string
  call(method: Method, path: string, body?: unknown, on?: TestService): Promise<Reply>
  post(path: string, body?: unknown, on?: TestService): Promise<Body>
  get(path: string, on?: TestService): Promise<Body>
}

async function createTest(body: object = { name: 'Tests' }): Promise<Tester> {
  const reply = await live.call('POST', '/v1/test-organizations', body)
  expect(reply.status, reply.text).toBe(201)
  const { id, apiKey, apiSecret } = reply.body
  const headers = { 'x-api-key': apiKey, 'x-api-secret': apiSecret }
  const { accessToken } = (await service.call('POST', '/auth/token', { headers })).body
  const call: Tester['call'] = (method, path, sent, on = service) =>
    on.call(method, path, { body: sent, token: accessToken })
  const succeed = async (method: Method, path: string, sent?: unknown, on?: TestService) => {
    const { status, body: got } = await call(method, path, sent, on)
    expect([200, 201], JSON.stringify(got)).toContain(status)
    return got
  }
  return {
    id,
    created: reply.body,
    token: accessToken,
    call,
    post: (path, sent, on) => succeed('POST', path, sent, on),
    get: (path, on) => succeed('GET', path, undefined, on),
  }
}

const advance = (tests: Tester, body: object) => tests.post('/v1/test-clock/advance', body)
const register = async (tests: Tester, data: object, more: object = {}) => {
  const registered = await tests.post('/v1/customers/register', {
    campaignId: club,
    customer: { data, ...more },
  })
  return { customer: registered.id, card: registered.cards[0].id }
}

describe('a test organization', () => {
  test('has what the live one has set up, but none of its customers, and says what it is', async () => {
    await live.register(club)
    const tests = await createTest()
    expect(tests.created).toMatchObject({ name: 'Tests', now: start, createdAt: start })
    expect(await tests.get('/v1/organization')).toMatchObject({
      mode: 'test',
      color: '#0b7285',
      currency: 'EUR',
    })
    expect((await live.call('GET', '/v1/organization')).body).toMatchObject({ mode: 'live' })
    expect((await tests.get('/v1/campaigns')).data).toMatchObject([
      { id: club, status: 'published', hasChanges: false },
    ])
    expect((await tests.get('/v1/products')).data).toMatchObject([{ opaqueId: 'latte', price: 3.5 }])
    expect((await tests.get('/v1/branches')).data.map(({ opaqueId }: Body) => opaqueId).sort()).toEqual([
      'harbor',
      'main',
    ])
    expect((await tests.get('/v1/customers')).data).toEqual([])
    expect((await live.call('GET', '/v1/test-organizations')).body.data).toMatchObject([
      { id: tests.id, name: 'Tests' },
    ])
    await remove(tests)
  })

  test('gets only what is asked for', async () => {
    const tests = await createTest({ name: 'Bare', copy: ['branches'] })
    expect((await tests.get('/v1/organization')).color).toBeUndefined()
    expect((await tests.get('/v1/campaigns')).data).toEqual([])
    expect((await tests.get('/v1/branches')).data).toHaveLength(2)
    await remove(tests)
  })

  test('has none itself, and there are ten at most', async () => {
    const all = [await createTest()]
    expectRefusal(
      await all[0]!.call('POST', '/v1/test-organizations', { name: 'No' }),
      400,
      'live_organization_required',
    )
    while (all.length < 10) all.push(await createTest())
    const more = await Promise.all(
      [1, 2].map(() => live.call('POST', '/v1/test-organizations', { name: 'One more' })),
    )
    for (const reply of more) expectRefusal(reply, 400, 'too_many_test_organizations')
    for (const tests of all) await remove(tests)
  })

  test('is deleted with everything, by its own live organization alone', async () => {
    const tests = await createTest()
    const person = await register(tests, { email: 'ada@example.com' })
    await tests.post('/v1/transactions/process', { ...person, amount: 20 })
    await service.flushRequests()
    const other = await service.createMerchant()
    for (const id of [live.id, other.id, 'org_x'])
      expectRefusal(
        await live.call('DELETE', `/v1/test-organizations/${id}`),
        404,
        'test_organization_not_found',
      )
    expectRefusal(
      await other.call('DELETE', `/v1/test-organizations/${tests.id}`),
      404,
      'test_organization_not_found',
    )
    expectRefusal(
      await tests.call('DELETE', `/v1/test-organizations/${live.id}`),
      400,
      'live_organization_required',
    )
    const before = await countRows(await numberOf(live.id))
    const org = await numberOf(tests.id)
    expect(Object.values(await countRows(org)).some((count) => count > 0)).toBe(true)
    await remove(tests)
    await service.flushRequests()
    expect(await countRows(org)).toEqual({})
    expect((await tests.call('GET', '/v1/organization')).status).toBe(401)
    expect((await tests.call('GET', '/v1/organization', undefined, second)).status).toBe(401)
    const after = await countRows(await numberOf(live.id))
    expect({ ...after, audit_entries: 0, http_requests: 0 }).toEqual({
      ...before,
      audit_entries: 0,
      http_requests: 0,
    })
  })

  test('the database deletes no live organization, whatever it is asked for', async () => {
    const org = await numberOf(live.id)
    const other = await numberOf((await service.createMerchant()).id)
    for (const [test, of] of [
      [org, org],
      [other, org],
      [org, 0],
      [0, org],
    ]) {
      // The version before, which may still be running during an upgrade, passes no audit entry.
      for (const entry of ['', `, '{"action":"x"}'::json`]) {
        const { rows } = await service.deps.pool.query(
          `SELECT delete_test_organization($1, $2, ARRAY['ledger_entries', 'customers']${entry}) AS done`,
          [test, of],
        )
        expect(rows).toEqual([{ done: false }])
      }
    }
    await expect(
      service.database.pool.query('UPDATE organizations SET ahead_ms = 1 WHERE org_id = $1', [org]),
    ).rejects.toThrow('organizations_only_tests_are_ahead')
  })
})

async function remove(tests: Tester): Promise<void> {
  const reply = await live.call('DELETE', `/v1/test-organizations/${tests.id}`)
  expect(reply.status, reply.text).toBe(204)
}

async function numberOf(id: string): Promise<number> {
  const { rows } = await service.database.pool.query('SELECT org_id FROM organizations WHERE id = $1', [
    id.slice(4),
  ])
  return rows[0].org_id
}

/** Rows of an organization, in every table that has some. */
async function countRows(org: number): Promise<Record<string, number>> {
  const { pool } = service.database
  const { rows } = await pool.query(
    "SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'org_id' ORDER BY 1",
  )
  const counts: Record<string, number> = {}
  for (const { name } of rows) {
    const found = await pool.query(`SELECT count(*)::int AS count FROM ${name} WHERE org_id = $1`, [org])
    if (found.rows[0].count > 0) counts[name] = found.rows[0].count
  }
  return counts
}

describe('the clock', () => {
  test('is refused outside of test organizations, backwards and too far ahead', async () => {
    expectRefusal(await live.call('GET', '/v1/test-clock'), 400, 'test_organization_required')
    expectRefusal(
      await live.call('POST', '/v1/test-clock/advance', { by: 'P1D' }),
      400,
      'test_organization_required',
    )
    const tests = await createTest()
    for (const body of [
      {},
      { to: start, by: 'P1D' },
      { to: start },
      { to: '2026-01-01T00:00:00Z' },
      { by: 'P6Y' },
      { by: '-P1D' },
      { by: 'P0D' },
    ])
      expectRefusal(await tests.call('POST', '/v1/test-clock/advance', body), 400, '_invalid_payload')
    expect(await tests.get('/v1/test-clock')).toEqual({ now: start, aheadSeconds: 0 })
    // A retry sets it forward once, and another body under the same key not at all.
    const send = (by: string) =>
      service.call('POST', '/v1/test-clock/advance', {
        token: tests.token,
        body: { by },
        headers: { 'idempotency-key': 'once' },
      })
    const [first, again] = [await send('PT1H'), await send('PT1H')]
    expect(again.body).toEqual(first.body)
    expectRefusal(await send('PT2H'), 422, 'idempotency_key_reused')
    expect(await tests.get('/v1/test-clock')).toMatchObject({ aheadSeconds: 3_600 })
    await remove(tests)
  })

  test('lets everything happen at its time and in its order, in every process at once, and nowhere else', async () => {
    const tests = await createTest()
    const here = await live.register(club)
    await live.call('POST', '/v1/transactions/process', {
      customer: here.customer,
      card: here.card,
      amount: 20,
    })
    const before = (await live.call('GET', `/v1/customers/${here.customer}`)).body
    const work = await listWork(platformTenant(service.deps.pool), service.deps.clock())
    const ada = await register(
      tests,
      { email: 'ada@example.com' },
      { metaData: { birthday: '1990-01-20' }, consents: { marketing: true } },
    )
    await tests.post('/v1/transactions/process', { ...ada, amount: 20 })
    const points = async () => (await tests.get(`/v1/customers/${ada.customer}`)).collectables.points.value
    expect(await points()).toBe(20)

    // Two days later it is Monday, in the other process as well.
    const monday = await advance(tests, { by: 'P2D' })
    expect(monday).toMatchObject({ now: '2027-01-11T11:00:00.000Z', aheadSeconds: 172_800, isDone: true })
    expect(await tests.get('/v1/test-clock', second)).toMatchObject({ now: '2027-01-11T11:00:00.000Z' })
    const visit = await tests.post('/v1/transactions/process', { ...ada, amount: 1 }, second)
    expect(await tests.get(`/v1/transactions/${visit.id}`)).toMatchObject({
      createdAt: '2027-01-11T11:00:00.000Z',
    })
    expect(await points()).toBe(121)
    expect((await tests.get('/v1/transactions?from=2027-01-11')).data).toHaveLength(1)

    const month = await advance(tests, { to: '2027-02-12T00:00:00Z' })
    expect(month).toMatchObject({ now: '2027-02-12T00:00:00.000Z', isDone: true })
    expect(await points()).toBe(0)
    const { data } = await tests.get('/v1/events?limit=100')
    const days = (type: string) =>
      data.flatMap((event: Body) => (event.type === type ? event.timestamp.slice(0, 10) : []))
    // The first reward ends a week after its sale, and the points end thirty days after theirs.
    expect([...new Set(days('coupon.expired'))]).toEqual(['2027-01-16', '2027-01-18'])
    expect(days('balance.expired')).toEqual(['2027-02-08', '2027-02-10'])
    const times = data.map(({ timestamp }: Body) => timestamp)
    expect(times).toEqual([...times].sort())
    expect(new Set(data.map(({ mode }: Body) => mode))).toEqual(new Set(['test']))
    expect(month.events).toContainEqual({ type: 'balance.expired', count: 2 })
    expect(month.lastEvent).toBe(data.at(-1).id)

    // Nothing sends messages here, so they say what would have been sent.
    const messages = (await tests.get('/v1/messages?limit=100')).data.reverse()
    const sent = messages.map(({ kind, createdAt }: Body) => `${createdAt.slice(0, 10)} ${kind}`)
    expect(sent).toEqual([...sent].sort())
    expect([...new Set(sent)]).toEqual([
      '2027-01-09 reward_earned',
      '2027-01-10 coupon_expiring',
      '2027-01-11 reward_earned',
      '2027-01-12 coupon_expiring',
      '2027-01-20 birthday',
      '2027-01-26 points_expiring',
      '2027-02-09 points_expiring',
    ])
    expect(messages[0]).toMatchObject({ status: 4, attempts: [{ code: 'no_sender' }] })

    // The live organization has noticed nothing.
    expect((await live.call('GET', `/v1/customers/${here.customer}`)).body).toEqual(before)
    await runRound(service.deps)
    await sendRound(service.deps)
    expect((await live.call('GET', `/v1/customers/${here.customer}`)).body).toEqual(before)
    expect(work.length).toBeGreaterThan(0)
    const { rows } = await service.database.pool.query(
      'SELECT count(*)::int AS n FROM due_work w JOIN organizations o USING (org_id) WHERE o.test_of IS NULL AND w.ahead_ms <> 0',
    )
    expect(rows).toEqual([{ n: 0 }])
    expect((await tests.get('/v1/integrity')).problems).toEqual([])
    await remove(tests)
  })

  test('marks what is sent, and goes on after the process that set it forward has died', async () => {
    const tests = await createTest()
    const mail = await startMailServer()
    const from = 'Tests <hello@example.com>'
    const sender = { host: '127.0.0.1', port: mail.port, security: 'none', from }
    expect((await tests.call('PUT', '/v1/senders/email', sender)).status).toBe(200)
    await register(
      tests,
      { email: 'ada@example.com' },
      { metaData: { birthday: '01-20' }, consents: { marketing: true } },
    )
    // The process has taken the work of a day, and is gone: its lease ends by the clock of the database.
    const org = await numberOf(tests.id)
    const { pool } = service.database
    const lease = (until: string) =>
      pool.query(
        `UPDATE due_work SET lease = $3, leased_until = now() + $2::interval
         WHERE org_id = $1 AND kind = 'reminders'`,
        [org, until, randomUUID()],
      )
    await lease('1 second')
    const reached = await advance(tests, { to: '2027-01-21T00:00:00Z' })
    expect(reached).toMatchObject({ isDone: true, now: '2027-01-21T00:00:00.000Z' })
    expect(mail.mails.map(({ headers }) => headers.get('subject'))).toEqual([
      expect.stringMatching(/^\[Test\] /),
    ])
    await lease('1 hour')
    await mail.close()
    await remove(tests)
  })

  test('moves between sales without losing anything', async () => {
    const tests = await createTest()
    const people = await Promise.all(times(4, (i) => register(tests, { email: `p${i}@example.com` })))
    let isOver = false
    const sales: Body[] = []
    const sell = async (person: object, on: TestService) => {
      while (!isOver && sales.length < 80) {
        const { now } = await tests.get('/v1/test-clock', on)
        const sale = await tests.post('/v1/transactions/process', { ...person, amount: 10 }, on)
        sales.push({ id: sale.id, startedAt: now })
      }
    }
    const selling = people.map((person, i) => sell(person, i % 2 === 0 ? service : second))
    for (const by of isFull ? ['P20D', 'PT1H', 'P20D', 'P20D'] : ['P5D', 'PT1H', 'P5D'])
      await advance(tests, { by })
    const both = await Promise.all(['P5D', 'P9D'].map((by) => advance(tests, { by })))
    isOver = true
    await Promise.all(selling)
    expect(both.every(({ isDone }) => isDone)).toBe(true)
    expect(sales.length).toBeGreaterThan(10)
    for (const { id, startedAt } of sales)
      expect((await tests.get(`/v1/transactions/${id}`)).createdAt >= startedAt).toBe(true)
    await advance(tests, { by: 'P60D' })
    for (const { customer } of people) {
      expect((await tests.get(`/v1/customers/${customer}`)).collectables.points.value).toBe(0)
    }
    expect((await tests.get('/v1/integrity')).problems).toEqual([])
    await remove(tests)
  })
})

describe('people', () => {
  test('work in a test organization with the session of the live one, as long as they may', async () => {
    const owner = await createTestPerson(service, live)
    const cashier = await createTestPerson(service, live, 'cashier')
    const tests = await createTest()
    const go = (person: typeof owner, id: string) =>
      person.call('POST', '/auth/session/organization', { organization: id })
    expectRefusal(await go(cashier, tests.id), 403, '_forbidden')
    const other = await service.createMerchant()
    expectRefusal(await go(owner, other.id), 404, 'test_organization_not_found')
    expect((await owner.call('GET', '/auth/session')).body).toMatchObject({
      organization: { id: live.id, mode: 'live' },
    })
    const visiting = await go(owner, tests.id)
    expect(visiting.body).toMatchObject({
      organization: { id: tests.id, mode: 'test' },
      liveOrganization: { id: live.id },
      scopes: ['pos', 'manage'],
    })
    expect((await owner.call('GET', '/v1/organization')).body.id).toBe(tests.id)
    expect((await owner.call('POST', '/v1/test-clock/advance', { by: 'P1D' })).status).toBe(200)
    expect((await owner.call('POST', '/v1/connections', { name: 'Web shop' })).status).toBe(201)
    expectRefusal(await owner.call('GET', '/v1/people'), 403, '_forbidden')
    expect((await tests.get('/v1/audit')).data).toMatchObject([
      { action: 'addConnection', by: { kind: 'person', name: expect.any(String) } },
      { action: 'advanceTestClock', by: { kind: 'person' } },
    ])
    expect((await go(owner, live.id)).body).toMatchObject({ organization: { id: live.id } })
    await go(owner, tests.id)
    await remove(tests)
    expect((await owner.call('GET', '/v1/organization')).body.id).toBe(live.id)
    const audit = (await live.call('GET', '/v1/audit?limit=2')).body.data
    expect(audit.map(({ action }: Body) => action)).toContain('deleteTestOrganization')
  })
})
