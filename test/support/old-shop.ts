/** A shop with three years of sales behind it, and what is compared before and after they are archived. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { runRound } from '../../src/jobs/run-jobs.ts'
import type { TestService } from './service.ts'
import { type Body, granted, openShop, type Person, type Shop, times } from './shop.ts'

const dayMs = 86_400_000
const noon = Math.floor(Date.now() / dayMs) * dayMs - dayMs / 2

/** So many days ago, at noon. */
export const ago = (days: number) => new Date(noon - days * dayMs)
export const dayAgo = (days: number) => ago(days).toISOString().slice(0, 10)

/** Points that expire, stamps that coupons consume, coupons for the total, a limit, and points to spend. */
export const club = {
  name: 'Old club',
  balances: [{ key: 'points', expires: { after: 'P8M' } }, { key: 'stamps' }],
  rules: [
    { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 },
    { id: 'stamp', kind: 'collect_per_item', balance: 'stamps', amount: 1, limits: { perDay: 5 } },
  ],
  rewards: [
    { key: 'gift', kind: 'amount_off', amount: 2, validDays: 60 },
    { key: 'total-gift', kind: 'amount_off', amount: 3, validDays: 90 },
  ],
  thresholds: [
    { balance: 'stamps', at: 6, grant: 'gift', consume: true },
    { balance: 'points', at: 150, grant: 'total-gift' },
  ],
  spend: { balance: 'points', worth: 0.01 },
}

export interface OldSale {
  readonly id: string
  readonly person: Person
  readonly body: Body
}

export interface OldShop {
  readonly shop: Shop
  readonly campaign: string
  readonly people: readonly Person[]
  readonly sales: OldSale[]
  /** How long ago it opened, in months of thirty days. */
  readonly months: number
}

/** Every third sale has an idempotency key, some redeem, some spend, and some come back within a month. */
export async function openOldShop(
  service: TestService,
  { customers = 6, months = 36, more = {} }: { customers?: number; months?: number; more?: object } = {},
): Promise<OldShop> {
  service.setTime(ago(months * 30))
  const shop = await openShop(service)
  const campaign = await shop.publish({ ...club, ...more })
  const people = await Promise.all(times(customers, () => shop.register(campaign)))
  const old: OldShop = { shop, campaign, people, sales: [], months }
  const coupons = new Map<Person, string[]>()
  for (let month = 0; month < months; month++) {
    service.setTime(ago((months - month) * 30 - 3))
    for (const [i, person] of people.entries()) {
      const own = coupons.get(person) ?? []
      const coupon = (month + i) % 3 === 0 ? own.shift() : undefined
      const body = {
        opaqueId: `r-${month}-${i}`,
        items: [{ product: 'latte', quantity: 1 + ((month + i) % 4), unitPrice: 9 }],
        ...(coupon !== undefined && { coupons: [coupon] }),
        ...(month % 5 === 4 && { pointsToSpend: 3 }),
      }
      const headers = month % 3 === 0 ? { 'idempotency-key': `k-${month}-${i}` } : undefined
      const sale = await shop.process(person, body, { headers })
      coupons.set(person, [...own, ...granted(sale)])
      old.sales.push({ id: sale.id, person, body })
      if ((month + i) % 7 === 6)
        await shop.giveBack(sale, { opaqueId: `b-${month}-${i}`, items: [{ id: '1', quantity: 1 }] })
    }
    // A coupon that has expired cannot be redeemed any more.
    if (month % 2 === 1)
      for (const person of people) coupons.set(person, (coupons.get(person) ?? []).slice(-1))
    await runRound(service.deps)
  }
  service.setTime(ago(0))
  await runRound(service.deps)
  return old
}

/** What customers, tills and managers see, which archiving must not change. */
export async function facesOf({ shop, people, months }: OldShop, kept: readonly OldSale[]): Promise<Body> {
  const opened = months * 30 + 10
  return {
    customers: await Promise.all(people.map((person) => shop.view(person))),
    coupons: await Promise.all(
      people.map(({ customer }) => shop.get(`/v1/coupons?customer=${customer}&status=1&limit=100`)),
    ),
    summary: await shop.get(`/v1/reports/summary?from=${dayAgo(opened)}&to=${dayAgo(0)}`),
    daily: await shop.get(`/v1/reports/daily?from=${dayAgo(opened)}&to=${dayAgo(0)}`),
    visitors: await shop.get(
      `/v1/customers?activeFrom=${dayAgo(opened)}&activeTo=${dayAgo(opened - 190)}&limit=100`,
    ),
    returns: await Promise.all(
      kept.map(
        async ({ id }) => (await shop.call('POST', `/v1/transactions/${id}/return/validate`, {})).body,
      ),
    ).then((bodies) => bodies.map(({ timestamp, requestId, ...rest }) => rest)),
    integrity: (({ ok, problems }) => ({ ok, problems }))(await shop.integrity()),
  }
}

const keys: Record<string, (row: Body) => string> = {
  transactions: (row) => row.id,
  returns: (row) => row.id,
  ledger_entries: (row) => `${row.customer_id} ${row.key} ${row.version}`,
  coupons: (row) => row.id,
  lots: (row) => `${row.customer_id} ${row.key} ${row.version}`,
  customer_rule_usage: (row) => `${row.customer_id} ${row.rule_id} ${row.day}`,
  events: (row) => String(row.position),
}

const nameOf = (table: string, row: Body) => `${table} ${row.org_id} ${keys[table]!(row)}`

/** The rows that are in the database: what names them, by table, with their text. */
export async function rowsInDatabase(service: TestService): Promise<Map<string, string>> {
  const rows = new Map<string, string>()
  for (const table of Object.keys(keys)) {
    const found = await service.database.pool.query(`SELECT row_to_json(x)::text AS row FROM ${table} x`)
    for (const { row } of found.rows) rows.set(nameOf(table, JSON.parse(row)), row)
  }
  return rows
}

/** The rows that are in files of the manifest, each in one of them only; or in any file that is complete. */
export async function rowsInFiles(
  directory: string,
  { isComplete = false } = {},
): Promise<Map<string, string>> {
  const rows = new Map<string, string>()
  for (const folder of await readdir(directory)) {
    const path = join(directory, folder)
    for (const file of isComplete
      ? (await readdir(path)).filter((name) => name.endsWith('.gz'))
      : await listed(path)) {
      const text = gunzipSync(await readFile(join(path, file))).toString()
      for (const archived of text.trimEnd().split('\n')) {
        const { table, row } = JSON.parse(archived)
        const name = nameOf(table, row)
        if (rows.has(name)) throw new Error(`${name} is in two files`)
        rows.set(name, archived.slice(archived.indexOf('"row":') + 6, -1))
      }
    }
  }
  return rows
}

async function listed(folder: string): Promise<string[]> {
  const manifest = await readFile(join(folder, 'manifest.ndjson'), 'utf8')
  return manifest
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).file)
}
