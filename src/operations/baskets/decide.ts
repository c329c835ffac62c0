/**
 * Decides a loaded group, basket by basket: replays first, then refusals about customer, card and references
 * in their order, then the engine. Each basket is decided on the state that those before it leave. Nothing is
 * read or written here, and both preview and sale use this code, so what `validate` shows is what `process`
 * does.
 */
import type { Basket } from '../../domain/basket.ts'
import { cardStatus, customerStatus } from '../../domain/customer.ts'
import type { CampaignId, CustomerId, TransactionId } from '../../domain/ids.ts'
import type { Refusal } from '../../domain/refusal.ts'
import type { RuleUsage } from '../../domain/wallet.ts'
import type { AttachedCampaign } from '../../engine/definition/compile-campaign.ts'
import { type Evaluation, evaluate } from '../../engine/evaluate.ts'
import { countUsage, usageFor } from '../../engine/steps/rule-counters.ts'
import { walletAfter } from '../../engine/steps/wallet-after.ts'
import { isLive } from '../../store/live-credentials.ts'
import type { LoadedBasket, LoadedCustomer } from '../../store/load-baskets.ts'
import { endedTokenReason } from '../organizations/organization-reader.ts'
import { type References, referencesOf } from '../organizations/setup-cache.ts'
import type { BasketJob } from './job.ts'
import { type BasketGroup, dayOf } from './load.ts'
import { archivedRefusal } from './missing-sale.ts'
import { refuseWrongTime } from './refuse-wrong-time.ts'

export type Decided =
  | Accepted
  | Refused
  /** The transaction that an earlier request, or an earlier attempt of this one, has created. */
  | { readonly kind: 'replayed'; readonly transaction: TransactionId }
  /** To be decided again, under lock. */
  | { readonly kind: 'deferred' }

export interface Refused {
  readonly kind: 'refused'
  readonly refusal: Refusal
}

export interface Accepted {
  readonly kind: 'accepted'
  readonly job: BasketJob
  /** State before this basket. */
  readonly customer: LoadedCustomer
  readonly references: References
  readonly campaigns: readonly AttachedCampaign[]
  /** The basket as evaluated: with the branch, the time and the categories of its products. */
  readonly basket: Basket
  readonly evaluation: Evaluation
}

/** State for the next basket of a customer, or the next one under a shared limit. */
interface Standing {
  readonly customers: ReadonlyMap<CustomerId, LoadedCustomer>
  readonly used: ReadonlyMap<string, number>
}

export function decideGroup(group: BasketGroup, jobs: readonly BasketJob[]): Decided[] {
  if (group.mode === 'read' && group.usage.hasSharedLimits) return jobs.map(() => ({ kind: 'deferred' }))
  const customers = new Map(group.customers)
  const used = new Map(group.usage.used)
  // If a basket is deferred, the customer's later ones are deferred, too.
  const waiting = new Set(group.busy)
  return jobs.map((job, index) => {
    const { customer } = job.request
    const decided = waiting.has(customer) ? deferred : decideInTurn(group, job, index, { customers, used })
    if (decided.kind === 'deferred') waiting.add(customer)
    if (decided.kind === 'accepted') applyDecision(customers, used, decided, group)
    return decided
  })
}

const deferred: Decided = { kind: 'deferred' }

function decideInTurn(group: BasketGroup, job: BasketJob, index: number, standing: Standing): Decided {
  const loaded = group.baskets[index]!
  // Our own earlier attempt committed; nothing that happened since undoes it.
  if (loaded.earlier.byId) return { kind: 'replayed', transaction: job.id }
  const ended = refuseEnded(group, job)
  if (ended) return ended
  // An erased customer does not exist, not even for a retry of an earlier sale.
  if (!standing.customers.has(job.request.customer)) return refused({ code: 'customer_not_found' })
  const earlier = findEarlier(job, loaded)
  if (earlier) return earlier
  const decided = decideBasket(group, job, index, standing)
  return decided.kind === 'accepted' && !isWritable(group, decided) ? deferred : decided
}

/** The caller's token was opened with a secret or a key that has ended. */
export function refuseEnded(
  { setup, realNow }: BasketGroup,
  { caller: { token } }: BasketJob,
): Refused | undefined {
  if (!token || isLive(setup.credentials, token, realNow)) return undefined
  return refused({ code: '_unauthorized', description: endedTokenReason })
}

/** Whether all references exist, or can be added because the wallets are locked. */
function isWritable(group: BasketGroup, { job, references }: Accepted): boolean {
  if (group.mode !== 'read') return true
  return Boolean(references.user && references.branch && newProducts(group, job).length === 0)
}

export function newProducts({ products }: BasketGroup, { request }: BasketJob): string[] {
  return request.basket.lines.flatMap(({ product }) =>
    product !== undefined && !products.has(product) ? [product] : [],
  )
}

/**
 * The transaction of an earlier identical request, or a refusal if only the key or receipt number is the
 * same.
 */
function findEarlier({ fingerprint }: BasketJob, { earlier }: LoadedBasket): Decided | undefined {
  const { byIdempotencyKey, byOpaqueId } = earlier
  const found = byIdempotencyKey ?? byOpaqueId
  if (!found) return undefined
  if (found.archived) return refused(archivedRefusal(found.id, found.archived))
  if (fingerprint?.matches(found.fingerprint)) return { kind: 'replayed', transaction: found.id }
  if (byIdempotencyKey) return refused({ code: 'idempotency_key_reused' })
  return refused({
    code: 'transaction_already_exists',
    description: `The receipt number belongs to ${found.id}, which had a different body.`,
    transaction: found.id,
  })
}

const refused = (refusal: Refusal): Refused => ({ kind: 'refused', refusal })

/** Decides one basket; `standing` is the state that those before it leave, or the loaded one. */
export function decideBasket(
  group: BasketGroup,
  job: BasketJob,
  index: number,
  standing: Standing = { customers: group.customers, used: group.usage.used },
): Accepted | Refused {
  const { setup, users, now } = group
  const loaded = group.baskets[index]!
  const customer = standing.customers.get(job.request.customer)
  const references = referencesOf(setup, users, job.caller.user, job.request)
  const refusal = refuseUnusable(group, job, loaded, customer, references)
  if (refusal) return refused(refusal)
  const campaigns = attachedTo(loaded.card!.campaign, setup.live)
  const basket = toBasket(group, job, references)
  const outcome = evaluate({
    basket,
    wallet: { usage: usageOf(group, job, standing.used), ...customer!.wallet },
    campaigns,
    inactivity: setup.inactivity,
    organization: setup.organization,
    now,
  })
  if (!outcome.ok) return refused(outcome.refusal)
  return {
    kind: 'accepted',
    job,
    customer: customer!,
    references,
    campaigns,
    basket,
    evaluation: outcome.value,
  }
}

function refuseUnusable(
  { setup, products, now }: BasketGroup,
  { request }: BasketJob,
  { card }: LoadedBasket,
  customer: LoadedCustomer | undefined,
  references: References,
): Refusal | undefined {
  if (!customer) return { code: 'customer_not_found' }
  if (customer.status !== customerStatus.active) return { code: 'customer_not_active' }
  if (!card) return { code: 'card_not_found' }
  if (card.status !== cardStatus.active) return { code: 'card_not_active' }
  const tooEarly = refuseWrongTime(request.occurredAt, setup.organization, card, now)
  if (tooEarly) return tooEarly
  if (!setup.organization.strictReferences) return undefined
  const unknown = request.basket.lines.find(
    (line) => line.product !== undefined && !products.has(line.product),
  )
  if (unknown)
    return { code: 'invalid_product', description: `"${unknown.product}" is not in the directory.` }
  if (!references.user)
    return { code: 'invalid_user', description: `"${request.user}" is not in the directory.` }
  if (!references.branch)
    return { code: 'invalid_branch', description: `"${request.branch}" is not in the directory.` }
  return undefined
}

function toBasket({ products, now }: BasketGroup, { request }: BasketJob, references: References): Basket {
  const { basket } = request
  return {
    branch: request.branch ?? references.branch?.opaqueId ?? '',
    occurredAt: request.occurredAt ?? now,
    ...basket,
    lines: basket.lines.map((line) => {
      const known = line.category ?? (line.product === undefined ? undefined : products.get(line.product))
      return known === line.category ? line : { ...line, category: known }
    }),
  }
}

/** The card's own campaign first, whatever its status, then every published one that runs on it, by ID. */
export function attachedTo(own: CampaignId, live: readonly AttachedCampaign[]): AttachedCampaign[] {
  const first = live.filter((campaign) => campaign.id === own)
  const others = live.filter(
    (campaign) =>
      campaign.id !== own && campaign.status === 'published' && campaign.compiled.runsOn.includes(own),
  )
  return [...first, ...others.sort((a, b) => (a.id < b.id ? -1 : 1))]
}

function usageOf(group: BasketGroup, job: BasketJob, used: ReadonlyMap<string, number>): RuleUsage[] {
  const { counted } = group.usage
  if (counted.length === 0) return []
  return usageFor(used, counted, job.request.customer, dayOf(job, group))
}

/** Applies a decision to the state for the customer's next basket and for baskets under a shared limit. */
function applyDecision(
  customers: Map<CustomerId, LoadedCustomer>,
  used: Map<string, number>,
  { job, evaluation, customer }: Accepted,
  group: BasketGroup,
): void {
  const { customer: id } = job.request
  customers.set(id, {
    status: customer.status,
    walletVersion: customer.walletVersion + 1,
    wallet: walletAfter(customer.wallet, evaluation, group.now),
  })
  if (evaluation.usage.length === 0) return
  countUsage(used, evaluation.usage, id, dayOf(job, group))
}
