import { createSecureServer, type Http2Session, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { PassAuthority } from './pass-keys.ts'

/** A server that speaks the protocol of Apple's push service: HTTP/2 over TLS, with the sender's certificate. */
export interface PushService {
  readonly url: string
  readonly ca: string
  readonly pushed: readonly Pushed[]
  /** How often somebody has connected. */
  readonly connections: number
  /** Answers from now on; by default with 200. */
  answer: (pushed: Pushed) => { readonly status: number; readonly reason?: string }
  close(): Promise<void>
}

export interface Pushed {
  readonly token: string
  readonly topic: string
  readonly pushType: string
  readonly body: string
  /** The pass type in the sender's certificate, which was verified. */
  readonly sender: string
}

export async function startPushService(authority: PassAuthority): Promise<PushService> {
  const { cert, key, ca } = authority.issueServer()
  const pushed: Pushed[] = []
  const sessions = new Set<Http2Session>()
  let connections = 0
  const server = createSecureServer({ cert, key, ca, requestCert: true, rejectUnauthorized: true })
  server.on('session', (session) => {
    connections++
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    let body = ''
    stream.setEncoding('utf8')
    stream.on('data', (chunk) => {
      body += chunk
    })
    stream.on('end', () => {
      const subject = (stream.session!.socket as TLSSocket).getPeerCertificate().subject as unknown as {
        UID: string
      }
      const one = {
        token: /^\/3\/device\/(\w+)$/.exec(headers[':path']!)![1]!,
        topic: String(headers['apns-topic']),
        pushType: String(headers['apns-push-type']),
        body,
        sender: subject.UID,
      }
      pushed.push(one)
      const { status, reason } = service.answer(one)
      stream.respond({ ':status': status })
      stream.end(reason === undefined ? undefined : JSON.stringify({ reason }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service: PushService = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca,
    pushed,
    get connections() {
      return connections
    },
    answer: () => ({ status: 200 }),
    close() {
      for (const session of sessions) session.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return service
}
