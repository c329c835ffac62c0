/** The tour with the client that @hey-api/openapi-ts generates. */
import { createClient } from '../dist/clients/hey-api/client/index.ts'
import {
  type Action,
  type Basket,
  findCustomer,
  getCustomer,
  getTransaction,
  issueToken,
  listLedgerEntries,
  processTransaction,
  registerCustomer,
  returnTransaction,
  validateTransaction,
} from '../dist/clients/hey-api/index.ts'
import { type Demo, first, type Outcome } from './tour.ts'

export async function tour(demo: Demo): Promise<Outcome> {
  const { baseUrl, apiKey, apiSecret, campaignId, phone, receipt } = demo
  const headers = { 'x-api-key': apiKey, 'x-api-secret': apiSecret }
  const token = await issueToken({ client: createClient({ baseUrl }), headers, throwOnError: true })
  const client = createClient({ baseUrl, auth: token.data.accessToken })
  const call = { client, throwOnError: true } as const

  const body = { campaignId, customer: { data: { phone, fullname: 'Ada Lovelace' } } }
  const { id, cards, collectables } = await dataOf(registerCustomer({ ...call, body }))
  const taken = await registerCustomer({ client, body })
  const known = { campaignId, customer: { id } }
  const again = await dataOf(registerCustomer({ ...call, body: known }))
  const found = await dataOf(findCustomer({ ...call, query: { q: phone } }))

  const basket: Basket = {
    barcode: first(again.cards).barcode,
    opaqueId: receipt,
    items: [{ product: 'latte', quantity: 10, unitPrice: 3.5 }],
  }
  const preview = await dataOf(validateTransaction({ ...call, body: basket }))
  const sale = await dataOf(processTransaction({ ...call, body: basket }))
  const replay = await dataOf(processTransaction({ ...call, body: basket }))
  const customer = await dataOf(getCustomer({ ...call, path: { id } }))

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
  const due = await dataOf(validateTransaction({ ...call, body: second }))
  const paid = await dataOf(processTransaction({ ...call, body: second }))
  const path = { id: paid.id }
  const ledger = await dataOf(listLedgerEntries({ ...call, path: { id } }))
  const returned = await dataOf(returnTransaction({ ...call, path, body: { opaqueId: `${receipt}-R` } }))
  const after = await dataOf(getTransaction({ ...call, path }))

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

function describeAction(action: Action): string {
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

async function dataOf<T>(call: Promise<{ data: T }>): Promise<T> {
  return (await call).data
}
