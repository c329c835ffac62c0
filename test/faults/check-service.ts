import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPool } from '../../src/database/pool.ts'
import { gatherCalls, type LogLine } from './call-log.ts'
import type { FaultReport } from './fault-child.ts'
import type { Place, Reads, Storm } from './storm.ts'
import { type Metrics, readMetrics, type Sample } from './watch-service.ts'

const poolSize = 10

/** Nobody answered; nothing of it counts as being at rest. */
const unknownMetrics: Metrics = {
  connections: Number.NaN,
  idle: Number.NaN,
  waiting: Number.NaN,
  baskets: Number.NaN,
  unavailable: new Map(),
}

export async function readMetricsAtRest(baseUrl: string): Promise<Metrics> {
  const deadline = Date.now() + 10_000
  for (;;) {
    const metrics = await readMetrics(baseUrl).catch(() => unknownMetrics)
    const isAtRest = metrics.connections === metrics.idle && metrics.waiting === 0 && metrics.baskets === 0
    if (isAtRest || Date.now() > deadline) return metrics
    await sleep(100)
  }
}

/** Nothing is held, nothing waits, and the database and the proxy see no more connections than a pool has. */
export async function checkAtRest(
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
  const open = await atMost(allowed, async () => {
    const { rows } = await pool.query(
      `SELECT count(*)::int AS open FROM pg_stat_activity
       WHERE application_name = 'loyalty-wallet' AND datname = current_database()`,
    )
    return rows[0].open
  })
  await pool.end()
  if (open > allowed) problems.push(`${open} connections are open, and pools hold ${allowed}`)
  if (storm.database === 'proxied') {
    const passing = await atMost(allowed, () => countPassing(injector))
    if (passing > allowed)
      problems.push(`${passing} connections go through the proxy, and pools hold ${allowed}`)
  }
  return problems
}

/** The number as soon as it is no more than that, or what it stays at: a connection ends a moment after it was left. */
async function atMost(allowed: number, count: () => Promise<number>): Promise<number> {
  const deadline = Date.now() + 10_000
  let counted = await count()
  for (; counted > allowed && Date.now() < deadline; counted = await count()) await sleep(100)
  return counted
}

function countPassing(injector: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    const listen = (report: FaultReport) => {
      if (report.event !== 'open') return
      injector.off('message', listen)
      resolve(report.connections)
    }
    injector.on('message', listen)
    injector.send('count')
  })
}

/** The metrics count every 503 a client got, and no more than those it may not have got. */
export function checkCounted(all: readonly Metrics[], lines: readonly LogLine[]): string[] {
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

export function checkReadiness(
  storm: Storm,
  samples: readonly Sample[],
  reports: readonly FaultReport[],
): string[] {
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

export function countReadsWhileAway(lines: readonly LogLine[], reports: readonly FaultReport[]): Reads {
  const away = reports.flatMap((report) => (report.event === 'away' ? [report] : []))
  const isInside = (from: number, to: number) => away.some((item) => from >= item.from && to <= item.to)
  const reads = gatherCalls(lines).filter(({ sent }) => sent[0]!.operation === 'read')
  const inside = reads.flatMap(({ sent, answers }) =>
    answers.filter((answer) => isInside(sent[0]!.at, answer.at)),
  )
  const answered = inside.filter(({ status }) => status === 200).length
  return { answered, failed: inside.length - answered }
}
