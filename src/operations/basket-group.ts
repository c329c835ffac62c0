/**
 * A group of baskets while it is decided: what was loaded for all of them at once, and how each basket changes
 * what the next one of the same customer, or the next one under a shared limit, stands on.
 */
import { type CouponId, type CustomerId, parseId, type TransactionId } from '../domain/ids.ts'
import { Refused } from '../domain/refusal.ts'
import type { RuleUsage } from '../domain/wallet.ts'
import type { Evaluation } from '../engine/evaluate.ts'
import { localDay } from '../engine/local-time.ts'
import { walletAfter } from '../engine/wallet-after.ts'
import { type LoadedCustomer, type LoadedGroup, loadBaskets, lockWallets } from '../store/load-baskets.ts'
import { listCustomerUsage, listSharedUsage, lockSharedUsage } from '../store/rule-usage.ts'
import type { Scope } from '../store/scope.ts'
import { type BasketRequest, type Decision, decideBasket } from './decide-basket.ts'
import type { Caller, Deps } from './deps.ts'
import { findUsers, type References, referencesOf, type Setup, type Users } from './setups.ts'

/** A basket on its way. */
export interface BasketJob {
  readonly id: TransactionId
  readonly caller: Caller
  readonly request: BasketRequest & {
    readonly customer: CustomerId
    readonly card: NonNullable<BasketRequest['card']>
  }
  readonly idempotencyKey?: string
  /** Of the body; needed to tell a repeat from another basket under the same key or receipt number. */
  readonly fingerprint?: Buffer
}

export interface BasketGroup extends Pick<LoadedGroup, 'baskets' | 'products'> {
  readonly setup: Setup
  /** As they are after the baskets decided so far. */
  readonly customers: Map<CustomerId, LoadedCustomer>
  readonly users: Users
  /** Customers whose wallets somebody else holds; their baskets have to wait. */
  readonly busy: ReadonlySet<CustomerId>
  readonly usage: Usage
  readonly mode: LoadOptions['mode']
  readonly now: Date
}

export interface LoadOptions {
  /** Under lock nothing can change until the transaction ends; `lock free` locks only what nobody else holds. */
  readonly mode: 'read' | 'lock' | 'lock free'
  /** The baskets were tried before. */
  readonly isRepeat: boolean
  readonly now: Date
}

/** All jobs belong to one organization. */
export async function loadGroup(
  deps: Deps,
  scope: Scope,
  jobs: readonly BasketJob[],
  { mode, isRepeat, now }: LoadOptions,
): Promise<BasketGroup> {
  const locked = mode === 'read' ? undefined : await lockAll(scope, jobs, mode === 'lock free')
  const loaded = await loadBaskets(
    scope,
    jobs.map(({ id, request, idempotencyKey }) => ({
      id,
      customer: request.customer,
      card: request.card,
      opaqueId: request.opaqueId,
      idempotencyKey,
      coupons: couponsIn(request.basket).flatMap((text) => parseId('cpn', text) ?? []),
      products: request.basket.lines.flatMap((line) => line.product ?? []),
    })),
    { isRepeat },
  )
  const setup = await deps.setups.current(scope, loaded.setupVersion)
  // A repeat may have been written already, and is then answered as such.
  if (!setup.organization.isSubscribed && !isRepeat) throw new Refused('invalid_subscription')
  const users = await findUsers(
    scope,
    setup,
    jobs.map((job) => job.caller.user),
    jobs.flatMap((job) => job.request.user ?? []),
  )
  return {
    baskets: loaded.baskets,
    products: loaded.products,
    customers: new Map(loaded.customers),
    setup,
    users,
    busy: new Set(locked && [...loaded.customers.keys()].filter((customer) => !locked.has(customer))),
    usage: await loadUsage(scope, jobs, { setup, mode, now }),
    mode,
    now,
  }
}

function lockAll(scope: Scope, jobs: readonly BasketJob[], skipsBusy: boolean): Promise<Set<CustomerId>> {
  return lockWallets(
    scope,
    jobs.map((job) => job.request.customer),
    { skipsBusy },
  )
}

function couponsIn({ coupons, lines }: BasketRequest['basket']): CouponId[] {
  return [...coupons, ...lines.flatMap((line) => line.coupons)]
}

export function decide(group: BasketGroup, job: BasketJob, index: number): Decision {
  const { request } = job
  return decideBasket({
    request,
    loaded: group.baskets[index]!,
    customer: group.customers.get(request.customer),
    products: group.products,
    references: referencesIn(group, job),
    setup: group.setup,
    usage: usageOf(group, job),
    now: group.now,
  })
}

export function referencesIn({ setup, users }: BasketGroup, { caller, request }: BasketJob): References {
  return referencesOf(setup, users, caller.user, request)
}

/** The customer's next basket of the group, and those under a shared limit, stand on what this one has done. */
export function advance(group: BasketGroup, job: BasketJob, evaluation: Evaluation): void {
  const { customer: id } = job.request
  const { status, walletVersion, wallet } = group.customers.get(id)!
  group.customers.set(id, {
    status,
    walletVersion: walletVersion + 1,
    wallet: walletAfter(wallet, evaluation, group.now),
  })
  if (evaluation.usage.length === 0) return
  const day = dayOf(job, group)
  for (const { campaign, rule, amount, perDay, perCustomer, total } of evaluation.usage) {
    if (perDay) addUsed(group, usageKey(id, campaign, rule, day), amount)
    if (perCustomer) addUsed(group, usageKey(id, campaign, rule), amount)
    if (total) addUsed(group, usageKey('everybody', campaign, rule), amount)
  }
}

function addUsed({ usage: { used } }: BasketGroup, key: string, amount: number): void {
  used.set(key, (used.get(key) ?? 0) + amount)
}

function dayOf({ request }: BasketJob, { setup, now }: Pick<BasketGroup, 'setup' | 'now'>): string {
  return localDay(request.occurredAt ?? now, setup.organization.timezone)
}

// Limits ----------------------------------------------------------------------------------------------------

/** What limited rules have given: to each customer of the group, and to everybody. */
interface Usage {
  readonly counted: readonly { readonly campaign: RuleUsage['campaign']; readonly rule: string }[]
  readonly used: Map<string, number>
}

const usageKey = (whom: CustomerId | 'everybody', campaign: string, rule: string, day = 'ever') =>
  `${whom} ${campaign} ${rule} ${day}`

/** Limits are rare, so their counters are queries of their own, made only where a live campaign has any. */
async function loadUsage(
  scope: Scope,
  jobs: readonly BasketJob[],
  group: Pick<BasketGroup, 'setup' | 'mode' | 'now'>,
): Promise<Usage> {
  const counted = group.setup.live.flatMap(({ id, status, compiled }) =>
    status === 'published' ? compiled.countedRules.map((rule) => ({ campaign: id, ...rule })) : [],
  )
  const used = new Map<string, number>()
  if (counted.length === 0) return { counted, used }
  const customers = [...new Set(jobs.map((job) => job.request.customer))]
  const days = [...new Set(jobs.map((job) => dayOf(job, group)))]
  for (const own of await listCustomerUsage(scope, customers, days)) {
    used.set(usageKey(own.customer, own.campaign, own.rule, own.day), own.used)
  }
  const totals = counted.filter((rule) => rule.total)
  if (totals.length === 0) return { counted, used }
  const everybody =
    group.mode === 'read' ? await listSharedUsage(scope, totals) : await lockSharedUsage(scope, totals)
  for (const one of everybody) used.set(usageKey('everybody', one.campaign, one.rule), one.used)
  return { counted, used }
}

function usageOf(group: BasketGroup, job: BasketJob): RuleUsage[] {
  const { counted, used } = group.usage
  if (counted.length === 0) return []
  const { customer } = job.request
  const day = dayOf(job, group)
  return counted.map(({ campaign, rule }) => ({
    campaign,
    rule,
    day: used.get(usageKey(customer, campaign, rule, day)) ?? 0,
    customer: used.get(usageKey(customer, campaign, rule)) ?? 0,
    total: used.get(usageKey('everybody', campaign, rule)) ?? 0,
  }))
}
