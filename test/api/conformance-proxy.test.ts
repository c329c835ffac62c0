/** The proxy between real tills and a real service: one that does everything right, and one that does not. */
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLoyaltyWallet, isRefusal, type LoyaltyWallet } from '../../sdk/src/index.ts'
import { startProxy } from '../../src/conformance/proxy/forward.ts'
import { guide } from '../../src/conformance/proxy/guide.ts'
import type { Exchange } from '../../src/conformance/proxy/session.ts'
import { runForJson } from '../support/run-command.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let campaign: string
let target: string

beforeAll(async () => {
  service = await startTestService()
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  target = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign()
})
afterAll(() => service.close())

/** What a till does in each scene, and what it then shows. */
type Till = Record<string, () => Promise<number | undefined>>

/** Plays a till; the tester answers what it shows. */
async function play(createTill: (url: string) => Till, seen: Exchange[] = []) {
  let till: Till = {}
  let shown: Promise<number | undefined> = Promise.resolve(undefined)
  return guide({
    target,
    port: 0,
    host: '127.0.0.1',
    quietMs: 150,
    tester: {
      onStart(url) {
        till = createTill(url)
      },
      onScene({ id }) {
        shown = till[id]!()
      },
      onExchange: (exchange) => seen.push(exchange),
      // A tester who sees that nothing happens any more.
      async waitFor() {
        await shown
        await new Promise((resolve) => setTimeout(resolve, 400))
        return 'done'
      },
      ask: async () => String((await shown) ?? ''),
    },
  })
}

const newEmail = () => `${crypto.randomUUID()}@example.com`
const pointsOf = ({ collectables }: { collectables: Record<string, { value: number }> }) =>
  collectables.points?.value ?? 0

function createGoodTill(url: string): Till {
  const wallet: LoyaltyWallet = createLoyaltyWallet({
    baseUrl: url,
    apiKey: merchant.apiKey,
    apiSecret: merchant.apiSecret,
  })
  const items = [{ id: '1', product: 'latte', quantity: 2, unitPrice: 10 }]
  let barcode = ''
  let customer = ''
  const sell = async (more: object = {}) =>
    (await wallet.processTransaction({ barcode, items, ...more })).totals.due
  const scan = () => wallet.findCustomer({ q: barcode })
  return {
    async token() {
      await wallet.authorization()
      return undefined
    },
    async register() {
      const registered = await wallet.registerCustomer({
        campaignId: campaign,
        customer: { data: { email: newEmail() } },
      })
      customer = registered.id
      barcode = registered.cards[0]!.barcode
      return undefined
    },
    scan: async () => pointsOf(await scan()),
    sale: () => sell(),
    network: () => sell(),
    busy: () => sell(),
    async 'refused coupon'() {
      return sell({ reward: 'cpn_019a83f2c1d27b3a9e5f6d7c8b9a0f1e' }).catch((error) => {
        if (isRefusal(error, 'coupon_already_redeemed')) return undefined
        throw error
      })
    },
    async coupon() {
      const { body } = await merchant.call('POST', '/v1/coupons', { customer, campaign, reward: 'five-off' })
      return sell({ reward: body.id })
    },
    async points() {
      await merchant.call('POST', `/v1/customers/${customer}/adjustments`, {
        key: 'points',
        amount: 500,
        reason: 'Test',
      })
      return sell({ pointsToSpend: 100 })
    },
    'another till': async () => pointsOf(await scan()),
    async return() {
      const { data } = await wallet.listCustomerTransactions(customer, { limit: 1 })
      await wallet.returnTransaction(data[0]!.id, { items: [{ id: '1', quantity: 1 }] })
      return undefined
    },
    'expired token': async () => pointsOf(await scan()),
  }
}

test('a till that uses our SDK passes, and its report can be shown', async () => {
  const seen: Exchange[] = []
  const report = await play(createGoodTill, seen)
  const wrong = report.verdicts.filter(({ outcome }) => outcome !== 'holds')
  // With a service that is never wrong, nothing was refused twice or written without a key.
  expect(wrong.filter(({ outcome }) => outcome === 'broken')).toEqual([])
  expect(report).toMatchObject({ subject: 'till', isConforming: true })
  expect(
    report.verdicts.filter(({ section }) => section === 'Scenes').every(({ outcome }) => outcome === 'holds'),
  ).toBe(true)
  expect(seen.filter(({ scene, status }) => scene === 'network' && status === undefined)).toHaveLength(1)
  expect(JSON.stringify(seen)).not.toContain(merchant.apiSecret)
})

/** Logs in for each request with the secret in the URL, counts by itself, and believes what it wants to. */
function createBadTill(url: string): Till {
  const items = [{ id: '1', product: 'latte', quantity: 2, unitPrice: 10 }]
  let customer = ''
  let card = ''
  let barcode = ''
  let points = 0
  let n = 0

  async function send(method: string, path: string, body?: object) {
    const credentials = { 'x-api-key': merchant.apiKey, 'x-api-secret': merchant.apiSecret }
    const issued = await fetch(`${url}/auth/token?secret=${merchant.apiSecret}`, {
      method: 'POST',
      headers: credentials,
    })
    const { accessToken } = (await issued.json()) as { accessToken: string }
    const headers = {
      authorization: `Bearer ${accessToken}`,
      ...credentials,
      'content-type': 'application/json',
    }
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: response.status, reply: (await response.json()) as Record<string, never> }
  }

  const sell = (more: object = {}) =>
    send('POST', '/v1/transactions/process', { customer, card, items, pointsToSpent: 1, ...more })
  return {
    async token() {
      await send('GET', '/v1/campaigns')
      return undefined
    },
    async register() {
      const { reply } = await send('POST', '/v1/customers/register', {
        campaignId: campaign,
        customer: { data: { email: newEmail() } },
      })
      const registered = reply as unknown as { id: string; cards: { id: string; barcode: string }[] }
      customer = registered.id
      ;({ id: card, barcode } = registered.cards[0]!)
      return undefined
    },
    async scan() {
      await send('GET', `/v1/customers/find?q=${barcode}`)
      return undefined
    },
    async sale() {
      await sell()
      points += 20
      return 19
    },
    async network() {
      const opaqueId = `bad-${++n}`
      await sell({ opaqueId }).catch(() =>
        sell({ opaqueId, items: [...items, { id: '2', name: 'Bag', unitPrice: 1 }] }),
      )
      return 20
    },
    async busy() {
      const opaqueId = `bad-${++n}`
      await sell({ opaqueId })
      await sell({ opaqueId })
      return 20
    },
    async 'refused coupon'() {
      const basket = { opaqueId: `bad-${++n}`, reward: 'cpn_019a83f2c1d27b3a9e5f6d7c8b9a0f1e' }
      await sell(basket)
      await sell(basket)
      return 15
    },
    coupon: async () => undefined,
    points: async () => undefined,
    async 'another till'() {
      await send('GET', `/v1/customers/find?q=${barcode}`)
      return points
    },
    async return() {
      const { reply } = await send('GET', `/v1/customers/${customer}/transactions?limit=1`)
      const { data } = reply as unknown as { data: { id: string }[] }
      await send('POST', `/v1/transactions/${data[0]!.id}/return`, {})
      return undefined
    },
    'expired token': async () => undefined,
  }
}

test('a till that does it all wrong is told each rule that it breaks', async () => {
  const report = await play(createBadTill)
  expect(report.isConforming).toBe(false)
  const broken = report.verdicts.filter(({ outcome }) => outcome === 'broken')
  expect(broken.map(({ id }) => id)).toEqual([
    'network',
    'expired token',
    'secrets.place',
    'tokens.kept',
    'sales.receipt',
    'writes.key',
    'fields.known',
    'repeats.same',
    'repeats.retry-after',
    'refusals.unchanged',
    'amounts.due',
    'refusals.respected',
    'balances.fresh',
  ])
  expect(broken.every(({ reason }) => reason !== undefined)).toBe(true)
  expect(JSON.stringify(report)).not.toContain(merchant.apiSecret)
})

test('the proxy passes on what is for the service, and nothing of the connection', async () => {
  const proxy = await startProxy({
    target,
    port: 0,
    host: '127.0.0.1',
    scene: () => 'token',
    faultFor: () => undefined,
    onExchange: () => {},
  })
  try {
    const absolute = await new Promise<number>((resolve, reject) => {
      const headers = { connection: 'x-hop', 'x-hop': 'a', host: 'elsewhere.example.com' }
      const sent = request(proxy.url, { path: 'http://elsewhere.example.com/livez', headers }, (response) => {
        response.resume()
        expect(response.headers['transfer-encoding']).toBeUndefined()
        resolve(response.statusCode!)
      })
      sent.on('error', reject)
      sent.end()
    })
    expect(absolute).toBe(200)
  } finally {
    await proxy.close()
  }
  const gone = await startProxy({
    target: 'http://127.0.0.1:9',
    port: 0,
    host: '127.0.0.1',
    scene: () => 'token',
    faultFor: () => undefined,
    onExchange: () => {},
  })
  try {
    expect((await fetch(`${gone.url}/livez`)).status).toBe(502)
  } finally {
    await gone.close()
  }
})

test('the command needs somebody who answers, and a port that is free', async () => {
  expect(await runForJson(['conformance', 'proxy', '--target', target])).toMatchObject({
    code: 2,
    error: { message: expect.stringMatching(/--script FILE/) },
  })
  const { port } = service.app.server.address() as AddressInfo
  const args = [
    'conformance',
    'proxy',
    '--target',
    target,
    '--port',
    String(port),
    '--script',
    'package.json',
  ]
  expect(await runForJson(args)).toMatchObject({ code: 1, error: { code: 'port_in_use' } })
})
