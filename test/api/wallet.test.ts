import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWalletPage } from '../../src/operations/wallet-page/open-wallet.ts'
import { createWalletTokens } from '../../src/operations/wallet-page/wallet-tokens.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { createTestPerson } from '../support/people.ts'
import { scanSvg } from '../support/scan-svg.ts'
import {
  adminToken,
  type Merchant,
  type Reply,
  startTestService,
  type TestService,
} from '../support/service.ts'

let service: TestService
let merchant: Merchant
let campaign: string

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant({ timezone: 'America/New_York' })
  campaign = await merchant.publishCampaign()
})
afterAll(() => service.close())

const parts = ['card', 'code128.svg', 'qr.svg', 'icon.svg', 'manifest.webmanifest']
const get = (path: string): Promise<Reply> => service.call('GET', path)
const urlOf = async (card: string, call = merchant.call): Promise<string> =>
  (await call('GET', `/v1/cards/${card}`)).body.walletUrl
const pathOf = async (card: string) => new URL(await urlOf(card)).pathname
const change = (card: string, action: 'renew' | 'revoke') =>
  merchant.call('POST', `/v1/cards/${card}/wallet/${action}`)

/** Nothing under the address is there any more. */
async function expectGone(path: string): Promise<void> {
  for (const part of parts) expectRefusal(await get(`${path}/${part}`), 404, '_not_found')
  expect(await openWalletPage(service.deps, path.slice('/w/'.length))).toBeUndefined()
}

async function expectThere(path: string): Promise<void> {
  for (const part of parts) expect([part, (await get(`${path}/${part}`)).status]).toEqual([part, 200])
}

describe('what the page shows', () => {
  test('is what the customer holds, how far the next reward is, and the last visits', async () => {
    await merchant.call('PATCH', '/v1/organization', { name: 'Blue Cup', color: '#0b7285', locale: 'de' })
    await merchant.call('POST', '/v1/branches', { opaqueId: 'north', name: 'North Street' })
    await merchant.call('POST', '/v1/products', { opaqueId: 'latte', name: 'Caffè latte' })
    const person = { fullname: '  Ada  Lovelace', phone: '+12025550199', email: 'ada.wallet@example.com' }
    const { customer, card, barcode } = await merchant.register(campaign, person)
    const sell = async (basket: object) => {
      const { status, body } = await merchant.call('POST', '/v1/transactions/process', {
        customer,
        card,
        ...basket,
      })
      expect(status).toBe(201)
      return body
    }
    const occurredAt = new Date(service.deps.clock().getTime() - 60_000).toISOString()
    const first = await sell({
      items: [{ product: 'latte', quantity: 12, unitPrice: 20 }],
      discountAmount: 0.5,
      occurredAt,
      branch: 'north',
    })
    await sell({ amount: 10, pointsToSpend: 100 })
    const returned = await sell({ items: [{ product: 'latte', quantity: 1, amount: 4 }] })
    await merchant.call('POST', `/v1/transactions/${returned.id}/return`)

    const path = await pathOf(card)
    const { status, body, headers, text } = await get(`${path}/card`)
    expect(status).toBe(200)
    expect(body).toEqual({
      organization: {
        name: 'Blue Cup',
        color: '#0b7285',
        locale: 'de',
        currency: 'USD',
        timezone: 'America/New_York',
        mode: 'live',
        contact: {},
      },
      card: { barcode, status: 1, campaignName: 'Coffee club' },
      firstName: 'Ada',
      balances: [
        { key: 'points', name: 'Points', value: 148, decimals: 0, total: 248 },
        { key: 'stamps', name: 'Stamps', value: 2, decimals: 0, total: 12 },
      ],
      progress: [
        { key: 'points', have: 248, need: 500, rewardName: '5 off' },
        { key: 'stamps', have: 2, need: 10, rewardName: 'Free coffee' },
      ],
      coupons: [
        {
          id: first.executedActions.coupons[0].id,
          name: 'Free coffee',
          kind: 'free_product',
          products: ['Caffè latte'],
          expiresAt: first.executedActions.coupons[0].expiresAt,
          campaignName: 'Coffee club',
        },
      ],
      expiring: [],
      tiers: [],
      spend: { key: 'points', worth: 0.01, least: 100 },
      visits: [
        {
          id: returned.id,
          at: returned.occurredAt,
          amount: 4,
          collected: { points: 4, stamps: 1 },
          branchName: 'Main',
          isReturned: true,
        },
        {
          id: expect.any(String),
          at: expect.any(String),
          amount: 10,
          collected: { points: 9 },
          spent: { points: 100 },
          branchName: 'Main',
        },
        {
          id: first.id,
          at: occurredAt,
          amount: 239.5,
          collected: { points: 239, stamps: 12 },
          branchName: 'North Street',
        },
      ],
      contacts: [
        { channel: 'email', address: 'a•••@e•••.com', isVerified: false, canReceive: false },
        { channel: 'sms', address: '+1 ••• ••99', isVerified: false, canReceive: false },
      ],
      unconfirmed: [],
      passes: [],
      updatedAt: expect.any(String),
    })
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
    })
    for (const hidden of ['Lovelace', '+12025550199', 'ada.wallet@example.com', customer])
      expect(text).not.toContain(hidden)
  })

  test('says the same progress as the receipt, also in a balance with decimals and while nothing runs', async () => {
    const definition = {
      name: 'Cents',
      balances: [{ key: 'cents', name: 'Credit', decimals: 2, expires: { after: 'P1M' } }],
      rules: [{ id: 'base', kind: 'points_per_amount', balance: 'cents', points: 0.05, per: 1 }],
      rewards: [{ key: 'gift', kind: 'amount_off', amount: 1 }],
      thresholds: [{ balance: 'cents', at: 2.5, grant: 'gift' }],
    }
    const own = await merchant.publishCampaign(definition)
    const { customer, card } = await merchant.register(own)
    const sale = await merchant.call('POST', '/v1/transactions/process', { customer, card, amount: 33 })
    const path = await pathOf(card)
    const { body } = await get(`${path}/card`)
    const [progress] = sale.body.executedActions.progress
    expect(body.progress).toEqual([{ key: 'cents', have: progress.have, need: 2.5, rewardName: 'gift' }])
    expect(body.balances).toEqual([{ key: 'cents', name: 'Credit', value: 1.65, decimals: 2, total: 1.65 }])
    expect(body.expiring).toEqual([{ key: 'cents', amount: 1.65, at: expect.any(String) }])
    expect(body).not.toHaveProperty('firstName')
    await merchant.call('POST', `/v1/campaigns/${own}/pause`)
    expect((await get(`${path}/card`)).body.progress).toEqual([])
  })

  test('of a blocked card, or of a blocked customer, has no code', async () => {
    const { customer, card, barcode } = await merchant.register(campaign)
    const path = await pathOf(card)
    for (const blocked of [`/v1/cards/${card}`, `/v1/customers/${customer}`]) {
      await merchant.call('POST', `${blocked}/block`)
      const shown = await get(`${path}/card`)
      expect([shown.status, shown.body.card.status, shown.text.includes(barcode)]).toEqual([200, 2, false])
      for (const kind of ['code128', 'qr'])
        expectRefusal(await get(`${path}/${kind}.svg`), 404, '_not_found', /blocked/)
      await merchant.call('POST', `${blocked}/unblock`)
      expect((await get(`${path}/card`)).body.card).toMatchObject({ status: 1, barcode })
      expect((await get(`${path}/qr.svg`)).status).toBe(200)
    }
  })

  test('has the last ten visits', async () => {
    const { customer, card } = await merchant.register(campaign)
    for (let amount = 1; amount <= 12; amount++)
      await merchant.call('POST', '/v1/transactions/process', { customer, card, amount })
    const { body } = await get(`${await pathOf(card)}/card`)
    expect(body.visits.map(({ amount }: { amount: number }) => amount)).toEqual([
      12, 11, 10, 9, 8, 7, 6, 5, 4, 3,
    ])
  })

  test('has images that a scanner reads, with room around them, and a manifest of its own', async () => {
    const { card, barcode } = await merchant.register(campaign)
    const path = await pathOf(card)
    for (const [kind, format] of [
      ['code128', 'Code128'],
      ['qr', 'QRCode'],
    ]) {
      const image = await get(`${path}/${kind}.svg`)
      expect(image.headers['content-type']).toBe('image/svg+xml')
      expect(await scanSvg(image.text)).toEqual([{ format, text: barcode }])
      expect(image.text).toContain('fill="#FFFFFF"')
      const till = await merchant.connect(['pos'])
      const same = await till('GET', `/v1/cards/${card}/barcode.svg?kind=${kind}`)
      expect([same.status, same.text]).toEqual([200, image.text])
    }
    const plain = await merchant.call('GET', `/v1/cards/${card}/barcode.svg`)
    expect(await scanSvg(plain.text)).toEqual([{ format: 'Code128', text: barcode }])
    expectRefusal(
      await merchant.call('GET', `/v1/cards/${card}/barcode.svg?kind=ean13`),
      400,
      '_invalid_payload',
      /kind/,
    )
    const manifest = await get(`${path}/manifest.webmanifest`)
    expect(manifest.headers['content-type']).toMatch(/^application\/manifest\+json/)
    expect(JSON.parse(manifest.text)).toMatchObject({
      name: 'Blue Cup: Coffee club',
      start_url: path,
      scope: path,
      theme_color: '#0b7285',
      icons: [`${path}/icon.svg`, '/w/icon-192.png', '/w/icon-512.png'].map((src) => ({ src })),
    })
  })

  test('has an icon in the color of the merchant', async () => {
    const { card } = await merchant.register(campaign)
    const path = await pathOf(card)
    const drawn = await get(`${path}/icon.svg`)
    expect(drawn.headers['content-type']).toBe('image/svg+xml')
    expect(drawn.text).toContain('fill="#0b7285"')
    expect(drawn.headers['cache-control']).toBe('private, max-age=86400')
  })

  test('has one color everywhere when the merchant has chosen none', async () => {
    const plain = await service.createMerchant()
    const { card } = await plain.register(await plain.publishCampaign())
    const path = new URL(await urlOf(card, plain.call)).pathname
    const { color } = (await get(`${path}/card`)).body.organization
    expect(color).toMatch(/^#[0-9a-f]{6}$/)
    expect(JSON.parse((await get(`${path}/manifest.webmanifest`)).text).theme_color).toBe(color)
    expect((await get(`${path}/icon.svg`)).text).toContain(`fill="${color}"`)
  })

  test("begins with the balances of the card's own campaign, and says whose the others are", async () => {
    const shop = await service.createMerchant()
    const define = (name: string, ...keys: string[]) =>
      shop.publishCampaign({
        name,
        balances: keys.map((key) => ({ key, name: key.toUpperCase() })),
        rules: keys.map((balance) => ({
          id: balance,
          kind: 'points_per_amount',
          balance,
          points: 1,
          per: 1,
        })),
      })
    const first = await define('First', 'alpha')
    const { customer, card: other } = await shop.register(first)
    const second = await define('Second', 'zeta', 'beta')
    const joined = await shop.call('POST', '/v1/customers/register', {
      campaignId: second,
      customer: { id: customer },
    })
    const card = joined.body.cards.find((item: Reply['body']) => item.campaign === second).id
    for (const used of [other, card])
      await shop.call('POST', '/v1/transactions/process', { customer, card: used, amount: 5 })
    const balancesAt = async (id: string) => {
      const { body } = await get(`${new URL(await urlOf(id, shop.call)).pathname}/card`)
      return body.balances.map((balance: Reply['body']) => [
        balance.key,
        balance.value,
        balance.otherCampaign,
      ])
    }
    expect(await balancesAt(card)).toEqual([
      ['zeta', 5, undefined],
      ['beta', 5, undefined],
      ['alpha', 5, 'First'],
    ])
    expect(await balancesAt(other)).toEqual([
      ['alpha', 5, undefined],
      ['beta', 5, 'Second'],
      ['zeta', 5, 'Second'],
    ])
  })
})

describe('the address', () => {
  test('that is changed in any place leads nowhere, and asks for nothing', async () => {
    const { card } = await merchant.register(campaign)
    const path = await pathOf(card)
    const token = path.slice('/w/'.length)
    expect(token).toMatch(/^[\w-]{54}$/)
    const wrong = [
      ...Array.from(
        token,
        (letter, i) => `${token.slice(0, i)}${letter === 'A' ? 'B' : 'A'}${token.slice(i + 1)}`,
      ),
      token.slice(0, -1),
      `${token}A`,
      `${token}==`,
      token.toLowerCase(),
      token.replace(/^./, '%41%41'),
      'x',
      '%00',
      createWalletTokens('another pepper').create(service.deps.walletTokens.read(token)!),
    ]
    const { pool } = service.deps
    const busy = pool.totalCount
    let asked = 0
    const count = () => asked++
    pool.on('acquire', count)
    for (const one of wrong) {
      const reply = await get(`/w/${one}/card`)
      expect([one, reply.status, reply.body.message]).toEqual([one, 404, '_not_found'])
      expect(reply.headers['x-robots-tag']).toBe('noindex')
    }
    expect([asked, pool.totalCount]).toEqual([0, busy])
    await expectThere(path)
    expect(asked).toBeGreaterThan(0)
    pool.off('acquire', count)
  })

  test('of another organization, a card that is none, or no version is one that nobody gave out', async () => {
    const { card } = await merchant.register(campaign)
    const { walletTokens } = service.deps
    const key = walletTokens.read((await pathOf(card)).slice('/w/'.length))!
    for (const other of [
      { ...key, org: key.org + 1 },
      { ...key, org: 0 },
      { ...key, org: 2 ** 31 - 1 },
      { ...key, version: 0 },
      { ...key, version: 2 },
      { ...key, version: 2 ** 31 - 1 },
      { ...key, card: `card_${'0'.repeat(32)}` as const },
    ]) {
      await expectGone(`/w/${walletTokens.create(other)}`)
    }
  })

  test('is renewed: the new one works, the old one does not', async () => {
    const { card, customer } = await merchant.register(campaign)
    const old = await pathOf(card)
    const { status, body } = await change(card, 'renew')
    expect([status, body.id]).toEqual([200, card])
    expect(body.walletUrl).toBe(await urlOf(card))
    const renewed = new URL(body.walletUrl).pathname
    expect(renewed).not.toBe(old)
    await expectThere(renewed)
    await expectGone(old)
    const found = await merchant.call('GET', `/v1/customers/${customer}`)
    expect(found.body.cards[0].walletUrl).toBe(body.walletUrl)
  })

  test('is revoked, and what is renewed after that is none that was there before', async () => {
    const { card } = await merchant.register(campaign)
    const old = await pathOf(card)
    const revoked = await change(card, 'revoke')
    expect(revoked.status).toBe(200)
    expect(revoked.body).not.toHaveProperty('walletUrl')
    expect(await urlOf(card)).toBeUndefined()
    await expectGone(old)
    const seen = new Set([old])
    for (let i = 0; i < 3; i++) {
      seen.add(new URL((await change(card, 'renew')).body.walletUrl).pathname)
      await change(card, 'revoke')
    }
    expect(seen.size).toBe(4)
    for (const path of seen) await expectGone(path)
  })

  test('of a replaced card leads to its replacement, until that gets another', async () => {
    const { card } = await merchant.register(campaign)
    const first = await pathOf(card)
    const replace = async (id: string) => (await merchant.call('POST', `/v1/cards/${id}/replace`)).body
    const second = await replace(card)
    const third = await replace(second.id)
    for (const path of [first, new URL(second.walletUrl).pathname, new URL(third.walletUrl).pathname])
      expect((await get(`${path}/card`)).body.card).toMatchObject({ barcode: third.barcode, status: 1 })
    expect(await urlOf(card)).toBeUndefined()
    for (const action of ['renew', 'revoke'] as const)
      expectRefusal(await change(card, action), 400, 'card_not_active')
    const renewed = await change(third.id, 'renew')
    for (const path of [first, new URL(second.walletUrl).pathname]) await expectGone(path)
    const fourth = await replace(third.id)
    const path = new URL(renewed.body.walletUrl).pathname
    expect((await get(`${path}/card`)).body.card.barcode).toBe(fourth.barcode)
    await change(fourth.id, 'revoke')
    await expectGone(path)
  })

  test('goes with its customer, and rests with the subscription', async () => {
    const { card, customer } = await merchant.register(campaign)
    const path = await pathOf(card)
    await merchant.call('POST', `/v1/customers/${customer}/erase`)
    await expectGone(path)
    const other = await service.createMerchant()
    const { card: resting } = await other.register(await other.publishCampaign())
    const its = new URL(await urlOf(resting, other.call)).pathname
    const subscribe = (active: boolean) =>
      service.call('POST', `/admin/v1/organizations/${other.id}/subscription`, {
        token: adminToken,
        body: { active },
      })
    await expectThere(its)
    await subscribe(false)
    await expectGone(its)
    await subscribe(true)
    await expectThere(its)
  })

  test('needs the scope manage to be changed, and the card to be one of ours', async () => {
    const { card } = await merchant.register(campaign)
    const till = await merchant.connect(['pos'])
    const stranger = await service.createMerchant()
    for (const action of ['renew', 'revoke']) {
      const path = `/v1/cards/${card}/wallet/${action}`
      expectRefusal(await till('POST', path), 403, '_forbidden')
      expectRefusal(await stranger.call('POST', path), 404, 'card_not_found')
    }
    expect(await urlOf(card)).toBeDefined()
  })

  test('is shown by a cashier on request only, and not if the card or the customer is blocked', async () => {
    const cashier = await createTestPerson(service, merchant, 'cashier')
    const owner = await createTestPerson(service, merchant)
    const { card, customer } = await merchant.register(campaign)
    const url = await urlOf(card)
    const show = () => cashier.call('POST', `/v1/cards/${card}/wallet/show`)
    for (const path of [`/v1/cards/${card}`, `/v1/customers/${customer}`]) {
      expect((await cashier.call('GET', path)).text).not.toContain('/w/')
      expect((await owner.call('GET', path)).text).toContain(url)
    }
    expect((await owner.call('GET', '/v1/customers')).text).not.toContain('/w/')
    expect((await merchant.call('GET', '/v1/customers')).text).toContain(url)
    expect((await show()).body).toMatchObject({ id: card, walletUrl: url })

    await merchant.call('POST', `/v1/cards/${card}/block`)
    expectRefusal(await show(), 400, 'card_not_active')
    await merchant.call('POST', `/v1/cards/${card}/unblock`)
    await merchant.call('POST', `/v1/customers/${customer}/block`)
    expectRefusal(await show(), 400, 'customer_not_active')
    await merchant.call('POST', `/v1/customers/${customer}/unblock`)
    await change(card, 'revoke')
    expectRefusal(await show(), 400, 'wallet_revoked')
    const stranger = await service.createMerchant()
    expectRefusal(await stranger.call('POST', `/v1/cards/${card}/wallet/show`), 404, 'card_not_found')
  })

  test('comes with the receipt if it is asked for, and the sale is booked without one too', async () => {
    const cashier = await createTestPerson(service, merchant, 'cashier')
    const { card, customer } = await merchant.register(campaign)
    const sell = (opaqueId: string, query = '?include=walletUrl') =>
      cashier.call('POST', `/v1/transactions/process${query}`, { customer, card, opaqueId, amount: 1 })
    const sold = await sell('wallet-receipt')
    expect([sold.status, sold.body.walletUrl]).toEqual([201, await urlOf(card)])
    expect((await sell('wallet-receipt', '')).body).not.toHaveProperty('walletUrl')
    await change(card, 'revoke')
    const again = await sell('wallet-receipt')
    expect([again.status, again.body.id]).toEqual([201, sold.body.id])
    expect(again.body).not.toHaveProperty('walletUrl')
  })

  test('stands in no table, and yet a repeated call answers with it again', async () => {
    const key = { 'idempotency-key': 'wallet-repeat' }
    const body = { campaignId: campaign, customer: { data: {} } }
    const register = () => merchant.call('POST', '/v1/customers/register', body, key)
    const [first, again] = [await register(), await register()]
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(again.body).toEqual(first.body)
    const [card] = first.body.cards
    const renew = () => merchant.call('POST', `/v1/cards/${card.id}/wallet/renew`, {}, key)
    const [renewed, repeated] = [await renew(), await renew()]
    expect(repeated.body).toEqual(renewed.body)
    expect(renewed.body.walletUrl).toBe(await urlOf(card.id))
    const { rows: tables } = await service.database.pool.query<{ name: string }>(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    )
    for (const { walletUrl } of [card, renewed.body]) {
      const token = walletUrl.split('/w/')[1]
      for (const { name } of tables) {
        const { rows } = await service.database.pool.query(
          `SELECT count(*)::int AS count FROM ${name} t WHERE strpos(t::text, $1) > 0`,
          [token],
        )
        expect([name, rows[0].count]).toEqual([name, 0])
      }
    }
  })
})
