import { once } from 'node:events'
import { connect } from 'node:net'

/** A client that controls exactly what it sends and when. */
export interface OpenSocket {
  send(text: string): void
  received(): string
  /** Everything received by the time the other side has closed the connection. */
  readonly ended: Promise<string>
  close(): void
}

export async function openSocket(port: number): Promise<OpenSocket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk
  })
  socket.on('error', () => {})
  return {
    send: (text) => socket.write(text),
    received: () => received,
    ended: new Promise((resolve) => socket.once('close', () => resolve(received))),
    close: () => socket.destroy(),
  }
}
