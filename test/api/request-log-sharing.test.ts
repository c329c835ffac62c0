/** What one call or one merchant does to the request log costs the others nothing. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createIds, listRoutes, probes } from '../contract/route-table.ts'
import { isFull, someOf } from '../support/full.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
beforeAll(async () => {
  // A flood is what these tests are about.
  service = await startTestService({ rateLimit: 100_000 })
  merchant = await service.createMerchant()
})
afterAll(() => service.close())

async function list({ call }: Pick<Merchant, 'call'>, query = '') {
  await service.flushRequests()
  return (await call('GET', `/v1/requests${query}`)).body.data as { requestId: string; path: string }[]
}
/** The log keeps an ID that a machine made. */
const idOf = (name: string) => createHash('md5').update(name).digest('hex')
const named = (name: string) => ({ 'x-request-id': idOf(name) })
const leftOut = async () =>
  Number(/^request_log_left_out_total (\d+)/m.exec((await service.call('GET', '/metrics')).text)![1])

describe('what cannot be stored', () => {
  const nested = '['.repeat(20_000) + ']'.repeat(20_000)
  test.each<[string, ...Parameters<Merchant['call']>]>([
    ['NUL in a query', 'GET', '/v1/users?q=%00'],
    ['NUL in a query of a till', 'GET', '/v1/till/products?q=a%00b'],
    ['NUL in a query that is refused', 'GET', '/v1/transactions?status=%00&%00=%00'],
    ['NUL in a path', 'GET', '/v1/cards/%00'],
    ['NUL in a body', 'POST', '/v1/products', { opaqueId: 'a\0b', name: '\0' }],
    ['NUL in a basket', 'POST', '/v1/transactions/process', { customer: '\0', items: [{ '\0': '\0' }] }],
    ['half a character', 'POST', '/v1/products', { opaqueId: 'a\ud800b', name: '\udc00' }],
    [
      'half a character in a basket',
      'POST',
      '/v1/transactions/process',
      { receipt: '\ud800', items: ['\udfff'] },
    ],
    ['a very deep body', 'POST', '/v1/transactions/process', `{"items":${nested}}`],
    ['a very deep campaign', 'POST', '/v1/campaigns', `{"name":"Deep","rules":${nested}}`],
  ])('%s: the call is in the log, and so is the one beside it', async (kind, method, path, body) => {
    const shop = await service.createMerchant()
    const toldBefore = service.logged.length
    await shop.call('GET', '/v1/till/products', undefined, named('beside'))
    const json = typeof body === 'string' && { 'content-type': 'application/json' }
    const { status } = await shop.call(method, path, body, { ...named(kind), ...json })
    expect(status).toBeLessThan(500)
    expect((await list(shop)).map(({ requestId }) => requestId)).toEqual([idOf(kind), idOf('beside')])
    expect(service.logged.slice(toldBefore)).toEqual([])
  })

  test('NUL in the query of every route, and in place of each id', async () => {
    const ids = await createIds(merchant)
    const nul = { ...ids, ...Object.fromEntries(Object.keys(ids).map((name) => [name, '%00'])) }
    const isLogged = (name: string) => !service.configs.get(name)?.skipsRequestLog
    const logged = listRoutes(service).filter(({ path, name }) => path.startsWith('/v1/') && isLogged(name))
    expect(logged.length).toBeGreaterThan(50)
    for (const [i, { method, name }] of someOf([...logged.entries()], 4, 0)) {
      const { path, body } = probes[name]!(nul)
      await service.flushRequests()
      await merchant.call('GET', '/v1/till/branches', undefined, named(`beside-${i}`))
      const query = `${path.includes('?') ? '&' : '?'}q=%00&cursor=%00&from=%00&%00=%00`
      await merchant.call(method, path + query, body, named(`nul-${i}`))
      const [last, before] = await list(merchant, '?limit=2')
      expect([name, last?.requestId, before?.requestId]).toEqual([
        name,
        idOf(`nul-${i}`),
        idOf(`beside-${i}`),
      ])
    }
  })

  test('what the database will not take is lost alone, told once, and counted', async () => {
    const { pool } = service.database
    await pool.query(
      `ALTER TABLE http_requests ADD CONSTRAINT bad CHECK (request_id <> '${idOf('culprit')}')`,
    )
    const shop = await service.createMerchant()
    const before = await leftOut()
    for (const id of ['one', 'culprit', 'two', 'culprit', 'three'])
      await shop.call('GET', '/v1/cards/x', undefined, named(id))
    expect((await list(shop)).map(({ requestId }) => requestId)).toEqual(['three', 'two', 'one'].map(idOf))
    await pool.query('ALTER TABLE http_requests DROP CONSTRAINT bad')
    expect(await leftOut()).toBe(before + 2)
    expect(service.logged.filter(({ message }) => message.includes('request log'))).toHaveLength(1)
  })
})

describe('a client in a loop', () => {
  const flood = async (shop: Merchant, times: number) => {
    for (let i = 0; i < times; i++) await shop.call('GET', '/v1/cards/x', undefined, named(`flood-${i}`))
  }

  test('fills its own log with its newest, and nobody else’s', async () => {
    const [loop, quiet] = [await service.createMerchant(), await service.createMerchant()]
    await service.flushRequests()
    const before = await leftOut()
    await flood(loop, 1_100)
    await quiet.call('GET', '/v1/cards/x', undefined, named('quiet'))
    expect((await list(quiet)).map(({ requestId }) => requestId)).toEqual([idOf('quiet')])
    const kept = await list(loop, '?limit=100')
    expect([kept[0]?.requestId, kept[99]?.requestId]).toEqual(['flood-1099', 'flood-1000'].map(idOf))
    const { rows } = await service.database.pool.query(
      'SELECT count(*)::int AS n FROM http_requests r JOIN organizations o USING (org_id) WHERE o.id = $1',
      [loop.id.slice(4)],
    )
    expect(rows).toEqual([{ n: 200 }])
    expect(await leftOut()).toBe(before + 900)
  })

  test('does so in company too: who has the most makes room', { skip: !isFull }, async () => {
    const loops = await Promise.all(Array.from({ length: 6 }, () => service.createMerchant()))
    const quiet = await service.createMerchant()
    await service.flushRequests()
    const before = await leftOut()
    for (const loop of loops) await flood(loop, 200)
    await quiet.call('GET', '/v1/cards/x', undefined, named('quiet'))
    expect((await list(quiet)).map(({ requestId }) => requestId)).toEqual([idOf('quiet')])
    for (const loop of loops) expect((await list(loop, '?limit=1'))[0]?.requestId).toBe(idOf('flood-199'))
    expect(await leftOut()).toBe(before + 201)
  })
})
