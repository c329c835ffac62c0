/**
 * Stands between a till and a service: passes every request on, records it, and sometimes loses an answer or gives
 * one of its own, as networks and services do.
 */
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { createRecorder } from './record.ts'
import type { Exchange } from './session.ts'

export interface ProxyOptions {
  readonly target: string
  readonly port: number
  readonly host: string
  /** For a service on this computer, whose certificate is issued for another name. */
  readonly acceptsAnyCertificate?: boolean
  /** The scene that is being played. */
  scene(): string
  /** What is to go wrong with a request, if anything. */
  faultFor(request: Request): Fault | undefined
  onExchange(exchange: Exchange): void
}

export interface Request {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: it is what an unknown till has sent.
  readonly body: any
}

export type Fault =
  /** The service gets the request, and the till gets no answer. */
  | { readonly kind: 'cut' }
  /** The service does not get the request. */
  | { readonly kind: 'answer'; readonly status: number; readonly code: string; readonly retryAfter?: number }

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface RunningProxy {
  readonly url: string
  /** How many requests are being answered. */
  readonly pending: number
  /** Sends a request of the proxy's own, with the token that the till used last. */
  send(method: string, path: string, body?: unknown): Promise<Answer>
  close(): Promise<void>
}

const maxBytes = 1_000_000
const timeoutMs = 90_000

export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const handle = createHandler(options)
  let pending = 0
  const server = http.createServer((request, response) => {
    pending += 1
    handle
      .answer(request, response)
      .catch(() => response.destroy())
      .finally(() => {
        pending -= 1
      })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    get pending() {
      return pending
    },
    send(method, path, body) {
      const { authorization } = handle
      const headers = { ...(authorization && { authorization }), 'content-type': 'application/json' }
      return passOn(options, method, path, headers, body === undefined ? '' : JSON.stringify(body))
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function createHandler(options: ProxyOptions) {
  const recorder = createRecorder()
  let authorization: string | undefined

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedMs = Date.now()
    const scene = options.scene()
    const { method = 'GET', headers } = request
    const url = toPath(request.url ?? '/')
    const path = url.split('?')[0]!
    const body = (await readAll(request)).toString()
    if (headers.authorization !== undefined) authorization = headers.authorization
    const fault = options.faultFor({ method, path, headers, body: parse(body) })
    const given =
      fault?.kind === 'answer'
        ? toAnswer(fault, method, path)
        : await passOn(options, method, url, headers, body).catch((error: Error) =>
            toAnswer({ kind: 'answer', status: 502, code: `_unreachable: ${error.message}` }, method, path),
          )
    const isCut = fault?.kind === 'cut'
    const seen = { scene, startedMs, endedMs: Date.now(), method, url, headers, body }
    const exchange = recorder.record({
      ...seen,
      ...(!isCut && { answer: { ...given, body: given.body.toString() } }),
    })
    if (isCut) request.socket.destroy()
    else {
      const answered = toEndToEnd(given.headers, given.body)
      response.writeHead(given.status, answered).end(method === 'HEAD' ? undefined : given.body)
    }
    options.onExchange(exchange)
  }

  return {
    answer,
    get authorization() {
      return authorization
    },
  }
}

/** A till that is configured to use a proxy sends whole URLs; where they lead to is decided here only. */
function toPath(url: string): string {
  if (url.startsWith('/')) return url
  const { pathname, search } = URL.canParse(url) ? new URL(url) : new URL('http://localhost/')
  return pathname + search
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of stream) {
    bytes += part.length
    if (bytes > maxBytes) throw new Error('too large')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Headers of a connection, which are not for the other side of a proxy (RFC 9110, 7.6.1). */
const hopByHop = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te'],
  ...['trailer', 'transfer-encoding', 'upgrade'],
]

export function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(/\s*,\s*/)
  const isHop = (name: string) => hopByHop.includes(name) || named.includes(name)
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isHop(name)))
}

function toEndToEnd(headers: IncomingHttpHeaders, body: Buffer): IncomingHttpHeaders {
  const { 'content-length': _, ...rest } = withoutHops(headers)
  return { ...rest, 'content-length': String(body.length) }
}

function passOn(
  { target, acceptsAnyCertificate = false }: ProxyOptions,
  method: string,
  url: string,
  headers: IncomingHttpHeaders,
  body: string,
): Promise<Answer> {
  const to = new URL(target.replace(/\/+$/, '') + url)
  const { host: _, 'content-length': __, expect: ___, ...rest } = withoutHops(headers)
  const hasBody = body !== '' || !['GET', 'HEAD', 'DELETE'].includes(method)
  return new Promise((resolve, reject) => {
    const request = (to.protocol === 'https:' ? https : http).request(to, {
      method,
      // What is recorded has to be readable.
      headers: {
        ...rest,
        'accept-encoding': 'identity',
        ...(hasBody && { 'content-length': String(Buffer.byteLength(body)) }),
      },
      agent: false,
      rejectUnauthorized: !acceptsAnyCertificate,
      signal: AbortSignal.timeout(timeoutMs),
    })
    request.on('error', reject)
    request.on('response', (response) => {
      readAll(response).then(
        (read) => resolve({ status: response.statusCode ?? 502, headers: response.headers, body: read }),
        reject,
      )
    })
    request.end(body)
  })
}

/** An error as the interface has it. */
function toAnswer(fault: Extract<Fault, { kind: 'answer' }>, method: string, path: string): Answer {
  const { status, code, retryAfter } = fault
  const [message, description = 'Answered by the conformance proxy.'] = code.split(': ')
  const body = {
    statuscode: status,
    errorcode: status,
    message,
    description,
    timestamp: Date.now(),
    path,
    method,
  }
  const requestId = crypto.randomUUID()
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': requestId,
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    },
    body: Buffer.from(JSON.stringify({ ...body, requestId })),
  }
}
