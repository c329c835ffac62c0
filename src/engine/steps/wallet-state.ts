/**
 * A working copy of a wallet while one basket is decided: every change of a balance goes through
 * `recordMovement`, which gives the movement the balance's next version, and every unit taken out goes
 * through `takeFromLots`, which takes what expires first. The lots of a balance never hold more than its
 * value.
 */
import type { Movement, MovementKind } from '../../domain/ledger-entry.ts'
import type { Lot, LotTake } from '../../domain/lot.ts'
import { maxUnits } from '../../domain/money.ts'
import { type Result, refuse } from '../../domain/result.ts'
import type { Balance, Wallet } from '../../domain/wallet.ts'

export interface WalletState {
  readonly balances: OpenBalance[]
  /** Sorted by expiry once something is taken out. */
  readonly lots: OpenLot[]
  areLotsSorted: boolean
  /** Balances that expire as a whole when the customer is inactive. */
  readonly idleKeys: ReadonlySet<string>
  readonly movements: Movement[]
}

export interface OpenBalance {
  readonly key: string
  value: number
  total: number
  version: number
  readonly valueBefore: number
  totalBefore: number
  shortfall: number
}

export interface OpenLot {
  readonly key: string
  readonly version: number
  readonly expiresAt: Date
  remaining: number
  expired: number
  paidBy: readonly LotTake[]
  isChanged: boolean
  readonly isNew: boolean
}

const noKeys: ReadonlySet<string> = new Set()

export function toWalletState(wallet: Wallet, idleKeys = noKeys): WalletState {
  return {
    balances: wallet.balances.map(openBalance),
    lots: wallet.lots.map(openLot),
    areLotsSorted: false,
    idleKeys,
    movements: [],
  }
}

function openBalance({ key, value, total, version, shortfall = 0 }: Balance): OpenBalance {
  return { key, value, total, version, valueBefore: value, totalBefore: total, shortfall }
}

const noTakes: readonly LotTake[] = []

function openLot({ key, version, remaining, expiresAt, expired = 0, paidBy = noTakes }: Lot): OpenLot {
  return { key, version, remaining, expiresAt, expired, paidBy, isChanged: false, isNew: false }
}

function soonestFirst(a: OpenLot, b: OpenLot): number {
  return a.expiresAt.getTime() - b.expiresAt.getTime() || a.version - b.version
}

/** The balance with this key; one that the customer does not have yet starts at zero. */
export function balanceOf(state: WalletState, key: string): OpenBalance {
  for (const balance of state.balances) if (balance.key === key) return balance
  const balance = openBalance({ key, value: 0, total: 0, version: 0 })
  state.balances.push(balance)
  return balance
}

/** The refusal of a change after which the balance would exceed its maximum. */
export function balanceTooLarge(key: string): Result<never> {
  return refuse('_invalid_payload', { kind: 'balance_too_large', balance: key, most: maxUnits })
}

/** Changes a balance and records it. Only collecting adds to the total. */
export function recordMovement(
  state: WalletState,
  balance: OpenBalance,
  kind: MovementKind,
  amount: number,
  totalChange: number,
  shortfallChange = 0,
): Movement {
  balance.value += amount
  balance.total += totalChange
  balance.shortfall += shortfallChange
  balance.version += 1
  const movement: Movement = {
    key: balance.key,
    version: balance.version,
    kind,
    amount,
    valueAfter: balance.value,
    totalAfter: balance.total,
    ...(shortfallChange !== 0 && { shortfall: shortfallChange }),
  }
  state.movements.push(movement)
  return movement
}

/** Takes units that leave a balance out of its lots, soonest expiry first; units in no lot go last. */
export function takeFromLots(state: WalletState, key: string, units: number): LotTake[] {
  const takes: LotTake[] = []
  if (!state.areLotsSorted) state.lots.sort(soonestFirst)
  state.areLotsSorted = true
  let left = units
  for (const lot of state.lots) {
    if (left === 0) break
    if (lot.key !== key || lot.remaining === 0) continue
    const taken = Math.min(left, lot.remaining)
    lot.remaining -= taken
    lot.isChanged = true
    left -= taken
    takes.push([key, lot.version, taken, lot.expiresAt.getTime()])
  }
  return takes
}

/** Opens a lot for units just collected. */
export function openNewLot(state: WalletState, lot: Lot): OpenLot {
  const opened: OpenLot = { ...openLot(lot), isChanged: true, isNew: true }
  state.lots.push(opened)
  state.areLotsSorted = false
  return opened
}

/** The lots to write: those that changed, as they are now; a new lot that is already empty is left out. */
export function changedLots(state: WalletState): Lot[] {
  const changed: Lot[] = []
  for (const { isChanged, isNew, expired, paidBy, ...lot } of state.lots) {
    if (!isChanged || (isNew && lot.remaining === 0 && expired === 0)) continue
    changed.push({ ...lot, ...(expired !== 0 && { expired }), ...(paidBy.length > 0 && { paidBy }) })
  }
  return changed
}

export function closedBalances(state: WalletState): Balance[] {
  return state.balances.map(({ key, value, total, version, shortfall }) => ({
    key,
    value,
    total,
    version,
    ...(shortfall !== 0 && { shortfall }),
  }))
}
