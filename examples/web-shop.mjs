// The server of a web shop. Its pages call these paths; only the server knows the credentials.
//   POST /cart      { email, items: [{ product, quantity }] }  what is due, and what it would collect
//   POST /checkout  { email, items, order }                    processes the order, once
//   POST /refund    { order }                                  returns it
import { createServer } from 'node:http'
import { isRefusal, Unavailable } from '../sdk/dist/index.js'
import { demo, openWallet, prices } from './demo.mjs'

const wallet = openWallet()

const routes = {
  async '/cart'({ email, items }) {
    const { totals, executedActions } = await wallet.validateTransaction(await basketOf(email, items))
    return { due: totals.due, collects: executedActions.actions.filter(({ type }) => type === 'collect') }
  },
  async '/checkout'({ email, items, order }) {
    // The number of the order is the receipt number: pressing the button twice, or retrying, counts once.
    const sale = await wallet.processTransaction({ ...(await basketOf(email, items)), opaqueId: order })
    return { charge: sale.totals.due, sale: sale.id }
  },
  async '/refund'({ order }) {
    const [sale] = (await wallet.listTransactions({ opaqueId: order })).data
    if (!sale) return { refund: 0 }
    const returned = await wallet.returnTransaction(sale.id, { opaqueId: `${order}-refund` })
    return { refund: returned.refundAmount }
  },
}

async function basketOf(email, items) {
  const customer = await memberOf(email)
  return {
    barcode: customer.cards[0].barcode,
    // Prices come from the server, never from the page.
    items: items.map(({ product, quantity = 1 }) => ({ product, quantity, unitPrice: prices[product] })),
  }
}

async function memberOf(email) {
  try {
    return await wallet.findCustomer({ q: email })
  } catch (error) {
    if (!isRefusal(error, 'customer_not_found')) throw error
    return wallet.registerCustomer({ campaignId: demo.campaignId, customer: { data: { email } } })
  }
}

const server = createServer(async (request, response) => {
  const reply = (status, body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  try {
    const handle = request.method === 'POST' && routes[request.url]
    if (!handle) return reply(404, { error: 'not found' })
    const parts = []
    for await (const part of request) parts.push(part)
    reply(200, await handle(JSON.parse(Buffer.concat(parts))))
  } catch (error) {
    if (isRefusal(error)) return reply(400, { error: error.code, requestId: error.requestId })
    // The shop still sells when the loyalty service does not answer; the order is processed again later.
    if (error instanceof Unavailable) return reply(202, { error: 'points follow later' })
    console.error(error)
    reply(500, { error: 'internal' })
  }
})
server.listen(Number(process.env.PORT ?? 3001), '127.0.0.1', () =>
  console.log(`The shop listens on http://127.0.0.1:${server.address().port}`),
)
