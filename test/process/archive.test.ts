import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { urlOf } from '../support/checkout.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { isFull } from '../support/full.ts'
import {
  club,
  dayAgo,
  facesOf,
  type OldShop,
  openOldShop,
  rowsInDatabase,
  rowsInFiles,
} from '../support/old-shop.ts'
import { runCommand, runForJson } from '../support/run-command.ts'
import { type Reply, startTestService, type TestService } from '../support/service.ts'
import { type Body, tally } from '../support/shop.ts'

let service: TestService
let old: OldShop
/** Has the same history, and is not archived. */
let twin: OldShop
let folder: string
let env: Record<string, string>
let before: { faces: Body; rows: Map<string, string> }
const cutoff = dayAgo(440)
/** In the quick check two years of four customers: ten months of them are archived, and not twenty-two of six. */
const size = isFull ? { customers: 6, months: 36 } : { customers: 4, months: 24 }
/** Sales of this many months are archived, except those that something is left of. */
const early = size.customers * (size.months - 16)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lw-archive-'))
  service = await startTestService()
  env = { DATABASE_URL: urlOf(service.database.connection), DATA_DIR: join(folder, 'data') }
  old = await openOldShop(service, size)
  twin = await openOldShop(service, size)
  before = {
    faces: await facesOf(old, old.sales.slice(-10 * size.customers)),
    rows: await rowsInDatabase(service),
  }
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

const only = () => ['--organization', old.shop.merchant.id]
const archive = (...more: string[]) =>
  runForJson(['archive', '--before', cutoff, '--to', join(folder, 'files'), ...only(), ...more], env)

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
  const counted = await runForJson(['archive', '--before', cutoff, '--dry-run', ...only()], env)
  expect(counted).toMatchObject({ code: 0, isDryRun: true, data: [{ files: 0, rows: 0 }] })
  expect(counted.data[0].sales).toBeGreaterThan((early * 2) / 3)
  expect(await rowsInDatabase(service)).toEqual(before.rows)
})

test('moves old sales to files while their receipts are sent again, and books none twice', async () => {
  const counted = await runForJson(['archive', '--before', cutoff, '--dry-run', ...only()], env)
  let isDone = false
  const replies: Awaited<ReturnType<typeof send>>[] = []
  const repeat = async (offset: number) => {
    for (let i = offset; !isDone || i < early; i += 2)
      replies.push(await send(old.sales[i % old.sales.length]!))
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
  expect(filed.size).toBeGreaterThan(early * 5)
  expect([...filed.keys()].filter((name) => live.has(name))).toEqual([])
  for (const [name, row] of before.rows) expect(live.get(name) ?? filed.get(name), name).toBe(row)
  expect(live.size + filed.size).toBe(before.rows.size)
})

test('balances, coupons, reports, lists of visitors and the returns of what stays are as before', async () => {
  expect(await facesOf(old, old.sales.slice(-10 * size.customers))).toEqual(before.faces)
  expect(before.faces.integrity).toEqual({ ok: true, problems: [] })
  expect(await runForJson(['verify-ledger'], env)).toMatchObject({ code: 0, ok: true })
})

test('an archived sale is refused, whatever is asked of it', async () => {
  const archived: OldShop['sales'][number][] = []
  for (const sale of old.sales.slice(0, early)) {
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
  expect(archived.length).toBeGreaterThan((early * 2) / 3)
  const sale = archived.find(({ body }) => body.opaqueId.startsWith('r-0-'))!
  const path = `/v1/transactions/${sale.id}/return`
  expectRefusal(await send(sale), 410, 'transaction_archived')
  expectRefusal(await send({ ...sale, body: { ...sale.body, items: [] } }), 410, 'transaction_archived')
  const { opaqueId, ...body } = sale.body
  const list = `/v1/transactions?opaqueId=${opaqueId}`
  expectRefusal(await old.shop.call('GET', list), 410, 'transaction_archived')
  expect(await old.shop.get(`${list}&status=1`)).toEqual({ data: [] })
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

/** The response without what differs between two shops: ids, times and numbers of requests. */
const withoutNames = ({ status, text }: { status: number; text: string }) =>
  `${status} ${text.replaceAll(/"(?:timestamp|requestId|path)":[^,}]+|[a-z]+_[0-9a-f]{32}|\d{4}-\d\d-\d\dT[^"]+/g, '')}`

/** Returns and sales as they go on, and what the customers hold in the end. */
async function goOn({ shop, people, sales }: OldShop): Promise<string[]> {
  const said: string[] = []
  const call = async (path: string, body: object) => {
    const reply = await shop.call('POST', path, body)
    said.push(withoutNames(reply))
    return reply.body
  }
  for (const [i, { id, person }] of sales.slice(-12 * size.customers).entries()) {
    if (i % 3 > 0)
      await call(`/v1/transactions/${id}/return`, i % 3 === 1 ? {} : { items: [{ id: '1', quantity: 1 }] })
    if (i % 5 > 0) continue
    const usable = (await shop.get(`/v1/coupons?customer=${person.customer}&status=1&limit=1`)).data
    const coupons = usable.map((coupon: Body) => coupon.id)
    await call('/v1/transactions/process', {
      ...person,
      items: [{ product: 'latte', quantity: 3, unitPrice: 20 }],
      coupons,
    })
  }
  for (const person of people) {
    const { collectables, coupons } = await shop.view(person)
    said.push(withoutNames({ status: 200, text: JSON.stringify([collectables, coupons]) }))
  }
  return said
}

test('whatever is returned and bought from now on, it goes on as if nothing had been archived', async () => {
  const [own, others] = [await goOn(old), await goOn(twin)]
  expect(own).toEqual(others)
  expect(own.filter((said) => said.startsWith('201')).length).toBeGreaterThan(size.customers * 6.6)
  expect(await old.shop.integrity()).toMatchObject({ ok: true, problems: [] })
})

test('the next run goes on where the last one ended', async () => {
  expect((await archive()).data[0]).toMatchObject({ sales: 0, files: 0 })
  const to = join(folder, 'other')
  const next = await runForJson(['archive', '--before', dayAgo(401), '--to', to, ...only()], env)
  expect(next).toMatchObject({ code: 0, isComplete: true })
  expect(next.data[0].files).toBeGreaterThan(0)
  expect(await old.shop.integrity()).toMatchObject({ ok: true, problems: [] })
  expect(await runForJson(['archive', 'verify', to], env)).toMatchObject({ code: 0, ok: true })
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

describe('a shop that is busy', () => {
  let busy: OldShop
  let to: string
  const run = (days: number, step: string) =>
    runForJson(
      [
        'archive',
        '--before',
        dayAgo(days),
        '--to',
        to,
        '--organization',
        busy.shop.merchant.id,
        '--step',
        step,
      ],
      env,
    )
  beforeAll(async () => {
    const rewards = club.rewards.map(({ validDays, ...reward }) =>
      reward.key === 'gift' ? reward : { ...reward, validDays },
    )
    busy = await openOldShop(service, { customers: isFull ? 5 : 2, months: 22, more: { rewards } })
    to = join(folder, 'busy')
  })

  test('a sale that is returned after it was read, and before it is deleted, stays', async () => {
    const { id, person } = busy.sales[0]!
    const own = join(to, busy.shop.merchant.id)
    const client = await service.database.pool.connect()
    const change = (sql: string, ...values: unknown[]) => client.query(sql, values)
    await change('BEGIN')
    const { rows } = await change(
      'SELECT org_id FROM wallets WHERE customer_id = $1',
      dashed(person.customer),
    )
    const key = [rows[0].org_id, dashed(person.customer)]
    await change('SELECT 1 FROM wallets WHERE org_id = $1 AND customer_id = $2 FOR UPDATE', ...key)
    const moving = run(640, '2000')
    // It has read the rows, and waits for the wallet.
    await expect.poll(() => readdir(own).catch(() => []), { timeout: 60_000 }).toContain(`${process.pid}.tmp`)
    await change(
      `INSERT INTO returns (org_id, id, transaction_id, number, items, result, created_at)
     VALUES ($1, gen_random_uuid(), $2, 9, '[]', '{}', now())`,
      key[0],
      dashed(id),
    )
    await change('UPDATE wallets SET version = version + 1 WHERE org_id = $1 AND customer_id = $2', ...key)
    await change('COMMIT')
    client.release()
    expect(await moving).toMatchObject({ code: 0, data: [{ staying: { returnedLately: 1, inUse: 0 } }] })
    expect((await busy.shop.call('GET', `/v1/transactions/${id}`)).status).toBe(200)
    const left = 'DELETE FROM returns WHERE org_id = $1 AND transaction_id = $2 AND number = 9'
    await service.database.pool.query(left, [key[0], dashed(id)])
  })

  test.runIf(isFull)(
    'while customers buy and return, no sale is lost, and one with a coupon that can be used stays',
    async () => {
      let isDone = false
      const replies: Reply[] = []
      const storm = async (offset: number) => {
        for (let i = offset; !isDone; i += 3) {
          const { person, id } = busy.sales[i % busy.sales.length]!
          replies.push(
            await busy.shop.call('POST', '/v1/transactions/process', {
              ...person,
              amount: 5,
              opaqueId: `n-${i}`,
            }),
          )
          if (i % busy.sales.length === 3 || (i % 9 === 0 && i % busy.sales.length > 55))
            replies.push(
              await busy.shop.call('POST', `/v1/transactions/${id}/return`, {
                items: [{ id: '1', quantity: 1 }],
              }),
            )
        }
      }
      const storms = [storm(0), storm(1), storm(2)]
      const moved = await run(402, '1').finally(() => {
        isDone = true
      })
      await Promise.all(storms)
      expect(moved.code).toBe(0)
      expect(replies.filter(({ status }) => status >= 500)).toEqual([])
      const { sales, staying } = (await run(402, '1')).data[0]
      expect(moved.data[0].sales + sales).toBeGreaterThan(2)
      expect(staying).toMatchObject({ inUse: 0 })
      expect(staying.usableCoupon).toBeGreaterThan(0)
      expect(staying.afterAnother).toBeGreaterThan(0)
      expect(await busy.shop.integrity()).toMatchObject({ ok: true, problems: [] })
      const rows = new Map([...(await rowsInDatabase(service)), ...(await rowsInFiles(to))])
      const names = new Set([...rows.keys()].map((name) => name.split(' ').at(-1)))
      for (const { status, body } of replies)
        if (status === 201) expect(names.has(dashed(body.id))).toBe(true)
    },
  )
})

/** An id as PostgreSQL writes it. */
const dashed = (id: string) => id.slice(4).replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
