/**
 * Moves units into and out of lots when items are returned. What was spent or consumed goes back to the lots
 * it came from, with their expiry; what was collected leaves the lots that the sale opened before any other.
 */
import type { LotTake } from '../../domain/wallet.ts'
import type { OpenBalance, OpenLot, WalletState } from '../steps/wallet-state.ts'
import { takeFromLots } from '../steps/wallet-state.ts'

/**
 * Puts units back. The sale took `taken` in total, first from the lots in `takes` in their order and the rest
 * from what never expires; what was taken last is put back first, which gives the customer the longest time.
 */
export function restoreToLots(
  state: WalletState,
  takes: readonly LotTake[],
  taken: number,
  restoredBefore: number,
  units: number,
): void {
  let from = taken - restoredBefore - units
  const to = taken - restoredBefore
  let start = 0
  for (const [key, version, amount, expiresAtMs] of takes) {
    const end = start + amount
    from = Math.max(from, start)
    const part = Math.min(to, end) - from
    if (part > 0) {
      const lot = lotOf(state, key, version, new Date(expiresAtMs))
      lot.remaining += part
      lot.isChanged = true
    }
    start = end
  }
}

/** The lot, reopened if it was used up. */
function lotOf(state: WalletState, key: string, version: number, expiresAt: Date): OpenLot {
  const known = state.lots.find((lot) => lot.key === key && lot.version === version)
  if (known !== undefined) return known
  const lot: OpenLot = { key, version, expiresAt, remaining: 0, isChanged: false, isNew: false }
  state.lots.push(lot)
  state.areLotsSorted = false
  return lot
}

export interface Taking {
  /** The value before anything is taken. */
  readonly full: number
  /** The value afterwards, but at least zero. */
  readonly after: number
  /** The part of the amount due that was collected into no lot. */
  readonly withoutLot: number
  /** Versions of the entries with which the sale collected. */
  readonly own: ReadonlySet<number>
}

/** Takes what leaves the balance first from the lots of the sale, then from those that expire soonest. */
export function takeOutOfLots(state: WalletState, balance: OpenBalance, taking: Taking): void {
  const lots = state.lots.filter((lot) => lot.key === balance.key && lot.remaining > 0)
  const inLots = lots.reduce((sum, lot) => sum + lot.remaining, 0)
  const outside = Math.max(0, taking.full - inLots)
  const units = Math.max(0, taking.full - taking.after)
  let left = units - Math.min(units, taking.withoutLot, outside)
  for (const lot of lots) {
    if (left === 0 || !taking.own.has(lot.version)) continue
    const part = Math.min(left, lot.remaining)
    lot.remaining -= part
    lot.isChanged = true
    left -= part
  }
  takeFromLots(state, balance.key, left)
  // What filled up a balance below zero is in no lot.
  const kept = lots.reduce((sum, lot) => sum + lot.remaining, 0)
  takeFromLots(state, balance.key, Math.max(0, kept - taking.after))
}
