import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Somebody's software that receives webhooks. */
export interface Receiver {
  readonly url: string
  readonly received: readonly Received[]
  /** Answers from now on; by default with 204. */
  answer: (response: ServerResponse, received: Received) => void
  close(): Promise<void>
}

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const one = { path: request.url!, headers: request.headers, body }
      received.push(one)
      receiver.answer(response, one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    received,
    answer: (response) => response.writeHead(204).end(),
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return receiver
}

/** An answer with this status. */
export const answerWith =
  (status: number, headers: Record<string, string> = {}): Receiver['answer'] =>
  (response) =>
    response.writeHead(status, headers).end(`status ${status}`)
