// A till in a terminal: node examples/till.mjs '+1 202 555 0160' latte croissant
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRefusal, OutcomeUnknown } from '../sdk/dist/index.js'
import { demo, openWallet, prices } from './demo.mjs'

const folder = process.env.PENDING ?? 'data/pending-sales'
mkdirSync(folder, { recursive: true })

/** Sales whose outcome is not known are files, so that they survive a crash of the till. */
const onDisk = {
  set: (write) => writeFileSync(join(folder, `${write.id}.json`), JSON.stringify(write)),
  delete: (id) => rmSync(join(folder, `${id}.json`), { force: true }),
  list: () =>
    readdirSync(folder)
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
      .sort((a, b) => (a.at < b.at ? -1 : 1)),
}

const wallet = openWallet({ pending: onDisk, attempts: Number(process.env.ATTEMPTS ?? 5) })

for (const write of await wallet.pending()) {
  await wallet.settle(write)
  console.log(`Settled what was open since ${write.at}`)
}

const [phone, ...products] = process.argv.slice(2)
if (phone) await sell(phone, products)

async function sell(phone, products) {
  const customer = await findOrRegister(phone)
  // Always fresh: a till never remembers balances or coupons.
  const { points } = customer.collectables
  console.log(`${customer.data.fullname ?? phone}: ${points?.value ?? 0} points`)
  const basket = {
    barcode: customer.cards[0].barcode,
    items: products.map((product) => ({ product, unitPrice: prices[product] })),
  }
  const coupon = customer.coupons?.find(({ reward }) => reward.products?.includes(products[0]))
  if (coupon) basket.items[0].reward = coupon.id
  const preview = await wallet.validateTransaction(basket)
  console.log(`To pay: ${preview.totals.due}`)
  try {
    const sale = await wallet.processTransaction(basket)
    console.log(`Sold: ${sale.opaqueId}`)
    for (const { reward } of sale.executedActions.coupons) console.log(`New coupon: ${reward.name}`)
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) throw error
    console.log('No answer. Take the money; the points follow when this program runs next.')
  }
}

async function findOrRegister(phone) {
  try {
    return await wallet.findCustomer({ q: phone })
  } catch (error) {
    if (!isRefusal(error, 'customer_not_found')) throw error
    return wallet.registerCustomer({ campaignId: demo.campaignId, customer: { data: { phone } } })
  }
}
