/** Turns the body of a basket into the basket: ids read, defaults filled in, and what a schema cannot say checked. */
import { findWrongNumber } from '../../domain/basket.ts'
import { type CouponId, parseId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import type { BasketRequest } from '../../operations/baskets/job.ts'
import type { BasketBody } from '../schemas/transaction.ts'
import { readTime } from './read-time.ts'

const maxAheadMs = 5 * 60_000

export function toBasketRequest(body: BasketBody, now: Date): BasketRequest {
  const occurredAt = body.occurredAt === undefined ? undefined : readTime('occurredAt', body.occurredAt)
  if (occurredAt && occurredAt.getTime() > now.getTime() + maxAheadMs) {
    throw new Refused('_invalid_payload', 'occurredAt: must not be more than 5 minutes in the future.')
  }
  // Only what a line may have: members the schema does not know are ignored, not stored.
  const lines = (body.items ?? []).map((item, i) => ({
    id: item.id ?? String(i + 1),
    product: item.product,
    name: item.name,
    category: item.category,
    quantity: item.quantity ?? 1,
    unitPrice: item.unitPrice,
    amount: item.amount,
    discountAmount: item.discountAmount,
    discountedAmount: item.discountedAmount,
    coupons: toCouponIds(item.reward),
  }))
  const basket = {
    lines,
    amount: body.amount,
    discountAmount: body.discountAmount,
    discountedAmount: body.discountedAmount,
    coupons: toCouponIds(body.reward),
    pointsToSpend: body.pointsToSpend ?? 0,
  }
  // Here and not only when the basket is decided: the shape of a request wins over everything else.
  const problem = findWrongNumber(basket)
  if (problem) throw Refused.from({ code: '_invalid_payload', problem })
  const doubled = lines.find((line, i) => lines.findIndex((other) => other.id === line.id) !== i)
  if (doubled) throw new Refused('_invalid_payload', `items: two lines have the id "${doubled.id}".`)
  return {
    customer: parseId('cus', body.customer),
    card: parseId('card', body.card),
    user: body.user,
    branch: body.branch,
    opaqueId: body.opaqueId,
    occurredAt,
    metaData: body.metaData,
    basket,
  }
}

/** As sent: an id that cannot be one is a coupon nobody has, and the refusal names it as it was written. */
function toCouponIds(reward: string | readonly string[] | undefined): CouponId[] {
  return reward === undefined ? [] : ([reward].flat() as CouponId[])
}
