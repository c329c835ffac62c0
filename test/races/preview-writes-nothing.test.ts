import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/database/migrate.ts'
import { openPool } from '../../src/database/pool.ts'
import type { EmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts'
import { isFull } from '../support/full.ts'
import { makeServerFolder, startOwnServer } from '../support/own-server.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'
import { many } from '../support/two-instances.ts'

/**
 * A server of its own, that writes no WAL by itself: no autovacuum, no checkpoint in the time of the test, and
 * none of the snapshots that standbys get every quarter of a minute. All else is as in production.
 */
const quiet = {
  autovacuum: 'off',
  checkpoint_timeout: '1d',
  wal_level: 'minimal',
  max_wal_senders: '0',
}

let folder: string
let server: EmbeddedPostgres
let service: TestService
let merchant: Merchant
let campaign: string

beforeAll(async () => {
  folder = await makeServerFolder()
  server = await startOwnServer(join(folder, 'postgres'), quiet)
  const { connection } = server
  await migrate(connection)
  const pool = openPool(connection)
  service = await startTestService({ sharing: { database: { connection, pool, close: () => pool.end() } } })
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign({
    name: 'Everything',
    balances: [{ key: 'points', expires: { after: 'P1M' } }, { key: 'stamps' }],
    rules: [
      {
        id: 'base',
        kind: 'points_per_amount',
        balance: 'points',
        points: 1,
        per: 1,
        limits: { perDay: 1_000 },
      },
      { id: 'item', kind: 'collect_per_item', balance: 'stamps', amount: 1, limits: { total: 1_000 } },
    ],
    rewards: [{ key: 'five', kind: 'amount_off', amount: 5 }],
    thresholds: [{ balance: 'stamps', at: 5, grant: 'five', consume: true }],
    spend: { balance: 'points', worth: 0.01 },
  })
})
afterAll(async () => {
  await service?.close()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

const query = async (sql: string) => (await service.database.pool.query(sql)).rows[0]
/** Where the next byte of WAL will go, and the next transaction number that will be given to a writer. */
const position = () =>
  query('SELECT pg_current_wal_insert_lsn() AS wal, pg_snapshot_xmax(pg_current_snapshot())::text AS writer')

const calls = isFull ? 1_000 : 200

test(`${calls} calls of validate on a quiet server: not a byte of WAL`, async () => {
  const people = await many(20, () => merchant.register(campaign))
  for (const { customer, card } of people) {
    await merchant.call('POST', '/v1/transactions/process', {
      customer,
      card,
      items: [{ quantity: 12, unitPrice: 10 }],
    })
  }
  const { coupons } = (await merchant.call('GET', `/v1/customers/${people[0]!.customer}`)).body
  const validate = (i: number) => {
    const { customer, card } = people[i % people.length]!
    return merchant.call('POST', '/v1/transactions/validate', {
      customer,
      card,
      opaqueId: `receipt-${i}`,
      user: `cashier-${i % 7}`,
      branch: `shop-${i % 5}`,
      pointsToSpend: i % 3 ? 0 : 20,
      items: [{ product: `new-${i}`, quantity: 6, unitPrice: 4 }],
      reward: i % people.length === 0 ? coupons[0].id : [],
    })
  }
  // Whoever first reads a row that was just written notes on it that its writer has committed, which is a write
  // too. VACUUM notes it on all rows; the second time also on the statistics that the first has written.
  await many(50, validate)
  await service.database.pool.query('VACUUM (ANALYZE)')
  await service.database.pool.query('VACUUM')
  await service.database.pool.query('CHECKPOINT')

  const before = await position()
  const replies = []
  for (let i = 0; i < calls; i += 50) replies.push(...(await many(50, (n) => validate(i + n))))
  expect(await position()).toEqual(before)
  for (const reply of replies) expect(reply.status).toBe(200)

  // The measure is one that moves: a single sale is seen by it.
  const { customer, card } = people[0]!
  await merchant.call('POST', '/v1/transactions/process', { customer, card, amount: 1 })
  const after = await position()
  expect(after.wal).not.toBe(before.wal)
  expect(after.writer).not.toBe(before.writer)
})
