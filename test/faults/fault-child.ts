// The one who does harm, as a process of its own: what it does to the service must not be able to reach itself.
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type DatabaseConnection, type EmbeddedConnection } from '../../src/database/pool.ts'
import { isAlive, readPostmasterFile } from '../../src/embedded-postgres/postmaster-file.ts'
import { onServers } from '../support/cluster.ts'
import { type DatabaseProxy, type Mode, startProxy } from './proxy.ts'
import { randomFrom } from './random.ts'

export interface FaultPlan {
  readonly seed: number
  readonly fault: Fault
  /** Strikes follow each other until this time is over; there is always one. */
  readonly durationMs: number
  readonly pauseMs: number
  /** It does not end before it was felt: a busy computer may look away for as long as it lasts. */
  readonly mustBeFelt: boolean
}

export type Fault =
  | { kind: 'signal'; pidFile: string; signal: NodeJS.Signals }
  | { kind: 'kill-worker'; pidFile: string }
  | { kind: 'crash-postgres'; folder: string }
  | { kind: 'kill-backend'; connection: EmbeddedConnection }
  | { kind: 'terminate'; connection: EmbeddedConnection; everyMs: number }
  | { kind: 'proxy'; socketPath: string; mode: ProxyMode; holdMs: number }
  /** The service is told to stop while nothing comes through, and until it has stopped. */
  | { kind: 'stop-in-stall'; socketPath: string; pidFile: string }
  /** `breaksLog`: PostgreSQL needs room for its write-ahead log as well, and ends when it gets none. */
  | { kind: 'fill-disk'; folder: string; holdMs: number; connection: EmbeddedConnection; breaksLog?: boolean }
  | { kind: 'clock'; file: string; offsetsMs: readonly number[]; holdMs: number }

export type ProxyMode =
  | { kind: 'slow'; delayMs: number }
  | { kind: 'stall' | 'unreachable' }
  | { kind: 'cut'; share: number }

export type FaultReport =
  | { event: 'ready'; port?: number }
  | { event: 'struck'; at: number }
  /** What began then goes on, or is repeated, until somebody answers that it was felt. */
  | { event: 'holding'; from: number }
  /** Between these moments nobody can have reached the database, or written to it. */
  | { event: 'away'; from: number; to: number }
  | { event: 'done'; strikes: number; cuts?: number }
  | { event: 'open'; connections: number }
  | { event: 'failed'; reason: string }

type Strike = () => Promise<void>

const report = (message: FaultReport) => process.send?.(message)

let isFelt = false
/** Longer than anything takes to be felt; whoever checks says then that it was not. */
const feltTimeoutMs = 60_000

async function untilFelt(from: number, condition = () => isFelt): Promise<void> {
  report({ event: 'holding', from })
  while (!condition() && Date.now() - from < feltTimeoutMs) await sleep(20)
}

function prepare({ fault, seed, mustBeFelt }: FaultPlan, proxy: DatabaseProxy | undefined): Strike {
  const random = randomFrom(seed)
  switch (fault.kind) {
    case 'signal':
      return strikeOnce(fault.pidFile, (pid) => process.kill(pid, fault.signal))
    case 'kill-worker':
      return () => killWorker(fault.pidFile)
    case 'crash-postgres':
      return async () => {
        const file = await readPostmasterFile(fault.folder)
        // Still on its way back from the last strike.
        if (!file || !(await isAlive(file.pid))) return
        // As `pg_ctl stop -m immediate`: every backend ends at once and nothing is written.
        process.kill(file.pid, 'SIGQUIT')
        report({ event: 'struck', at: Date.now() })
      }
    case 'kill-backend':
      return () => killBackend(fault.connection, random)
    case 'terminate':
      return () => terminateAll(fault.connection)
    case 'proxy':
      return () => disturb(proxy!, toMode(fault.mode, random), fault.holdMs, mustBeFelt)
    case 'stop-in-stall':
      return async () => {
        proxy!.become({ kind: 'stall' })
        await sleep(500)
        const pid = readPid(fault.pidFile)!
        process.kill(pid, 'SIGTERM')
        report({ event: 'struck', at: Date.now() })
        for (let waited = 0; waited < 15_000 && (await isAlive(pid)); waited += 20) await sleep(20)
        proxy!.become({ kind: 'pass' })
      }
    case 'fill-disk':
      return () => fillDisk(fault.folder, fault.holdMs, () => fault.breaksLog && switchLog(fault.connection))
    case 'clock':
      return async () => {
        for (const offset of fault.offsetsMs) {
          writeFileSync(fault.file, String(offset))
          report({ event: 'struck', at: Date.now() })
          await sleep(fault.holdMs)
        }
      }
  }
}

/** Each process once: the next one is there when its number is in the file. */
function strikeOnce(pidFile: string, strike: (pid: number) => void): Strike {
  let last: number | undefined
  return async () => {
    let pid = readPid(pidFile)
    while (pid === undefined || pid === last) {
      await sleep(20)
      pid = readPid(pidFile)
    }
    last = pid
    strike(pid)
    report({ event: 'struck', at: Date.now() })
  }
}

/** Undefined while the file is being written: an empty one would read as 0, and that is everybody around us. */
function readPid(pidFile: string): number | undefined {
  const pid = Number(readFileSync(pidFile, 'utf8'))
  return pid > 1 ? pid : undefined
}

/** The youngest, once there are two again: the older one goes on serving. */
async function killWorker(pidFile: string): Promise<void> {
  const parent = readPid(pidFile)!
  for (;;) {
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(/\s+/)
    const workers = children.filter((child) => commandOf(child).includes('work'))
    if (workers.length < 2) {
      await sleep(50)
      continue
    }
    process.kill(Number(workers.at(-1)), 'SIGKILL')
    return void report({ event: 'struck', at: Date.now() })
  }
}

function commandOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

const ours = `application_name = 'loyalty-wallet' AND datname = current_database()`

async function killBackend(connection: EmbeddedConnection, random: () => number): Promise<void> {
  const pids = await ask(
    connection,
    `SELECT pid FROM pg_stat_activity WHERE ${ours} ORDER BY state = 'active' DESC`,
  )
  const pid = pids[Math.floor(random() * Math.min(3, pids.length))]
  if (pid === undefined || !(await isAlive(pid))) return
  // Not told to end but killed: PostgreSQL then ends all others and recovers, for memory may be damaged.
  process.kill(pid, 'SIGKILL')
  report({ event: 'struck', at: Date.now() })
}

async function terminateAll(connection: EmbeddedConnection): Promise<void> {
  // Chosen first: beside the condition on the database, which is a join, it would end those of all databases.
  const terminate = `WITH chosen AS MATERIALIZED (SELECT pid FROM pg_stat_activity WHERE ${ours})
    SELECT pid FROM chosen WHERE pg_terminate_backend(pid)`
  await Promise.all(onServers(connection).map((server) => ask(server, terminate)))
  report({ event: 'struck', at: Date.now() })
}

async function ask(connection: DatabaseConnection, text: string): Promise<number[]> {
  const client = createClient(connection, { applicationName: 'faults' })
  try {
    await client.connect()
    return (await client.query(text)).rows.map((row) => row.pid)
  } catch {
    // In the middle of its recovery from the last strike.
    return []
  } finally {
    await client.end().catch(() => {})
  }
}

/** The rest of each segment of the log is given up, until there is none left that was made in advance. */
async function switchLog(connection: EmbeddedConnection): Promise<void> {
  for (let i = 0; i < 10; i++) {
    await ask(connection, `SELECT pg_logical_emit_message(true, 'faults', 'x'), pg_switch_wal(), 0 AS pid`)
  }
}

function toMode(mode: ProxyMode, random: () => number): Mode {
  return mode.kind === 'cut' ? { kind: 'cut', isCut: () => random() < mode.share } : mode
}

async function disturb(proxy: DatabaseProxy, mode: Mode, holdMs: number, mustBeFelt: boolean): Promise<void> {
  isFelt = false
  const cutsBefore = proxy.cuts
  proxy.become(mode)
  const from = Date.now()
  report({ event: 'struck', at: from })
  const felt = mode.kind === 'cut' ? () => proxy.cuts > cutsBefore : undefined
  await Promise.all([sleep(holdMs), mustBeFelt && untilFelt(from, felt)])
  if (mode.kind === 'stall' || mode.kind === 'unreachable') report({ event: 'away', from, to: Date.now() })
  proxy.become({ kind: 'pass' })
}

/** Takes every byte there is, and what others set free meanwhile, then gives all of it back. */
async function fillDisk(folder: string, holdMs: number, whenFull: () => unknown): Promise<void> {
  const file = join(folder, 'ballast')
  const output = openSync(file, 'w')
  const fill = () => {
    for (let size = 1_048_576; size >= 4_096; ) {
      try {
        writeSync(output, Buffer.alloc(size))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        size /= 4
      }
    }
  }
  try {
    fill()
    fsyncSync(output)
    isFelt = false
    const from = Date.now()
    report({ event: 'struck', at: from })
    await whenFull()
    let isOver = false
    const over = Promise.all([sleep(holdMs), untilFelt(from)]).then(() => {
      isOver = true
    })
    while (!isOver) {
      await sleep(20)
      fill()
    }
    await over
    if (statfsSync(folder).bavail === 0) report({ event: 'away', from, to: Date.now() })
  } finally {
    closeSync(output)
    rmSync(file)
  }
}

/** After the last strike: long enough for it to be felt. */
const lastPauseMs = 300

async function run(plan: FaultPlan, struck: Promise<void>): Promise<void> {
  const { fault } = plan
  const proxy = 'socketPath' in fault ? await startProxy(fault.socketPath) : undefined
  if (proxy)
    process.on('message', (word) => word === 'count' && report({ event: 'open', connections: proxy.open }))
  const strike = prepare(plan, proxy)
  report({ event: 'ready', port: proxy?.port })
  await struck
  const startedAt = Date.now()
  const endsAt = startedAt + plan.durationMs
  const isRepeatedUntilFelt = plan.mustBeFelt && ['crash-postgres', 'kill-backend'].includes(fault.kind)
  if (isRepeatedUntilFelt) report({ event: 'holding', from: startedAt })
  const isOver = () =>
    Date.now() >= endsAt && (!isRepeatedUntilFelt || isFelt || Date.now() - startedAt > feltTimeoutMs)
  let strikes = 0
  do {
    await strike()
    strikes++
    const pauseMs = fault.kind === 'terminate' ? fault.everyMs : plan.pauseMs
    await sleep(isOver() ? Math.min(pauseMs, lastPauseMs) : pauseMs)
  } while (!isOver())
  report({ event: 'done', strikes, cuts: proxy?.cuts })
}

let begin = () => {}
const struck = new Promise<void>((resolve) => {
  begin = resolve
})
process.on('message', (message: FaultPlan | 'strike' | 'count' | 'felt') => {
  if (message === 'strike') begin()
  if (message === 'felt') isFelt = true
  if (typeof message === 'object')
    run(message, struck).catch((error) => report({ event: 'failed', reason: String(error?.stack ?? error) }))
})
process.on('disconnect', () => process.exit(0))
