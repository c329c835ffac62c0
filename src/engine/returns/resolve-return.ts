/** Finds out what is returned, by line and quantity or by amount, and what then remains of the sale. */
import type { Basket } from '../../domain/basket.ts'
import { decimalsOf, fromMinor, toMinor } from '../../domain/money.ts'
import { ok, type Result, refuse } from '../../domain/result.ts'
import { type ReturnedItem, type ReturnRecord, sumOf } from '../../domain/return-record.ts'
import type { Action, SaleContext } from '../../domain/transaction.ts'
import type { AttachedCampaign } from '../definition/compile-campaign.ts'
import { type PricedBasket, priceBasket } from '../input/price-basket.ts'
import { type RuleInput, toRuleInput } from '../input/rule-input.ts'
import { takeCouponsOff } from '../input/take-coupons-off.ts'
import {
  nothingLeft,
  quantitiesOf,
  type RemainingSale,
  remainingAmount,
  remainingSale,
  takeItems,
} from './remaining-sale.ts'

/** A sale as it was stored. */
export interface Sale {
  /** The basket with the branch, time and categories it was decided on. */
  readonly basket: Basket
  readonly actions: readonly Action[]
  readonly pointsDiscountMinor: number
  readonly context: SaleContext
  readonly processedAt: Date
}

interface Wanted {
  readonly sale: Sale
  readonly campaigns: readonly AttachedCampaign[]
  readonly earlier: readonly ReturnRecord[]
  readonly items?: readonly ReturnedItem[]
  readonly amount?: number
}

export interface ResolvedReturn {
  readonly items: readonly ReturnedItem[]
  /** The part of the payable amount that is returned of a sale without lines. */
  readonly amountMinor?: number
  readonly remaining: RemainingSale
  readonly isComplete: boolean
  /** Payable amount of the whole sale. */
  readonly payableMinor: number
}

export function resolveReturn(wanted: Wanted): Result<ResolvedReturn> {
  const { sale, campaigns, earlier } = wanted
  const { basket, context } = sale
  const pricing = priceBasket(basket, context.currencyDecimals)
  if (!pricing.ok) return pricing
  const priced = takeCouponsOff(pricing.value, sale.actions)
  if (earlier.some((record) => record.isComplete)) return nothingIsLeft
  const pointsPartMinor = campaigns[0]?.compiled.spend?.earns ? 0 : sale.pointsDiscountMinor
  const known = {
    isFirst: context.isFirst,
    usage: context.usage ?? [],
    timezone: context.timezone,
    now: sale.processedAt,
  }
  const whole = toRuleInput(basket, priced, pointsPartMinor, known)
  const byAmount = priced.lines.length === 0 && wanted.items === undefined
  return byAmount ? resolveAmount(wanted, whole, priced) : resolveItems(wanted, whole, priced)
}

const nothingIsLeft = refuse('return_exceeds_sale', { kind: 'nothing_left' })

function resolveItems(
  { earlier, items, amount }: Wanted,
  whole: RuleInput,
  priced: PricedBasket,
): Result<ResolvedReturn> {
  const { lines, payableMinor } = priced
  if (amount !== undefined) return refuse('_invalid_payload', { kind: 'not_by_amount', at: ['amount'] })
  const returned = earlier.flatMap((record) => record.items)
  const before = takeItems(quantitiesOf(lines), lines, returned)
  if (!before.ok) return before
  if (lines.length > 0 && before.value.every(isNothing)) return nothingIsLeft
  const named = items ?? lines.flatMap(({ line }, position) => restOf(line.id, before.value[position]!))
  const after = takeItems(before.value, lines, named)
  if (!after.ok) return after
  if (items !== undefined && items.length === 0)
    return refuse('_invalid_payload', { kind: 'empty', at: ['items'] })
  const isComplete = after.value.every(isNothing)
  const remaining = isComplete ? nothingLeft(whole) : remainingSale(whole, priced, after.value)
  return ok({ items: named, remaining, isComplete, payableMinor })
}

const isNothing = (quantity: number) => quantity === 0

/** The whole remaining quantity of a line, which may be zero. */
function restOf(id: string, left: number): ReturnedItem[] {
  return left > 0 ? [{ id, quantity: left / 1e6 }] : []
}

function resolveAmount(
  { sale, earlier, amount }: Wanted,
  whole: RuleInput,
  priced: PricedBasket,
): Result<ResolvedReturn> {
  const { currencyDecimals } = sale.context
  const { payableMinor } = priced
  const at = ['amount']
  const leftMinor = payableMinor - sumOf(earlier, (record) => record.amountMinor ?? 0)
  if (amount === undefined) {
    const remaining = nothingLeft(whole)
    return ok({ items: [], amountMinor: leftMinor, isComplete: true, payableMinor, remaining })
  }
  if (!(amount > 0)) return refuse('_invalid_payload', { kind: 'not_positive', at })
  if (decimalsOf(amount) > currencyDecimals)
    return refuse('_invalid_payload', { kind: 'too_many_decimals', at, most: currencyDecimals })
  const amountMinor = toMinor(amount, currencyDecimals)
  if (amountMinor > leftMinor) {
    const left = fromMinor(leftMinor, currencyDecimals)
    return refuse('return_exceeds_sale', { kind: 'less_left', at, left })
  }
  const isComplete = amountMinor === leftMinor
  const remaining = isComplete ? nothingLeft(whole) : remainingAmount(whole, priced, leftMinor - amountMinor)
  return ok({ items: [], amountMinor, remaining, isComplete, payableMinor })
}
