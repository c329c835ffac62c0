import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { findEmbeddedPostgres } from '../../src/database/embedded-postgres.ts'
import { type EmbeddedConnection, openPool } from '../../src/database/pool.ts'
import { ownSecrets, type Service, type Settings, urlOf } from '../process/checkout.ts'
import { auditStorm, type Tally } from './audit-storm.ts'
import { gatherCalls, type LogLine, readCallLog } from './call-log.ts'
import type { Fault, FaultPlan, FaultReport } from './fault-child.ts'
import type { LoadPlan, LoadReport } from './load-child.ts'
import { openMerchant } from './merchant.ts'
import type { Scene } from './scene.ts'
import { type Metrics, readMetrics, type Sample, waitUntilReady, watchReadiness } from './watch-service.ts'

export interface Storm {
  readonly name: string
  /** Whose PostgreSQL it is: the service's own, one beside it, one behind a proxy, or its own on a small disk. */
  readonly database: 'embedded' | 'external' | 'proxied' | 'small-disk'
  readonly services?: number
  readonly settings?: Settings
  /** How many call at the same time. */
  readonly clients?: number
  readonly fault: (place: Place, form: 'short' | 'long') => Fault
  /** Between strikes. */
  readonly pauseMs: number
  /** The short form: how long strikes are repeated. */
  readonly shortMs: number
  /** How the service ends when it is struck; unless told, it never does. */
  readonly ends?: {
    readonly code: number | null
    readonly signal: NodeJS.Signals | null
    readonly withinMs: number
  }
  /** Workers of the service are killed and started again by it. */
  readonly losesWorkers?: boolean
  /** Whether `/readyz` must have said no at some time. */
  readonly turnsUnready?: boolean
  /** Struck once more when nobody calls. */
  readonly alsoIdle?: boolean
  /** How long a call may take; unless told, as long as the service gives itself. */
  readonly deadlineMs?: number
  /** What else must hold of the numbers. */
  readonly check?: (result: { tally: Tally; cuts: number; readsWhileAway: Reads }) => string[]
}

interface Reads {
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

const poolSize = 10
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
  const merchant = await openMerchant(baseUrl!, ownSecrets.ADMIN_TOKEN)
  const logFile = join(scene.folder, `${storm.name.replaceAll(/\W+/g, '-')}-${Date.now()}.jsonl`)
  const load = startLoad(scene.fork('load-child'), {
    seed,
    baseUrls: services.baseUrls,
    ...merchant,
    customers: 24,
    clients: storm.clients ?? 12,
    pauseMs: 10,
    logFile,
  })
  await load.ready
  await sleep(calmMs)
  const readiness = watchReadiness(baseUrl!)
  injector.send('strike')
  const struck = await started.done
  await services.restarted(started.reports)
  const backAfterMs = await waitUntilReady(baseUrl!, recoveryTimeoutMs)
  if (backAfterMs === undefined) problems.push('the service did not say that it can serve again')
  await sleep(calmMs)
  await load.finish()
  const calls = readCallLog(logFile)
  const atRest = await Promise.all(services.baseUrls.map(readMetricsAtRest))
  problems.push(...(await checkAtRest(storm, atRest, place, injector)))
  // A process that was killed takes its counters with it.
  if (!storm.ends && !storm.losesWorkers) problems.push(...checkCounted(atRest, calls))
  if (storm.alsoIdle) await strikeIdle(scene, storm, place, baseUrl!, options, problems)
  await readiness.stop()
  problems.push(...checkReadiness(storm, readiness.samples, started.reports))
  problems.push(...services.checkEnds(started.reports))

  const pool = openPool(place.connection, { applicationName: 'auditor' })
  const deadlineMs = storm.deadlineMs ?? defaultDeadlineMs
  const { organization } = merchant
  const audited = await auditStorm({ pool, organization, calls, serviceLog: services.log(), deadlineMs })
  await pool.end()
  const readsWhileAway = countReadsWhileAway(calls, started.reports)
  const numbers = { tally: audited.tally, cuts: struck.cuts ?? 0, readsWhileAway }
  problems.push(...audited.problems, ...(storm.check?.(numbers) ?? []))
  await services.stop()
  injector.kill('SIGKILL')
  return { storm: storm.name, seed, strikes: struck.strikes, tally: audited.tally, backAfterMs, problems }
}

// The place --------------------------------------------------------------------------------------------------

type Folder = Omit<Place, 'connection' | 'socketPath'> & {
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

// Processes --------------------------------------------------------------------------------------------------

async function startServices(
  scene: Scene,
  storm: Storm,
  { pidFile, clockFile, dataDir, connection }: Folder,
  proxyPort: number | undefined,
  problems: string[],
) {
  const target =
    connection && (proxyPort ? { ...connection, host: '127.0.0.1', port: proxyPort } : connection)
  const settings: Settings = {
    ...ownSecrets,
    DEMO: '0',
    RATE_LIMIT: 'off',
    ...(target ? { DATABASE_URL: urlOf(target) } : { DATA_DIR: dataDir }),
    NODE_OPTIONS: `--import ${pathToFileURL(scene.programFile('clock-child'))}`,
    CLOCK_OFFSET_FILE: clockFile,
    ...storm.settings,
  }
  const started: Service[] = []
  const ends: { at: number; code: number | null; signal: NodeJS.Signals | null }[] = []
  let isStopping = false
  let restarting: Promise<void> = Promise.resolve()

  const start = async (port: string): Promise<Service> => {
    const service = await scene.checkout.start({ ...settings, PORT: port })
    started.push(service)
    const { pid } = service.process
    writeFileSync(pidFile, String(pid))
    service.process.once('exit', (code, signal) => {
      if (isStopping) return
      ends.push({ at: Date.now(), code, signal })
      if (!storm.ends) problems.push(`a process ended by itself (${signal ?? code})`)
      // On the port it had, where its clients look for it.
      else restarting = start(new URL(service.baseUrl).port).then(() => {})
    })
    return service
  }
  const first: Service[] = []
  for (let i = 0; i < (storm.services ?? 1); i++) first.push(await start('0'))
  const struckAt = (reports: readonly FaultReport[]) =>
    reports.flatMap((report) => (report.event === 'struck' ? [report.at] : []))

  return {
    baseUrls: first.map(({ baseUrl }) => baseUrl),
    log: () => started.map((service) => service.stdout()).join('\n'),
    /** Every process that was struck has ended and has a successor. */
    async restarted(reports: readonly FaultReport[]) {
      const deadline = Date.now() + (storm.ends?.withinMs ?? 0)
      while (ends.length < struckAt(reports).length && Date.now() < deadline) await sleep(10)
      await restarting
    },
    checkEnds(reports: readonly FaultReport[]): string[] {
      const { ends: wanted } = storm
      if (!wanted) return []
      const struck = struckAt(reports)
      const wrong = ends.filter(
        ({ code, signal, at }, i) =>
          code !== wanted.code || signal !== wanted.signal || at - struck[i]! > wanted.withinMs,
      )
      const counted =
        ends.length === struck.length ? [] : [`${struck.length} strikes ended ${ends.length} processes`]
      return [...counted, ...wrong.map((end) => `a process ended as ${JSON.stringify(end)}`)]
    },
    async stop() {
      isStopping = true
      await restarting
      for (const service of started) {
        if (service.process.exitCode !== null || service.process.signalCode !== null) continue
        const { code } = await service.end('SIGTERM')
        if (code !== 0) problems.push(`told to stop, the service ended with ${code}`)
      }
    },
  }
}

async function startInjector(
  child: ChildProcess,
  storm: Storm,
  place: Folder | Place,
  { seed, longMs }: StormOptions,
  durationMs = longMs ?? storm.shortMs,
) {
  const reports: FaultReport[] = []
  let onReady: (port: number | undefined) => void = () => {}
  const ready = new Promise<number | undefined>((resolve) => {
    onReady = resolve
  })
  const done = new Promise<Extract<FaultReport, { event: 'done' }>>((resolve, reject) => {
    child.on('message', (report: FaultReport) => {
      reports.push(report)
      if (report.event === 'ready') onReady(report.port)
      if (report.event === 'done') resolve(report)
      if (report.event === 'failed') reject(new Error(report.reason))
    })
  })
  done.catch(() => {})
  const plan: FaultPlan = {
    seed,
    fault: storm.fault(place as Place, longMs === undefined ? 'short' : 'long'),
    durationMs,
    pauseMs: storm.pauseMs,
  }
  child.send(plan)
  return { port: await Promise.race([ready, done.then(() => undefined)]), done, reports }
}

function startLoad(child: ChildProcess, plan: LoadPlan) {
  const wait = (event: LoadReport['event']) =>
    new Promise<void>((resolve, reject) => {
      child.on('message', (report: LoadReport) => {
        if (report.event === event) resolve()
        if (report.event === 'failed') reject(new Error(report.reason))
      })
      child.once('exit', () => reject(new Error('the load process ended')))
    })
  const ready = wait('ready')
  const done = wait('done')
  done.catch(() => {})
  child.send(plan)
  return {
    ready,
    async finish() {
      child.send('stop')
      await done
      child.disconnect()
    },
  }
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
  const { done } = await startInjector(injector, storm, place, options, 0)
  injector.send('strike')
  await done
  injector.kill('SIGKILL')
  if ((await waitUntilReady(baseUrl, recoveryTimeoutMs)) === undefined)
    problems.push('struck while nobody called, it did not come back')
}

// What the service says of itself ----------------------------------------------------------------------------

async function readMetricsAtRest(baseUrl: string): Promise<Metrics> {
  const deadline = Date.now() + 10_000
  for (;;) {
    const metrics = await readMetrics(baseUrl)
    const isAtRest = metrics.connections === metrics.idle && metrics.waiting === 0 && metrics.baskets === 0
    if (isAtRest || Date.now() > deadline) return metrics
    await sleep(100)
  }
}

/** Nothing is held, nothing waits, and the database and the proxy see no more connections than a pool has. */
async function checkAtRest(
  storm: Storm,
  all: readonly Metrics[],
  { connection }: Place,
  injector: ChildProcess,
): Promise<string[]> {
  const problems = all
    .filter(({ connections, idle, waiting, baskets }) => connections !== idle || waiting > 0 || baskets > 0)
    .map(({ unavailable: _, ...gauges }) => `at rest, something is held: ${JSON.stringify(gauges)}`)
  const workers = Number(storm.settings?.WORKERS ?? 1)
  const allowed = poolSize * (workers > 1 ? workers + 1 : 1) * (storm.services ?? 1)
  const pool = openPool(connection, { applicationName: 'auditor' })
  const { rows } = await pool.query(
    `SELECT count(*)::int AS open FROM pg_stat_activity
     WHERE application_name = 'loyalty-wallet' AND datname = current_database()`,
  )
  await pool.end()
  if (rows[0].open > allowed) problems.push(`${rows[0].open} connections are open, and pools hold ${allowed}`)
  if (storm.database === 'proxied') {
    const open = await new Promise<number>((resolve) => {
      injector.on('message', (report: FaultReport) => report.event === 'open' && resolve(report.connections))
      injector.send('count')
    })
    if (open > allowed) problems.push(`${open} connections go through the proxy, and pools hold ${allowed}`)
  }
  return problems
}

/** The metrics count every 503 a client got, and no more than those it may not have got. */
function checkCounted(all: readonly Metrics[], lines: readonly LogLine[]): string[] {
  const routes = new Map(
    lines.flatMap((line) => (line.kind === 'sent' ? [[`${line.call}.${line.attempt}`, line.route]] : [])),
  )
  const got = new Map<string, { answered: number; unanswered: number }>()
  for (const line of lines) {
    if (line.kind === 'sent') continue
    const route = routes.get(`${line.call}.${line.attempt}`)!
    const count = got.get(route) ?? { answered: 0, unanswered: 0 }
    got.set(route, count)
    if (line.kind === 'unanswered') count.unanswered++
    else if (line.status === 503) count.answered++
  }
  return [...got].flatMap(([route, { answered, unanswered }]) => {
    const counted = all.reduce((sum, { unavailable }) => sum + (unavailable.get(route) ?? 0), 0)
    return counted >= answered && counted <= answered + unanswered
      ? []
      : [`${route}: clients got ${answered} 503s and ${unanswered} nothing, metrics count ${counted}`]
  })
}

function checkReadiness(storm: Storm, samples: readonly Sample[], reports: readonly FaultReport[]): string[] {
  const problems: string[] = []
  for (const report of reports) {
    if (report.event !== 'away') continue
    const inside = samples.filter(({ from, to }) => from >= report.from && to <= report.to)
    if (inside.length === 0) problems.push('/readyz was not asked while the database was away')
    const wrong = inside.filter(({ status }) => status === 200)
    if (wrong.length > 0) {
      problems.push(`/readyz said yes ${wrong.length} times of ${inside.length} while the database was away`)
    }
  }
  if (storm.turnsUnready && !samples.some(({ status }) => status === 503))
    problems.push('/readyz never said no')
  return problems
}

function countReadsWhileAway(lines: readonly LogLine[], reports: readonly FaultReport[]): Reads {
  const away = reports.flatMap((report) => (report.event === 'away' ? [report] : []))
  const isInside = (from: number, to: number) => away.some((one) => from >= one.from && to <= one.to)
  const reads = gatherCalls(lines).filter(({ sent }) => sent[0]!.operation === 'read')
  const inside = reads.flatMap(({ sent, answers }) =>
    answers.filter((answer) => isInside(sent[0]!.at, answer.at)),
  )
  const answered = inside.filter(({ status }) => status === 200).length
  return { answered, failed: inside.length - answered }
}
