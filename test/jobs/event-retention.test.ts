import { afterAll, beforeAll, expect, test } from 'vitest'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { audit } from '../support/audit.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { openShop, type Shop } from '../support/shop.ts'

let service: TestService
const start = new Date('2027-01-10T11:00:00Z')
const dayMs = 86_400_000

beforeAll(async () => {
  service = await startTestService({ eventRetentionDays: 7 })
  service.holdTime()
  service.setTime(start)
})
afterAll(() => service.close())

const setDay = (day: number) => service.setTime(new Date(start.getTime() + day * dayMs))
const addCustomers = async (shop: Shop, count: number) => {
  for (let i = 0; i < count; i++) await shop.post('/v1/customers', { data: {} })
}
const positions = async (shop: Shop, query = '') =>
  (await shop.get(`/v1/events${query}`)).data.map(({ position }: { position: number }) => position)

test('events are deleted when they are older than they are kept, and a cursor from before is told where to go on', async () => {
  const shop = await openShop(service)
  const other = await openShop(service)
  const { cursor: beginning } = await shop.get('/v1/events?after=latest')
  await addCustomers(shop, 3)
  const { cursor: third } = await shop.get('/v1/events?after=latest')
  setDay(4)
  await addCustomers(shop, 2)
  await addCustomers(other, 1)
  await runRound(service.deps)
  expect(await positions(shop)).toEqual([1, 2, 3, 4, 5])

  setDay(8)
  await runRound(service.deps)
  expect(await positions(shop)).toEqual([4, 5])
  expect(await positions(other)).toEqual([1])
  const late = await shop.call('GET', `/v1/events?after=${beginning}`)
  expectRefusal(late, 410, 'cursor_expired')
  expect(late.body.cursor).toBe(third)
  expect(await positions(shop, `?after=${third}`)).toEqual([4, 5])

  // Nothing is left, and the numbers go on.
  setDay(12)
  await runRound(service.deps)
  expect(await positions(shop)).toEqual([])
  expectRefusal(await shop.call('GET', `/v1/events?after=${third}`), 410, 'cursor_expired')
  await addCustomers(shop, 1)
  expect(await positions(shop)).toEqual([6])
  expect(await gaps()).toEqual([])
})

test('a backlog leaves in batches, up to the first event that is kept, and the work is due again the next day', async () => {
  const shop = await openShop(service)
  await addCustomers(shop, 1)
  const { rows } = await service.database.pool.query(
    `WITH c AS (UPDATE event_counters SET last_position = 2502
       WHERE org_id = (SELECT org_id FROM organizations WHERE id = $1) RETURNING org_id)
     INSERT INTO events (org_id, position, created_at, id, type, data)
     SELECT c.org_id, n, $2::timestamptz + (CASE n WHEN 2401 THEN 9 ELSE 0 END) * interval '1 day', gen_random_uuid(),
       'customer.erased', '{"customer":"cus_x"}'
     FROM c, generate_series(2, 2502) AS n RETURNING org_id`,
    [shop.merchant.id.slice(4), service.deps.clock()],
  )
  setDay(12 + 8)
  await runRound(service.deps)
  // One that is younger keeps those behind it, as when a clock was wrong.
  expect((await positions(shop, '?limit=1'))[0]).toBe(2401)
  expect(await gaps()).toEqual([])
  const due = await service.database.pool.query(
    `SELECT due_at, attempts FROM due_work WHERE org_id = $1 AND kind = 'events'`,
    [rows[0].org_id],
  )
  expect(due.rows).toEqual([{ due_at: new Date(start.getTime() + 21 * dayMs), attempts: 0 }])
})

/** What the audit says of the numbers; its other sentences need the events that are deleted here. */
const gaps = async () =>
  (await audit(service.database.pool)).filter((problem) => /without gaps/.test(JSON.stringify(problem)))

test('an organization that an earlier version has created during an upgrade is looked after as well', async () => {
  const shop = await openShop(service)
  await addCustomers(shop, 1)
  const org = `(SELECT org_id FROM organizations WHERE id = '${shop.merchant.id.slice(4)}')`
  await service.database.pool.query(`DELETE FROM due_work WHERE org_id = ${org} AND kind = 'events'`)
  await service.flushRequests()
  const now = service.deps.clock().getTime()
  service.setTime(new Date(now + 8 * dayMs))
  await runRound(service.deps)
  service.setTime(new Date(now + 9 * dayMs))
  await runRound(service.deps)
  const { rows } = await service.database.pool.query(
    `SELECT count(*) AS events FROM events WHERE org_id = ${org}`,
  )
  expect(rows).toEqual([{ events: 0 }])
})
