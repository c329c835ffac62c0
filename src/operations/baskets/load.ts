/** Loads everything that the decisions of a group of baskets need, together. */
import { type CouponId, type CustomerId, parseId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import type { RuleUsage } from '../../domain/wallet.ts'
import { localDay } from '../../engine/clock/local-time.ts'
import { counterKey, type RuleCounters } from '../../engine/steps/rule-counters.ts'
import type { KnownDue } from '../../store/due-work.ts'
import { type LoadedGroup, loadBaskets } from '../../store/load-baskets.ts'
import { listCustomerUsage, listSharedUsage, lockSharedUsage } from '../../store/rule-usage.ts'
import type { Tenant } from '../../store/tenant.ts'
import { lockWallets } from '../../store/wallets/load.ts'
import type { Deps } from '../deps.ts'
import { findUsers, type Setup, type Users } from '../organizations/setup-cache.ts'
import { timeOf } from '../organizations/time-of.ts'
import type { Attempt } from '../wallets/attempts.ts'
import type { BasketJob, BasketRequest } from './job.ts'

export interface BasketGroup extends Pick<LoadedGroup, 'baskets' | 'customers' | 'products'> {
  readonly setup: Setup
  /** When the organization's background work is due. */
  readonly due: KnownDue
  readonly users: Users
  /** Customers whose wallets are locked elsewhere; their baskets have to wait. */
  readonly busy: ReadonlySet<CustomerId>
  readonly usage: Usage
  readonly mode: Attempt['mode']
  /** By the organization's clock. */
  readonly now: Date
  /** For what opened a token. */
  readonly realNow: Date
}

/** What limited rules have given: to each customer of the group, and to all customers. */
export interface Usage {
  readonly counted: readonly { readonly campaign: RuleUsage['campaign']; readonly rule: string }[]
  readonly hasSharedLimits: boolean
  readonly used: RuleCounters
}

/** All jobs belong to one organization. */
export async function loadGroup(
  deps: Deps,
  tenant: Tenant,
  jobs: readonly BasketJob[],
  { mode }: Pick<Attempt, 'mode'>,
): Promise<BasketGroup> {
  // Only the first attempt runs without locks, so an earlier one may have committed.
  const isRepeat = mode !== 'read'
  const customers = jobs.map((job) => job.request.customer)
  const locked =
    mode === 'read' ? undefined : await lockWallets(tenant, customers, { skipsBusy: mode === 'lock idle' })
  const { loaded, setup } = await loadWithSetup(deps, tenant, jobs, isRepeat)
  const now = timeOf(deps, setup.organization)
  // A retry may already have committed, and then gets its response.
  if (!setup.organization.isSubscribed && !isRepeat) throw new Refused('invalid_subscription')
  const users = await findUsers(
    tenant,
    setup,
    jobs.map((job) => job.caller.user),
    jobs.flatMap((job) => job.request.user ?? []),
  )
  return {
    baskets: loaded.baskets,
    products: loaded.products,
    customers: loaded.customers,
    setup,
    due: loaded.setup.due,
    users,
    busy: new Set(locked && [...loaded.customers.keys()].filter((customer) => !locked.has(customer))),
    usage: await loadUsage(tenant, jobs, { setup, mode, now }),
    mode,
    now,
    realNow: deps.clock(),
  }
}

/**
 * What to ask for depends on the setup, which is cached: if it turns out that the organization has an archive
 * by now, it is asked for again.
 */
async function loadWithSetup(deps: Deps, tenant: Tenant, jobs: readonly BasketJob[], isRepeat: boolean) {
  const keys = jobs.map(({ id, request, idempotencyKey }) => ({
    id,
    customer: request.customer,
    card: request.card,
    opaqueId: request.opaqueId,
    idempotencyKey,
    coupons: couponsIn(request.basket).flatMap((text) => parseId('cpn', text) ?? []),
    products: request.basket.lines.flatMap((line) => line.product ?? []),
  }))
  const { dueKinds, hasArchive = true } = deps.setupCache.peek(tenant.orgId) ?? {}
  const loaded = await loadBaskets(tenant, keys, { isRepeat, dueKinds, hasArchive })
  const setup = await deps.setupCache.get(tenant, loaded.setup.version)
  if (hasArchive || !setup.hasArchive) return { loaded, setup }
  return { loaded: await loadBaskets(tenant, keys, { isRepeat, dueKinds }), setup }
}

function couponsIn({ coupons, lines }: BasketRequest['basket']): CouponId[] {
  return [...coupons, ...lines.flatMap((line) => line.coupons)]
}

/** Limits are rare, so their counters are read separately, and only if a live campaign has any. */
async function loadUsage(
  tenant: Tenant,
  jobs: readonly BasketJob[],
  group: Pick<BasketGroup, 'setup' | 'mode' | 'now'>,
): Promise<Usage> {
  const counted = group.setup.live.flatMap(({ id, status, compiled }) =>
    status === 'published' ? compiled.countedRules.map((rule) => ({ campaign: id, ...rule })) : [],
  )
  const used = new Map<string, number>()
  const shared = counted.filter((rule) => rule.isShared)
  const usage = { counted, hasSharedLimits: shared.length > 0, used }
  if (counted.length === 0) return usage
  const customers = [...new Set(jobs.map((job) => job.request.customer))]
  const days = [...new Set(jobs.map((job) => dayOf(job, group)))]
  for (const own of await listCustomerUsage(tenant, customers, days)) {
    used.set(counterKey(own.customer, own.campaign, own.rule, own.day), own.used)
  }
  if (shared.length === 0) return usage
  const everybody =
    group.mode === 'read' ? await listSharedUsage(tenant, shared) : await lockSharedUsage(tenant, shared)
  for (const { campaign, rule, used: amount } of everybody) {
    used.set(counterKey('everybody', campaign, rule), amount)
  }
  return usage
}

/** Local day that a basket counts toward. */
export function dayOf({ request }: BasketJob, { setup, now }: Pick<BasketGroup, 'setup' | 'now'>): string {
  return localDay(request.occurredAt ?? now, setup.organization.timezone)
}
