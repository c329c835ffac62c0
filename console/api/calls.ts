/** The last requests of this page with their bodies, for the panel that shows them as curl commands. */
export interface Call {
  readonly number: number
  readonly method: string
  /** Path with its query string. */
  readonly path: string
  readonly body?: string
  readonly at: Date
  readonly status?: number
  readonly durationMs?: number
  readonly reply?: string
}

const kept = 50
let last: readonly Call[] = []
let count = 0
const listeners = new Set<() => void>()

function update(next: readonly Call[]): void {
  last = next.slice(-kept)
  for (const listener of listeners) listener()
}

async function recordingFetch(request: Request): Promise<Response> {
  const url = new URL(request.url)
  // Requests that carry passwords are never shown.
  if (!url.pathname.startsWith('/v1/')) return fetch(request)
  const begun = performance.now()
  const call: Call = {
    number: ++count,
    method: request.method,
    path: url.pathname + url.search,
    body: request.body === null ? undefined : await request.clone().text(),
    at: new Date(),
  }
  update([...last, call])
  const finish = (end: Partial<Call>) =>
    update(
      last.map((item) =>
        item.number === call.number ? { ...item, durationMs: performance.now() - begun, ...end } : item,
      ),
    )
  try {
    const response = await fetch(request)
    finish({ status: response.status })
    // Not awaited: an answer may be read while it is being sent.
    response
      .clone()
      .text()
      .then((reply) => finish({ reply }))
      .catch(() => {})
    return response
  } catch (error) {
    finish({ status: 0 })
    throw error
  }
}

export const calls = {
  fetch: recordingFetch,
  list: (): readonly Call[] => last,
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

/** The request as a terminal command; `$TOKEN` holds an access token. */
export function toCurl(
  { method, path, body }: Pick<Call, 'method' | 'path' | 'body'>,
  origin = location.origin,
): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(origin + path)}`,
    `-H "authorization: Bearer $TOKEN"`,
  ]
  if (body !== undefined) parts.push(`-H 'content-type: application/json'`, `-d ${quoted(body)}`)
  return parts.join(' \\\n  ')
}
