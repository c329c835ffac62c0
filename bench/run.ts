/**
 * The benchmark: everything in one run and interleaved, because machines are noisy and only ratios within a
 * round are meaningful. `--quick` finishes within two minutes; the full run takes about half an hour.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { migrate } from '../src/database/migrate.ts'
import { createClient, type DatabaseConnection, openPool } from '../src/database/pool.ts'
import { startEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.ts'
import { packageRoot } from '../src/package-root.ts'
import { aimOf } from './aims.ts'
import { type BenchServer, type Children, endChildren, startClient, startServer } from './children.ts'
import { cpuOfChildren } from './cpu.ts'
import { type Fixture, loadFixture } from './fixture.ts'
import type { LoadPlan, LoadResult } from './load-client.ts'
import { type ProfileLine, summarize } from './profile.ts'
import { runRaw } from './raw-load.ts'
import { plot, seriesOf, table } from './report.ts'
import { saveResults } from './save-results.ts'
import { startService } from './service.ts'
import { firstWarmUpMs } from './warm-up.ts'

const isQuick = process.argv.includes('--quick')
const rounds = isQuick ? 3 : 5
const seconds = isQuick ? 0.8 : 3
const bigCustomers = isQuick ? 100_000 : 2_000_000
const memoryRequests = isQuick ? [10_000, 30_000] : [50_000, 1_000_000]

type Ratios = Record<string, number[]>

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lw-bench-'))
  const url = process.env.DATABASE_URL
  const start = () => startEmbeddedPostgres({ folder: join(folder, 'postgres') })
  let embedded = url ? undefined : await start()
  const children: Children = []
  try {
    const loaded = await loadAll(url ?? embedded!.connection)
    // Started with data of this size, PostgreSQL allocates the memory for it.
    await embedded?.stop(60_000)
    if (embedded) embedded = await start()
    await measureAll(loaded, children, () => embedded?.pid())
  } finally {
    endChildren(children)
    await embedded?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function loadAll(server: DatabaseConnection) {
  const main = await createDatabase(server, 'lw_bench_main')
  const big = await createDatabase(server, 'lw_bench_big')
  const [mainPool, bigPool] = [openPool(main.connection), openPool(big.connection)]
  const load = (name: string) => ({ onProgress: (done: number, of: number) => progress(name, done, of) })
  const club = await loadFixture(mainPool, { customers: 100_000, ...load('100,000 cards') })
  const small = await loadFixture(mainPool, { customers: 10_000, ...load('10,000 cards') })
  const ten = await loadFixture(mainPool, { customers: 1_000, rules: 10 })
  const thousand = await loadFixture(mainPool, { customers: 1_000, rules: 1_000 })
  const large = await loadFixture(bigPool, {
    customers: bigCustomers,
    entriesPerCustomer: 5,
    ...load('the large database'),
  })
  await Promise.all([mainPool.end(), bigPool.end()])
  return { main, big, club, small, ten, thousand, large }
}

async function measureAll(
  { main, big, club, small, ten, thousand, large }: Awaited<ReturnType<typeof loadAll>>,
  children: Children,
  postmaster: () => number | undefined,
): Promise<void> {
  const pool = openPool(main.connection, { maxConnections: 4 })
  await assertDurable(pool)
  const grouped = await startServer(children, main)
  const alone = await startServer(children, main, { isGrouped: false })
  const onBig = await startServer(children, big)
  const oneWorker = await startService(children, main.connection, 1)
  const twoWorkers = await startService(children, main.connection, 2)
  const run = startClient(children)
  const plan = (target: LoadPlan['target'], fixture: Fixture, over: Partial<LoadPlan> = {}): LoadPlan => ({
    port: grouped.port,
    tokens: [fixture.token],
    connections: 256,
    durationMs: seconds * 1000,
    target,
    customers: fixture.customers,
    ...over,
  })
  await prepareRaw(pool, club, () => run(plan('process', club, { maxRequests: 200, connections: 1 })))
  const raw = (connections: number) =>
    runRaw({
      connection: main.connection,
      org: club.org,
      customers: club.customers,
      connections,
      durationMs: seconds * 1000,
    })

  const ratios: Ratios = {}
  const add = (name: string, value: number) => {
    ratios[name] = [...(ratios[name] ?? []), value]
  }
  const figures: Record<string, number[]> = {}
  const note = (name: string, value: number) => {
    figures[name] = [...(figures[name] ?? []), value]
  }
  // No one restarts a service before each basket.
  const durationMs = isQuick ? 1_000 : firstWarmUpMs
  for (const port of [grouped.port, alone.port, oneWorker.port, twoWorkers.port]) {
    for (const target of ['process', 'validate', 'find'] as const)
      await run(plan(target, club, { port, durationMs }))
  }
  await run(plan('empty', club, { durationMs }))
  await run(plan('process', large, { port: onBig.port, durationMs }))
  let tool = ''
  for (let round = 1; round <= rounds; round++) {
    progress('rounds', round, rounds)
    const process = await run(plan('process', club))
    const rawMany = await raw(16)
    const empty = await run(plan('empty', club))
    const hot = await run(plan('process', club, { customers: 1 }))
    const validate = await run(plan('validate', club))
    const find = await run(plan('find', club))
    const onSmall = await run(plan('process', small))
    const onLarge = await run(plan('process', large, { port: onBig.port }))
    const one = { connections: 1 }
    const oneGrouped = await run(plan('process', club, one))
    const oneAlone = await run(plan('process', club, { ...one, port: alone.port }))
    const rawOne = await raw(1)
    const rulesTen = await run(plan('process', ten, { connections: 4 }))
    const rulesThousand = await run(plan('process', thousand, { connections: 4 }))
    const lineOne = await run(plan('process', club, { connections: 4 }))
    const lineHundred = await run(plan('process', club, { connections: 4, lines: 100 }))
    const half = await run(plan('process', club, { connections: 64, rate: process.perSecond / 2 }))
    const workersOne = await run(plan('process', club, { port: oneWorker.port }))
    const workersTwo = await run(plan('process', club, { port: twoWorkers.port }))
    tool = rawMany.tool
    note('process per second', process.perSecond)
    note('raw function per second', rawMany.perSecond)
    note('empty POST per second', empty.perSecond)
    note('validate per second', validate.perSecond)
    note('find per second', find.perSecond)
    note('process p50 ms, one client', oneGrouped.p50Ms)
    note('process p99 ms, 256 clients', process.p99Ms)
    add('process ÷ raw function', process.perSecond / rawMany.perSecond)
    add('process ÷ empty POST', process.perSecond / empty.perSecond)
    add('one customer ÷ spread', hot.perSecond / process.perSecond)
    add('validate ÷ empty POST', validate.perSecond / empty.perSecond)
    add('find ÷ empty POST', find.perSecond / empty.perSecond)
    add('p50 one client, grouped ÷ alone', oneGrouped.p50Ms / oneAlone.p50Ms)
    add('p50 one client ÷ raw call', oneGrouped.p50Ms / rawOne.p50Ms)
    add('large database ÷ small', onLarge.perSecond / onSmall.perSecond)
    add('p50 1,000 rules ÷ 10', rulesThousand.p50Ms / rulesTen.p50Ms)
    add('p50 100 lines ÷ 1', lineHundred.p50Ms / lineOne.p50Ms)
    add('p99 ÷ p50 at half rate', half.p99Ms / half.p50Ms)
    add('two workers ÷ one', workersTwo.perSecond / workersOne.perSecond)
  }
  await Promise.all([oneWorker.stop(), twoWorkers.stop()])
  const profiles: Record<string, ReturnType<typeof summarize>> = {}
  for (const target of ['empty', 'process'] as const) {
    const { us, profile } = await measureCost(grouped, postmaster, () => run(plan(target, club)))
    for (const [whose, spent] of Object.entries(us)) note(`µs of processor per ${target}, ${whose}`, spent)
    profiles[target] = summarize(profile)
  }
  const { stored, wal } = await measureBytes(pool, () =>
    run(plan('process', club, { maxRequests: isQuick ? 10_000 : 50_000, durationMs: 60_000 })),
  )
  add('stored bytes per basket', stored)
  add('WAL bytes per basket', wal)
  const memory: number[] = []
  let sent = 0
  for (const requests of memoryRequests) {
    await run(plan('process', club, { maxRequests: requests - sent, durationMs: 900_000 }))
    sent = requests
    progress('requests for memory', requests, memoryRequests.at(-1)!)
    memory.push(await grouped.memory())
  }
  add('memory late ÷ early', memory[1]! / memory[0]!)
  add('memory MB', memory[1]!)
  write({ tool, ratios, figures, profiles })
  await pool.end()
}

async function createDatabase(server: DatabaseConnection, name: string) {
  const admin = createClient(server)
  await admin.connect()
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  await admin.query(`CREATE DATABASE ${name}`)
  await admin.end()
  const connection = typeof server === 'string' ? withPath(server, name) : { ...server, database: name }
  const { session } = await migrate(connection)
  return { connection, session }
}

function withPath(url: string, name: string): string {
  const named = new URL(url)
  named.pathname = `/${name}`
  return named.href
}

async function assertDurable(pool: Pool): Promise<void> {
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await pool.query(`SHOW ${setting}`)
    if (rows[0][setting] !== 'on')
      throw new Error(`${setting} is not on; the measurements would be meaningless`)
  }
}

/**
 * The raw function writes the JSON that the service has just written, so that both sides store the same
 * bytes.
 */
async function prepareRaw(pool: Pool, { org }: Fixture, processSome: () => Promise<unknown>): Promise<void> {
  await processSome()
  await pool.query(readFileSync(join(packageRoot, 'bench/raw-basket.sql'), 'utf8'))
  await pool.query(
    `INSERT INTO bench_sample SELECT t.basket, t.result, e.data FROM transactions t, events e
     WHERE t.org_id = $1 AND e.org_id = $1 AND e.type = 'transaction.processed' LIMIT 1`,
    [org],
  )
}

async function measureBytes(pool: Pool, processMany: () => Promise<LoadResult>) {
  const read = async () => {
    const { rows } = await pool.query(
      `SELECT pg_database_size(current_database()) AS size, pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS wal`,
    )
    return { size: Number(rows[0].size), wal: Number(rows[0].wal) }
  }
  const before = await read()
  const { requests } = await processMany()
  const after = await read()
  return { stored: (after.size - before.size) / requests, wal: (after.wal - before.wal) / requests }
}

/** Prints progress on one line of a terminal; elsewhere prints every tenth step. */
function progress(what: string, done: number, of: number): void {
  const line = `${what}: ${done.toLocaleString('en')} of ${of.toLocaleString('en')}`
  const tenth = Math.floor((done * 10) / of)
  if (process.stdout.isTTY) {
    process.stdout.write(`\r${line}          ${done >= of ? '\n' : ''}`)
  } else if (shown.get(what) !== tenth) {
    console.log(line)
  }
  shown.set(what, tenth)
}

const shown = new Map<string, number>()

/** CPU time per request in the service and in PostgreSQL, measured again with the service's profile. */
async function measureCost(
  server: BenchServer,
  postmaster: () => number | undefined,
  load: () => Promise<LoadResult>,
) {
  const read = async () => ({
    service: await server.cpuUs(),
    postgres: cpuOfChildren(postmaster() ?? -1) ?? 0,
  })
  const before = await read()
  const { requests } = await load()
  const after = await read()
  await server.startProfile()
  await load()
  const { profile } = await server.stopProfile()
  const us = {
    service: (after.service - before.service) / requests,
    PostgreSQL: (after.postgres - before.postgres) / requests,
  }
  return { us, profile }
}

function write(results: {
  tool: string
  ratios: Ratios
  figures: Record<string, number[]>
  profiles: Record<string, { owners: ProfileLine[]; functions: ProfileLine[] }>
}): void {
  const summary = Object.entries(results.ratios).map(([name, values]) => ({
    name,
    ...seriesOf(values),
    aim: aimOf('full', name),
  }))
  const name = isQuick ? 'quick' : 'full'
  const { tool, figures, profiles } = results
  saveResults(name, { rounds, seconds, raw: tool, bigCustomers, summary, figures, profiles })
  writeFileSync(join(packageRoot, `bench/results/${name}.svg`), plot(summary))
  console.log(table(summary, results.figures, results.tool))
}

await main()
