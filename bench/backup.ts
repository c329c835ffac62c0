/**
 * How long a backup and its restore take: plants organizations with customers, sales, ledger entries and events
 * on the embedded PostgreSQL, then runs the commands as an operator does, and reads their own times. With
 * `--data FOLDER` what was planted there before is measured again.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Pool } from 'pg'
import { migrate } from '../src/database/migrate.ts'
import { openPool } from '../src/database/pool.ts'
import { startEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.ts'
import { createOrganization } from '../src/operations/organizations/manage-organizations.ts'
import { packageRoot } from '../src/package-root.ts'
import { inTransaction, platformOrg } from '../src/store/tenant.ts'
import { cpuOfChildren } from './cpu.ts'
import { saveResults } from './save-results.ts'

const organizations = 4
/** Each sale has two entries, of points and of stamps. */
const salesPerCustomer = 10
const customersAtOnce = 25_000

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { entries: { type: 'string' }, data: { type: 'string' } } })
  const entries = Number(values.entries ?? 10_000_000)
  const folder = values.data ?? (await mkdtemp(join(tmpdir(), 'lw-backup-bench-')))
  await mkdir(folder, { recursive: true })
  const source = join(folder, 'source')
  if (!existsSync(source)) await plant(source, entries)
  const file = join(folder, 'bench.lwb')
  const target = join(folder, 'target')
  try {
    await rm(file, { force: true })
    const backup = await timed(['backup', file], source)
    const verify = await timed(['backup', 'verify', file], source)
    const restore = await timed(['restore', file], target)
    const { size } = await stat(file)
    const results = { ledgerEntries: entries, backup, verify, restore, fileMb: size / 1_000_000 }
    console.log(results)
    // The aim is for the whole amount.
    if (values.entries === undefined) saveResults('backup', results)
  } finally {
    await rm(target, { recursive: true, force: true })
    if (values.data === undefined) await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Runs a command on a data folder, and returns what it said about itself, its seconds in all, and the processor time
 * that it and its PostgreSQL took, which is about the same on a busy computer (`load`).
 */
async function timed(args: readonly string[], dataDir: string): Promise<object> {
  const startedAt = performance.now()
  const cpuBefore = cpuOfChildren(process.pid) ?? 0
  const env = { ...process.env, DATA_DIR: dataDir, DATABASE_URL: '' }
  const command = [join(packageRoot, 'dist/loyalty-wallet.js'), ...args, '--json']
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (part) => {
    said += part
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${said}`)
  const { seconds: parts, file: _, ...about } = JSON.parse(said)
  return {
    seconds: (performance.now() - startedAt) / 1000,
    load: loadavg()[0],
    processorSeconds: ((cpuOfChildren(process.pid) ?? 0) - cpuBefore) / 1e6,
    parts,
    ...about,
  }
}

async function plant(dataDir: string, entries: number): Promise<void> {
  const postgres = await startEmbeddedPostgres({ folder: join(dataDir, 'postgres') })
  try {
    await migrate(postgres.connection)
    const pool = openPool(postgres.connection, { statementTimeoutMs: 0, queryTimeoutMs: 0 })
    for (let i = 0; i < organizations; i++) {
      await plantOrganization(pool, entries / organizations / salesPerCustomer / 2)
      console.log(`planted ${i + 1} of ${organizations} organizations`)
    }
    await pool.query('VACUUM (ANALYZE)')
    await pool.end()
  } finally {
    await postgres.stop()
  }
}

async function plantOrganization(pool: Pool, customers: number): Promise<void> {
  const { orgId } = await inTransaction(pool, platformOrg, (tenant) =>
    createOrganization(tenant, { name: 'Benchmark' }, new Date()),
  )
  for (let from = 0; from < customers; from += customersAtOnce) {
    const to = Math.min(customers, from + customersAtOnce) - 1
    for (const text of texts)
      await pool.query(
        text.replaceAll(':org', `${orgId}`).replaceAll(':from', `${from}`).replaceAll(':to', `${to}`),
      )
  }
  await pool.query(
    `INSERT INTO daily_sums (org_id, day, measure, key, shard, amount)
     SELECT org_id, '2026-01-01', kind, key, 0, sum(amount) FROM ledger_entries WHERE org_id = $1 GROUP BY org_id, kind, key`,
    [orgId],
  )
}

/** Ids begin with a time and end with chance, as those of the service do: chance is what does not compress. */
const idOf = (kind: number, n: string) =>
  `(lpad(to_hex(1767225600000 + ${n}), 12, '0') || '7${kind}00' || '8' || substr(md5('${kind}' || :org || '-' || ${n}), 1, 15))::uuid`
const customers = 'generate_series(:from::bigint, :to::bigint) AS n'
const sales = `${customers}, generate_series(1, ${salesPerCustomer}) AS v`
const sale = `(n * ${salesPerCustomer} + v)`
const saleAt = `timestamptz '2026-01-01 08:00+00' + ${sale} * interval '1.7 seconds'`

const texts = [
  `INSERT INTO customers (org_id, id, phone, fullname, name_key, created_at, updated_at)
   SELECT :org, ${idOf(1, 'n')}, '+1202' || lpad(n::text, 8, '0'), 'Customer ' || n, 'customer ' || n, now(), now()
   FROM ${customers}`,
  `INSERT INTO wallets (org_id, customer_id, version, transaction_count, last_activity_at)
   SELECT :org, ${idOf(1, 'n')}, ${salesPerCustomer}, ${salesPerCustomer}, now() FROM ${customers}`,
  ...['points', 'stamps'].flatMap((key) => [
    `INSERT INTO balances (org_id, customer_id, key, value, total, version)
     SELECT :org, ${idOf(1, 'n')}, '${key}', ${7 * salesPerCustomer}, ${7 * salesPerCustomer}, ${salesPerCustomer}
     FROM ${customers}`,
    `INSERT INTO ledger_entries (org_id, customer_id, key, version, wallet_version, kind, amount, value_after,
       total_after, transaction_id, campaign_id, rule_id, created_at)
     SELECT :org, ${idOf(1, 'n')}, '${key}', v, v, 'collect', 7, 7 * v, 7 * v, ${idOf(2, sale)}, ${idOf(3, '1')},
       'base', ${saleAt} FROM ${sales}`,
  ]),
  `INSERT INTO transactions (org_id, id, customer_id, card_id, user_id, branch_id, opaque_id, fingerprint,
     occurred_at, created_at, basket, result)
   SELECT :org, ${idOf(2, sale)}, ${idOf(1, 'n')}, ${idOf(4, 'n')}, ${idOf(5, '1')}, ${idOf(6, 'n % 20')},
     'receipt-' || ${sale}, decode(md5(${sale}::text), 'hex'), ${saleAt}, ${saleAt},
     json_build_object('items', json_build_array(json_build_object('id', '1', 'product', 'latte', 'quantity', 1 + v % 3, 'unitPriceMinor', 350, 'amountMinor', 700))),
     json_build_array(json_build_array(700, 700, 0), json_build_array(json_build_array(${idOf(3, '1')}, 1)),
       json_build_array(json_build_array('points', 7 * v, 7 * v, 0), json_build_array('stamps', 7 * v, 7 * v, 0)),
       json_build_array(json_build_array('c', json_build_array(0, v, 7, 7 * v, 7 * v), 0, 'base'), json_build_array('c', json_build_array(1, v, 7, 7 * v, 7 * v), 0, 'coffee')),
       '[]'::json, '[]'::json, json_build_array(2, 'America/New_York', '[]'::json, 0))
   FROM ${sales}`,
  `INSERT INTO events (org_id, position, id, type, data, created_at)
   SELECT :org, ${sale}, ${idOf(7, sale)}, 'transaction.processed',
     json_build_object('transaction', 'txn_' || replace(${idOf(2, sale)}::text, '-', ''), 'customer', 'cus_' || replace(${idOf(1, 'n')}::text, '-', ''), 'amount', 7, 'balances', json_build_object('points', 7 * v, 'stamps', 7 * v)),
     ${saleAt} FROM ${sales}`,
]

await main()
