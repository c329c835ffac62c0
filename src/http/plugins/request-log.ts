/**
 * The request log of the organizations, collected outside the request path. A request costs it a check of a
 * counter and, for the few that are kept, a handful of references; once a second, what was collected is
 * stripped of secrets and personal data and written. No request waits for it; if writing fails, the unlogged
 * requests are counted.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { classifyError } from '../../database/classify-error.ts'
import { refusals } from '../../domain/refusal.ts'
import { actorOf } from '../../operations/actor.ts'
import type { Caller, Deps } from '../../operations/deps.ts'
import { type AnsweredCall, recordRequests } from '../../operations/record-requests.ts'
import type { ErrorBody } from '../errors/errors.ts'
import type { Server } from '../fastify-server.ts'
import { redact, redactPath, redactQuotes, redactRequestId } from '../redaction/redact.ts'
import { elapsedMs } from './end-late-requests.ts'

export interface RequestLog {
  /** Collects the requests of an application. */
  watch(app: Server): void
  /** Number of requests that were not logged: too many, or the database was unavailable. */
  leftOut(): number
  /** Writes what was collected so far. */
  flush(): Promise<void>
  /** Writes the rest and stops collecting. */
  stop(): Promise<void>
}

export interface RequestLogOptions {
  readonly flushEveryMs?: number
  /** Time for parsing and redacting bodies in one flush; after that requests are logged without bodies. */
  readonly maxRedactMs?: number
}

/** Limits between two flushes. Debugging starts with refusals, so successes are limited further. */
const maxSuccesses = 60
const maxSuccessesOfOne = 20
const maxWaiting = 1_000
/** A client in a loop fills only its own organization's log. */
const maxWaitingOfOne = 200
/** Total size of waiting bodies and responses; beyond it requests are logged without them. */
const maxWaitingBytes = 4 * 1024 * 1024
/** Parsing a longer response again would take longer than the request. */
const maxReplyLength = 256 * 1024
/** Requests per database write; between two writes other work gets its turn. */
const callsAtOnce = 50

/** Requests of an organization that wait to be written, oldest first. */
interface Waiting {
  readonly entries: Entry[]
  successes: number
}

interface Entry {
  readonly caller: Caller
  readonly id: string
  readonly at: Date
  readonly method: string
  readonly route: string
  readonly params: Record<string, string>
  readonly querySchema: unknown
  readonly bodySchema: unknown
  readonly query: unknown
  readonly body: unknown
  readonly status: number
  readonly durationMs: number
  readonly reply: string | undefined
  /** Size of the body and the response, as far as they are kept. */
  readonly bytes: number
  readonly isTruncated: boolean
  /** There was no time to read the body: what the response quotes of it is not known. */
  readonly isUnread?: boolean
}

export function createRequestLog(
  deps: Pick<Deps, 'pool' | 'clock' | 'log' | 'retention'>,
  { flushEveryMs = 1_000, maxRedactMs = 50 }: RequestLogOptions = {},
): RequestLog {
  let waiting = new Map<number, Waiting>()
  let waitingCalls = 0
  let waitingBytes = 0
  let successes = 0
  let leftOut = 0
  let isFailing = false

  function add(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    const { config, url, schema } = request.routeOptions
    // Sign-in and session requests are not part of an integration, and would fill the log.
    if (config.skipsRequestLog || !url?.startsWith('/v1/')) return
    const { caller } = request
    const isSuccess = reply.statusCode < 400
    const own = waiting.get(caller.organization.orgId) ?? { entries: [], successes: 0 }
    if (isSuccess && (own.successes >= maxSuccessesOfOne || successes >= maxSuccesses)) {
      leftOut++
      return
    }
    if (isSuccess) {
      own.successes++
      successes++
    }
    if (own.entries.length >= maxWaitingOfOne) dropOldest(own)
    // If several clients are in a loop, the organization with the most entries makes room.
    else if (waitingCalls >= maxWaiting) dropOldest(longestOf(waiting))
    waiting.set(caller.organization.orgId, own)
    waitingCalls++
    // The reason for a refusal is not a secret.
    const isKept = typeof payload === 'string' && payload !== '' && !(isSuccess && config.hidesReply)
    const text = isKept ? payload : undefined
    const bytes = (text?.length ?? 0) + bodyBytes(request)
    const isTooMuch = waitingBytes + bytes > maxWaitingBytes
    if (!isTooMuch) waitingBytes += bytes
    own.entries.push({
      caller,
      id: request.id,
      at: new Date(deps.clock().getTime() - elapsedMs(request)),
      method: request.method,
      route: url,
      params: request.params as Record<string, string>,
      querySchema: schema?.querystring ?? nothingKnown,
      bodySchema: schema?.body ?? nothingKnown,
      query: request.query,
      body: isTooMuch ? undefined : request.body,
      status: reply.statusCode,
      durationMs: elapsedMs(request),
      reply: isTooMuch || (text?.length ?? 0) > maxReplyLength ? undefined : text,
      bytes: isTooMuch ? 0 : bytes,
      isTruncated: isTooMuch || (text?.length ?? 0) > maxReplyLength,
    })
  }

  function dropOldest({ entries }: Waiting): void {
    waitingBytes -= entries.shift()!.bytes
    waitingCalls--
    leftOut++
  }

  async function write(): Promise<void> {
    if (waitingCalls === 0) return
    const groups = groupsOf(waiting)
    let left = waitingCalls
    waiting = new Map()
    waitingCalls = 0
    waitingBytes = 0
    successes = 0
    let spentMs = 0
    const toCall = (entry: Entry) => {
      const startedMs = performance.now()
      const call = toAnsweredCall(spentMs < maxRedactMs ? entry : withoutBodies(entry))
      spentMs += performance.now() - startedMs
      return call
    }
    let failure: unknown
    const record = async (group: readonly Entry[]): Promise<void> => {
      try {
        await recordRequests(deps, group[0]!.caller.organization.orgId, group.map(toCall))
        left -= group.length
      } catch (error) {
        failure = error
        // The database is unavailable: drop the rest, since the next flush will have newer requests.
        if (classifyError(error) !== 'other') throw error
        // Write each one separately, so that only the failing one is lost.
        if (group.length > 1) for (const entry of group) await record([entry])
      }
    }
    try {
      for (const group of groups) await record(group)
    } catch (error) {
      failure = error
    }
    leftOut += left
    if (failure && !isFailing) deps.log.warn({ err: failure }, 'cannot write to the request log')
    isFailing = failure !== undefined
  }

  let flushes = 0
  let lastFlush = Promise.resolve()
  const flush = () => {
    flushes++
    lastFlush = lastFlush.then(write).finally(() => flushes--)
    return lastFlush
  }
  const timer = setInterval(() => {
    // Only one flush at a time: with a slow database, both the entries and the pending writes stay bounded.
    if (flushes === 0 && waitingCalls > 0) void flush()
  }, flushEveryMs)
  timer.unref()

  return {
    watch(app) {
      app.addHook('onSend', (request, reply, payload, done) => {
        if (request.caller) add(request, reply, payload)
        done()
      })
    },
    leftOut: () => leftOut,
    flush,
    stop() {
      clearInterval(timer)
      return flush()
    },
  }
}

/** Groups by organization, since each is written separately, and small enough to redact in one go. */
function groupsOf(waiting: ReadonlyMap<number, Waiting>): Entry[][] {
  return [...waiting.values()].flatMap(({ entries }) =>
    Array.from({ length: Math.ceil(entries.length / callsAtOnce) }, (_, i) =>
      entries.slice(i * callsAtOnce, (i + 1) * callsAtOnce),
    ),
  )
}

function longestOf(waiting: ReadonlyMap<number, Waiting>): Waiting {
  return [...waiting.values()].reduce((longest, own) =>
    own.entries.length > longest.entries.length ? own : longest,
  )
}

function toAnsweredCall(entry: Entry): AnsweredCall {
  const { route, status } = entry
  const by = actorOf(entry.caller)
  const parsed = parse(entry.reply)
  const error = status >= 400 && parsed ? (parsed as ErrorBody) : undefined
  const hidden = error && new Set<string>()
  const options = { route, hidden, fault: error && faultOf(error) }
  const query = hasProperties(entry.query)
    ? redact(entry.query, { ...options, schema: entry.querySchema })
    : undefined
  const body =
    entry.body === undefined
      ? undefined
      : redact(entry.body, { ...options, schema: entry.bodySchema, isAccepted: status < 400 })
  const path = redactPath(route, entry.params, hidden)
  const requestId = redactRequestId(entry.id)
  const words =
    error &&
    (entry.isUnread
      ? { description: refusals[error.message], field: undefined }
      : withoutQuotes(error, hidden!))
  const answer = error ? { ...error, path, requestId, ...words } : parsed
  const reply = answer === undefined ? undefined : redact(answer, { route })
  return {
    requestId,
    at: entry.at,
    method: entry.method,
    path,
    route: route.replaceAll(/:(\w+)/g, '{$1}'),
    status,
    durationUs: Math.round(entry.durationMs * 1_000),
    byKind: by.kind,
    user: entry.caller.user,
    errorCode: error?.message,
    query: query?.value,
    requestBody: body?.value,
    replyBody: reply?.value,
    isTruncated: [query, body, reply].some((part) => part?.isTruncated) || entry.isTruncated,
  }
}

/** The property whose value is not what belongs there; one that is taken, such as a receipt number, is. */
function faultOf({ message, field }: ErrorBody): string | undefined {
  return message.endsWith('_already_exists') ? undefined : field
}

function withoutQuotes({ description, field }: ErrorBody, hidden: ReadonlySet<string>) {
  return {
    description: redactQuotes(description, hidden),
    ...(field !== undefined && { field: redactQuotes(field, hidden) }),
  }
}

/** A chunked body has no declared length, so it counts as the maximum. */
function bodyBytes({ headers }: FastifyRequest): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : maxReplyLength
}

const withoutBodies = (entry: Entry): Entry => ({
  ...entry,
  query: undefined,
  body: undefined,
  // The response to a refused request is short.
  reply: entry.status >= 400 ? entry.reply : undefined,
  isTruncated: true,
  isUnread: true,
})

/** Schema of a request that takes no query or no body. */
const nothingKnown = { type: 'object', properties: {} }

const hasProperties = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** Only JSON: an image or a page is not logged. */
function parse(reply: string | undefined): unknown {
  if (reply === undefined || !/^[[{]/.test(reply)) return undefined
  return JSON.parse(reply)
}
