/** Tries a basket and a wallet on a campaign's draft: what it would do and why. Nothing is read from customers, nothing written. */

import type { Basket } from '../domain/basket.ts'
import type { Campaign } from '../domain/campaign.ts'
import { toUnits } from '../domain/money.ts'
import type { Organization } from '../domain/organization.ts'
import { Refused } from '../domain/refusal.ts'
import type { StoredBasket, TransactionResult } from '../domain/transaction.ts'
import { compileCampaign } from '../engine/compile-campaign.ts'
import { evaluate } from '../engine/evaluate.ts'
import { toAction, toResult, toStoredBasket } from './transaction-record.ts'

export interface TriedWallet {
  /** Balances as they are written. */
  readonly balances: Readonly<Record<string, { readonly value: number; readonly total?: number }>>
  readonly transactionCount: number
}

export function previewCampaign(
  campaign: Campaign,
  organization: Organization,
  basket: Basket,
  wallet: TriedWallet,
  now: Date,
): { basket: StoredBasket; result: TransactionResult } {
  const compiled = compileCampaign(campaign.draft, organization)
  const balances = compiled.balances.map(({ key, decimals }) => {
    const { value = 0, total = value } = wallet.balances[key] ?? {}
    const units = toUnits(value, decimals)
    const totalUnits = toUnits(total, decimals)
    if (units === undefined || totalUnits === undefined || totalUnits < 0) {
      throw new Refused(
        '_invalid_payload',
        `wallet.collectables.${key}: the balance has ${decimals} decimals.`,
      )
    }
    return { key, decimals, value: units, total: totalUnits, version: 0 }
  })
  const attached = { id: campaign.id, version: campaign.version + 1, status: 'published' as const, compiled }
  const outcome = evaluate({
    basket,
    wallet: { balances, lots: [], coupons: [], usage: [], transactionCount: wallet.transactionCount },
    campaigns: [attached],
    organization,
    now,
  })
  if (!outcome.ok) throw new Refused(outcome.refusal.code, outcome.refusal.description)
  const { evaluation } = outcome
  const actions = evaluation.effects.map((effect) => toAction(effect))
  return {
    basket: toStoredBasket({ basket }, basket),
    result: toResult({ ok: true, evaluation, campaigns: [attached], basket }, actions, balances),
  }
}
