/** The tour with our own SDK. */
import { createLoyaltyWallet, isRefusal, type Schemas } from '../sdk/src/index.ts'
import { type Demo, first, type Outcome } from './tour.ts'

export async function tour(demo: Demo): Promise<Outcome> {
  const { baseUrl, apiKey, apiSecret, campaignId, phone, receipt } = demo
  const wallet = createLoyaltyWallet({ baseUrl, apiKey, apiSecret })

  const body = { campaignId, customer: { data: { phone, fullname: 'Ada Lovelace' } } }
  const { id, cards, collectables } = await wallet.registerCustomer(body)
  const taken = await wallet.registerCustomer(body).catch((error: unknown) => error)
  if (!isRefusal(taken)) throw taken
  const again = await wallet.registerCustomer({ campaignId, customer: { id } })
  const found = await wallet.findCustomer({ q: phone })

  const basket: Schemas['Basket'] = {
    barcode: first(again.cards).barcode,
    opaqueId: receipt,
    items: [{ product: 'latte', quantity: 10, unitPrice: 3.5 }],
  }
  const preview = await wallet.validateTransaction(basket)
  const sale = await wallet.processTransaction(basket)
  const replay = await wallet.processTransaction(basket)
  const customer = await wallet.getCustomer(id)

  const coupon = first(sale.executedActions.coupons)
  const second: Schemas['Basket'] = {
    barcode: first(cards).barcode,
    opaqueId: `${receipt}-2`,
    pointsToSpend: 100,
    items: [
      { product: 'latte', unitPrice: 3.5, reward: coupon.id },
      { product: 'croissant', unitPrice: 3 },
    ],
  }
  const due = await wallet.validateTransaction(second)
  const paid = await wallet.processTransaction(second)
  const ledger: string[] = []
  for await (const { kind, key, amount } of wallet.listLedgerEntries(id))
    ledger.push(`${kind} ${key} ${amount}`)
  const returned = await wallet.returnTransaction(paid.id, { opaqueId: `${receipt}-R` })
  const after = await wallet.getTransaction(paid.id)

  return {
    'register: points and stamps': [collectables.points?.value, collectables.stamps?.value],
    'register again: refusal, and whose phone number it is': [taken.code, taken.body.customer === id],
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
    'ledger: entries': ledger,
    'return: refund, and points that came back': [returned.refundAmount, returned.pointsRestored],
    'return, looked up: status': after.status,
  }
}

function describeAction(action: Schemas['Action']): string {
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
