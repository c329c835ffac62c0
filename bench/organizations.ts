/**
 * Many organizations instead of one, with a database that is near, and with one that is 3 ms away: what a
 * group or a batch belongs to must not decide how fast a process is. Run by `scripts/citus.mjs`, or with
 * `BENCH_CLUSTER_URL`, the address of a database on a Citus cluster of this computer that `loyalty-wallet distribute`
 * has prepared, it also compares a cluster with one server. Ratios within a round, like the rest of the benchmark; beside them, the processor time of all
 * PostgreSQL servers for each request.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../src/database/migrate.ts'
import {
  createClient,
  type DatabaseConnection,
  type EmbeddedConnection,
  openPool,
} from '../src/database/pool.ts'
import { startEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.ts'
import { distributeTables, isOnCluster, joinServers, runOnServers } from '../test/support/cluster.ts'
import { withDatabase } from '../test/support/template.ts'
import { type Children, endChildren, once, startChild, startClient } from './children.ts'
import { cpuOfChildren } from './cpu.ts'
import { type Fixture, loadFixture } from './fixture.ts'
import type { LoadPlan } from './load-client.ts'
import type { ComparedRates } from './read-results.ts'
import { median, note, type Samples, summaryOf } from './report.ts'
import { saveEntries } from './save-results.ts'
import { startService } from './service.ts'
import { firstWarmUpMs, nextWarmUpMs } from './warm-up.ts'

const rounds = 5
const durationMs = 3_000
const customers = 500
const many = 64
const several = 8
const targets = ['process', 'validate', 'find'] as const

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lw-organizations-'))
  const postgres = await startEmbeddedPostgres({ folder: join(folder, 'postgres') })
  const children: Children = []
  try {
    const shops = await load(postgres.connection, many)
    const far = await startProxy(postgres.connection, children)
    const run = startClient(children)
    const postmasters = () => [postgres.pid() ?? -1]
    const near = { port: (await startService(children, postgres.connection, 1)).port, shops, postmasters }
    const away = { ...near, port: (await startService(children, far, 1)).port }
    const compared: Compared[] = [
      { name: `${many} organizations ÷ one, near`, of: near, to: firstOf(near, 1) },
      { name: `${many} organizations ÷ one, 3 ms away`, of: away, to: firstOf(away, 1) },
    ]
    const cluster = process.env.BENCH_CLUSTER_URL ?? (isOnCluster ? await prepareCluster() : undefined)
    if (cluster !== undefined) compared.push(...(await onCluster(cluster, near, children)))
    const only = process.argv[2]
    await measure(run, only ? compared.filter(({ name }) => name.includes(only)) : compared)
  } finally {
    endChildren(children)
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A service, and the organizations that use it. */
interface Side {
  readonly port: number
  readonly shops: readonly Fixture[]
  /** Of each PostgreSQL server that works for it. */
  readonly postmasters: () => readonly number[]
}

const firstOf = (side: Side, count: number): Side => ({ ...side, shops: side.shops.slice(0, count) })

interface Compared {
  readonly name: string
  readonly of: Side
  readonly to: Side
}

/** The more organizations share the load, the smaller the groups, and the more planning there is for each basket. */
async function onCluster(cluster: string, near: Side, children: Children): Promise<Compared[]> {
  const shops = await load(cluster, many)
  const pids = await postmastersOf(cluster)
  const ways = {
    cluster: await startService(children, cluster, 1),
    'cluster, direct': await startService(children, cluster, 1, { CLUSTER_DIRECT: '1' }),
  }
  return Object.entries(ways).flatMap(([way, { port }]) =>
    [1, several, many].map((count) => ({
      name: `${way} ÷ one server, ${count === 1 ? 'one organization' : `${count} organizations`}`,
      of: firstOf({ port, shops, postmasters: () => pids }, count),
      to: firstOf(near, count),
    })),
  )
}

/** A database on the cluster of `scripts/citus.mjs`, in as many parts as `loyalty-wallet distribute` makes. */
async function prepareCluster(): Promise<string> {
  const server = process.env.TEST_DATABASE_URL!
  const [{ fsync }] = await ask(server, 'SHOW fsync')
  if (fsync !== 'on') throw new Error('Start the cluster with --durable.')
  const name = `bench_${process.pid}`
  await runOnServers(server, `CREATE DATABASE ${name}`)
  await joinServers(server, name)
  const connection = withDatabase(server, name) as string
  await migrate(connection)
  await distributeTables(connection, 32)
  return connection
}

async function ask(url: string, text: string) {
  const client = createClient(url, { applicationName: 'loyalty-wallet benchmark' })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** The servers of a cluster on this computer; only a superuser may ask. */
async function postmastersOf(cluster: string): Promise<number[]> {
  const nodes = await ask(cluster, 'SELECT nodename, nodeport FROM pg_dist_node')
  return Promise.all(
    nodes.map(async ({ nodename, nodeport }) => {
      const url = new URL(cluster)
      url.hostname = nodename
      url.port = String(nodeport)
      const [{ file }] = await ask(url.href, "SELECT pg_read_file('postmaster.pid') AS file")
      return Number.parseInt(file, 10)
    }),
  )
}

async function load(connection: DatabaseConnection, organizations: number): Promise<Fixture[]> {
  const { session } = await migrate(connection)
  // As the owner: the customers are generated by statements that the service does not use.
  const pool = openPool(connection, { isDistributed: session.isDistributed })
  const shops: Fixture[] = []
  for (let i = 0; i < organizations; i++) {
    shops.push(await loadFixture(pool, { customers }))
    process.stderr.write(`\rOrganization ${i + 1} of ${organizations}${i + 1 === organizations ? '\n' : ''}`)
  }
  await pool.end()
  return shops
}

/** The address of the same database, 3 ms away. */
async function startProxy(connection: EmbeddedConnection, children: Children): Promise<string> {
  const port = await once<number>(startChild(children, 'slow-proxy', connection))
  const { user, password = '', database } = connection
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
}

type Run = ReturnType<typeof startClient>

async function measure(run: Run, compared: readonly Compared[]): Promise<void> {
  await warmUp(
    run,
    compared.flatMap(({ of, to }) => [of, to]),
  )
  const series = compared.map((each) => ({ ...each, samples: newSamples() }))
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`Round ${round} of ${rounds}\n`)
    for (const { of, to, samples } of series) {
      for (const target of targets) {
        const [first, second] = [await measureSide(run, of, target), await measureSide(run, to, target)]
        note(samples.ratios, target, first.perSecond / second.perSecond)
        note(samples.perSecond, target, first.perSecond)
        note(samples.databaseUs, target, first.databaseUs)
        note(samples.databaseUsOfOther, target, second.databaseUs)
      }
    }
  }
  const entries = series.map(({ name, samples }) => {
    const summaries = Object.entries(samples).map(([kind, values]) => [kind, summaryOf(values)])
    return [name, { rounds, ...Object.fromEntries(summaries) }]
  })
  saveEntries('organizations', Object.fromEntries(entries))
  for (const { name, samples } of series) print(name, samples)
}

const newSamples = (): Record<keyof ComparedRates, Samples> => ({
  ratios: new Map(),
  perSecond: new Map(),
  databaseUs: new Map(),
  databaseUsOfOther: new Map(),
})

function print(name: string, { ratios, perSecond }: Record<keyof ComparedRates, Samples>): void {
  for (const [target, values] of ratios) {
    const shown = values.map((value) => value.toFixed(2)).join(', ')
    const rate = Math.round(median(perSecond.get(target)!))
    console.log(
      `${`${name}: ${target}`.padEnd(60)} ${median(values).toFixed(2)}  (${shown}), ${rate} per second`,
    )
  }
}

/** Each service under each load that will be measured, once. */
async function warmUp(run: Run, sides: readonly Side[]): Promise<void> {
  const distinct = new Map(sides.map((side) => [`${side.port} ${side.shops.length}`, side]))
  for (const side of distinct.values()) {
    for (const target of targets) await run({ ...planOf(side, target), durationMs: firstWarmUpMs })
  }
}

async function measureSide(run: Run, side: Side, target: LoadPlan['target']) {
  const plan = planOf(side, target)
  await run({ ...plan, durationMs: nextWarmUpMs })
  const spent = () => side.postmasters().reduce((sum, pid) => sum + (cpuOfChildren(pid) ?? 0), 0)
  const before = spent()
  const { perSecond, requests } = await run(plan)
  return { perSecond, databaseUs: (spent() - before) / requests }
}

function planOf({ port, shops }: Side, target: LoadPlan['target']): LoadPlan {
  return { port, tokens: shops.map(({ token }) => token), connections: 128, durationMs, target, customers }
}

await main()
