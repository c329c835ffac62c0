/** The tour with openapi-fetch, on the types that openapi-typescript generates for the console. */
import createClient from 'openapi-fetch'
import type { components, paths } from '../console/api/schema.d.ts'
import { type Demo, first, type Outcome } from './tour.ts'

type Basket = components['schemas']['Basket']

export async function tour(demo: Demo): Promise<Outcome> {
  const { baseUrl, apiKey, apiSecret, campaignId, phone, receipt } = demo
  const api = createClient<paths>({ baseUrl })
  const header = { 'x-api-key': apiKey, 'x-api-secret': apiSecret }
  const { accessToken } = await dataOf(api.POST('/auth/token', { params: { header } }))
  api.use({
    onRequest({ request }) {
      request.headers.set('authorization', `Bearer ${accessToken}`)
    },
  })

  const body = { campaignId, customer: { data: { phone, fullname: 'Ada Lovelace' } } }
  const { id, cards, collectables } = await dataOf(api.POST('/v1/customers/register', { body }))
  const taken = await api.POST('/v1/customers/register', { body })
  const known = { campaignId, customer: { id } }
  const again = await dataOf(api.POST('/v1/customers/register', { body: known }))
  const found = await dataOf(api.GET('/v1/customers/find', { params: { query: { q: phone } } }))

  const basket: Basket = {
    barcode: first(again.cards).barcode,
    opaqueId: receipt,
    items: [{ product: 'latte', quantity: 10, unitPrice: 3.5 }],
  }
  const preview = await dataOf(api.POST('/v1/transactions/validate', { body: basket }))
  const sale = await dataOf(api.POST('/v1/transactions/process', { body: basket }))
  const replay = await dataOf(api.POST('/v1/transactions/process', { body: basket }))
  const customer = await dataOf(api.GET('/v1/customers/{id}', { params: { path: { id } } }))

  const coupon = first(sale.executedActions.coupons)
  const second: Basket = {
    barcode: first(cards).barcode,
    opaqueId: `${receipt}-2`,
    pointsToSpend: 100,
    items: [
      { product: 'latte', unitPrice: 3.5, reward: coupon.id },
      { product: 'croissant', unitPrice: 3 },
    ],
  }
  const due = await dataOf(api.POST('/v1/transactions/validate', { body: second }))
  const paid = await dataOf(api.POST('/v1/transactions/process', { body: second }))
  const path = { id: paid.id }
  const ledger = await dataOf(api.GET('/v1/customers/{id}/ledger', { params: { path: { id } } }))
  const returned = await dataOf(
    api.POST('/v1/transactions/{id}/return', { params: { path }, body: { opaqueId: `${receipt}-R` } }),
  )
  const after = await dataOf(api.GET('/v1/transactions/{id}', { params: { path } }))

  return {
    'register: points and stamps': [collectables.points?.value, collectables.stamps?.value],
    'register again: refusal, and whose phone number it is': [
      taken.error?.message,
      taken.error?.customer === id,
    ],
    'find: name': found.data.fullname,
    'validate: points and stamps': [
      preview.executedActions.collectables.points?.value,
      preview.executedActions.collectables.stamps?.value,
    ],
    'process: reward': coupon.reward.kind,
    'process again: same transaction, and points': [
      replay.id === sale.id,
      customer.collectables.points?.value,
    ],
    'redeem and spend, validated: due': due.totals.due,
    'redeem and spend: due': paid.totals.due,
    'redeem and spend: actions': paid.executedActions.actions.map(describeAction),
    'ledger: entries': ledger.data.map(({ kind, key, amount }) => `${kind} ${key} ${amount}`),
    'return: refund, and points that came back': [returned.refundAmount, returned.pointsRestored],
    'return, looked up: status': after.status,
  }
}

/** The kind of an action decides which other properties it has. */
function describeAction(action: components['schemas']['Action']): string {
  switch (action.type) {
    case 'redeem_coupon':
      return `${action.type} ${action.discount}`
    case 'spend_points':
    case 'collect':
      return `${action.type} ${action.key} ${action.amount}`
    default:
      return action.type
  }
}

async function dataOf<T>(call: Promise<{ data?: T; error?: unknown }>): Promise<T> {
  const { data, error } = await call
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}
