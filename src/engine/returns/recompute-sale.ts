/**
 * Runs the rules of a sale again over the remaining items, starting from the balances, counters and tiers
 * before the sale. The current wallet is not used: what the customer did afterwards must not change what the
 * sale was worth. Thresholds are left out, since returned items and coupons are settled with the balance.
 */
import type { CampaignId } from '../../domain/ids.ts'
import { ok, type Result } from '../../domain/result.ts'
import type { SaleContext } from '../../domain/transaction.ts'
import type { AttachedCampaign } from '../definition/compile-campaign.ts'
import type { RuleInput } from '../input/rule-input.ts'
import { collectAll } from '../steps/collect.ts'
import { toWalletState } from '../steps/wallet-state.ts'

/** What a rule gave to a balance. */
export interface RuleAmount {
  readonly campaign: CampaignId
  readonly rule: string
  readonly key: string
  readonly units: number
}

export function recomputeSale(
  campaigns: readonly AttachedCampaign[],
  input: RuleInput,
  { balances }: SaleContext,
): Result<RuleAmount[]> {
  const state = toWalletState({
    balances: balances.map(([key, value, total]) => ({ key, value, total, version: 0 })),
    lots: [],
    coupons: [],
    usage: [],
    transactionCount: 0,
  })
  const again = collectAll(campaigns, input, state)
  if (!again.ok) return again
  return ok(
    again.value.effects.map(({ campaign, rule, movement }) => ({
      campaign,
      rule,
      key: movement.key,
      units: movement.amount,
    })),
  )
}
