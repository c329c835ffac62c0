/** A year of everything that is kept for a time: what is too old leaves, in steps, whatever ends the service meanwhile. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { kindsOfWork } from '../../src/jobs/kinds-of-work.ts'
import { type Checkout, makeCheckout, ownSecrets, urlOf } from '../support/checkout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFull } from '../support/full.ts'
import { runForJson } from '../support/run-command.ts'
import { startTestService } from '../support/service.ts'
import { openShop } from '../support/shop.ts'

const days = 365
/** Rows of a day, for each of two organizations: one that is busy, and one that is not. */
const perDay = [
  { events: 300, deliveries: 200, messages: 50, requests: 50, replies: 50 },
  { events: 7, deliveries: 5, messages: 5, requests: 3, replies: 2 },
]
/**
 * In days. Deliveries that wait are kept for 30 more, and messages that were not sent yet for as long as that takes:
 * each fifth of them is such.
 */
const settings = {
  EVENT_RETENTION: 90,
  DELIVERY_RETENTION: 30,
  MESSAGE_RETENTION: 40,
  REQUEST_RETENTION: 20,
  REPLY_RETENTION: 10,
}
const extraDaysOfWaiting = 30

/** Between a tenth and nine tenths of a day away from every whole number of days ago. */
const timeOf = (count: number) =>
  `now() - make_interval(secs => 86400 * ((n - 1) / ${count} + 0.1 + 0.8 * ((n - 1) % ${count}) / ${count}))`
const idAt = (time: string) =>
  `(lpad(to_hex((extract(epoch FROM ${time}) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text || $1), 1, 19))::uuid`

/** Rows are numbered from the newest on; positions from the oldest. */
async function plantYear(
  { pool }: TestDatabase,
  org: number,
  counts: (typeof perDay)[number],
): Promise<void> {
  const total = days * counts.events
  await pool.query('DELETE FROM events WHERE org_id = $1', [org])
  await pool.query(
    `INSERT INTO events (org_id, position, created_at, id, type, data)
     SELECT $1, ${total} + 1 - n, ${timeOf(counts.events)}, gen_random_uuid(), 'customer.erased', '{"customer":"cus_x"}'
     FROM generate_series(1, ${total}) AS n`,
    [org],
  )
  await pool.query('UPDATE event_counters SET last_position = $2, oldest_position = 1 WHERE org_id = $1', [
    org,
    total,
  ])
  await pool.query(
    `INSERT INTO webhook_deliveries (org_id, id, webhook_id, event_id, type, status, created_at)
     SELECT $1::integer, ${idAt(timeOf(counts.deliveries)).replace('$1', '$1::text')}, gen_random_uuid(), gen_random_uuid(),
       'customer.erased', CASE n % 5 WHEN 0 THEN 1 ELSE 2 END, ${timeOf(counts.deliveries)}
     FROM generate_series(1, ${days * counts.deliveries}) AS n`,
    [String(org)],
  )
  await pool.query(
    `INSERT INTO messages (org_id, id, kind, channel, data, status, created_at)
     SELECT $1::integer, ${idAt(timeOf(counts.messages)).replace('$1', '$1::text')}, 'card_link', 'email', '{}',
       CASE n % 5 WHEN 0 THEN 1 ELSE 3 END, ${timeOf(counts.messages)}
     FROM generate_series(1, ${days * counts.messages}) AS n`,
    [String(org)],
  )
  await pool.query(
    `INSERT INTO http_requests (org_id, id, request_id, at, method, path, route, status, duration_us, by_kind, user_id)
     SELECT $1::integer, ${idAt(timeOf(counts.requests)).replace('$1', '$1::text')}, 'r' || n, ${timeOf(counts.requests)},
       'GET', '/v1/events', '/v1/events', 200, 1000, 'connection', gen_random_uuid()
     FROM generate_series(1, ${days * counts.requests}) AS n`,
    [String(org)],
  )
  await pool.query(
    `INSERT INTO idempotency_keys (org_id, route, key, fingerprint, status, reply, created_at)
     SELECT $1, 'POST /v1/customers', 'k' || n, '\\x00', 201, '{"id":"cus_x"}', ${timeOf(counts.replies)}
     FROM generate_series(1, ${days * counts.replies}) AS n`,
    [org],
  )
  await pool.query(
    `INSERT INTO due_work (org_id, kind, due_at)
     SELECT $1, kind, now() FROM unnest(ARRAY['events', 'deliveries', 'messages', 'requests', 'replies']) AS kind
     ON CONFLICT (org_id, kind) DO UPDATE SET due_at = now()`,
    [org],
  )
}

const countRows = async ({ pool }: TestDatabase, org: number) =>
  (
    await pool.query(
      `SELECT (SELECT count(*) FROM events WHERE org_id = $1)::int AS events,
         (SELECT count(*) FROM webhook_deliveries WHERE org_id = $1 AND status = 2)::int AS deliveries,
         (SELECT count(*) FROM webhook_deliveries WHERE org_id = $1 AND status = 1)::int AS waiting,
         (SELECT count(*) FROM messages WHERE org_id = $1 AND status = 3)::int AS messages,
         (SELECT count(*) FROM messages WHERE org_id = $1 AND status = 1)::int AS unsent,
         (SELECT count(*) FROM http_requests WHERE org_id = $1)::int AS requests,
         (SELECT count(*) FROM idempotency_keys WHERE org_id = $1)::int AS replies`,
      [org],
    )
  ).rows[0] as Record<string, number>

/** Of a day's deliveries, `n % 5 = 0` wait; days are whole multiples of five rows where that matters. */
const expected = (counts: (typeof perDay)[number]) => ({
  events: counts.events * settings.EVENT_RETENTION,
  deliveries: (counts.deliveries * settings.DELIVERY_RETENTION * 4) / 5,
  waiting: (counts.deliveries * (settings.DELIVERY_RETENTION + extraDaysOfWaiting)) / 5,
  messages: (counts.messages * settings.MESSAGE_RETENTION * 4) / 5,
  unsent: (counts.messages * days) / 5,
  requests: counts.requests * settings.REQUEST_RETENTION,
  replies: counts.replies * settings.REPLY_RETENTION,
})

describe('a year of data', () => {
  let checkout: Checkout
  let database: TestDatabase
  let env: Record<string, string>
  let orgs: number[] = []

  beforeAll(async () => {
    ;[checkout, database] = await Promise.all([makeCheckout(), createTestDatabase()])
    env = { DATABASE_URL: urlOf(database.connection), ...ownSecrets }
    for (const name of ['Busy', 'Quiet']) await runForJson(['organization', 'create', name], env)
    const { rows } = await database.pool.query('SELECT org_id FROM organizations ORDER BY org_id')
    orgs = rows.map((row) => row.org_id)
    for (const [i, org] of orgs.entries()) await plantYear(database, org, perDay[i]!)
  })
  afterAll(async () => {
    await checkout.remove()
    await database.close()
  })

  test.runIf(isFull)(
    'what is too old leaves, and nothing else, although the service is killed again and again',
    async () => {
      const kept = { ...env, DATA_DIR: await checkout.newDataDir() }
      for (const [name, value] of Object.entries(settings)) kept[name as keyof typeof kept] = String(value)
      const all = async () =>
        Object.values(await countRows(database, orgs[0]!)).reduce((sum, n) => sum + n, 0)
      const planted = await all()
      const toGo = planted - Object.values(expected(perDay[0]!)).reduce((sum, n) => sum + n, 0)
      const kills = 6
      const startedAt = performance.now()
      for (let i = 1; i <= kills; i++) {
        const service = await checkout.start(kept)
        const target = planted - (toGo * i) / (kills + 1)
        await vi.waitFor(async () => expect(await all()).toBeLessThan(target), {
          timeout: 120_000,
          interval: 5,
        })
        await service.end('SIGKILL')
        // A lease of the dead ends after a minute; here it ends now.
        await database.pool.query('UPDATE due_work SET leased_until = now() WHERE leased_until > now()')
      }
      const service = await checkout.start(kept)
      await vi.waitFor(
        async () => {
          expect(await countRows(database, orgs[0]!)).toEqual(expected(perDay[0]!))
          expect(await countRows(database, orgs[1]!)).toEqual(expected(perDay[1]!))
        },
        { timeout: 120_000, interval: 50 },
      )
      const seconds = (performance.now() - startedAt) / 1000
      console.info(
        `${toGo} rows of ${planted} left in ${seconds.toFixed(1)} s, with ${kills} kills and starts.`,
      )
      const { rows } = await database.pool.query(
        `SELECT c.last_position - c.oldest_position + 1 AS kept, min(e.position) = c.oldest_position AS "isExact"
       FROM event_counters c JOIN events e USING (org_id) GROUP BY c.org_id ORDER BY c.org_id`,
      )
      expect(rows).toEqual(perDay.map((counts) => ({ kept: expected(counts).events, isExact: true })))
      const work = await database.pool.query(
        `SELECT kind, last_error, due_at > now() AS "isLater" FROM due_work
       WHERE org_id = $1 AND kind IN ('events', 'deliveries', 'requests', 'replies') ORDER BY kind`,
        [orgs[0]],
      )
      expect(work.rows).toEqual(
        ['deliveries', 'events', 'replies', 'requests'].map((kind) => ({
          kind,
          last_error: null,
          isLater: true,
        })),
      )
      await service.end('SIGTERM')
    },
  )
})

test('a step removes a thousand rows at most, and one that has to stop is due again at once', async () => {
  const service = await startTestService({ eventRetentionDays: 90 })
  try {
    const shop = await openShop(service)
    const { rows } = await service.database.pool.query('SELECT org_id FROM organizations WHERE id = $1', [
      shop.merchant.id.slice(4),
    ])
    const org = rows[0].org_id
    // The clock of a test service is ahead by less than a day.
    await plantYear(service.database, org, {
      events: 20,
      deliveries: 20,
      messages: 20,
      requests: 20,
      replies: 20,
    })
    service.holdTime()
    const stop = { mayContinue: () => false }
    for (const kind of ['events', 'deliveries', 'messages', 'requests', 'replies'] as const) {
      const rowsOf = async () => {
        const counts = await countRows(service.database, org)
        return counts[kind]! + (kind === 'deliveries' ? counts.waiting! : 0)
      }
      const before = await rowsOf()
      expect(await kindsOfWork[kind](service.deps, org, stop)).toEqual({ next: service.deps.clock() })
      expect([kind, before - (await rowsOf())]).toEqual([kind, 1_000])
    }
  } finally {
    await service.close()
  }
})
