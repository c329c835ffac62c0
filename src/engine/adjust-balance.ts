/**
 * Adjusts a balance by hand. Deductions come out of the lots that expire first; additions never expire;
 * `total`, which counts what was collected, does not change. Expired lots are removed first.
 */

import type { Movement } from '../domain/ledger-entry.ts'
import type { Lot } from '../domain/lot.ts'
import { maxUnits } from '../domain/money.ts'
import { ok, type Result, refuse } from '../domain/result.ts'
import type { Wallet } from '../domain/wallet.ts'
import { expireInState, type Inactivity } from './steps/expire-balances.ts'
import {
  balanceOf,
  balanceTooLarge,
  changedLots,
  recordMovement,
  takeFromLots,
  toWalletState,
} from './steps/wallet-state.ts'

export interface Adjusted {
  readonly movements: readonly Movement[]
  readonly lots: readonly Lot[]
}

export function adjustBalance(
  wallet: Wallet,
  adjustment: { readonly key: string; readonly units: number },
  inactivity: readonly Inactivity[],
  now: Date,
  timezone: string,
): Result<Adjusted> {
  const { key, units } = adjustment
  const state = toWalletState(wallet)
  expireInState(state, wallet, inactivity, now, timezone)
  const balance = balanceOf(state, key)
  const after = balance.value + units
  if (units < 0 && after < 0) return refuse('insufficient_points')
  if (after > maxUnits) return balanceTooLarge(key)
  if (units < 0) takeFromLots(state, key, -units)
  recordMovement(state, balance, 'adjust', units, 0)
  return ok({ movements: state.movements, lots: changedLots(state) })
}
