/**
 * The client: a method for each operation, named as in the API reference. Tokens, retries, idempotency keys and
 * receipt numbers are taken care of.
 */
import { OutcomeUnknown, Refusal, Unavailable } from './errors.ts'
import { type OperationName, operationTable } from './operations.ts'
import { listPages } from './pages.ts'
import { inMemory, type PendingStore, type PendingWrite } from './pending.ts'
import { createTokenSource, type TokenSource, type Tokens } from './tokens.ts'
import type { CallOptions, Methods, Schemas } from './types.ts'

interface CommonOptions {
  /** Such as `https://loyalty.example.com`; empty in a page of the same site. */
  readonly baseUrl: string
  /** Where writes are kept until their outcome is known; in memory by default. */
  readonly pending?: PendingStore
  /** How often a request is sent at most; 5 by default. */
  readonly attempts?: number
  /** How long one attempt may take; 15 seconds by default. */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
  /** Called with properties that the service did not know and has ignored, most likely misspelled. */
  onIgnored?(operation: OperationName, names: readonly string[]): void
}

/** How requests are authorized: with a connection, with tokens that somebody else got, or in your own way. */
export type Access =
  | { readonly apiKey: string; readonly apiSecret: string }
  | {
      readonly tokens: Tokens & { readonly refreshToken: string }
      /** Store them: a refresh token works once. */
      onTokens(tokens: Tokens): void | Promise<void>
    }
  /** The value of the header `Authorization`; undefined for a page whose cookie is enough. */
  | { authorize(): Promise<string | undefined> | string | undefined }

export type LoyaltyWalletOptions = CommonOptions & Access

export interface Settling {
  /** Writes whose outcome is not known, the oldest first. */
  pending(): Promise<readonly PendingWrite[]>
  /** Sends one again. It happens at most once; returns what the first one would have returned, or refuses. */
  settle(write: PendingWrite): Promise<unknown>
}

export interface Authorizing {
  /** The header `Authorization` with a token that is valid for a while, for requests that you send yourself. */
  authorization(): Promise<string | undefined>
}

export interface Following {
  /**
   * What happens in the organization, in order, waiting for more. Store the `cursor` of each event together with what
   * you made of it, and continue `after` it.
   */
  follow(options?: FollowOptions): AsyncIterable<Schemas['LoyaltyEvent']>
}

export interface FollowOptions {
  /** The `cursor` of the last event handled; `latest` for what happens from now on. */
  readonly after?: string
  readonly types?: readonly Schemas['EventType'][]
  readonly customer?: string
  readonly signal?: AbortSignal
}

export type LoyaltyWallet = Methods & Settling & Following & Authorizing

interface Prepared {
  readonly operation: OperationName
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly key?: string | undefined
  readonly isRepeatable: boolean
  readonly signal?: AbortSignal | undefined
  /** How much longer than usual the answer may take. */
  readonly waitMs?: number
}

/** Less than what proxies usually allow. */
const waitSeconds = 25
const receiptOperation: OperationName = 'processTransaction'

export function createLoyaltyWallet(options: LoyaltyWalletOptions): LoyaltyWallet {
  const { pending = inMemory() } = options
  const { send, authorize } = createSender(options)

  async function write(request: Prepared): Promise<unknown> {
    const { key, operation, path, body, signal } = request
    if (key === undefined) return send(request)
    signal?.throwIfAborted()
    const kept: PendingWrite = { id: key, operation, path, body, at: new Date().toISOString() }
    await pending.set(kept)
    return finish(kept, request)
  }

  async function finish(kept: PendingWrite, request: Prepared): Promise<unknown> {
    let result: unknown
    try {
      result = await send(request)
    } catch (error) {
      if (error instanceof Refusal) await pending.delete(kept.id)
      else throw new OutcomeUnknown(kept, { cause: error, requestId: requestIdOf(error) })
      throw error
    }
    await pending.delete(kept.id)
    return result
  }

  async function* follow({ signal, ...query }: FollowOptions = {}) {
    let { after } = query
    for (let wait = 0; !signal?.aborted; ) {
      const path = `/v1/events${queryOf({ ...query, after, wait })}`
      const request = {
        operation: 'listEvents',
        method: 'GET',
        path,
        isRepeatable: true,
        signal,
        waitMs: wait * 1000,
      }
      const { data, cursor, hasMore } = (await send(request as Prepared)) as Schemas['EventList']
      yield* data
      after = cursor
      wait = hasMore ? 0 : waitSeconds
    }
  }

  const client: Record<string, unknown> = {
    follow,
    authorization: authorize,
    pending: async () => pending.list(),
    settle: (kept: PendingWrite) =>
      finish(kept, { ...kept, method: 'POST', key: kept.id, isRepeatable: true }),
  }
  for (const operation of Object.keys(operationTable) as OperationName[]) {
    const [kind, method, path] = operationTable[operation].split(' ') as [string, string, string]
    client[operation] = (...args: unknown[]) => {
      const filled = path.replace(/\{\w+\}/g, () => encodeURIComponent(String(args.shift())))
      const isRead = method === 'GET'
      const [payload, more = {}] = (kind === 'O' ? [undefined, args[0]] : args) as [
        object | undefined,
        (CallOptions & { query?: object })?,
      ]
      const url = (query: object | undefined) => filled + queryOf(isRead ? { ...payload, ...query } : query)
      const base = { operation, method, signal: more.signal, isRepeatable: kind !== '-' }
      if (kind === 'L') return listPages((cursor) => send({ ...base, path: url({ cursor }) }) as never)
      if (isRead) return send({ ...base, path: url(undefined) })
      const key = kind === 'K' ? (more.idempotencyKey ?? crypto.randomUUID()) : undefined
      const body = operation === receiptOperation ? { opaqueId: key, ...payload } : (payload ?? {})
      return write({ ...base, path: url(more.query), key, body: method === 'DELETE' ? undefined : body })
    }
  }
  return client as unknown as LoyaltyWallet
}

function queryOf(query: object | undefined): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((item) => item !== undefined)
      .map((item): [string, string] => [name, String(item)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

const requestIdOf = (error: unknown) => (error instanceof Unavailable ? error.requestId : undefined)

interface Sender {
  send(request: Prepared): Promise<unknown>
  authorize(): Promise<string | undefined>
}

/** Sends a request until it has an answer, as often as that is safe. */
function createSender(options: LoyaltyWalletOptions): Sender {
  const { baseUrl, attempts = 5, timeoutMs = 15_000, onIgnored } = options
  const base = baseUrl.replace(/\/+$/, '')
  const doFetch = options.fetch ?? fetch
  const { authorize, drop } = createAuthorization(options, exchange)

  async function exchange(path: string, init: RequestInit): Promise<Tokens> {
    const request = { operation: 'issueToken' as never, method: 'POST', path, isRepeatable: true }
    return (await retried(request, (signal) =>
      doFetch(base + path, { ...init, method: 'POST', signal }),
    )) as Tokens
  }

  async function attempt(request: Prepared, signal: AbortSignal): Promise<Response> {
    const { method, path, body, key } = request
    const headers: Record<string, string> = { accept: 'application/json' }
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (key !== undefined) headers['idempotency-key'] = key
    const init = { method, headers, signal, ...(body !== undefined && { body: JSON.stringify(body) }) }
    for (let isFirst = true; ; isFirst = false) {
      const authorization = await authorize()
      if (authorization !== undefined) headers.authorization = authorization
      const response = await doFetch(base + path, init)
      // A token can end before its time: when the connection's secret is changed, or the service has another key.
      if (response.status !== 401 || !isFirst || !drop(authorization)) return response
      await response.body?.cancel()
    }
  }

  async function retried(
    request: Prepared,
    once: (signal: AbortSignal) => Promise<Response>,
  ): Promise<unknown> {
    for (let n = 1; ; n++) {
      const timeout = AbortSignal.timeout(timeoutMs + (request.waitMs ?? 0))
      const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout
      const { result, again } = await tryOnce(request, () => once(signal), n)
      if (!again) return result
      await pause(again.afterMs, request.signal)
    }
  }

  async function tryOnce(request: Prepared, once: () => Promise<Response>, n: number) {
    let response: Response | undefined
    let text: string
    try {
      response = await once()
      text = await response.text()
    } catch (cause) {
      if (cause instanceof Refusal || request.signal?.aborted || n >= attempts || !request.isRepeatable) {
        throw cause instanceof Refusal || cause instanceof Unavailable ? cause : unreachable(response, cause)
      }
      return { again: { afterMs: pauseMs(n) } }
    }
    const { status, headers } = response
    if (response.ok) {
      const ignored = headers.get('ignored-members')
      if (ignored) onIgnored?.(request.operation, ignored.split(/,\s*/))
      const isJson = headers.get('content-type')?.includes('json')
      return { result: text === '' ? undefined : isJson ? JSON.parse(text) : text }
    }
    // Neither has done anything, so that every request can be sent again.
    const isTurnedAway = status === 429 || status === 503
    const isFailed = status >= 500
    if (n < attempts && (isTurnedAway || (isFailed && request.isRepeatable))) {
      const asked = Number(headers.get('retry-after')) * 1000
      return { again: { afterMs: Math.max(pauseMs(n), asked || 0) } }
    }
    const body = parse(text)
    if (body && (!isFailed || status === 503)) throw new Refusal(body)
    throw unreachable(response, new Error(`Status ${status}`))
  }

  return { authorize, send: (request) => retried(request, (signal) => attempt(request, signal)) }
}

function createAuthorization(
  options: LoyaltyWalletOptions,
  exchange: (path: string, init: RequestInit) => Promise<Tokens>,
): { authorize(): Promise<string | undefined>; drop(authorization: string | undefined): boolean } {
  if ('authorize' in options) return { authorize: async () => options.authorize(), drop: () => false }
  const source: TokenSource =
    'apiKey' in options
      ? createTokenSource(() => {
          const headers = { 'x-api-key': options.apiKey, 'x-api-secret': options.apiSecret }
          return exchange('/auth/token', { headers })
        })
      : createTokenSource(async (before) => {
          const { accessToken, refreshToken } = before ?? options.tokens
          const headers = { 'content-type': 'application/json' }
          const body = JSON.stringify({ accessToken, refreshToken })
          const tokens = await exchange('/auth/refreshtoken', { headers, body })
          await options.onTokens(tokens)
          return tokens
        }, options.tokens)
  return {
    authorize: async () => `Bearer ${await source.get()}`,
    drop(authorization) {
      source.drop(authorization?.slice('Bearer '.length) ?? '')
      return true
    },
  }
}

const unreachable = (response: Response | undefined, cause: unknown) =>
  new Unavailable('The service cannot be reached, or did not answer.', {
    cause,
    requestId: response?.headers.get('x-request-id') ?? undefined,
  })

function parse(text: string): Refusal['body'] | undefined {
  try {
    const body = JSON.parse(text)
    return typeof body?.message === 'string' && typeof body?.requestId === 'string' ? body : undefined
  } catch {
    return undefined
  }
}

/** 0.2, 0.4, 0.8 … seconds, and up to as much again, so that many tills do not come back at once. */
const pauseMs = (n: number) => 100 * 2 ** n * (1 + Math.random())

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}
