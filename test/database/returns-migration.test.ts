import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/database/migrate.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

/** Sales of 0.1.0 tell what their coupons stand for: here, packed as that version stored them. */
let database: TestDatabase
let folder: string

const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
const at = '2026-05-01T10:00:00Z'
const reward = (key: string) => ({ key, name: key, kind: 'amount_off', amount: 5 })
const grant = (coupon: number, key: string, balance: number, height: number, taken: number[] | 0) => [
  'g',
  uuid(coupon),
  0,
  reward(key),
  0,
  [balance, height],
  taken,
]

/** 250 points and 35 stamps: two coupons for the total, three for stamps, whose first 12 were in two lots. */
const sale = [
  [25000, 25000, 0],
  [[uuid(900), 1]],
  [
    ['points', 250, 250, 0],
    ['stamps', 5, 35, 0],
  ],
  [
    ['c', [0, 1, 250, 250, 250], 0, 'base'],
    ['c', [1, 1, 35, 35, 35], 0, 'stamp'],
    grant(1, 'five', 0, 100, 0),
    grant(2, 'five', 0, 100, 0),
    grant(6, 'free', 1, 10, [1, 2, -10, 25, 35]),
    grant(3, 'free', 1, 10, [1, 3, -10, 15, 35]),
    grant(4, 'free', 1, 10, [1, 4, -10, 5, 35]),
  ],
  [],
  [],
  [
    2,
    'UTC',
    [],
    1,
    {
      consumedFrom: [
        ['stamps', 7, 8, 1_800_000_000_000],
        ['stamps', 9, 4, 1_900_000_000_000],
      ],
    },
  ],
]

beforeAll(async () => {
  database = await createTestDatabase({ empty: true })
  folder = await mkdtemp(join(tmpdir(), 'lw-returns-'))
  const files = (await readdir('migrations')).sort()
  for (const file of files.filter((name) => name < '0014')) await cp(`migrations/${file}`, join(folder, file))
  await migrate(database.connection, { folder })
  const { pool } = database
  const client = await pool.connect()
  // Only what the migration reads.
  await client.query('SET session_replication_role = replica')
  await client.query(
    `INSERT INTO transactions (org_id, id, customer_id, card_id, user_id, branch_id, occurred_at, created_at, basket, result)
     VALUES (1, $1, $2, $2, $2, $2, $3, $3, '{}', $4)`,
    [uuid(500), uuid(100), at, JSON.stringify(sale)],
  )
  const coupons: [id: number, status: number, grantedBy: string | null][] = [
    [1, 3, uuid(500)],
    [2, 1, uuid(500)],
    [3, 5, uuid(500)],
    [4, 4, uuid(500)],
    [5, 1, null],
    [6, 1, uuid(500)],
  ]
  for (const [id, status, grantedBy] of coupons) {
    await client.query(
      `INSERT INTO coupons (org_id, id, customer_id, campaign_id, status, reward, granted_by, redeemed_by, created_at, updated_at)
       VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8, $8)`,
      [uuid(id), uuid(100), uuid(900), status, reward('x'), grantedBy, status === 3 ? uuid(501) : null, at],
    )
  }
  await client.query(
    `INSERT INTO returns (org_id, id, transaction_id, number, items, result, created_at) VALUES (1, $1, $2, 1, '[]', $3, $4)`,
    [
      uuid(700),
      uuid(500),
      { record: { revoked: [`cpn_${uuid(3).replaceAll('-', '')}`, `cpn_${uuid(4).replaceAll('-', '')}`] } },
      at,
    ],
  )
  // An earlier return has left the second coupon although the total is below 200.
  await client.query(
    `INSERT INTO balances (org_id, customer_id, key, value, total, version) VALUES (1, $1, 'points', 150, 150, 2)`,
    [uuid(100)],
  )
  for (const [reward, multiple] of [
    ['five', 2],
    ['other', -1],
  ])
    await client.query(
      `INSERT INTO kept_multiples (org_id, customer_id, campaign_id, key, at, reward, multiple) VALUES (1, $1, $2, 'points', 100, $3, $4)`,
      [uuid(100), uuid(900), reward, multiple],
    )
  client.release(true)
  await cp('migrations', folder, { recursive: true })
  await migrate(database.connection, { folder })
})
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

test('coupons get the threshold, the multiple and what they consumed; what was taken back stands for nothing', async () => {
  const { rows } = await database.pool.query(
    'SELECT id, status, balance_key, at, multiple, consumed, consumed_from, settled, revoked_by FROM coupons ORDER BY id',
  )
  const of = (n: number) => rows.find(({ id }) => id === uuid(n))
  const points = { balance_key: 'points', at: 100, consumed: null, consumed_from: null, settled: 0 }
  expect(of(1)).toMatchObject({ ...points, status: 3, multiple: 1, revoked_by: null })
  expect(of(2)).toMatchObject({ ...points, status: 1, multiple: null, revoked_by: null })
  const stamps = { balance_key: 'stamps', at: 10, multiple: null, consumed: 10, consumed_from: null }
  expect(of(6)).toMatchObject({
    ...stamps,
    consumed_from: [
      ['stamps', 7, 8, 1_800_000_000_000],
      ['stamps', 9, 2, 1_900_000_000_000],
    ],
    revoked_by: null,
  })
  expect(of(3)).toMatchObject({ ...stamps, status: 5, settled: 0, revoked_by: uuid(700) })
  expect(of(4)).toMatchObject({ ...stamps, status: 4, settled: 10, revoked_by: null })
  expect(of(5)).toMatchObject({
    balance_key: null,
    at: null,
    multiple: null,
    consumed: null,
    revoked_by: null,
  })
})

test('what is kept for a coupon that is out stays, and what was kept for passed multiples goes', async () => {
  const { rows } = await database.pool.query('SELECT reward, multiple FROM kept_multiples')
  expect(rows).toEqual([{ reward: 'five', multiple: 2 }])
})

test('the tables are guarded again', async () => {
  const { rows } = await database.pool.query(
    `SELECT relname FROM pg_class WHERE relname IN ('coupons', 'transactions', 'returns', 'kept_multiples', 'balances')
     AND NOT relforcerowsecurity`,
  )
  expect(rows).toEqual([])
})
