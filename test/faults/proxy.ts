import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Mode =
  | { kind: 'pass' }
  /** Everything the database says comes later. */
  | { kind: 'slow'; delayMs: number }
  /** Connections stay open and nothing comes through, as when a host is frozen. */
  | { kind: 'stall' }
  /** Connections break and no new one is taken. */
  | { kind: 'unreachable' }
  /** The database commits, and its answer breaks off in the middle; by chance, for some of the commits. */
  | { kind: 'cut'; isCut: () => boolean }

export interface DatabaseProxy {
  readonly port: number
  /** Connections that are open on either side. */
  readonly open: number
  readonly cuts: number
  become(mode: Mode): void
}

/**
 * Between the service and its PostgreSQL, at a socket or a port. It reads just enough of the protocol to know a
 * commit.
 */
export async function startProxy(target: string | number, ownPort = 0): Promise<DatabaseProxy> {
  let mode: Mode = { kind: 'pass' }
  let cuts = 0
  const pairs = new Set<Pair>()
  const server: Server = createServer((client) => {
    if (mode.kind === 'unreachable') return void client.destroy()
    const pair = join(client, typeof target === 'string' ? connect(target) : connect(target, '127.0.0.1'))
    pairs.add(pair)
    pair.closed.then(() => pairs.delete(pair))
    if (mode.kind === 'stall') pair.hold()
  })
  await new Promise<void>((done) => server.listen(ownPort, '127.0.0.1', done))

  interface Pair {
    readonly closed: Promise<unknown>
    hold(): void
    release(): void
    destroy(): void
  }

  function join(client: Socket, upstream: Socket): Pair {
    const commits = watchCommits()
    let isCutting = false
    let passed = Promise.resolve()
    const destroy = () => {
      client.destroy()
      upstream.destroy()
    }
    client.on('data', (data) => {
      if (commits.isIn(data) && mode.kind === 'cut' && mode.isCut()) isCutting = true
      upstream.write(data)
    })
    upstream.on('data', (data) => {
      if (isCutting) {
        cuts++
        client.write(data.subarray(0, Math.floor(data.length / 2)), destroy)
        return
      }
      const dueAt = Date.now() + (mode.kind === 'slow' ? mode.delayMs : 0)
      // One after the other, so that nothing overtakes what was slowed before.
      passed = passed.then(async () => {
        const waitMs = dueAt - Date.now()
        if (waitMs > 0) await sleep(waitMs)
        if (client.writable) client.write(data)
      })
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.setNoDelay(true)
      one.on('error', () => other.destroy())
      one.on('end', () => other.end())
      one.on('close', () => other.destroy())
    }
    return {
      closed: new Promise((done) => client.once('close', done)),
      hold() {
        client.pause()
        upstream.pause()
      },
      release() {
        client.resume()
        upstream.resume()
      },
      destroy,
    }
  }

  return {
    port: (server.address() as { port: number }).port,
    get open() {
      return pairs.size
    },
    get cuts() {
      return cuts
    },
    become(next) {
      mode = next
      for (const pair of pairs) {
        if (mode.kind === 'stall') pair.hold()
        else if (mode.kind === 'unreachable') pair.destroy()
        else pair.release()
      }
    },
  }
}

/**
 * Tells whether a piece of what a client sends asks for a commit: the word itself, or the statement that writes
 * baskets and is a transaction of its own. Its text is sent once, and its name from then on.
 */
function watchCommits(): { isIn(data: Buffer): boolean } {
  const writing = new Set<string>()
  return {
    isIn(data) {
      const text = data.toString('latin1')
      // Parse: the name, a zero byte, the text.
      for (const [, name, statement] of text.matchAll(/P[\s\S]{4}([\w-]+)\0([^\0]*)/g)) {
        if (/INSERT INTO transactions/.test(statement!)) writing.add(name!)
      }
      // Bind: an empty portal name, then the name of the statement.
      for (const [, name] of text.matchAll(/B[\s\S]{4}\0([\w-]+)\0/g)) if (writing.has(name!)) return true
      return /Q[\s\S]{4}COMMIT\0/.test(text)
    },
  }
}
