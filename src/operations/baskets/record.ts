/** Converts an accepted basket to what is written: the transaction, its ledger entries, coupons and facts. */

import type { Basket } from '../../domain/basket.ts'
import { type Coupon, couponStatus } from '../../domain/coupon.ts'
import type { Effect } from '../../domain/effect.ts'
import type { Fact } from '../../domain/event.ts'
import type { BranchId, CampaignId, CouponId, UserId } from '../../domain/ids.ts'
import { fromUnits } from '../../domain/money.ts'
import {
  type Action,
  type StoredBasket,
  type Transaction,
  type TransactionResult,
  transactionStatus,
} from '../../domain/transaction.ts'
import { localDay } from '../../engine/clock/local-time.ts'
import type { Evaluation } from '../../engine/evaluate.ts'
import { mostPoints } from '../../engine/steps/spend-points.ts'
import { newId } from '../../store/new-id.ts'
import type { WalletChange } from '../../store/wallets/change.ts'
import type { Reference } from '../organizations/setup-cache.ts'
import { expiredFacts } from '../wallets/expired-facts.ts'
import { usageAmounts } from '../wallets/usage-amounts.ts'
import type { Accepted } from './decide.ts'
import type { BasketRequest, Preview } from './job.ts'
import type { BasketGroup } from './load.ts'

export interface NewReferences {
  readonly user: Reference<UserId>
  readonly branch: Reference<BranchId>
}

/** Decimals of the organization's balances, without balances that a campaign has just added. */
type Decimals = ReadonlyMap<string, number>

export function toChange(
  accepted: Accepted,
  references: NewReferences,
  { setup, now }: Pick<BasketGroup, 'setup' | 'now'>,
): WalletChange & { readonly cause: { readonly kind: 'sale'; readonly transaction: Transaction } } {
  const { job, customer, evaluation } = accepted
  const { request, idempotencyKey } = job
  const { decimals, organization } = setup
  const actions = evaluation.effects.map((effect) =>
    toAction(effect, effect.kind === 'grant_coupon' ? newId('cpn', now) : undefined),
  )
  const transaction: Transaction = {
    id: job.id,
    status: transactionStatus.processed,
    opaqueId: request.opaqueId,
    customer: request.customer,
    card: request.card,
    user: references.user.id,
    userOpaqueId: references.user.opaqueId,
    branch: references.branch.id,
    branchOpaqueId: references.branch.opaqueId,
    occurredAt: request.occurredAt ?? now,
    createdAt: now,
    basket: toStoredBasket(request, accepted.basket),
    result: toResult(accepted, actions, decimals),
  }
  const known = customer.wallet.balances
  const isRepeatable = idempotencyKey !== undefined || request.opaqueId !== undefined
  return {
    customer: request.customer,
    fromVersion: customer.walletVersion,
    movements: withSources(evaluation),
    newBalances: evaluation.balances
      .map((balance) => balance.key)
      .filter((key) => !known.some((balance) => balance.key === key)),
    lots: evaluation.lots,
    usage: usageAmounts(evaluation.usage, localDay(transaction.occurredAt, organization.timezone)),
    sharedUsage: evaluation.usage.filter((used) => used.isShared),
    granted: actions
      .filter((action) => action.kind === 'grant_coupon')
      .map((action, i) => ({ origin: evaluation.origins[i], ...toCoupon(action) })),
    redeemed: actions.flatMap((action) => (action.kind === 'redeem_coupon' ? [action.coupon] : [])),
    facts: [
      ...toFacts(transaction, actions),
      ...expiredFacts(request.customer, evaluation.movements, decimals),
    ],
    cause: {
      kind: 'sale',
      transaction,
      idempotencyKey,
      fingerprint: isRepeatable ? job.fingerprint?.value : undefined,
    },
  }
}

export function toPreview(accepted: Accepted, { setup, now }: Pick<BasketGroup, 'setup' | 'now'>): Preview {
  const { job, references, evaluation } = accepted
  const { request } = job
  const { user, branch } = references
  const actions = evaluation.effects.map((effect) => toAction(effect))
  return {
    status: transactionStatus.processed,
    spendable: spendableIn(accepted),
    opaqueId: request.opaqueId,
    customer: request.customer,
    card: request.card,
    user: user?.id,
    userOpaqueId: request.user ?? user?.opaqueId,
    branch: branch?.id,
    branchOpaqueId: request.branch ?? branch?.opaqueId,
    occurredAt: request.occurredAt ?? now,
    createdAt: now,
    basket: toStoredBasket(request, accepted.basket),
    result: toResult(accepted, actions, setup.decimals),
  }
}

/** Value of the balance before this basket. */
function spendableIn({ evaluation, campaigns }: Accepted): Preview['spendable'] {
  const spend = campaigns[0]?.compiled.spend
  if (spend === undefined) return undefined
  const { payableMinor, context } = evaluation
  const [, balance = 0] = context.balances.find(([key]) => key === spend.key) ?? []
  const { currencyDecimals } = context
  const most = mostPoints(balance, spend, { payableMinor, currencyDecimals })
  return { balance: spend.key, most: fromUnits(most, spend.decimals) }
}

/** The basket as sent; `decided` is the evaluated basket, with product categories from the directory. */
export function toStoredBasket(
  { basket, metaData }: Pick<BasketRequest, 'basket' | 'metaData'>,
  decided: Basket,
): StoredBasket {
  const { lines, amount, discountAmount, discountedAmount, coupons, couponsIncluded, pointsToSpend } = basket
  let categories: Record<string, string> | undefined
  decided.lines.forEach((line, i) => {
    if (line.category === undefined || line.category === lines[i]?.category) return
    categories ??= {}
    categories[line.id] = line.category
  })
  return {
    lines,
    amount,
    discountAmount,
    discountedAmount,
    coupons,
    couponsIncluded,
    pointsToSpend,
    categories,
    metaData,
  }
}

/** The decision as it is stored. */
export function toResult(
  { evaluation, campaigns }: Pick<Accepted, 'evaluation' | 'campaigns'>,
  actions: Action[],
  known: Decimals,
): TransactionResult {
  const declaredDecimals = (key: string) => {
    for (const { compiled } of campaigns)
      for (const balance of compiled.balances) if (balance.key === key) return balance.decimals
    return 0
  }
  return {
    amountMinor: evaluation.amountMinor,
    payableMinor: evaluation.payableMinor,
    pointsDiscountMinor: evaluation.pointsDiscountMinor,
    actions,
    skipped: evaluation.skipped,
    progress: evaluation.progress,
    balances: evaluation.balances.map(({ key, value, total }) => ({
      key,
      value,
      total,
      decimals: known.get(key) ?? declaredDecimals(key),
    })),
    campaigns: campaigns.map(({ id, version }) => ({ id, version })),
    context: evaluation.context,
    ...(evaluation.warnings.length > 0 && { warnings: evaluation.warnings }),
  }
}

export function toAction(effect: Effect, coupon?: CouponId): Action {
  if (effect.kind !== 'grant_coupon') return effect
  return { ...effect, coupon, expiresAt: effect.expiresAt?.toISOString() }
}

function toCoupon(action: Extract<Action, { kind: 'grant_coupon' }>): Coupon {
  return {
    id: action.coupon!,
    status: couponStatus.active,
    reward: action.reward,
    campaign: action.campaign,
    expiresAt: action.expiresAt ? new Date(action.expiresAt) : undefined,
  }
}

/** Every movement with the campaign and rule that caused it; an expiration found at the till has neither. */
function withSources({ movements, effects }: Evaluation): WalletChange['movements'] {
  const sources = new Map<string, { campaign: CampaignId; rule?: string }>()
  for (const effect of effects) {
    if (effect.kind !== 'collect' && effect.kind !== 'grant_coupon') continue
    if (!effect.movement) continue
    const rule = effect.kind === 'collect' ? effect.rule : undefined
    sources.set(`${effect.movement.key} ${effect.movement.version}`, { campaign: effect.campaign, rule })
  }
  return movements.map((movement) => {
    const source = sources.get(`${movement.key} ${movement.version}`)
    return source ? { campaign: source.campaign, rule: source.rule, ...movement } : movement
  })
}

function toFacts({ id, customer }: Transaction, actions: readonly Action[]): Fact[] {
  const facts: Fact[] = [{ type: 'transaction.processed', data: { transaction: id, customer } }]
  for (const action of actions) {
    if (action.kind === 'redeem_coupon') {
      facts.push({ type: 'coupon.redeemed', data: { coupon: action.coupon, customer, transaction: id } })
    } else if (action.kind === 'grant_coupon') {
      facts.push({ type: 'coupon.granted', data: { coupon: action.coupon, customer, transaction: id } })
    } else if (action.kind === 'change_tier') {
      facts.push({
        type: 'tier.changed',
        data: { customer, campaign: action.campaign, tier: action.tier, transaction: id },
      })
    }
  }
  return facts
}
