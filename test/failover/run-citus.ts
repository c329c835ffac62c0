/**
 * Whether the service survives the loss of a server of a Citus cluster whose servers have synchronous standbys: tills
 * sell meanwhile, through a service that enters by the coordinator and through one that uses all servers directly.
 * `npm run test:failover:citus`; POSTGRES_BIN is the folder of a PostgreSQL that has the extension. After `--`,
 * `--only worker` is for those whose name has the word, and `--keep` keeps the folder with the logs. What each failure
 * did is kept in `bench/results/citus-failover.json`.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { saveEntries } from '../../bench/save-results.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openPool } from '../../src/database/pool.ts'
import type { Tally } from '../faults/audit-storm.ts'
import { makeScene, type Scene } from '../faults/scene.ts'
import { ownSecrets } from '../support/checkout.ts'
import { distributeTables } from '../support/cluster.ts'
import { versionOf } from '../support/test-target.ts'
import { chooseStrikes } from './choose-strikes.ts'
import {
  type CitusServer,
  type CitusServers,
  type Instance,
  query,
  type ServerName,
  startCitusServers,
  urlOf,
} from './citus-servers.ts'
import type { CitusFailoverRecord } from './failover-record.ts'
import { findPostgresWithCitus } from './programs.ts'
import { runAndRemove, type ToBeRemoved } from './run-and-remove.ts'
import { byWay, inSeconds, outcomeOf, startTills, type Way } from './tills.ts'

const organizations = 8
/** Of each service, for each organization. */
const callersOfEach = 3
/** Until somebody has noticed the loss, turns the server off and promotes its standby. */
const noticedAfterMs = 3_000
const recoveryTimeoutMs = 90_000
const recoveryMs = 6_000

interface Strike {
  readonly name: string
  readonly server: ServerName
  readonly signal: NodeJS.Signals
}

/** Each server once: a standby that was promoted has none itself. */
const strikes: readonly Strike[] = [
  { name: 'worker killed', server: 'worker 1', signal: 'SIGKILL' },
  { name: 'worker hung', server: 'worker 2', signal: 'SIGSTOP' },
  { name: 'coordinator killed', server: 'coordinator', signal: 'SIGKILL' },
]

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, keep: { type: 'boolean', default: false } },
})
const chosen = chooseStrikes(strikes, values.only)

async function run(toBeRemoved: ToBeRemoved): Promise<boolean> {
  const postgresBin = await findPostgresWithCitus()
  const scene = await toBeRemoved(makeScene())
  const cluster = await toBeRemoved(startCitusServers(postgresBin, values.keep))
  const [coordinator] = cluster.servers
  const entry = urlOf([coordinator!.primary])
  await migrate(entry)
  await distributeTables(entry, 16)
  const ways = await startServices(scene, coordinator!)
  const [{ version }] = await query(
    entry,
    "SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'",
  )
  const versions = { PostgreSQL: await versionOf(join(postgresBin, 'postgres')), Citus: version }
  const current = new Map(cluster.servers.map((server) => [server.name, server.primary]))
  const setting = { scene, cluster, ways, current }
  let isGood = true
  for (const strike of chosen) {
    const result = await strikeUnderLoad(setting, strike)
    const record: CitusFailoverRecord = {
      versions,
      organizations,
      affected: result.affected,
      callers: ways.length * organizations * callersOfEach,
      ...(result.outagesOfOthers && { secondsOfOthers: byWay(ways, result.outagesOfOthers) }),
      noticedAfterSeconds: inSeconds(noticedAfterMs),
      failure: strike.name,
      ...outcomeOf(ways, result),
    }
    saveEntries('citus-failover', { [strike.name]: record })
    const seconds = result.outages.map(inSeconds).join(' and ')
    console.log(`${strike.name}: ${seconds} s without service, ${result.problems.length} problems`)
    for (const problem of result.problems.slice(0, 20)) console.log(`  ${problem}`)
    isGood &&= result.problems.length === 0
  }
  return isGood
}

async function startServices(scene: Scene, { primary, standby }: CitusServer): Promise<Way[]> {
  const settings = {
    ...ownSecrets,
    DEMO: '0',
    RATE_LIMIT: 'off',
    DATABASE_URL: `${urlOf([primary, standby])}?target_session_attrs=read-write`,
  }
  return [
    { name: 'through the coordinator', service: await scene.checkout.start(settings) },
    {
      name: '`CLUSTER_DIRECT`',
      service: await scene.checkout.start({ ...settings, CLUSTER_DIRECT: '1' }),
    },
  ]
}

interface Setting {
  readonly scene: Scene
  readonly cluster: CitusServers
  readonly ways: readonly Way[]
  /** Which instance is the primary of each server now. */
  readonly current: Map<ServerName, Instance>
}

interface Result {
  readonly tally: Tally
  readonly problems: readonly string[]
  /** How many organizations have their data on the server; for the coordinator, all of them. */
  readonly affected: number
  /** Of the one of them that had to wait longest, by way. */
  readonly outages: readonly number[]
  /** Of the one that had to wait longest of the others, if there are any. */
  readonly outagesOfOthers: readonly number[] | undefined
}

async function strikeUnderLoad(
  { scene, cluster, ways, current }: Setting,
  { name, server, signal }: Strike,
): Promise<Result> {
  const struck = cluster.servers.find((each) => each.name === server)!
  const tills = await startTills(scene, ways, { name, organizations, callersOfEach })
  const affected = await listAffected(tills.organizations, struck, current)

  const problems = affected.size > 0 ? [] : [`no organization has its data on ${server}`]
  const struckAt = Date.now()
  await cluster.signal(struck.primary, signal)
  await sleep(noticedAfterMs)
  // It must be off before another one takes its place: `citus_update_node` waits for one that hangs.
  await cluster.signal(struck.primary, 'SIGKILL')
  await cluster.replace(struck, current.get('coordinator')!)
  current.set(server, struck.standby)
  problems.push(...(await tills.waitForServices(recoveryTimeoutMs)))
  // A service is ready when the coordinator is; the organizations of a worker may take longer.
  await sleep(recoveryMs)
  await tills.stop()

  const entry = urlOf([current.get('coordinator')!])
  const pool = openPool(entry, { applicationName: 'auditor', isDistributed: true })
  const audit = await tills.audit(pool)
  await pool.end()
  const others = new Set(tills.organizations.filter((organization) => !affected.has(organization)))
  return {
    tally: audit.tally,
    problems: [...problems, ...audit.problems],
    affected: affected.size,
    outages: tills.longestOutagesSince(struckAt, affected),
    outagesOfOthers: others.size > 0 ? tills.longestOutagesSince(struckAt, others) : undefined,
  }
}

/** The organizations that have their data on the server; without the coordinator, none may be able to sell. */
async function listAffected(
  all: readonly string[],
  { name, primary }: CitusServer,
  current: ReadonlyMap<ServerName, Instance>,
): Promise<Set<string>> {
  if (name === 'coordinator') return new Set(all)
  const rows = await query(
    urlOf([current.get('coordinator')!]),
    `SELECT o.id FROM organizations o JOIN citus_shards s ON s.table_name = 'setup_versions'::regclass
       AND s.shardid = get_shard_id_for_distribution_column('setup_versions', o.org_id)
     WHERE s.nodeport = ${primary.port}`,
  )
  const ids = new Set(rows.map(({ id }) => `org_${id.replaceAll('-', '')}`))
  return new Set(all.filter((organization) => ids.has(organization)))
}

await runAndRemove(run, values.keep)
