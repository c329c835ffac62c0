/** Stands for a network: passes everything on to PostgreSQL and back, each way some 1.5 ms later. */
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { EmbeddedConnection } from '../src/database/pool.ts'

const delayMs = 1.5
const { host, port } = JSON.parse(process.argv[2]!) as EmbeddedConnection

const queue: { at: number; to: Socket; data: Buffer }[] = []

/** A timer and not a loop: the processor belongs to what is measured. It may be a millisecond late. */
function passOn(): void {
  const now = performance.now()
  while (queue[0] && queue[0].at <= now) {
    const { to, data } = queue.shift()!
    if (!to.destroyed) to.write(data)
  }
  if (queue[0]) setTimeout(passOn, Math.max(1, queue[0].at - now))
}

function delay(from: Socket, to: Socket): void {
  from.on('data', (data) => {
    queue.push({ at: performance.now() + delayMs, to, data })
    if (queue.length === 1) setTimeout(passOn, delayMs)
  })
  from.on('error', () => to.destroy())
  from.on('close', () => to.destroy())
}

const server = createServer((client) => {
  const toServer = host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host)
  client.setNoDelay(true)
  toServer.setNoDelay(true)
  delay(client, toServer)
  delay(toServer, client)
}).listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port))
process.on('disconnect', () => process.exit(0))
