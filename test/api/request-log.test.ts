import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { createTestPerson } from '../support/people.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let campaign: string
beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign()
})
beforeEach(() => service.flushRequests())
afterAll(() => service.close())

const list = async (query = '', call = merchant.call) => {
  await service.flushRequests()
  const reply = await call('GET', `/v1/requests${query}`)
  expect([reply.status, reply.body.description]).toEqual([200, undefined])
  return reply.body.data
}
const newest = async (call = merchant.call) => {
  const [row] = await list('?limit=1', call)
  return (await call('GET', `/v1/requests/${row.id}`)).body
}
const statuses = (rows: { status: number }[]) => rows.map(({ status }) => status)

const cardOf = (i: number) => `card_${String(i).padStart(32, '0')}`

/** A fault of ours, for as long as `work` takes. */
async function withoutTable<T>(table: string, work: () => Promise<T>): Promise<T> {
  await service.database.pool.query(`ALTER TABLE ${table} RENAME TO missing`)
  try {
    return await work()
  } finally {
    await service.database.pool.query(`ALTER TABLE missing RENAME TO ${table}`)
  }
}

describe('a call in the log', () => {
  test('is told with who called, how it went, and what was sent and answered', async () => {
    const { customer, card } = await merchant.register(campaign)
    const body = { customer, card, items: [{ product: 'latte', quantity: 2, unitPrice: 3.5 }] }
    const before = Date.now()
    const sale = await merchant.call('POST', '/v1/transactions/process', body, {
      'x-request-id': '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f',
    })
    const after = Date.now()
    const row = await newest()
    expect(row).toMatchObject({
      requestId: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f',
      method: 'POST',
      path: '/v1/transactions/process',
      route: '/v1/transactions/process',
      status: 201,
      by: { kind: 'connection', name: 'Till' },
      requestBody: body,
      replyBody: sale.body,
    })
    expect(row.by.id).toMatch(/^usr_/)
    expect(row.durationMs).toBeGreaterThan(0)
    // The moment it came in: reckoned back from the answer, and rounded.
    expect(Date.parse(row.at)).toBeGreaterThanOrEqual(before - 2)
    expect(Date.parse(row.at)).toBeLessThanOrEqual(after)
    expect(Object.keys(row)).not.toContain('error')
  })

  test('that was refused says why, and what to do', async () => {
    const refused = await merchant.call('GET', '/v1/cards/card_019a83f2c1d27b3a9e5f6d7c8b9a0f1e')
    const row = await newest()
    expect(row).toMatchObject({
      status: 404,
      errorCode: 'card_not_found',
      path: '/v1/cards/card_019a83f2c1d27b3a9e5f6d7c8b9a0f1e',
      route: '/v1/cards/{id}',
      replyBody: refused.body,
      error: { code: 'card_not_found', description: refused.body.description },
    })
    expect(row.error.advice).toContain('GET /v1/customers/find')
  })

  test('that failed is there as well, without a word of the fault', async () => {
    expect((await withoutTable('products', () => merchant.call('GET', '/v1/products'))).status).toBe(500)
    expect(await newest()).toMatchObject({ status: 500, errorCode: '_internal_error' })
  })

  test('that nobody can be named for is in no log, nor is reading the logs', async () => {
    const before = await list()
    await service.call('GET', '/v1/transactions')
    await service.call('GET', '/livez')
    await merchant.call('GET', '/v1/requests')
    await merchant.call('GET', '/v1/audit')
    expect(await list()).toEqual(before)
  })

  test('of a person is there like any other, but not what keeps them signed in', async () => {
    const person = await createTestPerson(service, merchant)
    await person.call('GET', '/v1/transactions')
    await person.call('GET', '/auth/session')
    await person.call('POST', '/auth/password', {
      currentPassword: 'wrong',
      password: 'quite another phrase',
    })
    expect(await newest()).toMatchObject({ path: '/v1/transactions', by: { kind: 'person' } })
  })

  test('of one organization is nobody else’s', async () => {
    const other = await service.createMerchant()
    await other.call('GET', '/v1/transactions')
    const [theirs] = await list('', other.call)
    expect(theirs.path).toBe('/v1/transactions')
    expect(JSON.stringify(await list())).not.toContain(theirs.id)
    expectRefusal(await merchant.call('GET', `/v1/requests/${theirs.id}`), 404, 'request_not_found')
  })

  test.each(['connection', 'cashier'] as const)(
    'of a %s without the scope manage are all they see',
    async (who) => {
      const shop = await service.createMerchant()
      const own =
        who === 'connection'
          ? await shop.connect(['pos'])
          : (await createTestPerson(service, shop, 'cashier')).call
      await own('GET', '/v1/cards/own')
      await shop.call('GET', '/v1/cards/foreign')
      const all = await list('', shop.call)
      expect(all).toHaveLength(2)
      const foreign = all[0]
      const [mine, ...more] = await list('', own)
      expect([mine, more]).toEqual([all[1], []])
      expect((await own('GET', `/v1/requests/${mine.id}`)).body).toMatchObject({ id: mine.id, status: 404 })
      expect(await list(`?connection=${mine.by.id}`, own)).toHaveLength(1)
      expect(await list(`?connection=${foreign.by.id}`, own)).toEqual([])
      const [hidden, unknown] = await Promise.all(
        [foreign.id, `req_${'0'.repeat(32)}`].map((id) => own('GET', `/v1/requests/${id}`)),
      )
      expectRefusal(hidden!, 404, 'request_not_found')
      expect(hidden!.body.description).toBe(unknown!.body.description)
      expect((await own('GET', '/v1/audit')).status).toBe(403)
    },
  )
})

describe('filters', () => {
  let shop: Merchant
  let till: Merchant['call']
  beforeAll(async () => {
    shop = await service.createMerchant()
    till = await shop.connect(['pos'])
    await shop.call('GET', '/v1/transactions')
    await shop.call('GET', '/v1/cards/x', undefined, { 'x-request-id': '0AF7651916CD43DD8448EB211C80319C' })
    await till('GET', '/v1/organization')
    await withoutTable('products', () => shop.call('GET', '/v1/products'))
  })

  test.each([
    ['', [500, 403, 404, 200]],
    ['?status=ok', [200]],
    ['?status=refused', [403, 404]],
    ['?status=failed', [500]],
    ['?q=CARDS', [404]],
    ['?q=16cd43dd8448', [404]],
    ['?q=_forbidden', [403]],
    ['?q=%25', []],
    ['?from=2020-01-01T00:00:00Z', [500, 403, 404, 200]],
    ['?to=2020-01-01T00:00:00Z', []],
    ['?from=2020-01-01', [500, 403, 404, 200]],
    ['?to=2020-01-01', []],
    ['?connection=nonsense', []],
  ])('%s', async (query, expected) => {
    expect(statuses(await list(query, shop.call))).toEqual(expected)
  })

  test('by connection, and page by page', async () => {
    const [, forbidden] = await list('', shop.call)
    expect(statuses(await list(`?connection=${forbidden.by.id}`, shop.call))).toEqual([403])
    const first = (await shop.call('GET', '/v1/requests?limit=3')).body
    const rest = (await shop.call('GET', `/v1/requests?cursor=${first.nextCursor}`)).body
    expect(statuses([...first.data, ...rest.data])).toEqual([500, 403, 404, 200])
    expectRefusal(await shop.call('GET', '/v1/requests?status=bad'), 400, '_invalid_payload')
  })
})

describe('what is kept is bounded', () => {
  test('of many successes at once some, of refusals all, and the rest is counted', async () => {
    const shop = await service.createMerchant()
    const leftOut = async () =>
      Number(/^request_log_left_out_total (\d+)/m.exec((await service.call('GET', '/metrics')).text)![1])
    await service.flushRequests()
    const before = await leftOut()
    for (let i = 0; i < 60; i++) {
      await shop.call('GET', '/v1/transactions')
      await shop.call('GET', '/v1/cards/x')
    }
    const rows = await list('?limit=100', shop.call)
    expect(statuses(rows).filter((status) => status === 200)).toHaveLength(20)
    expect(statuses(rows).filter((status) => status === 404)).toHaveLength(60)
    expect(await leftOut()).toBe(before + 40)
  })

  test('the newest 2,000 of an organization', async () => {
    const shop = await service.createMerchant()
    const other = await service.createMerchant()
    await other.call('GET', '/v1/cards/x')
    // The oldest are copies of the first: to send them all would take a hundred times as long.
    const copied = 1_900
    await shop.call('GET', `/v1/cards/${cardOf(copied)}`)
    await service.flushRequests()
    await service.database.pool.query(
      `INSERT INTO http_requests (org_id, id, request_id, at, method, path, route, status, duration_us, by_kind, user_id)
       SELECT r.org_id, lpad(to_hex(i), 32, '0')::uuid, r.request_id, r.at, r.method,
         '/v1/cards/card_' || lpad(i::text, 32, '0'), r.route, r.status, r.duration_us, r.by_kind, r.user_id
       FROM http_requests r JOIN organizations o USING (org_id), generate_series(0, $2 - 1) AS i WHERE o.id = $1`,
      [shop.id.slice(4), copied],
    )
    for (let i = copied + 1; i < 2_010; i++) await shop.call('GET', `/v1/cards/${cardOf(i)}`)
    const [row] = await list('?limit=1', shop.call)
    expect(row.path).toBe(`/v1/cards/${cardOf(2_009)}`)
    const { rows } = await service.database.pool.query(
      `SELECT count(*)::int AS n, min(path) AS first FROM http_requests r
       JOIN organizations o USING (org_id) WHERE o.id = $1`,
      [shop.id.slice(4)],
    )
    expect(rows).toEqual([{ n: 2_000, first: `/v1/cards/${cardOf(10)}` }])
    expect(await list('', other.call)).toHaveLength(1)
  })

  test('none older than seven days', async () => {
    const shop = await service.createMerchant()
    await shop.call('GET', '/v1/cards/x')
    await service.flushRequests()
    service.advance(6 * 24 * 3_600_000)
    const call = await shop.signIn()
    await call('GET', `/v1/cards/${cardOf(7)}`)
    await service.flushRequests()
    await runRound(service.deps)
    expect(await list('', call)).toHaveLength(2)
    service.advance(1 * 24 * 3_600_000 + 1_000)
    await runRound(service.deps)
    const left = await list('', await shop.signIn())
    expect(left.map(({ path }: { path: string }) => path)).toEqual([`/v1/cards/${cardOf(7)}`])
    service.setTime(new Date())
  })

  test('16 KB of a body: the rest is left out, and what is there is JSON', async () => {
    const items = Array.from({ length: 400 }, (_, i) => ({ id: `${i}`, name: 'x'.repeat(200), amount: 1 }))
    await merchant.call('POST', '/v1/transactions/process', { customer: 'x', card: 'y', items })
    const row = await newest()
    expect([row.status, row.isTruncated]).toEqual([400, true])
    expect(JSON.stringify(row.requestBody).length).toBeLessThan(17 * 1024)
    expect(row.requestBody.items.length).toBeGreaterThan(50)
    expect(row.requestBody.items[0]).toEqual(items[0])
  })
})

test('whoever sends what takes long to read gets a log without bodies', async () => {
  const shop = await service.createMerchant()
  const items = Array.from({ length: 30 }, () => ({ name: 'eyJ-'.repeat(200) }))
  for (let i = 0; i < 60; i++)
    await shop.call('POST', '/v1/transactions/process', { customer: 'x', card: 'y', items })
  const rows = await list('?limit=100', shop.call)
  expect(rows).toHaveLength(60)
  const [last, first] = [rows[0], rows[59]]
  const read = async ({ id }: { id: string }) => (await shop.call('GET', `/v1/requests/${id}`)).body
  expect((await read(first)).requestBody.items.length).toBeGreaterThan(1)
  expect(await read(last)).toMatchObject({ isTruncated: true, error: { code: '_invalid_payload' } })
  expect((await read(last)).requestBody).toBeUndefined()
})

describe('when it cannot be written', () => {
  test('calls go on, the log says so once, and what is lost is counted', async () => {
    const lame = await startTestService({ sharing: service })
    const shop = await lame.createMerchant()
    await lame.flushRequests()
    await withoutTable('http_requests', async () => {
      for (let i = 0; i < 3; i++) {
        expect((await shop.call('GET', '/v1/transactions')).status).toBe(200)
        await lame.flushRequests()
      }
    })
    expect(lame.logged.filter(({ message }) => message.includes('request log'))).toHaveLength(1)
    expect((await lame.call('GET', '/metrics')).text).toMatch(/^request_log_left_out_total 3$/m)
    await shop.call('GET', '/v1/products')
    await lame.flushRequests()
    expect((await shop.call('GET', '/v1/requests')).body.data[0].path).toBe('/v1/products')
    await lame.close()
  })

  test('nothing waits for the database', async () => {
    const holder = await service.database.pool.connect()
    await holder.query('BEGIN; LOCK TABLE http_requests IN ACCESS EXCLUSIVE MODE')
    await merchant.call('GET', '/v1/transactions')
    let isFlushed = false
    const flushed = service.flushRequests().then(() => {
      isFlushed = true
    })
    expect((await merchant.call('GET', '/v1/transactions')).status).toBe(200)
    expect(isFlushed).toBe(false)
    await holder.query('COMMIT')
    holder.release()
    await flushed
  })
})

test('it writes by itself, and the rest when it is stopped', async () => {
  const hasty = await startTestService({ sharing: service, flushRequestsEveryMs: 20 })
  const shop = await hasty.createMerchant()
  const list = async () => (await shop.call('GET', '/v1/requests')).body.data
  await shop.call('GET', '/v1/cards/x')
  while ((await list()).length < 1) await sleep(20)
  expect(await list()).toHaveLength(1)
  await hasty.close()

  const slow = await startTestService({ sharing: service })
  const { body } = await slow.call('GET', `/v1/cards/${cardOf(8)}`, { token: shop.token })
  await slow.close()
  expect(body.message).toBe('card_not_found')
  const rows = (await service.call('GET', '/v1/requests', { token: shop.token })).body.data
  expect(rows.map(({ path }: { path: string }) => path)).toEqual([
    `/v1/cards/${cardOf(8)}`,
    '/v1/cards/[redacted]',
  ])
})
