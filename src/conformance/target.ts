/** The service under test, reached over HTTP only: it may be any implementation of the interface. */

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

export function createSend(baseUrl: string): Send {
  const base = baseUrl.replace(/\/+$/, '')
  return async (method, path, { token, headers, body } = {}) => {
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    return { method, path, status: response.status, headers: response.headers, text, body: parse(text) }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
