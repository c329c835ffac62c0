/**
 * Tries a campaign's draft, saved or not, on a basket and a wallet: what it would do and why. Products have
 * the categories of the directory, as at the till; no customer is read and nothing is written.
 */

import type { Basket } from '../../domain/basket.ts'
import type { Campaign } from '../../domain/campaign.ts'
import { decimalsOf, toUnits } from '../../domain/money.ts'
import type { Organization } from '../../domain/organization.ts'
import { Refused } from '../../domain/refusal.ts'
import type { StoredBasket, TransactionResult } from '../../domain/transaction.ts'
import { maxTriedSteps } from '../../engine/definition/card-load.ts'
import { compileCampaign } from '../../engine/definition/compile-campaign.ts'
import { evaluate } from '../../engine/evaluate.ts'
import { listCategories } from '../../store/directory.ts'
import type { Tenant } from '../../store/tenant.ts'
import { toAction, toResult, toStoredBasket } from '../baskets/record.ts'
import { refuseBadDefinition } from './manage-campaigns.ts'

export interface TriedWallet {
  /** Balances, with their decimals. */
  readonly balances: Readonly<Record<string, { readonly value: number; readonly total?: number }>>
  readonly transactionCount: number
}

export async function previewCampaign(
  tenant: Tenant,
  { id, version, draft }: Campaign,
  /** Tried instead of the draft. */
  unsaved: Record<string, unknown> | undefined,
  organization: Organization,
  tried: Basket,
  wallet: TriedWallet,
  now: Date,
): Promise<{ basket: StoredBasket; result: TransactionResult }> {
  refuseLongPreview(unsaved ?? draft, tried)
  if (unsaved) await refuseBadDefinition(tenant, organization, unsaved, id)
  const basket = await withCategories(tenant, tried)
  const compiled = compileCampaign(unsaved ?? draft, organization)
  const balances = compiled.balances.map(({ key, decimals }) => {
    const { value = 0, total = value } = wallet.balances[key] ?? {}
    const place = `wallet.collectables.${key}`
    if (total < 0) throw new Refused('_invalid_payload', `${place}.total: must be at least 0.`)
    const units = readUnits(value, decimals, `${place}.value`)
    return { key, decimals, value: units, total: readUnits(total, decimals, `${place}.total`), version: 0 }
  })
  const attached = { id, version: version + 1, status: 'published' as const, compiled }
  const outcome = evaluate({
    basket,
    wallet: { balances, lots: [], coupons: [], usage: [], transactionCount: wallet.transactionCount },
    campaigns: [attached],
    organization,
    now,
  })
  if (!outcome.ok) throw Refused.from(outcome.refusal)
  const evaluation = outcome.value
  const actions = evaluation.effects.map((effect) => toAction(effect))
  return {
    basket: toStoredBasket({ basket }, basket),
    result: toResult({ evaluation, campaigns: [attached] }, actions, new Map()),
  }
}

/** First of all: an unsaved definition may be anything. */
function refuseLongPreview({ rules }: { readonly rules?: unknown }, { lines }: Basket): void {
  const steps = Array.isArray(rules) ? rules.length * lines.length : 0
  if (steps <= maxTriedSteps) return
  const most = Math.max(1, Math.floor(maxTriedSteps / (rules as unknown[]).length))
  throw new Refused(
    '_invalid_payload',
    `items: ${lines.length} items are too many to try ${(rules as unknown[]).length} rules on; send at most ${most}. At the till there is no such limit.`,
  )
}

function readUnits(value: number, decimals: number, place: string): number {
  const units = toUnits(value, decimals)
  if (units !== undefined) return units
  const reason =
    decimalsOf(value) > decimals
      ? `must have at most ${decimals} decimals`
      : 'is larger than a balance can be'
  throw new Refused('_invalid_payload', `${place}: ${reason}.`)
}

async function withCategories(tenant: Tenant, basket: Basket): Promise<Basket> {
  const open = basket.lines.flatMap(({ product, category }) =>
    category === undefined ? (product ?? []) : [],
  )
  const categories = await listCategories(tenant, open)
  const lines = basket.lines.map((line) => ({
    ...line,
    category: line.category ?? (line.product === undefined ? undefined : categories.get(line.product)),
  }))
  return { ...basket, lines }
}
