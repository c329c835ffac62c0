/**
 * Processes baskets in groups, and previews them: load → decide → write, in files of those names. `queue.ts`
 * forms the groups, and `../wallets/attempts.ts` defines how often and under which locks a group is tried.
 *
 * Every attempt of a basket has the same transaction ID. If the response of the database is lost, the next
 * attempt finds the committed transaction, so a retry never counts twice.
 */
import { Refused } from '../../domain/refusal.ts'
import { connectionsForGroups, connectionsForWaiting } from '../../store/connections.ts'
import { newId } from '../../store/new-id.ts'
import { sharesMessages, tenantOf } from '../../store/tenant.ts'
import { createBatch, lookupLimits } from '../batch.ts'
import type { Caller, Deps } from '../deps.ts'
import { timeOf } from '../organizations/time-of.ts'
import { type Changes, type JobResult, runAttempts, type UnderLock } from '../wallets/attempts.ts'
import { createLockPlaces } from '../wallets/lock-places.ts'
import { decideBasket, decideGroup, refuseEnded } from './decide.ts'
import type { BasketJob, BasketRequest, Preview, Processed, Repeat } from './job.ts'
import { type BasketGroup, loadGroup } from './load.ts'
import { createBasketQueue } from './queue.ts'
import { toPreview } from './record.ts'
import { createScannedCardReader, withScannedCard } from './scanned-card.ts'
import { writeGroup } from './write.ts'

export interface BasketProcessor {
  process(caller: Caller, request: BasketRequest, repeat: Repeat): Promise<Processed>
  validate(caller: Caller, request: BasketRequest): Promise<Preview>
  /** Resolves when every basket accepted so far is done. */
  drain(): Promise<void>
  /** Baskets waiting or being written. */
  readonly size: number
  /** How long the oldest basket has been waiting for its group. */
  oldestWaitMs(): number
  /** Calls the listener with each group that starts: its size, and how long its oldest basket has waited. */
  watchGroups(listener: (size: number, waitedMs: number) => void): void
}

export interface TransactionsOptions {
  readonly deps: Deps
  /** Number of processes that share the work. */
  readonly processes?: number
  /** Maximum number of groups written concurrently in all, without those that wait for locks. */
  readonly writers?: number
  readonly maxGroup?: number
  readonly maxWaiting?: number
  /** Maximum time that a basket waits before it is started. */
  readonly maxWaitMs?: number
}

export function createBasketProcessor(options: TransactionsOptions): BasketProcessor {
  const { deps } = options
  let onGroup: Parameters<BasketProcessor['watchGroups']>[0] = () => {}
  const isShared = sharesMessages(deps.pool)
  const queue = createBasketQueue<BasketJob, Processed>({
    run: isShared ? withPlaces(deps) : (org, jobs) => processGroup(deps, org, jobs),
    // A third group of the same organization, also in another process, would only make groups smaller, and
    // with them each basket dearer.
    writersOfOne: (options.processes ?? 1) > 1 ? 1 : 2,
    writers: options.writers ?? connectionsForGroups(deps.pool),
    isShared,
    maxGroup: options.maxGroup ?? 128,
    maxWaiting: options.maxWaiting ?? 5_000,
    maxWaitMs: options.maxWaitMs ?? 10_000,
    keysOf,
    onGroup: (size, waitedMs) => onGroup(size, waitedMs),
  })
  const readCard = createScannedCardReader(deps.pool)
  // A basket without a barcode is queued at once, without waiting for anything.
  const withCard = <T>(
    caller: Caller,
    request: BasketRequest,
    run: (request: BasketRequest) => Promise<T>,
  ): Promise<T> => {
    const { barcode } = request
    return barcode === undefined
      ? run(request)
      : withScannedCard(readCard, caller, { ...request, barcode }, run)
  }
  const askPreview = createBatch((jobs: readonly BasketJob[], org) => previewAll(deps, org, jobs), {
    orgOf: ({ caller }) => caller.organization.orgId,
    ...lookupLimits(deps.pool),
  })
  return {
    process: (caller, request, repeat) =>
      withCard(caller, request, (known) => {
        const job = toJob(deps, caller, known, repeat)
        if (!job) return Promise.reject(new Refused('customer_not_found'))
        return queue.submit(caller.organization.orgId, job.request.customer, job)
      }),
    validate: (caller, request) =>
      withCard(caller, request, async (known) => {
        const job = toJob(deps, caller, known)
        if (!job) throw new Refused('customer_not_found')
        const answer = await askPreview(job)
        if (answer instanceof Error) throw answer
        return answer
      }),
    drain: () => queue.drain(),
    get size() {
      return queue.size
    },
    oldestWaitMs: () => queue.oldestWaitMs(),
    watchGroups(listener) {
      onGroup = listener
    },
  }
}

const keysOf = ({ request: { opaqueId }, idempotencyKey }: BasketJob): string[] => [
  ...(opaqueId === undefined ? [] : [`receipt ${opaqueId}`]),
  ...(idempotencyKey === undefined ? [] : [`key ${idempotencyKey}`]),
]

/** Elsewhere a group has a slot to itself, and with it a connection; here it leaves the slot to get one. */
function withPlaces(deps: Deps) {
  const places = createLockPlaces(connectionsForWaiting(deps.pool))
  return (org: number, jobs: readonly BasketJob[], leave: () => void) =>
    processGroup(deps, org, jobs, (latest, attempt) => {
      leave()
      return places(org, latest, attempt)
    })
}

/** Processes baskets of one organization as one group, without the queue; one outcome each, in order. */
export function processGroup(
  deps: Deps,
  org: number,
  jobs: readonly BasketJob[],
  underLock?: UnderLock,
): Promise<JobResult<Processed>[]> {
  const sales: Changes<BasketJob, Processed> = {
    isFindable: true,
    underLock,
    async run(tenant, group, attempt) {
      const loaded = await loadGroup(deps, tenant, group, attempt)
      return writeGroup(tenant, loaded, group, decideGroup(loaded, group), attempt)
    },
  }
  return runAttempts(deps.pool, org, jobs, sales)
}

/** A malformed ID is a card that does not exist; the customer is still checked first. */
const noCard = 'card_00000000000000000000000000000000' as const

/** Undefined if the customer ID is malformed. */
export function toJob(
  deps: Deps,
  caller: Caller,
  request: BasketRequest,
  repeat: Repeat = {},
): BasketJob | undefined {
  const { customer, card = noCard } = request
  if (!customer) return undefined
  return {
    id: newId('txn', timeOf(deps, caller.organization)),
    caller,
    request: { ...request, customer, card },
    idempotencyKey: repeat.idempotencyKey,
    fingerprint: repeat.fingerprint,
  }
}

/** Previews that arrive together are loaded together; each fails on its own. */
async function previewAll(deps: Deps, org: number, jobs: readonly BasketJob[]): Promise<(Preview | Error)[]> {
  const group = await loadGroup(deps, tenantOf(deps.pool, org), jobs, { mode: 'read' })
  return jobs.map((job, i) => previewOne(group, job, i))
}

function previewOne(group: BasketGroup, job: BasketJob, index: number): Preview | Error {
  try {
    const decided = refuseEnded(group, job) ?? decideBasket(group, job, index)
    if (decided.kind === 'refused') return Refused.from(decided.refusal)
    return toPreview(decided, group)
  } catch (error) {
    return error as Error
  }
}
