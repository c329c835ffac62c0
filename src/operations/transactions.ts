/**
 * Baskets, processed in groups and previewed alone.
 *
 * A group is first decided on what one round trip read, without locks, and written by another that writes only
 * if no wallet has changed since (`write-baskets.ts`). What that cannot settle is decided again under lock: a
 * wallet that moved in between, a reference seen for the first time, a limit shared by all customers, or a
 * statement that failed, after which each basket runs alone so that only the culprit fails.
 *
 * Every try of a basket carries the same transaction id. When an answer is lost on its way back from the
 * database, the next try finds the transaction that was committed, so trying again never counts twice.
 */
import { classifyError, isConnectionError, isLockTimeout } from '../database/classify-error.ts'
import type { CustomerId, TransactionId } from '../domain/ids.ts'
import { type Refusal, Refused } from '../domain/refusal.ts'
import type { Transaction } from '../domain/transaction.ts'
import { localDay } from '../engine/local-time.ts'
import { ensureReferences } from '../store/directory.ts'
import type { LoadedBasket, LoadedCustomer } from '../store/load-baskets.ts'
import { newId } from '../store/new-id.ts'
import { inTransaction, type Scope, scopeOf } from '../store/scope.ts'
import { touchSetup } from '../store/setup.ts'
import { listTransactionsByIds } from '../store/transactions.ts'
import { type BasketWrite, updateSharedUsage, writeBaskets } from '../store/write-baskets.ts'
import { advance, type BasketGroup, type BasketJob, decide, loadGroup, referencesIn } from './basket-group.ts'
import { createBatch } from './batch.ts'
import type { BasketRequest, Decision } from './decide-basket.ts'
import type { Caller, Deps } from './deps.ts'
import { createGroupCommit, type Outcome } from './group-commit.ts'
import type { References } from './setups.ts'
import { type NewReferences, toBasketWrite, toPreview } from './transaction-record.ts'

export interface Processed {
  readonly transaction: Transaction
  readonly isReplay: boolean
}

/** A transaction that was not made: it has no id, and its references may not exist yet. */
export type Preview = Omit<Transaction, 'id' | 'user' | 'branch' | 'userOpaqueId' | 'branchOpaqueId'> &
  Partial<Pick<Transaction, 'user' | 'branch' | 'userOpaqueId' | 'branchOpaqueId'>> & {
    /** The most points that may pay for the basket; undefined when the card lets none be spent. */
    readonly spendable?: { readonly balance: string; readonly most: number }
  }

export interface Repeat {
  readonly idempotencyKey?: string
  /** Of the body. */
  readonly fingerprint?: Buffer
}

export interface Transactions {
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

const maxTries = 4
/** Beyond this a caller is better served by a 503 than by one more try. */
const maxRetryMs = 5_000

export function createTransactions(options: TransactionsOptions): Transactions {
  const { deps } = options
  const groups = createGroupCommit<BasketJob, Processed>({
    run: (_org, jobs) => runGroup(deps, jobs),
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
      const { customer, card } = request
      if (!customer) return Promise.reject(new Refused('customer_not_found'))
      // An id that cannot be one is a card nobody has; the customer is still looked at first.
      const job = {
        ...repeat,
        id: newId('txn', deps.clock()),
        caller,
        request: { ...request, customer, card: card ?? noCard },
      }
      return groups.submit(caller.organization.number, customer, job)
    },
    async validate(caller, request) {
      const { customer, card } = request
      if (!customer) throw new Refused('customer_not_found')
      const job = {
        id: newId('txn', deps.clock()),
        caller,
        request: { ...request, customer, card: card ?? noCard },
      }
      const answer = await askPreview(job)
      if (answer instanceof Error) throw answer
      return answer
    },
    drain: () => groups.drain(),
    get size() {
      return groups.size
    },
  }
}

const previewLimits = { maxRunning: 2, maxBatch: 128, maxWaiting: 5_000 }

const noCard = 'card_00000000000000000000000000000000' as const

/** Previews that arrive together are loaded together, an organization at a time; what fails, fails for itself. */
async function previewAll(deps: Deps, jobs: readonly BasketJob[]): Promise<(Preview | Error)[]> {
  const answers = new Map<BasketJob, Preview | Error>()
  const byOrganization = new Map<number, BasketJob[]>()
  for (const job of jobs) {
    const org = job.caller.organization.number
    byOrganization.set(org, [...(byOrganization.get(org) ?? []), job])
  }
  for (const [org, own] of byOrganization) {
    const now = deps.clock()
    try {
      const scope = scopeOf(deps.pool, org)
      const group = await loadGroup(deps, scope, own, { mode: 'read', isRepeat: false, now })
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
    const decision = decide(group, job, index)
    if (!decision.ok) return refused(decision.refusal)
    return toPreview(job.request, referencesIn(group, job), group.setup.decimals, decision, group.now)
  } catch (error) {
    return error as Error
  }
}

function refused(refusal: Refusal): Refused {
  return Refused.from(refusal)
}

// Processing ------------------------------------------------------------------------------------------------

type Settled = Outcome<Processed> | 'again'

/**
 * Runs a group to its end: every basket gets its transaction, its refusal or its fault. The first try is made
 * without locks, the second under the locks of wallets that are free, the next ones under lock whoever holds them;
 * a statement that fails for a reason of its own is run again basket by basket, so that only the culprit fails.
 * Whatever is not the first try looks for what an earlier one may have written.
 */
async function runGroup(deps: Deps, jobs: readonly BasketJob[], firstTry = 1): Promise<Outcome<Processed>[]> {
  const outcomes = new Map<BasketJob, Outcome<Processed>>()
  const startedAt = performance.now()
  let left = jobs
  let fault: unknown
  for (let attempt = firstTry; left.length > 0 && attempt <= maxTries; attempt++) {
    try {
      const mode = attempt === 2 ? 'lock free' : 'lock'
      const settled = await (attempt === 1 ? runUnlocked(deps, left) : runLocked(deps, left, mode))
      left.forEach((job, i) => {
        const outcome = settled[i]!
        if (outcome !== 'again') outcomes.set(job, outcome)
      })
      left = left.filter((job) => !outcomes.has(job))
    } catch (error) {
      fault = error
      if (error instanceof Refused) break
      if (classifyError(error) === 'other' && left.length > 1) {
        for (const job of left) outcomes.set(job, (await runGroup(deps, [job], 2))[0]!)
        left = []
      }
      const mayPass = isConnectionError(error) || classifyError(error) === 'retry' || isPassing(error)
      if (!mayPass || performance.now() - startedAt > maxRetryMs) break
    }
  }
  return jobs.map(
    (job) => outcomes.get(job) ?? { ok: false, error: fault ?? new Refused('_unavailable', busy) },
  )
}

const busy = 'The customer is being changed by others. Repeat the call.'

/**
 * A receipt number or key that another process has just used, which the next load will see; or a wallet that
 * somebody else holds, which the next try leaves for later.
 */
function isPassing(error: unknown): boolean {
  return isLockTimeout(error) || (error as { code?: unknown }).code === uniqueViolation
}

const uniqueViolation = '23505'

async function runUnlocked(deps: Deps, jobs: readonly BasketJob[]): Promise<Settled[]> {
  const scope = scopeOf(deps.pool, jobs[0]!.caller.organization.number)
  const group = await loadGroup(deps, scope, jobs, { mode: 'read', isRepeat: false, now: deps.clock() })
  const needsLock = group.setup.live.some(
    ({ status, compiled }) => status === 'published' && compiled.countedRules.some((rule) => rule.total),
  )
  if (needsLock) return jobs.map(() => 'again')
  return writeDecided(scope, group, jobs, ({ user, branch }, { request }) =>
    Boolean(user && branch && newProducts(group, request).length === 0),
  )
}

/** The same under lock, where nothing can come in between and new references can be added. */
async function runLocked(
  deps: Deps,
  jobs: readonly BasketJob[],
  mode: 'lock' | 'lock free',
): Promise<Settled[]> {
  const org = jobs[0]!.caller.organization.number
  const work = async (scope: Scope) => {
    const group = await loadGroup(deps, scope, jobs, { mode, isRepeat: true, now: deps.clock() })
    return writeDecided(scope, group, jobs, () => true)
  }
  // Trying again is the caller's business: it knows that the baskets carry their ids.
  return inTransaction(deps.pool, org, work, { maxAttempts: 1 })
}

function newProducts(group: BasketGroup, { basket }: BasketRequest): string[] {
  return basket.lines.flatMap((line) =>
    line.product !== undefined && !group.products.has(line.product) ? [line.product] : [],
  )
}

/**
 * Adds what the baskets name and the directory does not have, for all of them at once and always in the same order:
 * another process may be about to add the same.
 */
async function addReferences(
  scope: Scope,
  group: BasketGroup,
  accepted: readonly AcceptedBasket[],
): Promise<(one: AcceptedBasket) => NewReferences> {
  const add = (kind: 'products' | 'branches' | 'users', names: readonly string[]) =>
    ensureReferences(scope, kind, names, group.now)
  const newBranches = accepted.flatMap(({ known, job }) => (known.branch ? [] : [job.request.branch!]))
  const newUsers = accepted.flatMap(({ known, job }) => (known.user ? [] : [job.request.user!]))
  await add(
    'products',
    accepted.flatMap(({ job }) => newProducts(group, job.request)),
  )
  const branches = await add('branches', newBranches)
  const users = await add('users', newUsers)
  if (newBranches.length > 0 || newUsers.length > 0) await touchSetup(scope)
  return ({ known, job: { request } }) => ({
    branch: known.branch ?? { id: branches.get(request.branch!)! as never, opaqueId: request.branch! },
    user: known.user ?? { id: users.get(request.user!)! as never, opaqueId: request.user! },
  })
}

/** A basket that will be written, with what it was decided on. */
interface AcceptedBasket {
  readonly job: BasketJob
  readonly index: number
  readonly known: References
  readonly customer: LoadedCustomer
  readonly decision: Extract<Decision, { ok: true }>
}

/** `isReady` tells whether a basket's references are there; one that is not waits for the next try. */
async function writeDecided(
  scope: Scope,
  group: BasketGroup,
  jobs: readonly BasketJob[],
  isReady: (known: References, job: BasketJob) => boolean,
): Promise<Settled[]> {
  const settled: Settled[] = []
  const accepted: AcceptedBasket[] = []
  const replays: { index: number; id: TransactionId }[] = []
  // A basket that waits keeps those of its customer that came after it waiting too.
  const waiting = new Set<CustomerId>(group.busy)
  jobs.forEach((job, index) => {
    const outcome = waiting.has(job.request.customer) ? 'again' : decideOne(group, job, index, isReady)
    if (outcome === 'again') waiting.add(job.request.customer)
    if (typeof outcome === 'object' && 'replayed' in outcome) replays.push({ index, id: outcome.replayed })
    if (typeof outcome === 'object' && 'decision' in outcome) accepted.push(outcome)
    settled.push(typeof outcome === 'object' && 'ok' in outcome ? outcome : 'again')
  })
  const references = await addReferences(scope, group, accepted)
  const writes = accepted.map((one) => toWrite(group, one, references(one)))
  const isWritten = await write(scope, group, writes)
  accepted.forEach(({ index }, i) => {
    settled[index] = { ok: true, result: { transaction: writes[i]!.transaction, isReplay: false } }
  })
  const replayed = await readReplays(scope, replays, jobs)
  // When one wallet had moved nothing was written, and refusals may have rested on baskets before them.
  return settled.map((outcome, i) => replayed.get(i) ?? (isWritten ? outcome : 'again'))
}

function toWrite(group: BasketGroup, one: AcceptedBasket, references: NewReferences): BasketWrite {
  const { decimals, organization } = group.setup
  return toBasketWrite({
    ...one.job,
    customer: one.customer,
    decision: one.decision,
    references,
    decimals,
    timezone: organization.timezone,
    now: group.now,
  })
}

type Decided = Settled | AcceptedBasket | { readonly replayed: TransactionId }

function decideOne(
  group: BasketGroup,
  job: BasketJob,
  index: number,
  isReady: (known: References, job: BasketJob) => boolean,
): Decided {
  const loaded = group.baskets[index]!
  // Our own earlier try; nothing that has happened since makes it undone.
  if (loaded.earlier.byId) return { replayed: job.id }
  const customer = group.customers.get(job.request.customer)
  // An erased customer is gone, also for a repeat of what it once bought.
  const earlier = customer ? findEarlier(job, loaded) : new Refused('customer_not_found')
  if (earlier instanceof Refused) return { ok: false, error: earlier }
  if (earlier) return { replayed: earlier }
  const decision = decide(group, job, index)
  if (!decision.ok) return { ok: false, error: refused(decision.refusal) }
  const known = referencesIn(group, job)
  if (!isReady(known, job)) return 'again'
  advance(group, job, decision.evaluation)
  return { job, index, known, customer: customer!, decision }
}

/** Whether all of them were written; none is, when a wallet is no longer as it was read. */
async function write(
  scope: Scope,
  { now, mode, setup: { organization } }: BasketGroup,
  writes: readonly BasketWrite[],
): Promise<boolean> {
  if (writes.length === 0) return true
  await updateSharedUsage(
    scope,
    writes.flatMap((one) => one.sharedUsage),
  )
  return writeBaskets(scope, writes, {
    now,
    day: localDay(now, organization.timezone),
    isLocked: mode !== 'read',
  })
}

/** The transaction a repeated call already made, or the refusal when only its key or receipt number is the same. */
function findEarlier(job: BasketJob, { earlier }: LoadedBasket): TransactionId | Refused | undefined {
  const { byIdempotencyKey, byOpaqueId } = earlier
  const isSame = (print: Buffer | undefined) => print !== undefined && job.fingerprint?.equals(print)
  if (byIdempotencyKey) {
    return isSame(byIdempotencyKey.fingerprint) ? byIdempotencyKey.id : new Refused('idempotency_key_reused')
  }
  if (byOpaqueId) {
    return isSame(byOpaqueId.fingerprint) ? byOpaqueId.id : new Refused('transaction_already_exists')
  }
  return undefined
}

async function readReplays(
  scope: Scope,
  replays: readonly { index: number; id: TransactionId }[],
  jobs: readonly BasketJob[],
): Promise<Map<number, Settled>> {
  if (replays.length === 0) return new Map()
  const found = await listTransactionsByIds(
    scope,
    replays.map((replay) => replay.id),
  )
  return new Map(
    replays.map(({ index, id }) => {
      const transaction = found.find((one) => one.id === id)!
      // Our own id: not a repeat by the client but the answer we lost.
      return [index, { ok: true, result: { transaction, isReplay: id !== jobs[index]!.id } }]
    }),
  )
}
