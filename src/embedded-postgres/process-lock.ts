import { createHash } from 'node:crypto'
import { realpath, stat, unlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ProcessLock {
  release(): Promise<void>
}

/**
 * Takes a lock that this process holds until it releases it or ends in any way; when another process holds it
 * for longer than `waitMs`, returns that process's number instead. `path` names what is locked and need not
 * exist, but its folder must.
 *
 * The lock is a listening socket without a file (a named pipe on Windows), because the kernel releases it
 * even after `kill -9`: a file with a process number would have to be judged stale or not, and numbers are
 * reused. macOS has no such sockets, so a stale file there is recognized by the lack of a response.
 */
export async function takeProcessLock(
  path: string,
  waitMs: number,
): Promise<ProcessLock | { heldBy: string }> {
  const address = await lockAddress(path)
  for (const deadline = Date.now() + waitMs; ; await sleep(20)) {
    const server = await listen(address)
    if (server) return { release: () => new Promise((done) => server.close(() => done())) }
    const holder = await askHolder(address)
    if (holder === undefined && process.platform === 'darwin') await unlink(address).catch(() => {})
    if (Date.now() >= deadline) return { heldBy: holder || 'unknown' }
  }
}

async function lockAddress(path: string): Promise<string> {
  // The real path, so that a different spelling results in the same lock; device and inode, because two
  // containers on one network see each other's locks and may both call their own folder /data.
  const folder = await realpath(dirname(path))
  const { dev, ino } = await stat(folder)
  const identity = `${dev}:${ino}:${join(folder, basename(path))}`
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 24)
  if (process.platform === 'linux') return `\0loyalty-wallet-${hash}`
  if (process.platform === 'win32') return `\\\\.\\pipe\\loyalty-wallet-${hash}`
  return join('/tmp', `loyalty-wallet-${hash}.lock`)
}

function listen(address: string): Promise<Server | undefined> {
  return new Promise((done, fail) => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.end(String(process.pid))
    })
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') done(undefined)
      else fail(error)
    })
    server.listen({ path: address }, () => done(server))
    server.unref()
  })
}

/** The process number that the holder responds with, or undefined when no process listens. */
function askHolder(address: string): Promise<string | undefined> {
  return new Promise((done) => {
    let answer = ''
    const socket = connect({ path: address })
    socket.setTimeout(500, () => socket.destroy())
    socket.on('data', (chunk) => {
      answer = `${answer}${chunk}`.slice(0, 20)
    })
    socket.on('error', () => done(undefined))
    socket.on('close', () => done(answer))
  })
}
