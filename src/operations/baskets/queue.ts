/**
 * Forms groups of baskets: whatever is waiting when a writer becomes free is processed together. Under light
 * load groups have one basket, under heavy load many, and no basket waits for others to come.
 *
 * Invariants: a group belongs to one organization; a customer is in at most one running group, with baskets
 * in their order of arrival; two baskets with the same receipt number or idempotency key are never in one
 * group, so that the second finds the first; organizations take turns, and only so many groups of one
 * are written at the same time, so that a busy one cannot starve a quiet one; the queue is bounded.
 */
import type { CustomerId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import { currentSpan, recordWait, runShared, type Span } from '../../tracing/spans.ts'
import { RenewedMap } from '../renewed-map.ts'
import { createRoundRobin } from '../round-robin.ts'
import { createSlots } from '../slots.ts'
import { failed, type JobResult } from '../wallets/attempts.ts'

export interface BasketQueue<Job, Result> {
  submit(org: number, customer: CustomerId, job: Job): Promise<Result>
  /** Resolves when everything accepted so far is done. */
  drain(): Promise<void>
  readonly size: number
  /** How long the oldest basket has been waiting for its group. */
  oldestWaitMs(): number
}

export interface BasketQueueOptions<Job, Result> {
  /**
   * Decides and writes a group; one outcome per job, in order. A refusal is an outcome, never an exception. From
   * `leave` on it has connections of its own, and the next group may start.
   */
  run(org: number, jobs: readonly Job[], leave: () => void): Promise<JobResult<Result>[]>
  /** Maximum number of groups of one organization that are written at the same time. */
  readonly writersOfOne: number
  /** Maximum number in all, without those that have left; a few organizations do not need that many (`slots.ts`). */
  readonly writers: number
  readonly maxGroup: number
  readonly maxWaiting: number
  /** A basket that has waited longer is not started: its client has been told to retry. */
  readonly maxWaitMs: number
  /** Groups of several organizations run together, and share messages to the database. */
  readonly isShared?: boolean
  /** Keys that must not occur twice in a group. */
  keysOf(job: Job): readonly string[]
  /** Told of each group that starts: how many baskets it has, and how long the oldest of them has waited. */
  onGroup?(size: number, waitedMs: number): void
}

interface Waiting<Job, Result> {
  readonly job: Job
  readonly since: number
  /** The request that waits. */
  readonly span: Span | undefined
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** The baskets of one customer, in order of arrival. */
interface CustomerLane<Job, Result> {
  readonly customer: CustomerId
  readonly waiting: Waiting<Job, Result>[]
}

interface Queue<Job, Result> {
  readonly org: number
  readonly lanes: RenewedMap<CustomerId, CustomerLane<Job, Result>>
  /** Lanes with waiting baskets and none running. */
  ready: CustomerLane<Job, Result>[]
  /** Groups that are being written. */
  running: number
}

interface Group<Job, Result> {
  readonly queue: Queue<Job, Result>
  readonly lanes: readonly CustomerLane<Job, Result>[]
  readonly baskets: readonly Waiting<Job, Result>[]
}

export function createBasketQueue<Job, Result>(
  options: BasketQueueOptions<Job, Result>,
): BasketQueue<Job, Result> {
  const queues = createRoundRobin<number, Queue<Job, Result>>(
    (org) => ({ org, lanes: new RenewedMap(), ready: [], running: 0 }),
    ({ lanes }) => lanes.size === 0,
  )
  let size = 0
  const whenIdle: (() => void)[] = []
  const startWriters = createSlots<Group<Job, Result>>({
    max: options.writers,
    isShared: options.isShared ?? false,
    enough: 64,
    inLine: () => queues.size,
    take: takeNextGroup,
    sizeOf: ({ baskets }) => baskets.length,
    run: write,
    onEnd: resolveIfIdle,
  })

  function resolveIfIdle(): void {
    if (size === 0) for (const resolve of whenIdle.splice(0)) resolve()
  }

  function submit(org: number, customer: CustomerId, job: Job): Promise<Result> {
    if (size >= options.maxWaiting) {
      return Promise.reject(new Refused('_unavailable', 'Too many baskets are waiting. Retry in a moment.'))
    }
    return new Promise<Result>((resolve, reject) => {
      size++
      const waiting = { job, since: performance.now(), span: currentSpan(), resolve, reject }
      enqueue(queues.lineOf(org), customer, waiting)
      startWriters()
    })
  }

  function takeNextGroup(): Group<Job, Result> | undefined {
    for (;;) {
      const queue = queues.next((each) => each.ready.length > 0 && each.running < options.writersOfOne)
      if (!queue) return undefined
      const group = takeGroup(queue, options, rejectExpired)
      if (group.baskets.length > 0) {
        queue.running++
        return group
      }
      queues.release(queue.org)
      resolveIfIdle()
    }
  }

  function rejectExpired(lane: CustomerLane<Job, Result>): void {
    const earliest = performance.now() - options.maxWaitMs
    while (lane.waiting[0] && lane.waiting[0].since < earliest) {
      size--
      lane.waiting.shift()!.reject(new Refused('_unavailable', 'The basket waited too long. Retry.'))
    }
  }

  async function write({ queue, lanes, baskets }: Group<Job, Result>, leave: () => void): Promise<void> {
    options.onGroup?.(baskets.length, waitOf(baskets))
    for (const { span, since } of baskets) recordWait(span, 'wait for a group', since)
    const jobs = baskets.map(({ job }) => job)
    const outcomes = await runShared('basket group', baskets, () =>
      options.run(queue.org, jobs, leave),
    ).catch((error: unknown) => baskets.map((): JobResult<Result> => failed(error)))
    baskets.forEach((waiting, i) => {
      size--
      const outcome = outcomes[i]!
      if (outcome.kind === 'done') waiting.resolve(outcome.result)
      else waiting.reject(outcome.error)
    })
    returnLanes(queue, lanes)
    queue.running--
    queues.release(queue.org)
  }

  return {
    submit,
    drain: () => (size === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
    get size() {
      return size
    },
    oldestWaitMs: () => Math.max(0, ...[...queues.all()].map(longestWaitOf)),
  }
}

/** Takes one basket of each ready lane, then another one of each, and so on until the group is full. */
function takeGroup<Job, Result>(
  queue: Queue<Job, Result>,
  { keysOf, maxGroup }: Pick<BasketQueueOptions<Job, Result>, 'keysOf' | 'maxGroup'>,
  rejectExpired: (lane: CustomerLane<Job, Result>) => void,
): Group<Job, Result> {
  const lanes: CustomerLane<Job, Result>[] = []
  const baskets: Waiting<Job, Result>[] = []
  const keys = new Set<string>()
  const take = (lane: CustomerLane<Job, Result>): boolean => {
    rejectExpired(lane)
    const next = lane.waiting[0]
    if (!next || baskets.length >= maxGroup) return false
    const own = keysOf(next.job)
    if (own.some((key) => keys.has(key))) return false
    for (const key of own) keys.add(key)
    baskets.push(lane.waiting.shift()!)
    return true
  }
  queue.ready = queue.ready.filter((lane) => {
    const isTaken = take(lane)
    if (isTaken) lanes.push(lane)
    if (lane.waiting.length === 0 && !isTaken) queue.lanes.delete(lane.customer)
    return !isTaken && lane.waiting.length > 0
  })
  for (let open = lanes; open.length > 0; ) open = open.filter(take)
  return { queue, lanes, baskets }
}

function enqueue<Job, Result>(
  { lanes, ready }: Queue<Job, Result>,
  customer: CustomerId,
  waiting: Waiting<Job, Result>,
): void {
  const lane = lanes.get(customer)
  if (lane) return void lane.waiting.push(waiting)
  const opened = { customer, waiting: [waiting] }
  lanes.set(customer, opened)
  ready.push(opened)
}

/** How long the first of them to arrive has waited. */
function waitOf(group: readonly Pick<Waiting<unknown, unknown>, 'since'>[]): number {
  let since = Number.POSITIVE_INFINITY
  for (const waiting of group) since = Math.min(since, waiting.since)
  return performance.now() - since
}

const longestWaitOf = <Job, Result>({ lanes }: Queue<Job, Result>): number =>
  waitOf([...lanes.values()].flatMap(({ waiting }) => waiting.slice(0, 1)))

/** The customers of a group that was written can be in the next one. */
function returnLanes<Job, Result>(
  { ready, lanes }: Queue<Job, Result>,
  written: readonly CustomerLane<Job, Result>[],
): void {
  for (const lane of written) {
    if (lane.waiting.length > 0) ready.push(lane)
    else lanes.delete(lane.customer)
  }
}
