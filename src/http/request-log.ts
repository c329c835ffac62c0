/**
 * The log of the organizations' calls, gathered beside them. On the path of a call there is one look at a counter
 * and, for the few that are kept, a handful of references; once a second what was gathered is stripped of secrets
 * and personal data, and written. Nothing waits for it, and when it fails, calls go on unlogged and are counted.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { classifyError } from '../database/classify-error.ts'
import { byOf } from '../operations/by-of.ts'
import type { Caller, Deps } from '../operations/deps.ts'
import { type AnsweredCall, recordRequests } from '../operations/record-requests.ts'
import { blotText } from './logger.ts'
import { redact, redactPath } from './redact.ts'
import type { Server } from './server.ts'

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
/** Of bodies and replies that wait; beyond it calls are kept without. */
const maxWaitingBytes = 4 * 1024 * 1024
/** Reading a longer reply again would take longer than the call. */
const maxReplyLength = 256 * 1024
/** Written at once; then other calls have their turn. */
const callsAtOnce = 50
/** For reading bodies again in one flush. Whoever sends what takes long to read gets a log without bodies. */
const maxRedactMs = 50

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
  readonly isTruncated: boolean
}

export function createRequestLog(
  deps: Pick<Deps, 'pool' | 'clock' | 'log'>,
  { flushEveryMs = 1_000 }: RequestLogOptions = {},
): RequestLog {
  let waiting: Entry[] = []
  let waitingBytes = 0
  let successes = 0
  const successesOf = new Map<number, number>()
  let leftOut = 0
  let isFailing = false

  function add(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    const { config, url, schema } = request.routeOptions
    // Signing in and staying so is nobody's integration, and would fill the log.
    if (config.skipsRequestLog || !url?.startsWith('/v1/')) return
    const { caller } = request
    const isSuccess = reply.statusCode < 400
    const ofOne = isSuccess ? (successesOf.get(caller.organization.number) ?? 0) : 0
    if (isSuccess ? ofOne >= maxSuccessesOfOne || successes >= maxSuccesses : waiting.length >= maxWaiting) {
      leftOut++
      return
    }
    if (isSuccess) {
      successesOf.set(caller.organization.number, ofOne + 1)
      successes++
    }
    // Why such a call was refused is no secret.
    const isKept = typeof payload === 'string' && payload !== '' && !(isSuccess && config.hidesReply)
    const text = isKept ? payload : undefined
    const bytes = (text?.length ?? 0) + bodyBytes(request)
    const isTooMuch = waitingBytes + bytes > maxWaitingBytes
    if (!isTooMuch) waitingBytes += bytes
    waiting.push({
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
      isTruncated: isTooMuch || (text?.length ?? 0) > maxReplyLength,
    })
  }

  async function write(): Promise<void> {
    const taken = waiting
    waiting = []
    waitingBytes = 0
    successes = 0
    successesOf.clear()
    let written = 0
    let spentMs = 0
    const toCall = (entry: Entry) => {
      const startedMs = performance.now()
      const call = toAnsweredCall(spentMs < maxRedactMs ? entry : withoutBodies(entry))
      spentMs += performance.now() - startedMs
      return call
    }
    for (const group of groupsOf(taken)) {
      try {
        await recordRequests(deps, group[0]!.caller.organization.number, group.map(toCall))
        isFailing = false
      } catch (error) {
        leftOut += group.length
        if (!isFailing) deps.log.warn({ err: error }, 'calls are not written to the request log')
        isFailing = true
        // Nothing more will get through now; by the next time there is something newer to write.
        if (classifyError(error) !== 'other') {
          leftOut += taken.length - written - group.length
          return
        }
      }
      written += group.length
    }
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
    if (flushes === 0 && waiting.length > 0) void flush()
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
function groupsOf(entries: readonly Entry[]): Entry[][] {
  const byOrg = new Map<number, Entry[]>()
  for (const entry of entries) {
    const { number } = entry.caller.organization
    const own = byOrg.get(number)
    if (own) own.push(entry)
    else byOrg.set(number, [entry])
  }
  return [...byOrg.values()].flatMap((own) =>
    Array.from({ length: Math.ceil(own.length / callsAtOnce) }, (_, i) =>
      own.slice(i * callsAtOnce, (i + 1) * callsAtOnce),
    ),
  )
}

function toAnsweredCall(entry: Entry): AnsweredCall {
  const { route, status } = entry
  const by = byOf(entry.caller)
  const query = hasMembers(entry.query)
    ? redact(entry.query, { route, schema: entry.querySchema })
    : undefined
  const body = entry.body === undefined ? undefined : redact(entry.body, { route, schema: entry.bodySchema })
  const path = redactPath(route, entry.params)
  const answer = withPath(parse(entry.reply), status, path)
  const reply = answer === undefined ? undefined : redact(answer, { route })
  return {
    requestId: blotText(entry.id),
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
