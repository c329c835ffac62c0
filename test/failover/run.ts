/**
 * Whether the service survives the loss of its database's primary: a Patroni cluster with a synchronous standby, two
 * services on it, one through HAProxy and one with both hosts in its DATABASE_URL, tills that sell meanwhile, and
 * one failure after the other. `npm run test:failover`; after `--`, `--nodes 3` for a second standby, `--only cut`
 * for those whose name has the word, `--keep` to keep the folder with the logs, and `--asynchronous` to see that it
 * fails: without synchronous replication, sales are lost. What each failure did is kept in
 * `bench/results/failover.json`, by the number of nodes.
 */
import { parseArgs } from 'node:util'
import type { Pool } from 'pg'
import { saveEntries } from '../../bench/save-results.ts'
import { createClient, openPool } from '../../src/database/pool.ts'
import type { Tally } from '../faults/audit-storm.ts'
import { makeScene, type Scene } from '../faults/scene.ts'
import { ownSecrets } from '../support/checkout.ts'
import { countShared } from '../support/shared-transactions.ts'
import { chooseStrikes } from './choose-strikes.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { superuser, times } from './configs.ts'
import type { FailoverRecord } from './failover-record.ts'
import { findPrograms, type Programs, versionsOf } from './programs.ts'
import { runAndRemove, type ToBeRemoved } from './run-and-remove.ts'
import { type Strike, strikes } from './strikes.ts'
import { inSeconds, outcomeOf, startTills, type Way } from './tills.ts'

const login = { username: 'wallet', password: 'wallet-of-the-failover-test' }
/** So many that they share transactions. */
const organizations = 12
/** Of each service, in each organization. */
const callersOfEach = 2
const recoveryTimeoutMs = 60_000

interface Result {
  readonly name: string
  readonly outages: readonly number[]
  readonly tally: Tally
  readonly problems: readonly string[]
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    nodes: { type: 'string', default: '2' },
    asynchronous: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
})
const size = Number(values.nodes)
if (![2, 3].includes(size)) throw new Error('--nodes is 2 or 3.')
const chosen = chooseStrikes(strikes, values.only)

async function run(toBeRemoved: ToBeRemoved): Promise<boolean> {
  const programs = await findPrograms()
  const scene = await toBeRemoved(makeScene())
  const options = { size, isSynchronous: !values.asynchronous, isKept: values.keep }
  const cluster = await toBeRemoved(startCluster(programs, options))
  await cluster.waitUntilHealthy()
  await createDatabase(cluster)
  const ways = await startServices(scene, cluster)
  const results: Result[] = []
  for (const strike of chosen) {
    const result = await runStrike(scene, cluster, ways, strike)
    results.push(result)
    await keep(programs, ways, result)
    const seconds = result.outages.map(inSeconds).join(' and ')
    console.log(`${strike.name}: ${seconds} s without service, ${result.problems.length} problems`)
    for (const problem of result.problems.slice(0, 20)) console.log(`  ${problem}`)
  }
  print(ways, results)
  return results.every(({ problems }) => problems.length === 0)
}

/** After each failure, because a cluster that does not recover from the next one ends the run. */
async function keep(programs: Programs, ways: readonly Way[], result: Result): Promise<void> {
  const record: FailoverRecord = {
    versions: await versionsOf(programs),
    nodes: size,
    isSynchronous: !values.asynchronous,
    callers: ways.length * organizations * callersOfEach,
    patroni: times,
    failure: result.name,
    ...outcomeOf(ways, result),
  }
  const cluster = `${size} nodes${values.asynchronous ? ', asynchronous' : ''}`
  saveEntries('failover', { [`${cluster}: ${result.name}`]: record })
}

/** As `deploy/create-database.sh` does it. */
async function createDatabase(cluster: Cluster): Promise<void> {
  const client = createClient(urlOf(superuser, [cluster.primaryPort], 'postgres'))
  await client.connect()
  await client.query('CREATE ROLE loyalty_wallet_app NOLOGIN')
  await client.query(`CREATE ROLE ${login.username} LOGIN PASSWORD '${login.password}'`)
  await client.query(`GRANT loyalty_wallet_app TO ${login.username}`)
  await client.query(`CREATE DATABASE wallet OWNER ${login.username}`)
  await client.end()
}

function urlOf({ username, password }: typeof login, ports: readonly number[], database = 'wallet'): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
  const target = ports.length > 1 ? '?target_session_attrs=read-write' : ''
  return `postgres://${username}:${password}@${hosts}/${database}${target}`
}

async function startServices(scene: Scene, cluster: Cluster): Promise<Way[]> {
  const addresses = {
    HAProxy: urlOf(login, [cluster.primaryPort]),
    'all nodes named': urlOf(
      login,
      cluster.nodes.map(({ ports }) => ports.outside.direct),
    ),
  }
  const ways: Way[] = []
  for (const [name, DATABASE_URL] of Object.entries(addresses)) {
    const settings = { ...ownSecrets, DEMO: '0', RATE_LIMIT: 'off', DATABASE_URL }
    ways.push({ name, service: await scene.checkout.start(settings) })
  }
  return ways
}

async function runStrike(
  scene: Scene,
  cluster: Cluster,
  ways: readonly Way[],
  { name, strike, moves }: Strike,
): Promise<Result> {
  const before = await cluster.waitUntilHealthy()
  const tills = await startTills(scene, ways, { name, organizations, callersOfEach })
  const inDatabase = async <T>(work: (pool: Pool) => Promise<T>): Promise<T> => {
    const pool = openPool(urlOf(superuser, [cluster.primaryPort]), { applicationName: 'auditor' })
    return work(pool).finally(() => pool.end())
  }

  const sharedBefore = await inDatabase(countShared)
  const problems: string[] = []
  const struckAt = Date.now()
  await strike(cluster, before)
  const after = await cluster.waitUntilHealthy()
  if (moves !== (after.leader !== before.leader)) problems.push(`${after.leader.name} is the primary`)
  problems.push(...(await tills.waitForServices(recoveryTimeoutMs)))
  await tills.stop()

  const audit = await inDatabase(tills.audit)
  if ((await inDatabase(countShared)) === sharedBefore)
    problems.push('no transaction was shared by several organizations')
  const outages = tills.outagesSince(struckAt)
  return { name, outages, tally: audit.tally, problems: [...problems, ...audit.problems] }
}

function print(ways: readonly Way[], results: readonly Result[]): void {
  const head = [
    'Failure',
    ...ways.map(({ name }) => `Seconds without service, ${name}`),
    'Acknowledged',
    'Unknown to the caller at first',
    'Of these committed',
    'Lost',
    'Doubled',
  ]
  const rows = results.map(({ name, outages, tally }) => [
    name,
    ...outages.map((ms) => (ms === 0 ? 'under 1' : (ms / 1_000).toFixed(1))),
    ...[tally.acknowledged, tally.unknown, tally.resentAndFound, tally.lost, tally.doubled].map(String),
  ])
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  console.log(`\n${[line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')}`)
}

await runAndRemove(run, values.keep)
