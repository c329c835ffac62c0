import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { urlOf } from '../support/checkout.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import {
  dayAgo,
  facesOf,
  type OldShop,
  openOldShop,
  rowsInDatabase,
  rowsInFiles,
} from '../support/old-shop.ts'
import { runCommand, runForJson } from '../support/run-command.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { type Body, tally } from '../support/shop.ts'

let service: TestService
let old: OldShop
let folder: string
let env: Record<string, string>
let before: { faces: Body; rows: Map<string, string> }
const cutoff = dayAgo(440)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lw-archive-'))
  service = await startTestService()
  env = { DATABASE_URL: urlOf(service.database.connection), DATA_DIR: join(folder, 'data') }
  old = await openOldShop(service)
  before = { faces: await facesOf(old, old.sales.slice(-60)), rows: await rowsInDatabase(service) }
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

const archive = (...more: string[]) =>
  runForJson(['archive', '--before', cutoff, '--to', join(folder, 'files'), ...more], env)

const send = ({ person, body }: OldShop['sales'][number], headers?: Record<string, string>) =>
  old.shop.call('POST', '/v1/transactions/process', { ...person, ...body }, { headers })

test('says what is wrong with its arguments', async () => {
  const said = async (...args: string[]) => (await runCommand(['archive', ...args], env)).stderr
  expect(await said()).toMatch('--before 2025-01-01')
  expect(await said('--before', '2020-02-30', '--dry-run')).toMatch('"2020-02-30" is not a day')
  expect(await said('--before', '2020-01-01')).toMatch('--to DIRECTORY')
  expect(await said('--before', dayAgo(390), '--dry-run')).toMatch(
    /the last 400 days stay.*Choose \d{4}-\d\d-\d\d/,
  )
  expect(await said('--before', '2020-01-01', '--dry-run', '--organization', 'org_x')).toMatch(
    'does not exist',
  )
})

test('counts without moving anything', async () => {
  const counted = await runForJson(['archive', '--before', cutoff, '--dry-run'], env)
  expect(counted).toMatchObject({ code: 0, isDryRun: true, data: [{ files: 0, rows: 0 }] })
  expect(counted.data[0].sales).toBeGreaterThan(80)
  expect(await rowsInDatabase(service)).toEqual(before.rows)
})

test('moves old sales to files while their receipts are sent again, and books none twice', async () => {
  const counted = await runForJson(['archive', '--before', cutoff, '--dry-run'], env)
  let isDone = false
  const replies: Awaited<ReturnType<typeof send>>[] = []
  const repeat = async (offset: number) => {
    for (let i = offset; !isDone || i < 200; i += 2) replies.push(await send(old.sales[i % 200]!))
  }
  const repeating = [repeat(0), repeat(1)]
  const moved = await archive('--step', '7').finally(() => {
    isDone = true
  })
  await Promise.all(repeating)
  expect(moved).toMatchObject({ code: 0, isComplete: true, data: [{ sales: counted.data[0].sales }] })
  expect(Object.keys(tally(replies)).sort()).toEqual(['201', '410 transaction_archived'])
  const all = new Map([...(await rowsInDatabase(service)), ...(await rowsInFiles(join(folder, 'files')))])
  expect([...all.keys()].sort()).toEqual([...before.rows.keys()].sort())
})

test('every row is in the database or in a file, unchanged, and none in both', async () => {
  const live = await rowsInDatabase(service)
  const filed = await rowsInFiles(join(folder, 'files'))
  expect(filed.size).toBeGreaterThan(600)
  expect([...filed.keys()].filter((name) => live.has(name))).toEqual([])
  for (const [name, row] of before.rows) expect(live.get(name) ?? filed.get(name), name).toBe(row)
  expect(live.size + filed.size).toBe(before.rows.size)
})

test('balances, coupons, reports, lists of visitors and the returns of what stays are as before', async () => {
  expect(await facesOf(old, old.sales.slice(-60))).toEqual(before.faces)
  expect(before.faces.integrity).toEqual({ ok: true, problems: [] })
  expect(await runForJson(['verify-ledger'], env)).toMatchObject({ code: 0, ok: true })
})

test('an archived sale is refused, whatever is asked of it', async () => {
  const archived: OldShop['sales'][number][] = []
  for (const sale of old.sales.slice(0, 120)) {
    const reply = await old.shop.call('GET', `/v1/transactions/${sale.id}`)
    if (reply.status === 200) continue
    expectRefusal(
      reply,
      410,
      'transaction_archived',
      /^txn_\w+ was archived on \d{4}-\d\d-\d\d, in file \d+\.$/,
    )
    archived.push(sale)
  }
  expect(archived.length).toBeGreaterThan(80)
  const sale = archived.find(({ body }) => body.opaqueId.startsWith('r-0-'))!
  const path = `/v1/transactions/${sale.id}/return`
  expectRefusal(await send(sale), 410, 'transaction_archived')
  expectRefusal(await send({ ...sale, body: { ...sale.body, items: [] } }), 410, 'transaction_archived')
  const { opaqueId, ...body } = sale.body
  const key = { 'idempotency-key': opaqueId.replace('r-', 'k-') }
  expectRefusal(await send({ ...sale, body }, key), 410, 'transaction_archived')
  expectRefusal(await old.shop.call('POST', path, {}), 410, 'transaction_archived')
  expectRefusal(await old.shop.call('POST', `${path}/validate`, {}), 410, 'transaction_archived')
  // The number of an archived return is taken.
  const { rows } = await service.database.pool.query('SELECT opaque_id FROM archived_returns LIMIT 1')
  const again = { opaqueId: rows[0].opaque_id }
  const other = `/v1/transactions/${old.sales.at(-1)!.id}/return`
  expectRefusal(await old.shop.call('POST', other, again), 409, 'transaction_already_exists')
})

test('sales that stay are returned, new ones are processed, and the next run goes on where this one ended', async () => {
  for (const sale of old.sales.slice(-12)) await old.shop.giveBack(sale)
  for (const person of old.people) await old.shop.process(person, { amount: 30 })
  expect(await old.shop.integrity()).toMatchObject({ ok: true, problems: [] })
  const nothing = await archive()
  expect(nothing.data[0]).toMatchObject({ sales: 0, files: 0 })
  const next = await runForJson(
    [
      'archive',
      '--before',
      dayAgo(401),
      '--to',
      join(folder, 'other'),
      '--organization',
      old.shop.merchant.id,
    ],
    env,
  )
  expect(next).toMatchObject({ code: 0, isComplete: true })
  expect(next.data[0].files).toBeGreaterThan(0)
  expect(await old.shop.integrity()).toMatchObject({ ok: true, problems: [] })
  expect(await runForJson(['archive', 'verify', join(folder, 'other')], env)).toMatchObject({
    code: 0,
    ok: true,
  })
})

test('a broken sum of what was archived is found', async () => {
  const { pool } = service.database
  const sumsOf = async (change: string) => {
    const { rows } = await pool.query(
      'SELECT org_id, customer_id FROM archived_balances ORDER BY customer_id LIMIT 1',
    )
    const { org_id: org, customer_id: customer } = rows[0]
    await pool.query(
      `UPDATE archived_balances SET ${change} WHERE org_id = ${org} AND customer_id = '${customer}'`,
    )
    return (await old.shop.integrity()).problems.map(({ description }: Body) => description)
  }
  expect((await sumsOf('value = value + 1')).join()).toMatch(/the entries add up to|does not carry/)
  expect(await sumsOf('value = value - 1')).toEqual([])
  expect((await sumsOf('version = version + 1')).join()).toMatch(/a version is missing|newest entry/)
  expect(await sumsOf('version = version - 1')).toEqual([])
  const { rows } = await pool.query('SELECT org_id, kind, key FROM archived_sums LIMIT 1')
  const { org_id: org, kind, key } = rows[0]
  const where = `WHERE org_id = ${org} AND kind = '${kind}' AND key = '${key}'`
  await pool.query(`UPDATE archived_sums SET amount = amount + 1 ${where}`)
  expect((await old.shop.integrity()).problems).toHaveLength(1)
  await pool.query(`UPDATE archived_sums SET amount = amount - 1 ${where}`)
  expect(await old.shop.integrity()).toMatchObject({ ok: true })
})
