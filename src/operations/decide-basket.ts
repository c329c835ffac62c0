/**
 * Decides one loaded basket: refusals about customer, card and references in their order, then the engine.
 * Preview and sale both come through here, so what `validate` shows is what `process` does.
 */

import type { Basket } from '../domain/basket.ts'
import { cardStatus, customerStatus } from '../domain/customer.ts'
import type { CampaignId, CardId, CustomerId } from '../domain/ids.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { RuleUsage } from '../domain/wallet.ts'
import type { AttachedCampaign } from '../engine/compile-campaign.ts'
import { type Evaluation, evaluate } from '../engine/evaluate.ts'
import type { LoadedBasket, LoadedCustomer, LoadedGroup } from '../store/load-baskets.ts'
import type { References, Setup } from './setups.ts'

/** A basket as a client sends it, before anything in it is known to exist. */
export interface BasketRequest {
  readonly customer: CustomerId | undefined
  readonly card: CardId | undefined
  readonly user?: string
  readonly branch?: string
  readonly opaqueId?: string
  readonly basket: Omit<Basket, 'branch' | 'occurredAt'>
  readonly occurredAt?: Date
  readonly metaData?: Record<string, unknown>
}

export type Decision =
  | {
      readonly ok: true
      readonly evaluation: Evaluation
      readonly campaigns: readonly AttachedCampaign[]
      /** The basket as it was decided on: with the branch, the time and the categories of its products. */
      readonly basket: Basket
    }
  | { readonly ok: false; readonly refusal: Refusal }

export interface DecisionInput {
  readonly request: BasketRequest
  readonly loaded: LoadedBasket
  /** Undefined when the organization has no such customer. */
  readonly customer?: LoadedCustomer
  readonly products: LoadedGroup['products']
  readonly references: References
  readonly setup: Setup
  readonly usage: readonly RuleUsage[]
  readonly now: Date
}

export function decideBasket(input: DecisionInput): Decision {
  const { loaded, customer, setup, now } = input
  const refusal = refuseUnusable(input)
  if (refusal) return { ok: false, refusal }
  const campaigns = attachedTo(loaded.card!.campaign, setup.live)
  const basket = toBasket(input)
  const outcome = evaluate({
    basket,
    wallet: { ...customer!.wallet, usage: input.usage },
    campaigns,
    inactivity: setup.inactivity,
    organization: setup.organization,
    now,
  })
  return outcome.ok ? { ok: true, evaluation: outcome.value, campaigns, basket } : outcome
}

function refuseUnusable({
  request,
  loaded,
  customer,
  references,
  setup,
  products,
}: DecisionInput): Refusal | undefined {
  if (!customer) return { code: 'customer_not_found' }
  if (customer.status !== customerStatus.active) return { code: 'customer_not_active' }
  if (!loaded.card) return { code: 'card_not_found' }
  if (loaded.card.status !== cardStatus.active) return { code: 'card_not_active' }
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

function toBasket({ request, references, products, now }: DecisionInput): Basket {
  const { basket } = request
  return {
    ...basket,
    lines: basket.lines.map((line) => {
      const known = line.category ?? (line.product === undefined ? undefined : products.get(line.product))
      return known === line.category ? line : { ...line, category: known }
    }),
    branch: request.branch ?? references.branch?.opaqueId ?? '',
    occurredAt: request.occurredAt ?? now,
  }
}

/** The card's own campaign first, whatever its state, then every published one that runs on it, by id. */
export function attachedTo(own: CampaignId, live: readonly AttachedCampaign[]): AttachedCampaign[] {
  const first = live.filter((campaign) => campaign.id === own)
  const others = live.filter(
    (campaign) =>
      campaign.id !== own && campaign.status === 'published' && campaign.compiled.runsOn.includes(own),
  )
  return [...first, ...others.sort((a, b) => (a.id < b.id ? -1 : 1))]
}
