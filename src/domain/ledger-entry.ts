/**
 * Why a balance changed. Spending, consuming, expiry and adjustments do not affect `total`. `opening` is what an import
 * brought along from another system.
 */
export type MovementKind = 'collect' | 'spend' | 'consume' | 'adjust' | 'expire' | 'return' | 'opening'

/**
 * One change of one balance. Each carries the resulting balance and the balance's next version, so that the
 * history is self-explanatory: an auditor can check it without replaying anything.
 */
export interface Movement {
  readonly key: string
  readonly version: number
  readonly kind: MovementKind
  /** Signed, in units of the balance. */
  readonly amount: number
  readonly valueAfter: number
  readonly totalAfter: number
  /** Signed change of the shortfall, in a return. */
  readonly shortfall?: number
}
