/** What is wrong with a campaign definition, and the facts about the organization needed to tell. */
import type { WrongValue } from '../../domain/validation-error.ts'

export interface DefinitionProblem extends WrongValue {
  readonly kind: 'syntax' | 'semantics'
}

export interface DefinitionContext {
  readonly currencyDecimals: number
  /** Balances that exist in the organization; the decimals of a key never change. */
  readonly knownBalances: readonly { readonly key: string; readonly decimals: number }[]
  /** Ids of the organization's campaigns. */
  readonly knownCampaigns: readonly string[]
  /** Id of the campaign itself, once it has one. */
  readonly self?: string
}
