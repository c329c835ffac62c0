import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EmbeddedConnection, openPool } from '../../src/database/pool.ts'
import { findEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts'
import { ownSecrets, type Settings } from '../support/checkout.ts'
import { isOnCluster } from '../support/cluster.ts'
import { countShared } from '../support/shared-transactions.ts'
import { auditStorm, sumOf, type Tally } from './audit-storm.ts'
import { readCallLog } from './call-log.ts'
import {
  checkAtRest,
  checkCounted,
  checkReadiness,
  countReadsWhileAway,
  readMetricsAtRest,
} from './check-service.ts'
import type { Fault, FaultReport } from './fault-child.ts'
import { openMerchant } from './merchant.ts'
import { startInjector, startLoad, startServices } from './processes.ts'
import type { Scene } from './scene.ts'
import { waitUntilReady, watchReadiness } from './watch-service.ts'

export interface Storm {
  readonly name: string
  /** Whether `npm run test:process` runs its short form; `npm run test:faults` runs all of them. */
  readonly everyTime?: boolean
  /** Whose PostgreSQL it is: the service's own, one beside it, one behind a proxy, or its own on a small disk. */
  readonly database: 'embedded' | 'external' | 'proxied' | 'small-disk'
  readonly services?: number
  readonly settings?: Settings
  /** How many call at the same time. */
  readonly clients?: number
  /** Whose customers they call for: what several write at the same moment shares transactions. */
  readonly organizations?: number
  /** So many of them call that they share transactions, or the storm has not struck what it was meant to. */
  readonly sharesTransactions?: boolean
  readonly fault: (place: Place, form: 'short' | 'long') => Fault
  /** Between strikes. */
  readonly pauseMs: number
  /** The short form: how long strikes are repeated. */
  readonly shortMs: number
  /** How the service ends when it is struck; unless told, it never does. */
  readonly ends?: {
    readonly code: number | null
    readonly signal: NodeJS.Signals | null
    /** Of one that is told to stop; how soon one ends that is killed says nothing of it. */
    readonly withinMs?: number
  }
  /** Workers of the service are killed and started again by it. */
  readonly losesWorkers?: boolean
  /** Whether `/readyz` must have said no at some time. */
  readonly turnsUnready?: boolean
  /** Whether it goes on until an answer was cut off. */
  readonly cutsAnswers?: boolean
  /** Whether reads must have been answered while nothing could be written. */
  readonly goesOnReading?: boolean
  /** Struck once more when nobody calls. */
  readonly alsoIdle?: boolean
  /** How long a call may take; unless told, as long as the service gives itself. */
  readonly deadlineMs?: number
  /** What else must hold of the numbers. */
  readonly check?: (result: Outcome) => string[]
}

export interface Outcome {
  readonly tally: Tally
  readonly cuts: number
  /** Answers to reads while nothing could be written. */
  readonly readsWhileAway: Reads
  readonly serviceLog: string
}

export interface Reads {
  readonly answered: number
  readonly failed: number
}

/** What a fault needs to know of where it strikes. */
export interface Place {
  readonly pidFile: string
  readonly clockFile: string
  readonly folder: string
  readonly connection: EmbeddedConnection
  readonly socketPath: string
}

export interface StormResult {
  readonly storm: string
  readonly seed: number
  readonly skipped?: string
  readonly strikes: number
  readonly tally?: Tally
  /** From the end of the last strike to the first time the service said that it can serve. */
  readonly backAfterMs?: number
  readonly problems: readonly string[]
}

export interface StormOptions {
  readonly seed: number
  /** The long form: how long strikes are repeated. */
  readonly longMs?: number
}

const recoveryTimeoutMs = 20_000
const defaultDeadlineMs = 15_000
const calmMs = 300

export async function runStorm(scene: Scene, storm: Storm, options: StormOptions): Promise<StormResult> {
  const { seed } = options
  const folder = await findPlace(scene, storm)
  if (!folder) {
    return {
      storm: storm.name,
      seed,
      skipped: 'mounting a small disk is not allowed here',
      strikes: 0,
      problems: [],
    }
  }
  const problems: string[] = []
  const injector = scene.fork('fault-child')
  const proxied =
    storm.database === 'proxied' ? await startInjector(injector, storm, folder, options) : undefined
  const services = await startServices(scene, storm, folder, proxied?.port, problems)
  const place = { ...folder, ...(await findConnection(folder)) }
  const started = proxied ?? (await startInjector(injector, storm, place, options))
  const [baseUrl] = services.baseUrls
  const loads = await startLoads(scene, storm, services.baseUrls, seed)
  const readLogs = () => loads.flatMap(({ logFile }) => readCallLog(logFile))
  await sleep(calmMs)
  const readiness = watchReadiness(baseUrl!)
  const hasRead = (from: number) =>
    countReadsWhileAway(readLogs(), [{ event: 'away', from, to: Date.now() }]).answered > 0
  answerWhenFelt(
    injector,
    (from) =>
      readiness.samples.some((sample) => sample.from >= from && sample.status === 503) &&
      (!storm.goesOnReading || hasRead(from)),
  )
  injector.send('strike')
  const struck = await started.done
  await services.restarted(started.reports)
  const backAfterMs = await waitUntilReady(baseUrl!, recoveryTimeoutMs)
  if (backAfterMs === undefined) problems.push('the service did not say that it can serve again')
  await sleep(calmMs)
  await Promise.all(loads.map(({ finish }) => finish()))
  const calls = readLogs()
  const atRest = await Promise.all(services.baseUrls.map(readMetricsAtRest))
  problems.push(...(await checkAtRest(storm, atRest, place, injector)))
  // A process that was killed takes its counters with it.
  if (!storm.ends && !storm.losesWorkers) problems.push(...checkCounted(atRest, calls))
  if (storm.alsoIdle) await strikeIdle(scene, storm, place, baseUrl!, options, problems)
  await readiness.stop()
  problems.push(...checkReadiness(storm, readiness.samples, started.reports))
  problems.push(...services.checkEnds(started.reports))

  const pool = openPool(place.connection, { applicationName: 'auditor', isDistributed: isOnCluster })
  const serviceLog = services.log()
  const deadlineMs = storm.deadlineMs ?? defaultDeadlineMs
  const audits = []
  for (const { organization, logFile } of loads) {
    const evidence = { pool, organization, calls: readCallLog(logFile), serviceLog, deadlineMs }
    audits.push(await auditStorm(evidence))
  }
  if (storm.sharesTransactions && !isOnCluster && (await countShared(pool)) === 0)
    problems.push('no transaction was shared by several organizations')
  await pool.end()
  const tally = sumOf(audits.map((audit) => audit.tally))
  const readsWhileAway = countReadsWhileAway(calls, started.reports)
  const outcome: Outcome = { tally, cuts: struck.cuts ?? 0, readsWhileAway, serviceLog }
  problems.push(...new Set(audits.flatMap((audit) => audit.problems)), ...(storm.check?.(outcome) ?? []))
  if (!started.reports.some(({ event }) => event === 'struck')) problems.push('nothing was struck')
  await services.stop()
  injector.kill('SIGKILL')
  return { storm: storm.name, seed, strikes: struck.strikes, tally, backAfterMs, problems }
}

/** Tills of each organization, which have registered their customers. */
async function startLoads(scene: Scene, storm: Storm, baseUrls: readonly string[], seed: number) {
  const organizations = storm.organizations ?? 1
  const loads = []
  for (let i = 0; i < organizations; i++) {
    const merchant = await openMerchant(baseUrls[0]!, ownSecrets.ADMIN_TOKEN)
    const logFile = join(scene.folder, `${storm.name.replaceAll(/\W+/g, '-')}-${i}-${Date.now()}.jsonl`)
    const load = startLoad(scene.fork('load-child'), {
      seed: seed + i,
      baseUrls,
      ...merchant,
      customers: Math.max(3, 24 / organizations),
      clients: (storm.clients ?? 12) / organizations,
      pauseMs: 10,
      logFile,
    })
    loads.push({ organization: merchant.organization, logFile, ...load })
  }
  await Promise.all(loads.map(({ ready }) => ready))
  return loads
}

function answerWhenFelt(injector: ChildProcess, isFelt: (from: number) => boolean): void {
  injector.on('message', async (report: FaultReport) => {
    if (report.event !== 'holding') return
    while (injector.connected && !isFelt(report.from)) await sleep(50)
    if (injector.connected) injector.send('felt')
  })
}

async function strikeIdle(
  scene: Scene,
  storm: Storm,
  place: Place,
  baseUrl: string,
  options: StormOptions,
  problems: string[],
): Promise<void> {
  const injector = scene.fork('fault-child')
  const { done } = await startInjector(injector, { ...storm, turnsUnready: false }, place, options, 0)
  injector.send('strike')
  await done
  injector.kill('SIGKILL')
  if ((await waitUntilReady(baseUrl, recoveryTimeoutMs)) === undefined)
    problems.push('struck while nobody called, it did not come back')
}

export type Folder = Omit<Place, 'connection' | 'socketPath'> & {
  readonly dataDir: string
  readonly connection?: EmbeddedConnection
  readonly socketPath: string
}

async function findPlace(scene: Scene, { name, database }: Storm): Promise<Folder | undefined> {
  const file = (what: string) => join(scene.folder, `${name.replaceAll(/\W+/g, '-')}-${Date.now()}.${what}`)
  const files = { pidFile: file('pid'), clockFile: file('clock') }
  writeFileSync(files.clockFile, '0')
  if (database === 'external' || database === 'proxied') {
    const connection = await scene.newDatabase()
    const { host, port } = connection
    return {
      ...files,
      dataDir: '',
      folder: scene.folder,
      connection,
      socketPath: join(host, `.s.PGSQL.${port}`),
    }
  }
  const disk = database === 'small-disk' ? await scene.mountSmallDisk(diskBytes) : undefined
  if (database === 'small-disk' && !disk) return undefined
  const dataDir = disk ? join(disk, 'data') : await scene.checkout.newDataDir()
  return { ...files, dataDir, folder: disk ?? join(dataDir, 'postgres'), socketPath: '' }
}

/** A new cluster takes 40 MB, its log up to 80, and the rest is room for the storm. */
const diskBytes = 160 * 1_048_576

async function findConnection({ connection, dataDir }: Folder): Promise<{ connection: EmbeddedConnection }> {
  return { connection: connection ?? (await findEmbeddedPostgres(join(dataDir, 'postgres')))! }
}
