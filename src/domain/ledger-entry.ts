/** Why a balance moved. Spending, consuming, expiry and adjustments leave `total` alone. */
export type MovementKind = 'collect' | 'spend' | 'consume' | 'adjust' | 'expire' | 'return'

/**
 * One change of one balance. Each carries the balance after it and the balance's next version, so that
 * history explains itself: an auditor can check it without replaying anything.
 */
export interface Movement {
  readonly key: string
  readonly version: number
  readonly kind: MovementKind
  /** Signed, in units of the balance. */
  readonly amount: number
  readonly valueAfter: number
  readonly totalAfter: number
}
