/**
 * Baskets, processed in groups and previewed alone: load → decide → write, in files of those names. `queue.ts` makes
 * the groups, and `../attempts.ts` says how often and under which locks a group is tried.
 *
 * Every try of a basket carries the same transaction id. When an answer is lost on its way back from the database,
 * the next try finds the transaction that was committed, so trying again never counts twice.
 */
import { Refused } from '../../domain/refusal.ts'
import { newId } from '../../store/new-id.ts'
import { tenantOf } from '../../store/tenant.ts'
import { createBatch } from '../batch.ts'
import type { Caller, Deps } from '../deps.ts'
import { type Changes, type JobResult, runAttempts } from '../wallets/attempts.ts'
import { decideBasket, decideGroup } from './decide.ts'
import type { BasketJob, BasketRequest, Preview, Processed, Repeat } from './job.ts'
import { type BasketGroup, loadGroup } from './load.ts'
import { createBasketQueue } from './queue.ts'
import { toPreview } from './record.ts'
import { writeGroup } from './write.ts'

export interface BasketProcessor {
  process(caller: Caller, request: BasketRequest, repeat: Repeat): Promise<Processed>
  validate(caller: Caller, request: BasketRequest): Promise<Preview>
  /** Resolves when every basket taken so far has been answered. */
  drain(): Promise<void>
  /** Baskets waiting or being written. */
  readonly size: number
}

export interface TransactionsOptions {
  readonly deps: Deps
  /** Groups that may be written at the same time. */
  readonly writers?: number
  readonly maxGroup?: number
  readonly maxWaiting?: number
  /** How long a basket may wait before it is begun. */
  readonly maxWaitMs?: number
}

export function createBasketProcessor(options: TransactionsOptions): BasketProcessor {
  const { deps } = options
  const queue = createBasketQueue<BasketJob, Processed>({
    run: (org, jobs) => processGroup(deps, org, jobs),
    writers: options.writers ?? 2,
    maxGroup: options.maxGroup ?? 128,
    maxWaiting: options.maxWaiting ?? 5_000,
    maxWaitMs: options.maxWaitMs ?? 10_000,
    keysOf: ({ request: { opaqueId }, idempotencyKey }) => [
      ...(opaqueId === undefined ? [] : [`receipt ${opaqueId}`]),
      ...(idempotencyKey === undefined ? [] : [`key ${idempotencyKey}`]),
    ],
  })
  const askPreview = createBatch((jobs: readonly BasketJob[]) => previewAll(deps, jobs), previewLimits)
  return {
    process(caller, request, repeat) {
      const job = toJob(deps, caller, request, repeat)
      if (!job) return Promise.reject(new Refused('customer_not_found'))
      return queue.submit(caller.organization.orgId, job.request.customer, job)
    },
    async validate(caller, request) {
      const job = toJob(deps, caller, request)
      if (!job) throw new Refused('customer_not_found')
      const answer = await askPreview(job)
      if (answer instanceof Error) throw answer
      return answer
    },
    drain: () => queue.drain(),
    get size() {
      return queue.size
    },
  }
}

/** Baskets of one organization that are a group already, without a queue; one outcome each, in order. */
export function processGroup(
  deps: Deps,
  org: number,
  jobs: readonly BasketJob[],
): Promise<JobResult<Processed>[]> {
  const sales: Changes<BasketJob, Processed> = {
    isFindable: true,
    async run(tenant, group, attempt) {
      const loaded = await loadGroup(deps, tenant, group, attempt)
      return writeGroup(tenant, loaded, group, decideGroup(loaded, group), attempt)
    },
  }
  return runAttempts(deps.pool, org, jobs, sales)
}

const previewLimits = { maxRunning: 2, maxBatch: 128, maxWaiting: 5_000 }

/** An id that cannot be one is a card nobody has; the customer is still looked at first. */
const noCard = 'card_00000000000000000000000000000000' as const

/** Undefined when there cannot be such a customer. */
export function toJob(
  deps: Deps,
  caller: Caller,
  request: BasketRequest,
  repeat: Repeat = {},
): BasketJob | undefined {
  const { customer, card = noCard } = request
  if (!customer) return undefined
  return { ...repeat, id: newId('txn', deps.clock()), caller, request: { ...request, customer, card } }
}

/** Previews that arrive together are loaded together, an organization at a time; what fails, fails for itself. */
async function previewAll(deps: Deps, jobs: readonly BasketJob[]): Promise<(Preview | Error)[]> {
  const answers = new Map<BasketJob, Preview | Error>()
  const byOrganization = new Map<number, BasketJob[]>()
  for (const job of jobs) {
    const org = job.caller.organization.orgId
    byOrganization.set(org, [...(byOrganization.get(org) ?? []), job])
  }
  for (const [org, own] of byOrganization) {
    try {
      const group = await loadGroup(deps, tenantOf(deps.pool, org), own, { mode: 'read' })
      own.forEach((job, i) => {
        answers.set(job, previewOne(group, job, i))
      })
    } catch (error) {
      for (const job of own) answers.set(job, error as Error)
    }
  }
  return jobs.map((job) => answers.get(job)!)
}

function previewOne(group: BasketGroup, job: BasketJob, index: number): Preview | Error {
  try {
    const decided = decideBasket(group, job, index)
    if (decided.kind === 'refused') return Refused.from(decided.refusal)
    return toPreview(decided, group)
  } catch (error) {
    return error as Error
  }
}
