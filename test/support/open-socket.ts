import { once } from 'node:events'
import { connect } from 'node:net'

/** A client that decides itself when it sends what. */
export interface OpenSocket {
  send(text: string): void
  received(): string
  /** Everything that came back, once the other side has ended the connection. */
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
