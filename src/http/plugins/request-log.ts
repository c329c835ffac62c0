/**
 * The log of the organizations' calls, gathered beside them. On the path of a call there is one look at a counter
 * and, for the few that are kept, a handful of references; once a second what was gathered is stripped of secrets
 * and personal data, and written. Nothing waits for it, and when it fails, calls go on unlogged and are counted.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { classifyError } from '../../database/classify-error.ts'
import { actorOf } from '../../operations/actor.ts'
import type { Caller, Deps } from '../../operations/deps.ts'
import { type AnsweredCall, recordRequests } from '../../operations/record-requests.ts'
import type { Server } from '../fastify-server.ts'
import { redactText } from '../redaction/logger.ts'
import { redact, redactPath } from '../redaction/redact.ts'

export interface RequestLog {
  /** Lets the calls of an application be gathered. */
  watch(app: Server): void
  /** Calls that were not kept: too many at once, or the database could not take them. */
  leftOut(): number
  /** Writes what was gathered so far. */
  flush(): Promise<void>
  /** Writes the rest, and gathers no more. */
  stop(): Promise<void>
}

export interface RequestLogOptions {
  readonly flushEveryMs?: number
}

/** Between two flushes. Whoever looks for a mistake looks at refusals, so the room is theirs first. */
const maxSuccesses = 60
const maxSuccessesOfOne = 20
const maxWaiting = 1_000
/** A client in a loop fills its own log, and nobody else's. */
const maxWaitingOfOne = 200
/** Of bodies and replies that wait; beyond it calls are kept without. */
const maxWaitingBytes = 4 * 1024 * 1024
/** Reading a longer reply again would take longer than the call. */
const maxReplyLength = 256 * 1024
/** Written at once; then other calls have their turn. */
const callsAtOnce = 50
/** For reading bodies again in one flush. Whoever sends what takes long to read gets a log without bodies. */
const maxRedactMs = 50

/** The calls of an organization that wait to be written, oldest first. */
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
  /** Of its body and its reply, as far as they are kept. */
  readonly bytes: number
  readonly isTruncated: boolean
}

export function createRequestLog(
  deps: Pick<Deps, 'pool' | 'clock' | 'log'>,
  { flushEveryMs = 1_000 }: RequestLogOptions = {},
): RequestLog {
  let waiting = new Map<number, Waiting>()
  let waitingCalls = 0
  let waitingBytes = 0
  let successes = 0
  let leftOut = 0
  let isFailing = false

  function add(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    const { config, url, schema } = request.routeOptions
    // Signing in and staying so is nobody's integration, and would fill the log.
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
    // Where many are in a loop, the one with the most makes room.
    else if (waitingCalls >= maxWaiting) dropOldest(longestOf(waiting))
    waiting.set(caller.organization.orgId, own)
    waitingCalls++
    // Why such a call was refused is no secret.
    const isKept = typeof payload === 'string' && payload !== '' && !(isSuccess && config.hidesReply)
    const text = isKept ? payload : undefined
    const bytes = (text?.length ?? 0) + bodyBytes(request)
    const isTooMuch = waitingBytes + bytes > maxWaitingBytes
    if (!isTooMuch) waitingBytes += bytes
    own.entries.push({
      caller,
      id: request.id,
      at: new Date(deps.clock().getTime() - reply.elapsedTime),
      method: request.method,
      route: url,
      params: request.params as Record<string, string>,
      querySchema: schema?.querystring ?? nothingKnown,
      bodySchema: config.skipsBodySchema ? anything : (schema?.body ?? nothingKnown),
      query: request.query,
      body: isTooMuch ? undefined : request.body,
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
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
        // Nothing more will get through now; by the next time there is something newer to write.
        if (classifyError(error) !== 'other') throw error
        // Each by itself, so that only the culprit is lost.
        if (group.length > 1) for (const entry of group) await record([entry])
      }
    }
    try {
      for (const group of groups) await record(group)
    } catch (error) {
      failure = error
    }
    leftOut += left
    if (failure && !isFailing) deps.log.warn({ err: failure }, 'calls are not written to the request log')
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
    // While the database is slow what waits stays within its bounds, and so does what waits for the database.
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

/** By organization, since each is written for itself, and few enough to be redacted in one go. */
function groupsOf(waiting: ReadonlyMap<number, Waiting>): Entry[][] {
  return [...waiting.values()].flatMap(({ entries }) =>
    Array.from({ length: Math.ceil(entries.length / callsAtOnce) }, (_, i) =>
      entries.slice(i * callsAtOnce, (i + 1) * callsAtOnce),
    ),
  )
}

function longestOf(waiting: ReadonlyMap<number, Waiting>): Waiting {
  return [...waiting.values()].reduce((most, one) => (one.entries.length > most.entries.length ? one : most))
}

function toAnsweredCall(entry: Entry): AnsweredCall {
  const { route, status } = entry
  const by = actorOf(entry.caller)
  const query = hasMembers(entry.query)
    ? redact(entry.query, { route, schema: entry.querySchema })
    : undefined
  const body = entry.body === undefined ? undefined : redact(entry.body, { route, schema: entry.bodySchema })
  const path = redactPath(route, entry.params)
  const answer = withPath(parse(entry.reply), status, path)
  const reply = answer === undefined ? undefined : redact(answer, { route })
  return {
    requestId: redactText(entry.id),
    at: entry.at,
    method: entry.method,
    path,
    route: route.replaceAll(/:(\w+)/g, '{$1}'),
    status,
    durationUs: Math.round(entry.durationMs * 1_000),
    byKind: by.kind,
    user: entry.caller.user,
    errorCode: status >= 400 ? codeOf(answer) : undefined,
    query: query?.value,
    requestBody: body?.value,
    replyBody: reply?.value,
    isTruncated: [query, body, reply].some((part) => part?.isTruncated) || entry.isTruncated,
  }
}

/** What was sent in pieces did not say how much it is. */
function bodyBytes({ headers }: FastifyRequest): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : maxReplyLength
}

const withoutBodies = (entry: Entry): Entry => ({
  ...entry,
  query: undefined,
  body: undefined,
  // Why a call was refused is short.
  reply: entry.status >= 400 ? entry.reply : undefined,
  isTruncated: true,
})

/** The schema of a call that takes no query or no body, and of one whose handler looks at the body itself. */
const nothingKnown = { type: 'object', properties: {} }
const anything = {}

const hasMembers = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** Only JSON: a picture or a page tells nothing here. */
function parse(reply: string | undefined): unknown {
  if (reply === undefined || !/^[[{]/.test(reply)) return undefined
  return JSON.parse(reply)
}

/** An error repeats the path it was called by. */
function withPath(answer: unknown, status: number, path: string): unknown {
  return status >= 400 && typeof answer === 'object' ? { ...answer, path } : answer
}

function codeOf(answer: unknown): string | undefined {
  const { message } = (answer ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : undefined
}
