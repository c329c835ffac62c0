/** The part of some background work that is done before it is others' turn. */
export interface Turn {
  /** Asked after each group; false when the rest is for another turn. */
  mayContinue(): boolean
  /** Where the turn before this one ended; undefined at the beginning. */
  readonly progress?: unknown
  /** How far the organization's clock is ahead of the real one; defaults to 0. */
  readonly aheadMs?: number
}

/** A turn that ends with the work, or when it is aborted. */
export const wholeTurn = (signal?: AbortSignal): Turn => ({ mayContinue: () => !signal?.aborted })
