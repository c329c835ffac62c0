/**
 * Background jobs: book expirations, and delete what need not be kept. A round finds what is due, whichever
 * organization it is for, and does it; a round that finds nothing costs one query. Each piece of work is
 * leased, so that of all processes one does it, and it is done in turns, so that a large organization does
 * not hold up the others.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../operations/deps.ts'
import {
  countDueWork,
  type DueWork,
  type LeasedWork,
  listDueWork,
  lockDueWork,
  updateDoneWork,
  updateFailedWork,
  type WorkKind,
  workKinds,
} from '../store/due-work.ts'
import { findOwnOrganization } from '../store/organizations.ts'
import { platformOrg, platformTenant, tenantOf } from '../store/tenant.ts'
import { kindsOfWork } from './kinds-of-work.ts'

export interface Jobs {
  /** Stops after the current groups of customers. */
  stop(): Promise<void>
}

export interface JobsOptions {
  readonly pauseMs?: number
}

const foundAtOnce = 100
/** Pieces of work that a process does side by side: most of its connections are for requests. */
const defaultAtOnce = 3
const turnMs = 10_000
/**
 * Much longer than a turn, whose last group may have to wait for the database: a process that works is not
 * taken for a dead one.
 */
const leaseSeconds = 60
const longestRetryMs = 3_600_000

export function startJobs(deps: Deps, { pauseMs = 60_000 }: JobsOptions = {}): Jobs {
  const abort = new AbortController()
  const done = loop(deps, pauseMs, abort.signal)
  return {
    async stop() {
      abort.abort()
      await done
    },
  }
}

/** These have loops of their own: nobody wants to wait a minute for a link, or for a sale. */
const quickKinds: readonly WorkKind[] = ['receiving', 'sending']
const slowKinds = workKinds.filter((kind) => !quickKinds.includes(kind))

async function loop(deps: Deps, pauseMs: number, signal: AbortSignal): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    try {
      await runRound(deps, { signal, kinds: slowKinds })
      failures = 0
    } catch (error) {
      failures++
      deps.log.warn({ err: error }, 'background jobs failed, will retry')
    }
    const backOff = Math.min(2 ** failures, 10)
    // Jitter: rounds of several processes drift apart, so that they rarely look for the same work.
    await sleep(pauseMs * backOff * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
  }
}

export interface QuickOptions {
  readonly pauseMs?: number
}

const pauseAfterFailureMs = 5_000

/** Runs rounds of its own, about one a second. `failure` is what the log says if one fails. */
export function startRounds(
  deps: Deps,
  { pauseMs = 1_000 }: QuickOptions,
  round: (signal: AbortSignal) => Promise<void>,
  failure: string,
): Jobs {
  const abort = new AbortController()
  const { signal } = abort
  const rounds = async () => {
    while (!signal.aborted) {
      let pause = pauseMs
      try {
        await round(signal)
      } catch (error) {
        deps.log.warn({ err: error }, failure)
        pause = pauseAfterFailureMs
      }
      await sleep(pause * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
    }
  }
  const done = rounds()
  return {
    async stop() {
      abort.abort()
      await done
    },
  }
}

export interface RoundOptions {
  readonly signal?: AbortSignal
  readonly kinds?: readonly WorkKind[]
  /** Pieces of work that are done side by side. */
  readonly atOnce?: number
}

/** Does everything that is due and that nobody else is doing. Tests call it instead of waiting for the loop. */
export async function runRound(
  deps: Deps,
  { signal, kinds = workKinds, atOnce = defaultAtOnce }: RoundOptions = {},
): Promise<void> {
  const platform = platformTenant(deps.pool)
  for (let isFirst = true; !signal?.aborted; isFirst = false) {
    const now = deps.clock()
    const found = await listDueWork(platform, now, foundAtOnce, kinds)
    // Counted once in a round: after an upgrade, everything may be due.
    if (isFirst && kinds.length > 1) await count(deps, found, now)
    if (found.length === 0) return
    const taken = await takeTurns(deps, shuffled(found), atOnce, signal)
    // Other processes were faster, and are busy with it.
    if (taken === 0) return
  }
}

async function count({ pool, workCounts }: Deps, found: readonly DueWork[], now: Date): Promise<void> {
  workCounts.due = found.length === 0 ? [] : await countDueWork(platformTenant(pool), now)
  workCounts.seenAt = now
}

/** Processes that have found the same work do not all begin with the same. */
function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)
}

/** Returns how many of them were ours to do. */
async function takeTurns(
  deps: Deps,
  found: readonly DueWork[],
  atOnce: number,
  signal?: AbortSignal,
): Promise<number> {
  const waiting = found.values()
  let taken = 0
  const work = async () => {
    for (const due of waiting) {
      if (signal?.aborted) return
      if (await takeTurn(deps, due, signal)) taken++
    }
  }
  const results = await Promise.allSettled(Array.from({ length: atOnce }, work))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
  return taken
}

/** Whether the work was ours to do. */
async function takeTurn(deps: Deps, { org, kind }: DueWork, signal?: AbortSignal): Promise<boolean> {
  const tenant = tenantOf(deps.pool, org)
  const endsAt = performance.now() + turnMs
  const leased = await lockDueWork(tenant, kind, deps.clock(), leaseSeconds)
  if (!leased) return false
  const mayContinue = () => !signal?.aborted && performance.now() < endsAt
  try {
    const run = () => kindsOfWork[kind](deps, org, { ...leased, mayContinue })
    const done = await (deps.tracer ? deps.tracer.run({ name: `job ${kind}` }, run) : run())
    add(deps.workCounts.runs, kind)
    const isOurs = await updateDoneWork(tenant, leased, done, deps.clock())
    if (done.customers) await log(deps, org, 'info', { kind, customers: done.customers }, 'did due work')
    if (!isOurs) await log(deps, org, 'warn', { kind }, 'due work took longer than its lease')
  } catch (error) {
    await recordFailure(deps, org, leased, error)
  }
  return true
}

/**
 * Others' work goes on. If the failure cannot be recorded, the database is the problem: the round ends, and
 * the work is due again when its lease ends.
 */
async function recordFailure(deps: Deps, org: number, leased: LeasedWork, error: unknown): Promise<void> {
  const { kind, attempt } = leased
  add(deps.workCounts.failures, kind)
  const retryMs = Math.min(60_000 * 2 ** (attempt - 1), longestRetryMs)
  const retryAt = new Date(deps.clock().getTime() + retryMs)
  await updateFailedWork(tenantOf(deps.pool, org), leased, { retryAt, error: nameOf(error) })
  await log(deps, org, 'error', { kind, attempt, retryAt, err: error }, 'due work failed, will retry')
}

/** Without the message, which may contain what a customer has written. */
function nameOf(error: unknown): string {
  const { name, code } = error as { name?: string; code?: string }
  return [name ?? 'Error', code].filter((part) => part !== undefined).join(' ')
}

async function log(
  deps: Deps,
  org: number,
  level: 'info' | 'warn' | 'error',
  details: object,
  message: string,
): Promise<void> {
  const tenant = tenantOf(deps.pool, org)
  const organization =
    org === platformOrg ? undefined : await findOwnOrganization(tenant).catch(() => undefined)
  deps.log[level]({ organization: organization?.id, ...details }, message)
}

const add = <K>(counts: Map<K, number>, key: K) => counts.set(key, (counts.get(key) ?? 0) + 1)
