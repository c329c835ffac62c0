/** Renders visits for the customer who made them: what a receipt says, and nothing that only the merchant knows. */
import { type Line, lineAmountMinor } from '../../domain/basket.ts'
import { fromMinor, fromUnits, toMinor } from '../../domain/money.ts'
import { totalsOf } from '../../domain/sale-totals.ts'
import { type SaleReturn, type Transaction, transactionStatus } from '../../domain/transaction.ts'
import type { Receipt, VisitNames } from '../../operations/wallet-page/read-visits.ts'
import { decimalsIn } from './balance-decimals.ts'
import { toTotals } from './transaction.ts'

type Amounts = Record<string, number>

export function toVisitReply(
  visit: Pick<Transaction, 'id' | 'occurredAt' | 'status' | 'branch' | 'result'>,
  { organization, branchNames }: VisitNames,
) {
  const { id, occurredAt, status, branch, result } = visit
  const moved = (kind: 'collect' | 'spend_points') =>
    sumsOf(
      result.actions.flatMap((action) => (action.kind === kind ? [action.movement] : [])),
      result,
      Math.abs,
    )
  const spent = moved('spend_points')
  return {
    id,
    at: occurredAt.toISOString(),
    amount: fromMinor(result.payableMinor, organization.currencyDecimals),
    collected: moved('collect'),
    spent: Object.keys(spent).length > 0 ? spent : undefined,
    branchName: branchNames.get(branch),
    isReturned: status === transactionStatus.returned ? (true as const) : undefined,
    isPartlyReturned: status === transactionStatus.partlyReturned ? (true as const) : undefined,
  }
}

function sumsOf(
  movements: readonly { readonly key: string; readonly amount: number }[],
  result: Pick<Transaction['result'], 'balances'>,
  of = (amount: number) => amount,
): Amounts {
  const decimals = decimalsIn(result)
  const sums = new Map<string, number>()
  for (const { key, amount } of movements) sums.set(key, (sums.get(key) ?? 0) + of(amount))
  return Object.fromEntries([...sums].map(([key, amount]) => [key, fromUnits(amount, decimals(key))]))
}

export function toReceiptReply(receipt: Receipt) {
  const { visit, organization, couponNames } = receipt
  const { basket, result } = visit
  const { currencyDecimals } = organization
  const money = (minor: number) => fromMinor(minor, currencyDecimals)
  return {
    ...toVisitReply(visit, receipt),
    receiptNumber: visit.opaqueId,
    items: basket.lines.map((line) => ({
      name: nameOf(line, receipt),
      quantity: line.quantity,
      amount: money(lineAmountMinor(line, currencyDecimals)),
      discount: money(lineDiscountMinor(line, currencyDecimals)) || undefined,
    })),
    totals: toTotals(totalsOf(basket, result), currencyDecimals),
    redeemed: result.actions.flatMap((action) =>
      action.kind === 'redeem_coupon'
        ? [{ name: couponNames.get(action.coupon) ?? action.coupon, discount: money(action.discountMinor) }]
        : [],
    ),
    granted: result.actions.flatMap((action) =>
      action.kind === 'grant_coupon' ? [{ name: action.reward.name }] : [],
    ),
    returns: visit.returns.map((saleReturn) => toReturnedReply(saleReturn, receipt)),
  }
}

const nameOf = ({ name, product }: Pick<Line, 'name' | 'product'>, { productNames }: Receipt) =>
  name ?? (product === undefined ? undefined : (productNames.get(product) ?? product))

/** What was taken off the line itself, as `discountedAmount` or `discountAmount` says. */
function lineDiscountMinor(line: Line, currencyDecimals: number): number {
  const { discountAmount = 0, discountedAmount } = line
  if (discountedAmount === undefined) return toMinor(discountAmount, currencyDecimals)
  return Math.max(0, lineAmountMinor(line, currencyDecimals) - toMinor(discountedAmount, currencyDecimals))
}

function toReturnedReply({ createdAt, items, result }: SaleReturn, receipt: Receipt) {
  const { visit, organization } = receipt
  const lines = new Map(visit.basket.lines.map((line) => [line.id, line]))
  return {
    at: createdAt.toISOString(),
    items: items.map(({ id, quantity }) => ({ name: nameOf(lines.get(id) ?? {}, receipt), quantity })),
    refundAmount: fromMinor(result.refundMinor, organization.currencyDecimals),
    changes: sumsOf(result.movements, result),
  }
}
