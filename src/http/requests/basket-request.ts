/**
 * Converts a request body to a basket: parses IDs, fills in defaults, and checks what a schema cannot
 * express.
 */
import { findWrongNumber } from '../../domain/basket.ts'
import { type CouponId, parseId } from '../../domain/ids.ts'
import { refuseLargeMetaData } from '../../domain/meta-data.ts'
import { Refused } from '../../domain/refusal.ts'
import type { BasketRequest } from '../../operations/baskets/job.ts'
import type { BasketBody } from '../schemas/transaction.ts'
import { readTime } from './read-time.ts'

const maxAheadMs = 5 * 60_000

export function toBasketRequest(body: BasketBody, now: Date): BasketRequest {
  const { customer, card, barcode } = body
  checkCard(body)
  const occurredAt = body.occurredAt === undefined ? undefined : readTime('occurredAt', body.occurredAt)
  if (occurredAt && occurredAt.getTime() > now.getTime() + maxAheadMs) {
    throw new Refused('_invalid_payload', 'occurredAt: must not be more than 5 minutes in the future.')
  }
  // Only known fields: properties that are not in the schema are ignored, not stored.
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
    couponsIncluded: body.couponsIncluded,
    pointsToSpend: body.pointsToSpend ?? 0,
  }
  // Checked here and not only by the engine: an invalid request takes precedence over every other refusal.
  const problem = findWrongNumber(basket)
  if (problem) throw Refused.from({ code: '_invalid_payload', problem })
  refuseLargeMetaData(body.metaData)
  const ids = new Set<string>()
  const duplicate = lines.findIndex(({ id }) => ids.size === ids.add(id).size)
  if (duplicate >= 0)
    throw new Refused('_invalid_payload', `items[${duplicate}].id: another item has it, too.`)
  return {
    customer: parseId('cus', customer ?? ''),
    card: parseId('card', card ?? ''),
    barcode: barcode?.trim(),
    user: body.user,
    branch: body.branch,
    opaqueId: body.opaqueId,
    occurredAt,
    metaData: body.metaData,
    basket,
  }
}

/** The card is named by its barcode, or by its ID and that of its customer. */
function checkCard({ customer, card, barcode }: BasketBody): void {
  if (barcode !== undefined) {
    if (customer === undefined && card === undefined) return
    throw new Refused('_invalid_payload', 'barcode: must not be sent together with customer or card.')
  }
  const missing = customer === undefined ? 'customer' : card === undefined ? 'card' : undefined
  if (missing) throw new Refused('_invalid_payload', `${missing}: is missing.`)
}

/** IDs are not parsed: a malformed one is a coupon that does not exist, and the refusal quotes it as sent. */
function toCouponIds(reward: string | readonly string[] | undefined): CouponId[] {
  return reward === undefined ? [] : ([reward].flat() as CouponId[])
}
