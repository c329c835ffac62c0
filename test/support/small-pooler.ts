/**
 * A connection pooler small enough for every test run. It does the two things to a connection that poolers are known
 * for: it drops what the client asks for (PgBouncer's `ignore_startup_parameters`), and it shares one connection of the
 * server among all clients, from transaction to transaction, without a thought for prepared statements (PgBouncer
 * before 1.21). What a real one does is tested where one is given (`pgbouncer.ts`).
 */
import { connect, createServer, type Socket } from 'node:net'
import type { DatabaseConnection, EmbeddedConnection } from '../../src/database/pool.ts'

export interface SmallPooler {
  /** Where the server's database of the same name is reached through it. */
  readonly connection: EmbeddedConnection
  /** Whether new connections lose their options. */
  drops: boolean
  close(): Promise<void>
}

export async function startSmallPooler(
  to: DatabaseConnection,
  { drops = false, shares = false } = {},
): Promise<SmallPooler> {
  const server = to as EmbeddedConnection
  const sockets = new Set<Socket>()
  const open = () => {
    const { host, port } = server
    return watch(connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }))
  }
  const watch = (socket: Socket) => {
    sockets.add(socket)
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const backend = shares ? shareBackend(open) : undefined
  const listener = createServer((client) => {
    watch(client).once('data', (startup) => {
      const first = pooler.drops ? withoutOptions(startup) : startup
      if (backend) return backend.join(client, first)
      const upstream = open()
      upstream.write(first)
      client.pipe(upstream).pipe(client)
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', () => resolve()))
  const pooler: SmallPooler = {
    connection: { ...server, host: '127.0.0.1', port: (listener.address() as { port: number }).port },
    drops,
    async close() {
      await new Promise((resolve) => {
        listener.close(resolve)
        for (const socket of sockets) socket.destroy()
      })
    },
  }
  return pooler
}

/** The startup message without its options: a length, a version, and names and values that end with zeros. */
function withoutOptions(startup: Buffer): Buffer {
  const words = startup.subarray(8).toString().split('\0')
  const at = words.indexOf('options')
  if (at >= 0) words.splice(at, 2)
  const rest = Buffer.from(words.join('\0'))
  const head = Buffer.from(startup.subarray(0, 8))
  head.writeUInt32BE(8 + rest.length)
  return Buffer.concat([head, rest])
}

/** One connection to the server for all clients; a client has it to itself until its transaction ends. */
function shareBackend(open: () => Socket) {
  let upstream: Socket | undefined
  let current: Socket | undefined
  const greeting: Buffer[] = []
  let isGreeted = false
  const waiting: { client: Socket; message: Buffer }[] = []
  const next = () => {
    for (;;) {
      const at = waiting.findIndex(({ client }) => current === undefined || client === current)
      if (!isGreeted || at < 0) return
      const [{ client, message }] = waiting.splice(at, 1) as [(typeof waiting)[number]]
      const isGoodbye = message[0] === letter('X')
      if (isGoodbye) client.end()
      if (isGoodbye && current === undefined) continue
      current = client
      upstream!.write(isGoodbye ? rollback : message)
    }
  }
  const fromServer = (message: Buffer) => {
    if (!isGreeted) greeting.push(message[0] === letter('K') ? withOtherKey(message) : message)
    const isAtRest = message[0] === letter('Z') && message[5] === letter('I')
    if (isGreeted) current?.write(message)
    else if (isAtRest) current?.write(Buffer.concat(greeting))
    if (!isAtRest) return
    isGreeted = true
    current = undefined
    next()
  }
  return {
    join(client: Socket, startup: Buffer) {
      client.on(
        'data',
        framed((message) => {
          waiting.push({ client, message })
          next()
        }),
      )
      if (isGreeted) return void client.write(Buffer.concat(greeting))
      current = client
      upstream = open().on('data', framed(fromServer))
      upstream.write(startup)
    },
  }
}

const rollback = Buffer.from('Q\0\0\0\rROLLBACK\0')

const letter = (text: string) => text.charCodeAt(0)

function withOtherKey(message: Buffer): Buffer {
  const other = Buffer.from(message)
  other.writeUInt32BE(1, 5)
  return other
}

/** Calls with each whole message: a letter, and a length that counts itself. */
function framed(onMessage: (message: Buffer) => void): (data: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (data) => {
    rest = Buffer.concat([rest, data])
    while (rest.length >= 5 && rest.length >= 1 + rest.readUInt32BE(1)) {
      const size = 1 + rest.readUInt32BE(1)
      onMessage(rest.subarray(0, size))
      rest = rest.subarray(size)
    }
  }
}
