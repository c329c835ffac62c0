/**
 * One function call per commit: through pgbench if it is installed, otherwise through the driver, which is
 * reported.
 */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type DatabaseConnection, openPool } from '../src/database/pool.ts'

export interface RawPlan {
  readonly connection: DatabaseConnection
  readonly org: number
  readonly customers: number
  readonly connections: number
  readonly durationMs: number
}

export interface RawResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly tool: 'pgbench' | 'driver'
}

export async function runRaw(plan: RawPlan): Promise<RawResult> {
  const pgbench = findPgbench()
  return pgbench ? runPgbench(pgbench, plan) : runDriver(plan)
}

function findPgbench(): string | undefined {
  try {
    return execFileSync('pgbench', ['--version'], { stdio: 'pipe' }) ? 'pgbench' : undefined
  } catch {
    const places = [18, 17, 16, 15].map((major) => `/usr/lib/postgresql/${major}/bin/pgbench`)
    return places.find((place) => existsSync(place))
  }
}

async function runPgbench(pgbench: string, plan: RawPlan): Promise<RawResult> {
  const folder = mkdtempSync(join(tmpdir(), 'lw-bench-'))
  const script = join(folder, 'basket.sql')
  writeFileSync(script, `\\set n random(0, ${plan.customers - 1})\nSELECT bench_basket(${plan.org}, :n);\n`)
  const { connection } = plan
  const target =
    typeof connection === 'string'
      ? [connection]
      : ['-h', connection.host, '-p', String(connection.port), '-U', connection.user, connection.database]
  const seconds = Math.max(1, Math.round(plan.durationMs / 1000))
  const options = [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(plan.connections),
    '-j',
    '2',
    '-T',
    String(seconds),
    '-f',
    script,
    '--log',
    `--log-prefix=${join(folder, 'log')}`,
  ]
  const { stdout } = await promisify(execFile)(pgbench, [...options, ...target])
  const perSecond = Number(/tps = ([\d.]+)/.exec(stdout)?.[1] ?? 0)
  const p50Ms = readMedianMs(folder)
  rmSync(folder, { recursive: true })
  return { perSecond, p50Ms, tool: 'pgbench' }
}

/** The third column of pgbench's log is the duration of a transaction in µs. */
function readMedianMs(folder: string): number {
  const files = readdirSync(folder).filter((name) => name.startsWith('log'))
  const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
  const took = lines.map((line) => Number(line.split(' ')[2])).sort((a, b) => a - b)
  return (took[took.length >> 1] ?? 0) / 1000
}

async function runDriver(plan: RawPlan): Promise<RawResult> {
  const pool = openPool(plan.connection, { maxConnections: plan.connections })
  const latencies: number[] = []
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: plan.connections }, async () => {
      while (performance.now() - startedAt < plan.durationMs) {
        const sentAt = performance.now()
        const values = [plan.org, Math.floor(Math.random() * plan.customers)]
        await pool.query({ name: 'bench', text: 'SELECT bench_basket($1, $2)', values })
        latencies.push(performance.now() - sentAt)
      }
    }),
  )
  const seconds = (performance.now() - startedAt) / 1000
  await pool.end()
  latencies.sort((a, b) => a - b)
  return {
    perSecond: latencies.length / seconds,
    p50Ms: latencies[latencies.length >> 1] ?? 0,
    tool: 'driver',
  }
}
