import { execFile, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseLog } from '../database/database-log.ts'
import { takeOwnership } from './create-cluster.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'
import {
  isAlive,
  isNumberTaken,
  isServerOf,
  type PostmasterFile,
  readPostmasterFile,
} from './postmaster-file.ts'
import { type RunAs, spawnPlace } from './run-as.ts'

/** A server on our data folder: one that we started, or one that outlived the process that started it. */
export interface ServerProcess {
  pid: number
  adopted: boolean
  /** Settles when the process is gone, for whatever reason. */
  exited: Promise<void>
}

export interface ServerPlace {
  folder: string
  logFile: string
  binaries: PostgresBinaries
  runAs: RunAs
  /** Command line settings; they win over postgresql.conf. */
  settings: Record<string, string>
  /** Whether a server responds at the announced place: it does, it says "not now", or none is there. */
  probe(announced: { socketFolder: string; port: number }): Promise<'ready' | 'busy' | 'absent'>
  log?: DatabaseLog
}

/** The data folder is in use by another process; the message says which one and what to do. */
export class FolderInUseError extends Error {
  override name = 'FolderInUseError'
}

const patienceMs = 300_000
const maxLogBytes = 10_000_000

/**
 * Makes sure that one server runs on the folder: adopts the existing one, or starts one. The caller holds the
 * folder's lock, so no other service process does the same concurrently. Crash recovery and waiting for a
 * previous server can take long; `signal` ends either with an error.
 */
export async function ensureServer(place: ServerPlace, signal: AbortSignal): Promise<ServerProcess> {
  const startedAt = Date.now()
  for (let hasLogged = false; ; await sleep(50)) {
    signal.throwIfAborted()
    const state = await findServer(place)
    if (state.kind === 'running') return adopt(state.pid)
    if (state.kind === 'absent') {
      const server = await startServer(place, signal).catch((error) => {
        // Processes of a killed server continue until their statement ends, and nothing can start before
        // that.
        if (!stillHeld.test(error.message) || Date.now() - startedAt > orphanPatienceMs) throw error
      })
      if (server) return server
    } else if (Date.now() - startedAt > patienceMs) {
      throw new Error(
        `PostgreSQL (process ${state.pid}) holds ${place.folder} but does not accept connections. See ${place.logFile}, or stop that process and start again.`,
      )
    }
    if (!hasLogged)
      place.log?.info({ folder: place.folder }, 'waiting for a previous PostgreSQL to start or exit')
    hasLogged = true
  }
}

// What PostgreSQL says, in its own words, when another process still holds the data folder.
const stillHeld = /pre-existing shared memory block|lock file ".*" already exists/
const orphanPatienceMs = 30_000

type Found = { kind: 'absent' } | { kind: 'running' | 'busy'; pid: number }

/** Evaluates `postmaster.pid`, and removes what a dead server left. */
async function findServer(place: ServerPlace): Promise<Found> {
  const { folder } = place
  const file = await readPostmasterFile(folder)
  if (!file) return { kind: 'absent' }
  const isOurs = (await isAlive(file.pid)) && (await isServerOf(file.pid, folder))
  const answer = await place.probe(file)
  if (isOurs) return { kind: answer === 'ready' ? 'running' : 'busy', pid: file.pid }
  if (answer !== 'absent') {
    // It responds, but its process is not among ours: another container or computer shares this folder.
    throw new FolderInUseError(
      `The data folder ${folder} is in use by a PostgreSQL outside this system, perhaps in another container. Stop that one first, or set DATA_DIR or DATABASE_URL.`,
    )
  }
  await clearStaleFiles(folder, file)
  return { kind: 'absent' }
}

/**
 * PostgreSQL itself removes the files of a process that is gone. If the number now belongs to an unrelated
 * process, or to a zombie that has not been reaped, PostgreSQL assumes a running server; we know better, and
 * hold the folder's lock.
 */
async function clearStaleFiles(folder: string, file: PostmasterFile): Promise<void> {
  if (!isNumberTaken(file.pid)) return
  const socketFolder = resolve(folder, file.socketFolder)
  await rm(join(socketFolder, `.s.PGSQL.${file.port}.lock`), { force: true })
  await rm(join(folder, 'postmaster.pid'), { force: true })
}

function adopt(pid: number): ServerProcess {
  return { pid, adopted: true, exited: waitUntilGone(pid) }
}

async function waitUntilGone(pid: number): Promise<void> {
  // It is not our child, so there is no event to wait for.
  while (await isAlive(pid)) await sleep(100, undefined, { ref: false })
}

async function startServer(place: ServerPlace, signal: AbortSignal): Promise<ServerProcess> {
  const { folder, runAs, logFile, settings } = place
  if (runAs.owner) await takeOwnership(folder, runAs.owner)
  const logStart = await rotateLog(logFile)
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { file, args, uid, gid } = runAs.wrap(place.binaries.postgres, ['-D', folder, ...options])
  // A file instead of a pipe: the server must be able to keep writing after we are gone.
  const output = openSync(logFile, 'a', 0o600)
  // `detached` puts it into its own process group. Otherwise Ctrl-C in a terminal would stop the database
  // before the service has finished its requests.
  const child = spawn(file, args, {
    ...spawnPlace,
    uid,
    gid,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  child.unref()
  let failure: string | undefined
  const exited = new Promise<void>((done) => {
    child.once('error', (error) => {
      failure = error.message
      done()
    })
    child.once('exit', (code, cause) => {
      failure ??= `ended with ${cause ?? `code ${code}`}`
      done()
    })
  })

  const deadline = Date.now() + patienceMs
  while (failure === undefined) {
    const file = await readPostmasterFile(folder)
    if (child.pid !== undefined && file?.pid === child.pid && file.status === 'ready') {
      return { pid: child.pid, adopted: false, exited }
    }
    if (Date.now() > deadline || signal.aborted) {
      child.kill('SIGQUIT')
      failure = signal.aborted ? 'no longer wanted' : `not ready after ${patienceMs / 1000} seconds`
      await exited
    }
    // The server starts in 20 to 200 ms, so short polling steps are worthwhile.
    await Promise.race([exited, sleep(5)])
  }
  const lastWords = await readTail(logFile, logStart)
  throw new Error(`PostgreSQL did not start (${failure}). Its log, ${logFile}, says:\n${lastWords}`)
}

/**
 * Fast shutdown: open transactions are rolled back and everything is written. If that takes too long, the
 * server is told to stop immediately, which is as safe as a crash: the next start replays the log.
 */
export async function stopServer(
  place: ServerPlace,
  server: ServerProcess,
  timeoutMs: number,
): Promise<void> {
  const { folder, binaries } = place
  const ask = (signal: NodeJS.Signals, mode: string) => {
    if (process.platform === 'win32')
      execFile(binaries.pgCtl, ['stop', '-D', folder, '-m', mode, '-W'], () => {})
    else signalProcess(server.pid, signal)
  }
  ask('SIGINT', 'fast')
  if (await endsWithin(server, timeoutMs)) return
  place.log?.warn({ pid: server.pid }, 'PostgreSQL is slow to shut down, stopping it immediately')
  ask('SIGQUIT', 'immediate')
  if (await endsWithin(server, 2_000)) return
  signalProcess(server.pid, 'SIGKILL')
  await endsWithin(server, 1_000)
}

async function endsWithin(server: ServerProcess, timeoutMs: number): Promise<boolean> {
  const timeout = new AbortController()
  const ended = await Promise.race([
    server.exited.then(() => true),
    sleep(timeoutMs, false, { signal: timeout.signal }).catch(() => false),
  ])
  timeout.abort()
  return ended
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Keeps the server's log from growing without bound, and returns where this run's part begins. */
async function rotateLog(logFile: string): Promise<number> {
  const size = (await stat(logFile).catch(() => undefined))?.size ?? 0
  if (size < maxLogBytes) return size
  await rename(logFile, `${logFile}.1`)
  return 0
}

async function readTail(logFile: string, from: number): Promise<string> {
  const text = (await readFile(logFile)).subarray(from).toString('utf8').trim()
  return text.split('\n').slice(-15).join('\n')
}
