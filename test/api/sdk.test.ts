import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createLoyaltyWallet,
  InvalidSignature,
  inMemory,
  inStorage,
  isRefusal,
  type LoyaltyWallet,
  type LoyaltyWalletOptions,
  OutcomeUnknown,
  Refusal,
  Unavailable,
  verifyWebhook,
} from '../../sdk/src/index.ts'
import { newSigningKey, signatureHeaders, toSecret } from '../../src/operations/outbound/sign.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let baseUrl: string
let campaign: string

beforeAll(async () => {
  service = await startTestService()
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  baseUrl = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign()
})
afterAll(() => service.close())

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: string | undefined
}

/** What the network does with the next requests: by default it only carries them. */
type Fault = 'lost request' | 'lost answer' | Response

let sent: Sent[]
let faults: Fault[]
beforeEach(() => {
  sent = []
  faults = []
})

const through: typeof fetch = async (url, init) => {
  const { pathname } = new URL(String(url))
  const headers = new Headers(init?.headers)
  sent.push({ method: init?.method ?? 'GET', path: pathname, headers, body: init?.body as string })
  const fault = pathname.startsWith('/auth') ? undefined : faults.shift()
  if (fault === 'lost request') throw new TypeError('fetch failed')
  if (fault instanceof Response) return fault
  const response = await fetch(url, init)
  if (fault === 'lost answer') throw new TypeError('terminated')
  return response
}

const open = (more: Partial<LoyaltyWalletOptions> = {}): LoyaltyWallet =>
  createLoyaltyWallet({
    baseUrl,
    apiKey: merchant.apiKey,
    apiSecret: merchant.apiSecret,
    fetch: through,
    ...more,
  } as LoyaltyWalletOptions)

const register = (wallet: LoyaltyWallet) =>
  wallet.registerCustomer({ campaignId: campaign, customer: { data: { fullname: 'Ada Lovelace' } } })

const latte = (wallet: { id: string; cards: { id: string }[] }, more: object = {}) => ({
  customer: wallet.id,
  card: wallet.cards[0]!.id,
  items: [{ product: 'latte', quantity: 2, unitPrice: 3.5 }],
  ...more,
})

const calls = (path: string) => sent.filter((request) => request.path === path)
const storageLike = () => {
  const texts = new Map<string, string>()
  return {
    get length() {
      return texts.size
    },
    key: (i: number) => [...texts.keys()][i] ?? null,
    getItem: (name: string) => texts.get(name) ?? null,
    setItem: (name: string, text: string) => void texts.set(name, text),
    removeItem: (name: string) => void texts.delete(name),
  }
}

test('a till: register, find, preview, sell, look up and return', async () => {
  const wallet = open()
  const customer = await register(wallet)
  const found = await wallet.findCustomer({ q: customer.cards[0]!.barcode })
  expect(found).toMatchObject({ id: customer.id, matchedCard: customer.cards[0]!.id })
  const preview = await wallet.validateTransaction(latte(customer))
  expect(preview.totals.due).toBe(7)
  const sale = await wallet.processTransaction(latte(customer), { query: { include: 'walletUrl' } })
  expect(sale).toMatchObject({ totals: { due: 7 }, walletUrl: expect.any(String) })
  const receipt = JSON.parse(calls('/v1/transactions/process')[0]!.body!).opaqueId
  const [looked] = (await wallet.listTransactions({ opaqueId: receipt })).data
  expect(looked!.id).toBe(sale.id)
  const returned = await wallet.returnTransaction(sale.id)
  expect(returned).toMatchObject({ transaction: sale.id })
  expect(await wallet.pending()).toEqual([])
})

describe('tokens', () => {
  test('many requests at once ask for one token, and later ones for none', async () => {
    const wallet = open()
    await Promise.all(Array.from({ length: 10 }, () => wallet.listCampaigns()))
    await wallet.listCampaigns()
    expect(calls('/auth/token')).toHaveLength(1)
  })

  test('one is renewed before it expires, and refresh tokens are handed on', async () => {
    const kept: unknown[] = []
    const { accessToken, refreshToken } = (
      await service.call('POST', '/auth/token', {
        headers: { 'x-api-key': merchant.apiKey, 'x-api-secret': merchant.apiSecret },
      })
    ).body
    const soon = new Date(Date.now() + 30_000).toISOString()
    const wallet = createLoyaltyWallet({
      baseUrl,
      fetch: through,
      tokens: { accessToken, refreshToken, expiresAt: soon },
      onTokens: (tokens) => void kept.push(tokens),
    })
    await Promise.all([wallet.listCampaigns(), wallet.listCampaigns()])
    expect(calls('/auth/refreshtoken')).toHaveLength(1)
    expect(kept).toEqual([expect.objectContaining({ refreshToken: expect.not.stringMatching(refreshToken) })])
  })

  test('one that the service does not take any more is replaced once', async () => {
    const wallet = open()
    await wallet.listCampaigns()
    faults = [new Response('{}', { status: 401 })]
    await wallet.listCampaigns()
    expect(calls('/auth/token')).toHaveLength(2)
    faults = [new Response('{}', { status: 401 }), refusalOf(401, '_unauthorized')]
    await expect(wallet.listCampaigns()).rejects.toMatchObject({ code: '_unauthorized' })
  })

  test('wrong credentials are refused, not tried again', async () => {
    const wallet = open({ apiSecret: 'lws_wrong' })
    await expect(wallet.listCampaigns()).rejects.toMatchObject({ code: '_invalid_credentials' })
    expect(calls('/auth/token')).toHaveLength(1)
  })
})

const refusalOf = (status: number, message: string, headers = {}) =>
  new Response(
    JSON.stringify({ statuscode: status, message, description: 'No.', requestId: 'r-1', help: '/docs' }),
    { status, headers: { 'content-type': 'application/json', ...headers } },
  )

describe('a network that loses things', () => {
  const salesOf = async (id: string) =>
    (await merchant.call('GET', `/v1/customers/${id}/transactions`)).body.data

  test.each<Fault>(['lost request', 'lost answer'])('a sale with a %s happens once', async (fault) => {
    const wallet = open()
    const customer = await register(wallet)
    sent = []
    faults = [fault, new Response('', { status: 502 }), fault]
    const sale = await wallet.processTransaction(latte(customer))
    expect(await salesOf(customer.id)).toEqual([expect.objectContaining({ id: sale.id })])
    const attempts = calls('/v1/transactions/process')
    expect(attempts).toHaveLength(4)
    expect(new Set(attempts.map(({ headers }) => headers.get('idempotency-key')))).toHaveProperty('size', 1)
    expect(new Set(attempts.map(({ body }) => body))).toHaveProperty('size', 1)
    expect(await wallet.pending()).toEqual([])
  })

  test('a sale without any answer is kept, also by the next process, and settled later', async () => {
    const storage = storageLike()
    const wallet = open({ attempts: 2, pending: inStorage(storage) })
    const customer = await register(wallet)
    faults = ['lost answer', 'lost answer']
    const error = await wallet.processTransaction(latte(customer)).catch((reason) => reason)
    expect(error).toBeInstanceOf(OutcomeUnknown)
    expect(error.message).toContain('processTransaction')
    const next = open({ pending: inStorage(storage) })
    const [kept] = await next.pending()
    expect(kept).toEqual(error.pending)
    const settled = await next.settle(kept!)
    expect(await salesOf(customer.id)).toEqual([
      expect.objectContaining({ id: (settled as { id: string }).id }),
    ])
    expect(await next.pending()).toEqual([])
  })

  test('what is refused is known, and not kept', async () => {
    const pending = inMemory()
    const wallet = open({ pending })
    const customer = await register(wallet)
    const error = await wallet
      .processTransaction(latte(customer, { pointsToSpend: 500 }))
      .catch((reason) => reason)
    expect(error).toBeInstanceOf(Refusal)
    expect(isRefusal(error, 'insufficient_points')).toBe(true)
    expect(isRefusal(error, 'customer_not_found')).toBe(false)
    expect(error.requestId).toMatch(/\S+/)
    expect(await pending.list()).toEqual([])
  })

  test('what must not be sent twice is sent once', async () => {
    const wallet = open()
    await wallet.listCampaigns()
    faults = ['lost answer']
    await expect(wallet.addConnection({ name: 'Web shop' })).rejects.toBeInstanceOf(Unavailable)
    expect(calls('/v1/connections')).toHaveLength(1)
  })

  test('what the service had no time for is sent again, when it says so', async () => {
    const wallet = open()
    await wallet.listCampaigns()
    faults = [refusalOf(429, '_too_many_requests', { 'retry-after': '1' })]
    const from = performance.now()
    await wallet.listCampaigns()
    expect(performance.now() - from).toBeGreaterThan(990)
    faults = Array.from({ length: 2 }, () => refusalOf(503, '_unavailable'))
    await expect(open({ attempts: 2 }).listCampaigns()).rejects.toMatchObject({ code: '_unavailable' })
  })

  test('a request can be ended', async () => {
    const wallet = open()
    await wallet.listCampaigns()
    faults = Array.from({ length: 9 }, () => 'lost request' as const)
    const signal = AbortSignal.timeout(50)
    await expect(wallet.getOrganization({ signal })).rejects.toThrow()
    expect(calls('/v1/organization').length).toBeLessThan(3)
  })
})

test('a list is read page by page', async () => {
  const wallet = open()
  const names = Array.from({ length: 7 }, (_, i) => `Page ${i}`)
  for (const name of names) await wallet.createProduct({ opaqueId: randomUUID(), name })
  sent = []
  const seen: string[] = []
  for await (const product of wallet.listProducts({ limit: 3 })) seen.push(product.name ?? '')
  expect(seen.filter((name) => name.startsWith('Page')).toSorted()).toEqual(names)
  expect(calls('/v1/products').length).toBeGreaterThan(2)
  expect((await wallet.listProducts({ limit: 3 })).data).toHaveLength(3)
})

test('misspelled properties are told', async () => {
  const ignored: unknown[] = []
  const wallet = open({ onIgnored: (...told) => void ignored.push(told) })
  await wallet.createCustomer({ data: { fullname: 'Ada' }, opaqeId: 'x' } as never)
  expect(ignored).toEqual([['createCustomer', ['opaqeId']]])
})

test('events are followed as they happen', async () => {
  const wallet = open()
  const until = new AbortController()
  const types: string[] = []
  const following = (async () => {
    for await (const event of wallet.follow({ after: 'latest', signal: until.signal })) {
      types.push(event.type)
      if (event.type === 'customer.registered') return
    }
  })()
  await expect.poll(() => calls('/v1/events').length).toBeGreaterThan(1)
  await register(open())
  await following
  until.abort()
  expect(types).toEqual(['customer.created', 'customer.registered'])
})

describe('a webhook', () => {
  const key = newSigningKey()
  const body = JSON.stringify({ id: 'evt_1', type: 'customer.created', data: {} })
  const headers = () => signatureHeaders({ id: 'evt_1', body }, [newSigningKey(), key], new Date())

  test('is believed with the right secret', async () => {
    expect(await verifyWebhook({ body, headers: headers() }, toSecret(key))).toMatchObject({ id: 'evt_1' })
    const bytes = new TextEncoder().encode(body)
    const both = [toSecret(newSigningKey()), toSecret(key)]
    expect(await verifyWebhook({ body: bytes, headers: new Headers(headers()) }, both)).toMatchObject({
      type: 'customer.created',
    })
  })

  test.each([
    ['another secret', () => verifyWebhook({ body, headers: headers() }, toSecret(newSigningKey()))],
    ['a changed body', () => verifyWebhook({ body: `${body} `, headers: headers() }, toSecret(key))],
    ['an old one', () => verifyWebhook({ body, headers: headers() }, toSecret(key), Date.now() + 301_000)],
    ['no headers', () => verifyWebhook({ body, headers: {} }, toSecret(key))],
    [
      'a timestamp that is none',
      () => verifyWebhook({ body, headers: { ...headers(), 'webhook-timestamp': 'x' } }, toSecret(key)),
    ],
  ])('is not believed with %s', async (_what, verify) => {
    await expect(verify()).rejects.toBeInstanceOf(InvalidSignature)
  })
})
