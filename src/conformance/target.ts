/** The service under test, reached over HTTP only: it may be any implementation of the interface. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface Call {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface Answer {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: it is what an unknown implementation has answered.
  readonly body: any
}

export type Send = (method: 'GET' | 'POST', path: string, call?: Call) => Promise<Answer>

const timeoutMs = 30_000
/** A service may limit how often a till guesses; what it says then is no part of any clause. */
const mostPauses = 5
const longestPauseSeconds = 30

export function createSend(baseUrl: string): Send {
  const base = baseUrl.replace(/\/+$/, '')
  return async (method, path, { token, headers, body } = {}) => {
    const send = () =>
      fetch(base + path, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      })
    const response = await patiently(send)
    const text = await response.text()
    return { method, path, status: response.status, headers: response.headers, text, body: parse(text) }
  }
}

async function patiently(send: () => Promise<Response>): Promise<Response> {
  for (let pauses = 0; ; pauses++) {
    const response = await send()
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    if (response.status !== 429 || !(seconds <= longestPauseSeconds) || pauses === mostPauses) return response
    await response.body?.cancel()
    await sleep(seconds * 1000)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
