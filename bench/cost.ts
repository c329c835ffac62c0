/**
 * What calls cost in processor time, of the service and of PostgreSQL: beside the least that Node.js needs to
 * read such a request and write such a response, and with two processes instead of one under the same load.
 * Reads the processor times that Linux counts. With the name of a call it is profiled instead, and with
 * `workers` only those are compared.
 */
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { migrate } from '../src/database/migrate.ts'
import { openPool } from '../src/database/pool.ts'
import { startEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.ts'
import { aimOf, isMet } from './aims.ts'
import {
  type BenchServer,
  type Children,
  endChildren,
  startClient,
  startEcho,
  startServer,
} from './children.ts'
import { cpuOfChildren, cpuOfFamily } from './cpu.ts'
import { cardId, customerId, type Fixture, loadFixture } from './fixture.ts'
import type { LoadPlan, LoadResult, PlannedRequest } from './load-client.ts'
import { summarize } from './profile.ts'
import { median, note, type Samples, summaryOf } from './report.ts'
import { saveResults } from './save-results.ts'
import { startService } from './service.ts'
import { firstWarmUpMs, nextWarmUpMs } from './warm-up.ts'

/** Short ones, so that a disturbance of a second or two affects only a few. Opening the connections counts as well. */
const rounds = 9
const durationMs = 1_500
const connections = 256
const customers = 20_000
/** Calls that each need a request of their own. */
const prepared = 2_000

type Run = (plan: LoadPlan) => Promise<LoadResult>

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lw-cost-'))
  const postgres = await startEmbeddedPostgres({ folder: join(folder, 'postgres') })
  const children: Children = []
  try {
    const { session } = await migrate(postgres.connection)
    const pool = openPool(postgres.connection)
    const empty = await sizeOf(pool)
    const shop = await loadFixture(pool, { customers })
    const bytesPerCustomer = ((await sizeOf(pool)) - empty) / customers
    const server = await startServer(children, { connection: postgres.connection, session })
    const echo = await startEcho(children, await responseOf(server, shop))
    const run = startClient(children)
    const calls = callsOf(pool, shop)
    const asked = process.argv[2]
    if (asked && asked in calls) {
      await profile(server, () => calls[asked]!(), run)
    } else {
      const { pid: postmaster } = postgres
      const measured = { server, postmaster, run }
      const compared = asked === 'workers' ? {} : await compareCalls({ ...measured, echo, calls })
      const loads = asked === 'workers' ? {} : await compareLoads({ ...measured, shop })
      const one = await startService(children, postgres.connection, 1)
      const two = await startService(children, postgres.connection, 2)
      const workers = await compareWorkers({ one, two, postmaster, shop, run })
      if (!asked) saveResults('cost', { rounds, bytesPerCustomer, ...compared, loads, workers })
    }
    await pool.end()
  } finally {
    endChildren(children)
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function sizeOf(pool: Pool): Promise<number> {
  const { rows } = await pool.query('SELECT pg_database_size(current_database())::float8 AS size')
  return rows[0].size
}

/** The response to a basket, which the echo repeats byte for byte. */
async function responseOf({ port }: BenchServer, { token }: Fixture) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/transactions/process`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      customer: customerId(0),
      card: cardId(0),
      opaqueId: 'first',
      items: [{ product: 'latte', quantity: 2, unitPrice: 3.5 }],
    }),
  })
  if (!response.ok) throw new Error(`the first basket was answered with ${response.status}`)
  const written = new Set(['connection', 'keep-alive', 'date', 'transfer-encoding'])
  const headers = [...response.headers].filter(([name]) => !written.has(name)).flat()
  return { headers, body: await response.text() }
}

type Calls = Record<string, () => Promise<Partial<LoadPlan>>>

function callsOf(pool: Pool, { token, org, campaign }: Fixture): Calls {
  const base = { tokens: [token], customers }
  return {
    empty: async () => ({ ...base, target: 'empty' }),
    process: async () => ({ ...base, target: 'process' }),
    single: async () => ({ ...base, target: 'process', connections: 1 }),
    validate: async () => ({ ...base, target: 'validate' }),
    find: async () => ({ ...base, target: 'find' }),
    register: async () => ({ ...base, requests: registrations(campaign) }),
    return: async () => ({ ...base, requests: await returns(pool, org) }),
  }
}

function registrations(campaign: string): PlannedRequest[] {
  const run = randomInt(10_000_000)
  return Array.from({ length: prepared }, (_, i) => ({
    path: '/v1/customers/register',
    body: JSON.stringify({
      campaignId: campaign,
      customer: { data: { fullname: `Ada ${i}`, email: `ada.${run}.${i}@example.org` } },
    }),
  }))
}

async function returns(pool: Pool, org: number): Promise<PlannedRequest[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT replace(id::text, '-', '') AS id FROM transactions WHERE org_id = $1 AND status = 1 LIMIT $2`,
    [org, prepared],
  )
  return rows.map(({ id }) => ({ path: `/v1/transactions/txn_${id}/return`, body: '{}' }))
}

const planOf = (port: number, plan: Partial<LoadPlan>): LoadPlan => ({
  port,
  connections,
  durationMs,
  tokens: [],
  target: 'process',
  customers,
  ...plan,
})

interface Measured {
  readonly server: BenchServer
  readonly postmaster: () => number | undefined
  readonly run: Run
}

interface Costs extends Measured {
  readonly echo: BenchServer
  readonly calls: Calls
}

interface Loads extends Measured {
  readonly shop: Fixture
}

/** Of one call, in µs. */
interface Spent {
  readonly service: number
  readonly database: number
}

const together = ({ service, database }: Spent) => service + database

/** What is compared in each round. The echo has no database, so there the service alone is compared with it. */
const comparisons: Record<string, (spent: Record<string, Spent>) => number> = {
  'basket ÷ echo': ({ process, echo }) => process!.service / echo!.service,
  'basket ÷ empty call': ({ process, empty }) => process!.service / empty!.service,
  'look-up ÷ empty call': ({ find, empty }) => together(find!) / together(empty!),
  'registration ÷ basket of a single till': ({ register, single }) => together(register!) / together(single!),
  'return ÷ basket of a single till': ({ return: returned, single }) =>
    together(returned!) / together(single!),
}

async function compareCalls({ server, echo, postmaster, calls, run }: Costs) {
  const [service, database, timesEcho, ratios]: Samples[] = [new Map(), new Map(), new Map(), new Map()]
  const all = [
    { name: 'echo', call: calls.process!, ...echo },
    ...Object.entries(calls).map(([name, call]) => ({ name, call, ...server })),
  ]
  for (const { call, port } of all) await warmUp(run, port, call)
  for (let round = 0; round < rounds; round++) {
    const spent: Record<string, Spent> = {}
    for (const { name, call, port, cpuUs } of all) {
      const plan = planOf(port, await call())
      const cost = await costOf({ cpuUs, postmaster }, plan, run)
      spent[name] = cost
      note(service!, name, cost.service)
      if (name === 'echo') continue
      note(timesEcho!, name, cost.service / spent.echo!.service)
      note(database!, name, cost.database)
    }
    for (const [name, ratio] of Object.entries(comparisons)) note(ratios!, name, ratio(spent))
  }
  printCalls(service!, timesEcho!, database!)
  printRatios(ratios!)
  return {
    calls: {
      service: summaryOf(service!),
      database: summaryOf(database!),
      timesEcho: summaryOf(timesEcho!),
    },
    ratios: summaryOf(ratios!),
  }
}

/** Some calls need requests of their own, which may run out before the time is over. */
async function warmUp(run: Run, port: number, call: () => Promise<Partial<LoadPlan>>): Promise<void> {
  const endsAt = performance.now() + firstWarmUpMs
  for (let leftMs = firstWarmUpMs; leftMs > 0; leftMs = endsAt - performance.now()) {
    await run(planOf(port, { ...(await call()), durationMs: leftMs }))
  }
}

function printCalls(service: Samples, timesEcho: Samples, database: Samples): void {
  console.log('µs of processor time per call, medians: service, times the echo (spread), PostgreSQL')
  for (const [name, values] of service) {
    const times = timesEcho.get(name) ?? [1]
    const shown = `${median(times).toFixed(2)} (${times.map((value) => value.toFixed(2)).join(', ')})`
    const stored = database.has(name) ? Math.round(median(database.get(name)!)) : 0
    console.log(`  ${name.padEnd(10)} ${String(Math.round(median(values))).padStart(5)}  ${shown}  ${stored}`)
  }
}

function printRatios(ratios: Samples): void {
  for (const [name, values] of ratios) {
    const aim = aimOf('cost', name)
    const shown = `${median(values).toFixed(2)} (${values.map((value) => value.toFixed(2)).join(', ')})`
    const verdict = aim && `${isMet(median(values), aim) ? 'met' : 'MISSED'}: ${aim.kind} ${aim.value}`
    console.log(`  ${name.padEnd(40)} ${shown}  ${verdict ?? ''}`)
  }
}

const loads = [1, 8, 64, 256]

/** One organization's baskets, with this many tills: what groups of baskets save. */
async function compareLoads({ server, postmaster, run, shop }: Loads) {
  const [service, database]: Samples[] = [new Map(), new Map()]
  const plan = (tills: number) => planOf(server.port, { tokens: [shop.token], connections: tills })
  for (const tills of loads) await run({ ...plan(tills), durationMs: firstWarmUpMs })
  for (let round = 0; round < rounds; round++) {
    for (const tills of loads) {
      const spent = await costOf({ cpuUs: server.cpuUs, postmaster }, plan(tills), run)
      note(service!, String(tills), spent.service)
      note(database!, String(tills), spent.database)
    }
  }
  console.log('µs of processor time per basket by the number of tills, medians: service, PostgreSQL')
  for (const [tills, values] of service!) {
    const stored = Math.round(median(database!.get(tills)!))
    console.log(`  ${tills.padEnd(10)} ${Math.round(median(values))}  ${stored}`)
  }
  return { service: summaryOf(service!), database: summaryOf(database!) }
}

interface Meter {
  readonly cpuUs: () => Promise<number>
  readonly postmaster: () => number | undefined
}

async function costOf({ cpuUs, postmaster }: Meter, plan: LoadPlan, run: Run): Promise<Spent> {
  const stored = cpuOfChildren(postmaster() ?? -1) ?? 0
  const own = await cpuUs()
  const { requests } = await run(plan)
  if (requests === 0) throw new Error('there was nothing to send')
  return {
    service: ((await cpuUs()) - own) / requests,
    database: ((cpuOfChildren(postmaster() ?? -1) ?? 0) - stored) / requests,
  }
}

interface Workers {
  readonly one: { readonly port: number; readonly pid: number }
  readonly two: { readonly port: number; readonly pid: number }
  readonly postmaster: () => number | undefined
  readonly shop: Fixture
  readonly run: Run
}

/** At a load that one process carries easily, so that both sides do the same work in the same time. */
async function compareWorkers({ one, two, postmaster, shop, run }: Workers) {
  const plan = (port: number) => planOf(port, { tokens: [shop.token] })
  for (const { port } of [two, one]) await run({ ...plan(port), durationMs: firstWarmUpMs })
  const { perSecond } = await run(plan(one.port))
  const rate = Math.round(perSecond * 0.6)
  for (const { port } of [two, one]) await run({ ...plan(port), rate, durationMs: firstWarmUpMs })
  const samples: Samples = new Map()
  for (let round = 0; round < rounds; round++) {
    const spent: Record<string, Spent> = {}
    for (const [name, { port, pid }] of Object.entries({ one, two })) {
      await run({ ...plan(port), rate, durationMs: nextWarmUpMs })
      const cpuUs = async () => cpuOfFamily(pid) ?? 0
      spent[name] = await costOf({ cpuUs, postmaster }, { ...plan(port), rate }, run)
      note(samples, `${name}: service`, spent[name].service)
      note(samples, `${name}: PostgreSQL`, spent[name].database)
    }
    note(samples, 'two ÷ one', together(spent.two!) / together(spent.one!))
  }
  console.log(`One and two workers at ${rate} baskets per second, µs of processor time per basket`)
  for (const [name, values] of samples) {
    const digits = name.includes('÷') ? 2 : 0
    console.log(
      `  ${name.padEnd(16)} ${median(values).toFixed(digits)}  (${values.map((value) => value.toFixed(digits)).join(', ')})`,
    )
  }
  return { perSecond: rate, ...summaryOf(samples) }
}

async function profile(server: BenchServer, call: () => Promise<Partial<LoadPlan>>, run: Run) {
  await run(planOf(server.port, await call()))
  await server.startProfile()
  await run(planOf(server.port, { ...(await call()), durationMs: 5_000 }))
  const { profile: recorded } = await server.stopProfile()
  const { owners, functions } = summarize(recorded)
  for (const { name, share } of [...owners, ...functions])
    console.log(`${(share * 100).toFixed(1)} %  ${name}`)
}

await main()
