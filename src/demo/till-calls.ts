/**
 * Requests of the till from yesterday, to be seen in the request log: it finds guests, previews their
 * baskets, and registers a new guest. Some of its requests are refused.
 */
import type { Line } from '../domain/basket.ts'
import { issueToken } from '../operations/auth/issue-token.ts'
import type { DemoRequest, Send } from './in-process-client.ts'
import { type Order, toBasketRequest } from './serve-guest.ts'
import type { Story } from './story.ts'

export interface TillAccess {
  readonly send: Send
  readonly apiKey: string
  readonly apiSecret: string
}

type Ask = (request: Pick<DemoRequest, 'method' | 'path' | 'body'>) => ReturnType<Send>

const betweenRequestsMs = 6_000

/** A new token for each request: the operator configures the lifetime, which may be a second. */
function askFrom(story: Story, { send, apiKey, apiSecret }: TillAccess, from: Date): Ask {
  let ms = from.getTime()
  return async (request) => {
    const at = new Date(ms)
    ms += betweenRequestsMs
    const { accessToken } = await issueToken(story.at(at), apiKey, apiSecret)
    return send({ ...request, at, token: accessToken })
  }
}

const guestsAsked = 8
/** Time between the preview and the sale. */
const paysAfterMs = 40_000

/** Previews of the last few orders of the day. */
export async function askAtTill(story: Story, till: TillAccess, orders: readonly Order[]): Promise<void> {
  for (const order of orders.slice(-guestsAsked)) {
    const { guest, barista } = order.visit
    const ask = askFrom(story, till, new Date(order.occurredAt.getTime() - paysAfterMs))
    await find(ask, (guest.phone ?? guest.email)!)
    const { basket, customer, card } = toBasketRequest(story, order).request
    const body = {
      customer,
      card,
      user: barista,
      opaqueId: order.receipt,
      items: basket.lines.map(toItem),
      ...(basket.coupons.length > 0 && { reward: basket.coupons, discountAmount: basket.discountAmount }),
      ...(basket.pointsToSpend > 0 && { pointsToSpend: basket.pointsToSpend }),
    }
    await preview(ask, body)
  }
}

const find = (ask: Ask, q: string) =>
  ask({ method: 'GET', path: `/v1/customers/find?q=${encodeURIComponent(q)}` })
const preview = (ask: Ask, body: object) => ask({ method: 'POST', path: '/v1/transactions/validate', body })

const toItem = ({ coupons, ...line }: Line) => ({ ...line, ...(coupons.length > 0 && { reward: coupons }) })

const newGuest = { fullname: 'Rosa Delgado', phone: '+1 332 555 0142' }

/**
 * A guest whose response is lost once, who tries to spend points she does not have, and whose till has a bug.
 */
export async function welcomeAtTill(story: Story, till: TillAccess, lastSale: Date): Promise<void> {
  const ask = askFrom(story, till, new Date(lastSale.getTime() + 150_000))
  await find(ask, newGuest.phone)
  const registered = await ask({
    method: 'POST',
    path: '/v1/customers/register',
    body: { campaignId: story.coffeeClub, customer: { data: newGuest } },
  })
  if (registered.status !== 201)
    throw new Error(`Registering the till's new guest failed: ${JSON.stringify(registered.body)}`)
  const { id: customer, cards } = registered.body
  const items = [
    { product: 'flat-white', name: 'Flat white', unitPrice: 3.9 },
    { product: 'croissant', name: 'Croissant', unitPrice: 3 },
  ]
  const body = { customer, card: cards[0].id, user: 'barista-maya', opaqueId: 'A-1001', items }
  const sell = () => ask({ method: 'POST', path: '/v1/transactions/process', body })
  await preview(ask, { ...body, items: [{ ...items[0], quantity: '1' }, items[1]] })
  await preview(ask, body)
  await sell()
  await sell()
  await preview(ask, { ...body, opaqueId: 'A-1002', pointsToSpend: 500 })
  await ask({ method: 'GET', path: `/v1/customers/${customer}` })
}
