/**
 * A reader that keeps its cursor gets every event exactly once and in one order, while many writers race on two
 * instances, one transaction takes its number and commits late, and old events are deleted behind the reader.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteOldEvents } from '../../src/operations/events/delete-old-events.ts'
import { insertEvents } from '../../src/store/events.ts'
import { shifted } from '../../src/store/shifted.ts'
import { inTransaction } from '../../src/store/tenant.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { many, startTwoInstances, type TwoInstances } from '../support/two-instances.ts'

let two: TwoInstances
let campaign: string
let org: number

beforeAll(async () => {
  two = await startTwoInstances()
  campaign = await two.merchant.publishCampaign()
  const { rows } = await two.service.database.pool.query('SELECT org_id FROM organizations WHERE id = $1', [
    two.merchant.id.slice(4),
  ])
  org = rows[0].org_id
})
afterAll(() => two.close())

interface Read {
  readonly id: string
  readonly position: number
  readonly type: string
}

interface Reader {
  readonly read: Read[]
  /** Ends when there is nothing more. */
  finish(): Promise<void>
}

/** Reads on an instance until it is told to finish, in pages of this size. */
function follow({ call }: TestService, query: string): Reader {
  const read: Read[] = []
  let isLast = false
  const done = (async () => {
    let after = ''
    for (;;) {
      const wasLast = isLast
      const { status, body, text } = await call('GET', `/v1/events?${query}${after}`, {
        token: two.merchant.token,
      })
      if (status !== 200) throw new Error(text)
      read.push(...body.data)
      after = `&after=${body.cursor}`
      if (wasLast && !body.hasMore) return
    }
  })()
  return {
    read,
    async finish() {
      isLast = true
      await done
    },
  }
}

/** A transaction that has taken its number and does not commit before it is told to. */
async function openSlowCommit(): Promise<{ commit(): Promise<void> }> {
  const client: pg.PoolClient = await two.service.database.pool.connect()
  await client.query('BEGIN')
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
  await client.query('UPDATE event_counters SET last_position = last_position + 1 WHERE org_id = $1', [org])
  await client.query(
    `INSERT INTO events (org_id, position, created_at, id, type, data)
     SELECT org_id, last_position, now(), gen_random_uuid(), 'customer.erased', '{"customer":"cus_slow"}'
     FROM event_counters WHERE org_id = $1`,
    [org],
  )
  return {
    async commit() {
      await client.query('COMMIT')
      client.release()
    },
  }
}

test('many writers, a slow commit and two instances: every event once, in order, for every reader', async () => {
  const people = await many(20, () => two.merchant.register(campaign))
  const readers = [
    follow(two.service, 'limit=7'),
    follow(two.second, 'limit=1000'),
    follow(two.second, 'limit=50&wait=1'),
  ]
  const ofSales = follow(two.service, 'limit=3&types=transaction.processed')
  const ofOne = follow(two.second, `customer=${people[0]!.customer}`)
  const storm = (count: number) => many(count, (i) => two.pay(people[i % people.length]!, { amount: 10 }))
  await storm(40)
  for (let i = 0; i < 3; i++) {
    // Those who come later wait for it, and no reader may pass it.
    const slow = await openSlowCommit()
    const later = storm(40)
    await sleep(150)
    await slow.commit()
    for (const { status } of await later) expect(status).toBe(201)
  }
  // Some take numbers and give them back.
  await many(20, (i) =>
    inTransaction([two.service, two.second][i % 2]!.deps.pool, org, async (tenant) => {
      await insertEvents(tenant, [{ type: 'customer.erased', data: { customer: 'cus_none' } }], new Date())
      await tenant.db.query('SELECT 1 / 0')
    }).catch(() => {}),
  )
  await storm(40)
  await Promise.all([...readers, ofSales, ofOne].map((reader) => reader.finish()))

  const { rows } = await two.service.database.pool.query(
    `SELECT 'evt_' || replace(id::text, '-', '') AS id, position::int, type, data ->> 'customer' AS customer
     FROM events WHERE org_id = $1 ORDER BY position`,
    [org],
  )
  expect(rows.map(({ position }) => position)).toEqual(rows.map((_, i) => i + 1))
  const seen = ({ read }: Reader) => read.map(({ position, id }) => `${position} ${id}`)
  const written = (keep: (row: { type: string; customer: string }) => boolean) =>
    rows.filter(keep).map(({ position, id }) => `${position} ${id}`)
  for (const reader of readers) expect(seen(reader)).toEqual(written(() => true))
  expect(seen(ofSales)).toEqual(written(({ type }) => type === 'transaction.processed'))
  expect(seen(ofSales).length).toBeGreaterThanOrEqual(200)
  expect(seen(ofOne)).toEqual(written(({ customer }) => customer === people[0]!.customer))
  expect(rows.filter(({ customer }) => customer === 'cus_slow')).toHaveLength(3)
})

test('while old events are deleted behind it, a reader is told that it is too late, or misses none', async () => {
  const merchant = await two.service.createMerchant()
  const pruned = await startTestService({ sharing: two.service, eventRetentionDays: 1 })
  try {
    await many(30, () => merchant.call('POST', '/v1/customers', { data: {} }))
    const ofMerchant = 'org_id = (SELECT org_id FROM organizations WHERE id = $1)'
    const { pool } = two.service.database
    const id = merchant.id.slice(4)
    const earlier = shifted('created_at', "- interval '9 days'")
    const outcomes = await many(30, async (i) => {
      if (i % 3 === 0) {
        await pool.query(`UPDATE events SET created_at = ${earlier} WHERE ${ofMerchant} AND position <= $2`, [
          id,
          i + 1,
        ])
        await pruneNow(pruned, id)
      }
      const first = await merchant.call('GET', '/v1/events?limit=5')
      const next = await merchant.call('GET', `/v1/events?limit=5&after=${first.body.cursor}`)
      if (next.status === 410) return 'too late'
      const [last, following] = [first.body.data.at(-1), next.body.data[0]]
      return !last || !following || following.position === last.position + 1 ? 'whole' : 'gap'
    })
    expect(outcomes).toContain('whole')
    expect(outcomes).not.toContain('gap')
  } finally {
    await pruned.close()
  }
})

async function pruneNow({ deps }: TestService, id: string): Promise<void> {
  const { rows } = await two.service.database.pool.query('SELECT org_id FROM organizations WHERE id = $1', [
    id,
  ])
  await deleteOldEvents(deps, rows[0].org_id, { mayContinue: () => true })
}
