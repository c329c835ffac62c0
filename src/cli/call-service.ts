import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

export interface ServiceCall {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Record<string, string>
  /** Only for our own service on this computer, whose certificate is issued for another name. */
  readonly acceptsAnyCertificate?: boolean
  readonly timeoutMs?: number
}

export interface ServiceReply {
  readonly status: number
  /** Undefined if the response is not JSON. */
  readonly body: Record<string, unknown> | undefined
}

const maxBytes = 1_000_000

/**
 * Sends a request to a running service. Not with `fetch`, which cannot skip certificate checks per request.
 */
export function callService(url: URL, call: ServiceCall = {}): Promise<ServiceReply> {
  const { method = 'GET', headers, acceptsAnyCertificate = false, timeoutMs = 10_000 } = call
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const request = send(url, {
      method,
      headers,
      agent: false,
      rejectUnauthorized: !acceptsAnyCertificate,
      signal: AbortSignal.timeout(timeoutMs),
    })
    request.on('error', reject)
    request.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('error', reject)
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > maxBytes) request.destroy(new Error('the response is too large'))
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parse(text) }))
    })
    request.end()
  })
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/**
 * The part of `fetch` that our SDK uses, for our own service on this computer, whose certificate is issued for another
 * name.
 */
export const fetchFromOwnService: typeof fetch = (input, init = {}) =>
  new Promise((resolve, reject) => {
    const request = requestHttps(String(input), {
      method: init.method,
      headers: init.headers as Record<string, string>,
      agent: false,
      rejectUnauthorized: false,
      signal: init.signal ?? undefined,
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const parts: Buffer[] = []
      response.on('error', reject)
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => {
        const headers = Object.entries(response.headers).flatMap(([name, value]): [string, string][] =>
          value === undefined ? [] : [[name, String(value)]],
        )
        const status = response.statusCode ?? 0
        const body = status === 204 || status === 304 ? null : Buffer.concat(parts)
        resolve(new Response(body, { status, headers }))
      })
    })
    request.end(init.body as string | undefined)
  })
