/**
 * Baskets, processed in groups and previewed alone.
 *
 * A group is first decided on what one statement read, without locks, and written by a statement that lets
 * only unchanged wallets pass (`write-baskets.ts`). What that cannot settle is decided again under lock: a
 * wallet that moved in between, a reference seen for the first time, a limit shared by all customers, or a
 * statement that failed, after which each basket runs alone so that only the culprit fails.
 *
 * Every try of a basket carries the same transaction id. When an answer is lost on its way back from the
 * database, the next try finds the transaction that was committed, so trying again never counts twice.
 */
import { classifyError, isConnectionError } from '../database/classify-error.ts'
import { type CouponId, type CustomerId, parseId, type TransactionId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { type Refusal, Refused } from '../domain/refusal.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { RuleUsage } from '../domain/wallet.ts'
import type { AttachedCampaign } from '../engine/compile-campaign.ts'
import { localDay } from '../engine/local-time.ts'
import { ensureReferences } from '../store/directory.ts'
import { type LoadedBasket, type LoadedGroup, loadBaskets, lockWallets } from '../store/load-baskets.ts'
import { newId } from '../store/new-id.ts'
import { listCustomerUsage, listSharedUsage, lockSharedUsage, type SharedUsage } from '../store/rule-usage.ts'
import { inTransaction, type Scope, scopeOf } from '../store/scope.ts'
import { listTransactionsByIds } from '../store/transactions.ts'
import { type BasketWrite, updateSharedUsage, writeBaskets } from '../store/write-baskets.ts'
import { createBatch } from './batch.ts'
import { type BasketRequest, type Decision, decideBasket, liveCampaigns } from './decide-basket.ts'
import type { Caller, Deps } from './deps.ts'
import { createGroupCommit, type Outcome } from './group-commit.ts'
import { type NewReferences, toBasketWrite, toPreview } from './transaction-record.ts'

export interface Processed {
  readonly transaction: Transaction
  readonly isReplay: boolean
}

/** A transaction that was not made: it has no id, and its references may not exist yet. */
export type Preview = Omit<Transaction, 'id' | 'user' | 'branch' | 'userOpaqueId' | 'branchOpaqueId'> &
  Partial<Pick<Transaction, 'user' | 'branch' | 'userOpaqueId' | 'branchOpaqueId'>>

export interface Repeat {
  readonly idempotencyKey?: string
  /** Of the body; needed to tell a repeat from another basket under the same key or receipt number. */
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

/** A basket on its way through the group commit. */
interface Job extends Repeat {
  readonly id: TransactionId
  readonly caller: Caller
  readonly request: BasketRequest & {
    readonly customer: CustomerId
    readonly card: NonNullable<BasketRequest['card']>
  }
}

export interface TransactionsOptions {
  readonly deps: Deps
  /** Groups that may be written at the same time. */
  readonly writers?: number
  readonly maxGroup?: number
  readonly maxWaiting?: number
}

const maxTries = 4
/** Beyond this a caller is better served by a 503 than by one more try. */
const maxRetryMs = 5_000

export function createTransactions(options: TransactionsOptions): Transactions {
  const { deps } = options
  const groups = createGroupCommit<Job, Processed>({
    run: (_org, jobs) => runGroup(deps, jobs),
    writers: options.writers ?? 2,
    maxGroup: options.maxGroup ?? 128,
    maxWaiting: options.maxWaiting ?? 5_000,
  })
  const askPreview = createBatch((jobs: readonly Job[]) => previewAll(deps, jobs), previewLimits)
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
async function previewAll(deps: Deps, jobs: readonly Job[]): Promise<(Preview | Error)[]> {
  const answers = new Map<Job, Preview | Error>()
  const byOrganization = new Map<number, Job[]>()
  for (const job of jobs) {
    const org = job.caller.organization.number
    byOrganization.set(org, [...(byOrganization.get(org) ?? []), job])
  }
  for (const [org, own] of byOrganization) {
    const now = deps.clock()
    try {
      const group = await loadGroup(deps, scopeOf(deps.pool, org), own, now, 'read')
      own.forEach((job, i) => {
        answers.set(job, previewOne(group, job, i, now))
      })
    } catch (error) {
      for (const job of own) answers.set(job, error as Error)
    }
  }
  return jobs.map((job) => answers.get(job)!)
}

function previewOne(group: Group, job: Job, index: number, now: Date): Preview | Error {
  try {
    const decision = decide(group, job, index, now)
    if (!decision.ok) return refused(decision.refusal)
    return toPreview(job.request, group.loaded.baskets[index]!, decision, now)
  } catch (error) {
    return error as Error
  }
}

function refused({ code, description }: Refusal): Refused {
  return new Refused(code, description)
}

// Loading ---------------------------------------------------------------------------------------------------

interface Group {
  readonly loaded: LoadedGroup
  readonly live: readonly AttachedCampaign[]
  /** What limited rules have given: to each customer of the group, and to everybody so far. */
  readonly usageOf: (customer: CustomerId, day: string) => RuleUsage[]
  readonly shared: Map<string, SharedUsage>
}

async function loadGroup(
  deps: Deps,
  scope: Scope,
  jobs: readonly Job[],
  now: Date,
  mode: 'read' | 'lock',
): Promise<Group> {
  if (mode === 'lock')
    await lockWallets(
      scope,
      jobs.map((job) => job.request.customer),
    )
  const loaded = await loadBaskets(
    scope,
    jobs.map(({ id, caller, request, idempotencyKey }) => ({
      id,
      customer: request.customer,
      card: request.card,
      caller: caller.user,
      user: request.user,
      branch: request.branch,
      opaqueId: request.opaqueId,
      idempotencyKey,
      coupons: couponsIn(request.basket).flatMap((text) => parseId('cpn', text) ?? []),
      products: request.basket.lines.flatMap((line) => line.product ?? []),
    })),
  )
  const organization = jobs[0]!.caller.organization
  const live = await liveCampaigns(deps.campaigns, scope, organization, loaded)
  return { loaded, live, ...(await loadUsage(scope, jobs, live, now, mode)) }
}

function couponsIn({ coupons, lines }: BasketRequest['basket']): CouponId[] {
  return [...coupons, ...lines.flatMap((line) => line.coupons)]
}

/** Limits are rare, so their counters are a query of their own, made only where a live campaign has any. */
async function loadUsage(
  scope: Scope,
  jobs: readonly Job[],
  live: readonly AttachedCampaign[],
  now: Date,
  mode: 'read' | 'lock',
): Promise<Pick<Group, 'usageOf' | 'shared'>> {
  const counted = live.flatMap(({ id, compiled }) =>
    compiled.countedRules.map((rule) => ({ campaign: id, ...rule })),
  )
  if (counted.length === 0) return { usageOf: () => [], shared: new Map() }
  const customers = jobs.map((job) => job.request.customer)
  const days = [...new Set(jobs.map((job) => dayOf(job, now)))]
  const own = await listCustomerUsage(scope, customers, days)
  const totals = counted.filter((rule) => rule.total)
  const everybody =
    mode === 'lock' ? await lockSharedUsage(scope, totals) : await listSharedUsage(scope, totals)
  const shared = new Map(everybody.map((usage) => [ruleKey(usage), usage]))
  const used = (customer: CustomerId, rule: { campaign: string; rule: string }, day: string | undefined) =>
    own.find(
      (one) =>
        one.customer === customer &&
        one.campaign === rule.campaign &&
        one.rule === rule.rule &&
        one.day === day,
    )?.used ?? 0
  return {
    shared,
    usageOf: (customer, day) =>
      counted.map((rule) => ({
        campaign: rule.campaign,
        rule: rule.rule,
        day: used(customer, rule, day),
        customer: used(customer, rule, undefined),
        total: shared.get(ruleKey(rule))?.used ?? 0,
      })),
  }
}

const ruleKey = ({ campaign, rule }: { campaign: string; rule: string }) => `${campaign} ${rule}`

function dayOf(job: Job, now: Date): string {
  return localDay(job.request.occurredAt ?? now, job.caller.organization.timezone)
}

function decide(group: Group, job: Job, index: number, now: Date): Decision {
  return decideBasket({
    request: job.request,
    loaded: group.loaded.baskets[index]!,
    products: group.loaded.products,
    live: group.live,
    usage: group.usageOf(job.request.customer, dayOf(job, now)),
    organization: job.caller.organization,
    now,
  })
}

// Processing ------------------------------------------------------------------------------------------------

type Settled = Outcome<Processed> | 'again'

/**
 * Runs a group to its end: every basket gets its transaction, its refusal or its fault. The first try is made
 * without locks, the next ones under lock; a statement that fails for a reason of its own is run again basket by
 * basket, so that only the culprit fails.
 */
async function runGroup(deps: Deps, jobs: readonly Job[]): Promise<Outcome<Processed>[]> {
  const outcomes = new Map<Job, Outcome<Processed>>()
  const startedAt = performance.now()
  let left = jobs
  let fault: unknown = new Refused(
    '_unavailable',
    'The customer is being changed by others. Repeat the call.',
  )
  for (let attempt = 1; left.length > 0 && attempt <= maxTries; attempt++) {
    try {
      const settled = await (attempt === 1 ? runUnlocked(deps, left) : runLocked(deps, left))
      left.forEach((job, i) => {
        const outcome = settled[i]!
        if (outcome !== 'again') outcomes.set(job, outcome)
      })
      left = left.filter((job) => !outcomes.has(job))
    } catch (error) {
      fault = error
      if (classifyError(error) === 'other' && left.length > 1) {
        for (const job of left) outcomes.set(job, (await runGroup(deps, [job]))[0]!)
        left = []
      }
      const mayPass = isConnectionError(error) || classifyError(error) === 'retry' || isUniqueViolation(error)
      if (!mayPass || performance.now() - startedAt > maxRetryMs) break
    }
  }
  return jobs.map((job) => outcomes.get(job) ?? { ok: false, error: fault })
}

/** Another process has just used the same receipt number or key; the next load will see it. */
function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: unknown }).code === '23505'
}

async function runUnlocked(deps: Deps, jobs: readonly Job[]): Promise<Settled[]> {
  const scope = scopeOf(deps.pool, jobs[0]!.caller.organization.number)
  const now = deps.clock()
  const group = await loadGroup(deps, scope, jobs, now, 'read')
  const needsLock = group.live.some(({ compiled }) => compiled.countedRules.some((rule) => rule.total))
  if (needsLock) return jobs.map(() => 'again')
  return writeDecided(scope, group, jobs, now, (loaded, job) =>
    hasNewReferences(group.loaded, loaded, job.request)
      ? 'again'
      : { user: loaded.user!, branch: loaded.branch! },
  )
}

/** The same under lock, where nothing can come in between and new references can be added. */
async function runLocked(deps: Deps, jobs: readonly Job[]): Promise<Settled[]> {
  const org = jobs[0]!.caller.organization.number
  const work = async (scope: Scope) => {
    const now = deps.clock()
    const group = await loadGroup(deps, scope, jobs, now, 'lock')
    return writeDecided(scope, group, jobs, now, (loaded, job) =>
      addReferences(scope, loaded, job.request, now),
    )
  }
  // Trying again is the caller's business: it knows that the baskets carry their ids.
  return inTransaction(deps.pool, org, work, { maxAttempts: 1 })
}

function hasNewReferences(group: LoadedGroup, loaded: LoadedBasket, { basket }: BasketRequest): boolean {
  if (!loaded.user || !loaded.branch) return true
  return basket.lines.some((line) => line.product !== undefined && !group.products.has(line.product))
}

async function addReferences(
  scope: Scope,
  loaded: LoadedBasket,
  { basket, user, branch }: BasketRequest,
  now: Date,
): Promise<NewReferences> {
  const products = basket.lines.flatMap((line) => line.product ?? [])
  await ensureReferences(scope, 'products', products, now)
  const branches = await ensureReferences(scope, 'branches', loaded.branch ? [] : [branch!], now)
  const users = await ensureReferences(scope, 'users', loaded.user ? [] : [user!], now)
  return {
    branch: loaded.branch ?? { id: branches.get(branch!)! as never, opaqueId: branch! },
    user: loaded.user ?? { id: users.get(user!)! as never, opaqueId: user! },
  }
}

async function writeDecided(
  scope: Scope,
  group: Group,
  jobs: readonly Job[],
  now: Date,
  references: (loaded: LoadedBasket, job: Job) => NewReferences | 'again' | Promise<NewReferences>,
): Promise<Settled[]> {
  const settled: (Settled | undefined)[] = jobs.map(() => undefined)
  const writes: (BasketWrite | undefined)[] = jobs.map(() => undefined)
  const replays: { index: number; id: TransactionId }[] = []
  for (const [i, job] of jobs.entries()) {
    const loaded = group.loaded.baskets[i]!
    // An erased customer is gone, also for a repeat of what it once bought.
    const earlier = loaded.wallet ? findEarlier(job, loaded) : new Refused('customer_not_found')
    if (earlier instanceof Refused) settled[i] = { ok: false, error: earlier }
    else if (earlier) replays.push({ index: i, id: earlier })
    if (earlier) continue
    const decision = decide(group, job, i, now)
    if (!decision.ok) {
      settled[i] = { ok: false, error: refused(decision.refusal) }
      continue
    }
    const found = await references(loaded, job)
    if (found === 'again') {
      settled[i] = 'again'
      continue
    }
    writes[i] = toBasketWrite({ ...job, loaded, decision, references: found, day: dayOf(job, now), now })
    // Baskets of one group that share a limit see what those before them have taken of it.
    for (const used of decision.evaluation.usage.filter((one) => one.total)) {
      const key = ruleKey(used)
      const before = group.shared.get(key)?.used ?? 0
      group.shared.set(key, { campaign: used.campaign, rule: used.rule, used: before + used.amount })
    }
  }
  const passed = await write(scope, jobs[0]!.caller.organization, writes, now)
  const replayed = await readReplays(scope, replays, jobs)
  return jobs.map((job, i): Settled => {
    const write = writes[i]
    if (!write) return settled[i] ?? replayed.get(i) ?? 'again'
    return passed.has(job.request.customer)
      ? { ok: true, result: { transaction: write.transaction, isReplay: false } }
      : 'again'
  })
}

async function write(
  scope: Scope,
  organization: Organization,
  candidates: readonly (BasketWrite | undefined)[],
  now: Date,
) {
  const writes = candidates.filter((write) => write !== undefined)
  if (writes.length === 0) return new Set<CustomerId>()
  await updateSharedUsage(
    scope,
    writes.flatMap((write) => write.sharedUsage),
  )
  return writeBaskets(scope, writes, now, localDay(now, organization.timezone))
}

/** The transaction a repeated call already made, or the refusal when only its key or receipt number is the same. */
function findEarlier(job: Job, { earlier }: LoadedBasket): TransactionId | Refused | undefined {
  const { byId, byIdempotencyKey, byOpaqueId } = earlier
  if (byId) return job.id
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
  jobs: readonly Job[],
): Promise<Map<number, Settled>> {
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
