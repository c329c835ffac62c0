/**
 * Deducts the points a basket is paid with from the card's point balance, which is the one that the card's
 * own campaign allows to spend. The worth is rounded down to the minor unit: with any other rounding,
 * spending points one by one would be worth more than spending them together.
 */
import type { Basket } from '../../domain/basket.ts'
import type { Effect } from '../../domain/effect.ts'
import type { LotTake } from '../../domain/lot.ts'
import { decimalsOf, maxUnits, powerOfTen, toUnits } from '../../domain/money.ts'
import { ok, type Result, refuse } from '../../domain/result.ts'
import type { CompiledSpend } from '../definition/compile-campaign.ts'
import { balanceOf, recordMovement, takeFromLots, type WalletState } from './wallet-state.ts'

export interface Spending {
  /** Empty when nothing is spent. */
  readonly effects: readonly Effect[]
  readonly units: number
  readonly discountMinor: number
  readonly takes: readonly LotTake[]
}

interface Order {
  readonly payableMinor: number
  readonly currencyDecimals: number
}

const at = ['pointsToSpend']

/** Points in units; an invalid request when they have more decimals than the balance. */
export function readPoints(basket: Basket, spend: CompiledSpend | undefined): Result<number> {
  const points = basket.pointsToSpend
  if (!(points >= 0)) return refuse('_invalid_payload', { kind: 'too_small', at, least: 0 })
  // Without a point balance there are no decimals to check against; the spending itself is refused.
  if (spend === undefined) return ok(points)
  if (decimalsOf(points) > spend.decimals) {
    return refuse('_invalid_payload', { kind: 'too_many_decimals', at, most: spend.decimals })
  }
  return ok(toUnits(points, spend.decimals) ?? maxUnits + 1)
}

const nothingSpent = ok<Spending>({ effects: [], units: 0, discountMinor: 0, takes: [] })

export function spendPoints(
  state: WalletState,
  units: number,
  spend: CompiledSpend | undefined,
  order: Order,
): Result<Spending> {
  if (units === 0) return nothingSpent
  if (spend === undefined) return refuse('points_not_spendable')
  const balance = balanceOf(state, spend.key)
  if (units > balance.value) return refuse('insufficient_points')
  if (units < spend.min) return refuse('points_below_minimum')
  const discountMinor = worthMinor(units, spend, order.currencyDecimals)
  // Points are never taken for nothing.
  if (discountMinor === 0) return refuse('points_below_minimum', { kind: 'points_without_worth' })
  if (BigInt(units) > mostByShare(spend, order)) return refuse('points_above_share')
  const takes = takeFromLots(state, spend.key, units)
  const movement = recordMovement(state, balance, 'spend', -units, 0)
  return ok({ effects: [{ kind: 'spend_points', movement, discountMinor }], units, discountMinor, takes })
}

/**
 * The most of `balance` units that `spendPoints` accepts for this order; 0 if that is below the minimum or
 * worth nothing.
 */
export function mostPoints(balance: number, spend: CompiledSpend, order: Order): number {
  const byShare = mostByShare(spend, order)
  const most = BigInt(balance) < byShare ? balance : Number(byShare)
  if (most <= 0 || most < spend.min) return 0
  return worthMinor(most, spend, order.currencyDecimals) === 0 ? 0 : most
}

/** Rounded down. */
export function worthMinor(units: number, spend: CompiledSpend, currencyDecimals: number): number {
  const { numerator, denominator } = worthOf(units, spend, currencyDecimals)
  return Number(numerator / denominator)
}

/** The most units whose worth ≤ payable × share, in whole numbers. */
function mostByShare(spend: CompiledSpend, { payableMinor, currencyDecimals }: Order): bigint {
  const onePoint = worthOf(1, spend, currencyDecimals)
  return (
    (BigInt(payableMinor) * BigInt(spend.maxShareMillionths) * onePoint.denominator) /
    (onePoint.numerator * 1_000_000n)
  )
}

function worthOf(units: number, spend: CompiledSpend, currencyDecimals: number) {
  return {
    numerator: BigInt(units) * BigInt(spend.worthMillionths) * BigInt(powerOfTen(currencyDecimals)),
    denominator: BigInt(powerOfTen(6 + spend.decimals)),
  }
}
