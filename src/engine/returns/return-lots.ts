/**
 * Moves units into and out of lots when items are returned. What was spent or consumed goes back to the lots
 * it came from, with their expiry; what was collected leaves the lots that the sale opened before any other.
 */
import type { LotTake } from '../../domain/lot.ts'
import { type OpenLot, takeFromLots, type WalletState } from '../steps/wallet-state.ts'

/** An amount due, and the lots into which the sale collected it. */
export interface OwnLots {
  readonly key: string
  readonly units: number
  /** Versions of the entries with which the sale collected, oldest first. */
  readonly versions: readonly number[]
  /** When these lots expire; undefined if they do not expire on their own. */
  readonly expiresAt: Date | undefined
}

export interface Charge {
  /** What the value has to pay. */
  readonly units: number
  /** The part of it that was collected into no lot. */
  readonly inNoLot: number
  /** The part of it that is missing in its lot, because it was used. */
  readonly used?: { readonly lot: OpenLot; readonly units: number }
}

/**
 * Charges an amount to the lots of its sale: what they have lost by expiry is set off, the rest is due. Units
 * that are not there because they were used are noted in the lot.
 */
export function chargeLots(state: WalletState, due: OwnLots): Charge {
  const own = state.lots.filter((lot) => lot.key === due.key && due.versions.includes(lot.version))
  let left = due.units
  for (const lot of own) {
    const lost = Math.min(left, Math.max(0, lot.expired))
    lot.expired -= lost
    lot.isChanged ||= lost > 0
    left -= lost
  }
  const units = left
  for (const lot of own) {
    const part = Math.min(left, lot.remaining)
    lot.remaining -= part
    lot.isChanged ||= part > 0
    left -= part
  }
  if (due.expiresAt === undefined) return { units, inNoLot: own.length > 0 ? 0 : left }
  if (left === 0) return { units, inNoLot: 0 }
  const lot = own[0] ?? lotOf(state, due.key, due.versions[0]!, due.expiresAt)
  lot.expired -= left
  lot.isChanged = true
  return { units, inNoLot: 0, used: { lot, units: left } }
}

/** Notes which lots have paid for used units. */
export function notePayers(charges: readonly Charge[], takes: readonly LotTake[]): void {
  const left = takes.map((take) => [...take] as [string, number, number, number])
  for (const { used } of charges) {
    if (used === undefined) continue
    const paidBy: LotTake[] = []
    // Some of them may have come back with a coupon that was revoked meanwhile.
    const { lot } = used
    let missing = Math.max(0, Math.min(used.units, -lot.expired - sumOfTakes(lot.paidBy)))
    for (const take of left) {
      const part = Math.min(missing, take[2])
      if (part === 0) continue
      paidBy.push([take[0], take[1], part, take[3]])
      take[2] -= part
      missing -= part
    }
    lot.paidBy = [...lot.paidBy, ...paidBy]
  }
}

/**
 * The part of earlier takes that is put back. A sale took `taken` in total, first from the lots in `takes` in
 * their order and the rest from no lot; what was taken last is put back first, which gives the customer the
 * longest time.
 */
export function lastTaken(
  takes: readonly LotTake[],
  taken: number,
  restoredBefore: number,
  units: number,
): LotTake[] {
  const from = taken - restoredBefore - units
  const to = taken - restoredBefore
  const parts: LotTake[] = []
  let start = 0
  for (const [key, version, amount, expiresAtMs] of takes) {
    const part = Math.min(to, start + amount) - Math.max(from, start)
    if (part > 0) parts.push([key, version, part, expiresAtMs])
    start += amount
  }
  return parts
}

export interface PutBack {
  /** Units that reach the value. */
  readonly reached: number
  /** The part of them that is in no lot. */
  readonly outside: number
  /** Units that do not, because their lot has expired. */
  readonly lost: readonly LotTake[]
}

/**
 * Puts units back into their lots. Those that a return has already charged go to whatever has paid for them
 * instead; of the others, those of a lot that has expired are lost.
 */
export function putBack(state: WalletState, takes: readonly LotTake[], now: Date): PutBack {
  let reached = 0
  let outside = 0
  const lost: LotTake[] = []
  const waiting = [...takes]
  for (let take = waiting.pop(); take !== undefined; take = waiting.pop()) {
    const [key, version, units, expiresAtMs] = take
    const lot = lotOf(state, key, version, new Date(expiresAtMs))
    lot.isChanged = true
    const charged = Math.min(units, Math.max(0, -lot.expired))
    const paid = payersOf(lot, charged)
    lot.expired += charged
    waiting.push(...paid)
    const inNoLot = charged - sumOfTakes(paid)
    outside += inNoLot
    reached += inNoLot
    const rest = units - charged
    if (rest === 0) continue
    if (lot.expiresAt.getTime() > now.getTime()) {
      lot.remaining += rest
      reached += rest
    } else {
      lot.expired += rest
      lost.push([key, version, rest, expiresAtMs])
    }
  }
  return { reached, outside, lost }
}

/** What other lots have paid of these charged units; what nothing has paid so far is settled first. */
function payersOf(lot: OpenLot, charged: number): LotTake[] {
  const unpaid = -lot.expired - sumOfTakes(lot.paidBy)
  const units = Math.max(0, charged - unpaid)
  const all = sumOfTakes(lot.paidBy)
  const paid = lastTaken(lot.paidBy, all, 0, units)
  lot.paidBy = lastTaken(lot.paidBy, all, units, all - units)
  return paid
}

export const sumOfTakes = (takes: readonly LotTake[]) => takes.reduce((sum, [, , units]) => sum + units, 0)

/** The lot, reopened if it was used up. */
function lotOf(state: WalletState, key: string, version: number, expiresAt: Date): OpenLot {
  const known = findLot(state, key, version)
  if (known !== undefined) return known
  const lot: OpenLot = {
    key,
    version,
    expiresAt,
    remaining: 0,
    expired: 0,
    paidBy: [],
    isChanged: false,
    isNew: false,
  }
  state.lots.push(lot)
  state.areLotsSorted = false
  return lot
}

export function findLot(state: WalletState, key: string, version: number): OpenLot | undefined {
  return state.lots.find((lot) => lot.key === key && lot.version === version)
}

export function unitsInLots(state: WalletState, key: string): number {
  let units = 0
  for (const lot of state.lots) if (lot.key === key) units += lot.remaining
  return units
}

/** Takes units out of a balance: `inNoLot` of them outside the lots if there are, the rest soonest first. */
export function takeOut(
  state: WalletState,
  key: string,
  units: number,
  { outside, inNoLot }: { readonly outside: number; readonly inNoLot: number },
): LotTake[] {
  return takeFromLots(state, key, units - Math.min(units, inNoLot, Math.max(0, outside)))
}
