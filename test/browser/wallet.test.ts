import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { createServiceAccount } from '../support/google-wallet.ts'
import { createPassAuthority, hasOpenssl, readZip } from '../support/pass-keys.ts'
import {
  callApi,
  demo,
  expectAccessible,
  expectCalm,
  newToken,
  openPage,
  startBrowser,
  unique,
} from './browser.ts'
import { measureRoom, scanPicture } from './scan-picture.ts'

startBrowser({ areNew: true })

/** Light: what stands on it has to be dark. */
const color = '#f2c14e'

/** Expires soon, fills a card of stamps, and grants a coupon with the first visit. */
const campaign = {
  name: 'Breakfast club',
  balances: [
    { key: 'points', name: 'Points', expires: { after: 'P5D' } },
    { key: 'stamps', name: 'Stamps' },
  ],
  rules: [
    { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 },
    { id: 'rolls', kind: 'collect_per_item', balance: 'stamps', amount: 1, products: ['roll'] },
  ],
  rewards: [
    { key: 'free-roll', name: 'A free roll', kind: 'free_product', products: ['roll', 'bun'], validDays: 30 },
    { key: 'two-off', name: '2 off', kind: 'amount_off', amount: 2 },
  ],
  thresholds: [{ balance: 'stamps', at: 8, grant: 'free-roll', consume: true }],
  tiers: [{ key: 'early', name: 'Early bird', balance: 'points', from: 1000 }],
}

let merchant: Promise<{ token: string; campaignId: string }> | undefined

/** A merchant of its own, since here everything looks as the merchant wants it. */
async function openBakery() {
  const asOperator = { token: demo.adminToken }
  const place = { country: 'DE', currency: 'EUR', timezone: 'Europe/Berlin' }
  const { id } = await callApi('POST', '/admin/v1/organizations', {
    ...asOperator,
    body: { name: 'Sunny Bakery', ...place },
  })
  const integration = await callApi('POST', '/admin/v1/integrations', {
    ...asOperator,
    body: { name: `Bakery ${unique()}` },
  })
  const { apiSecret } = await callApi('POST', `/admin/v1/organizations/${id}/connections`, {
    ...asOperator,
    body: { integration: integration.id, scopes: ['pos', 'manage'] },
  })
  const token = await newToken({ apiKey: integration.apiKey, apiSecret })
  await callApi('PATCH', '/v1/organization', { token, body: { color } })
  await callApi('POST', '/v1/products', { token, body: { opaqueId: 'roll', name: 'Poppy roll' } })
  const { id: campaignId } = await callApi('POST', '/v1/campaigns', { token, body: campaign })
  await callApi('POST', `/v1/campaigns/${campaignId}/publish`, { token })
  return { token, campaignId }
}

interface HeldCard {
  readonly id: string
  readonly barcode: string
  readonly walletUrl: string
}

/** A card with 1,234 points, 3 stamps, two coupons and a visit. */
async function issueCard(): Promise<HeldCard & { token: string; customer: string; campaignId: string }> {
  merchant ??= openBakery()
  const { token, campaignId } = await merchant
  const data = { fullname: 'Rosa Example', email: `rosa-${unique()}@example.com` }
  const { id: customer, cards } = await callApi('POST', '/v1/customers/register', {
    token,
    body: { campaignId, customer: { data } },
  })
  const items = [
    { product: 'roll', name: 'Roll', quantity: 3, unitPrice: 1.5 },
    { product: 'feast', name: 'Feast', quantity: 1, unitPrice: 1230 },
  ]
  const basket = { customer, card: cards[0].id, items }
  await callApi('POST', '/v1/transactions/process', { token, body: basket })
  for (const reward of ['two-off', 'free-roll']) {
    await callApi('POST', '/v1/coupons', { token, body: { customer, campaign: campaignId, reward } })
  }
  return { ...cards[0], token, customer, campaignId }
}

const code = (page: Page, { barcode }: HeldCard) =>
  page.getByRole('img', { name: `Code for card ${barcode}` })

const backgroundOf = (place: Locator) =>
  place.evaluate((element) => element.ownerDocument.defaultView!.getComputedStyle(element).backgroundColor)

test.each(isFull ? (['light', 'dark'] as const) : (['light'] as const))(
  'shows a card to scan and everything on it, %s',
  async (colorScheme) => {
    const card = await issueCard()
    const opened = await openPage({ width: 390, height: 844, colorScheme })
    const { page } = opened
    await page.goto(card.walletUrl)
    await page.getByRole('heading', { name: 'Breakfast club' }).waitFor()
    const face = page.getByRole('region', { name: 'Your card' })
    await face.getByText('Sunny Bakery').waitFor()
    await face.getByText('Hello, Rosa').waitFor()
    await face.getByRole('list', { name: 'Your tiers' }).getByText('Early bird').waitFor()
    expect(await backgroundOf(face)).toBe('rgb(242, 193, 78)')

    const balances = page.getByRole('region', { name: 'Balances' })
    await balances.getByText('1,234', { exact: true }).waitFor()
    const stamps = balances.getByRole('img', {
      name: 'A free roll · Stamps earned toward the next coupon: 3 of 8',
    })
    expect(await stamps.textContent()).toBe('✓✓✓★')
    await page.getByRole('listitem').filter({ hasText: '2 off' }).getByText('No expiry').waitFor()
    await page.getByText('One free: Poppy roll or bun', { exact: true }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Points: 1,234' }).getByText('(in 5 days)').waitFor()
    const visit = page.getByRole('listitem').filter({ hasText: '€1,234.50' })
    await visit.getByText('Points +1,234').waitFor()
    await visit.getByText('Stamps +3').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    await expectAccessible(page)

    await code(page, card).evaluate((image) => image.decode())
    expect(await scanPicture(code(page, card))).toEqual([{ format: 'Code128', text: card.barcode }])
    const bars = await measureRoom(page, code(page, card))
    expect(bars).toMatchObject({ light: 255, dark: expect.toSatisfy((value: number) => value < 60) })
    // A code of this kind begins with a bar of two modules, and needs ten of them white on both sides.
    expect(Math.min(bars.before, bars.after)).toBeGreaterThanOrEqual(10 * Math.floor(bars.firstBar / 2))

    await page.getByLabel('QR code').check()
    await code(page, card).evaluate((image) => image.decode())
    expect(await scanPicture(code(page, card))).toEqual([{ format: 'QRCode', text: card.barcode }])
    const squares = await measureRoom(page, code(page, card))
    expect(squares).toMatchObject({ light: 255, dark: expect.toSatisfy((value: number) => value < 60) })
    // Here it is a square of seven modules, and four white ones on every side.
    expect(Math.min(squares.before, squares.after, squares.top)).toBeGreaterThanOrEqual(
      Math.floor((4 * squares.firstBar) / 7),
    )
    await expectAccessible(page)
    expectCalm(opened)
  },
)

test('can be put among the apps of a phone', async () => {
  const card = await issueCard()
  const opened = await openPage({ width: 390, height: 844 })
  const { page } = opened
  await page.goto(card.walletUrl)
  await page.getByRole('heading', { name: 'Breakfast club' }).waitFor()
  expect(await page.title()).toBe('Breakfast club · Sunny Bakery')
  expect(await page.locator('meta[name=theme-color]').getAttribute('content')).toBe(color)
  const address = await page.locator('link[rel=manifest]').getAttribute('href')
  const response = await fetch(new URL(address!, card.walletUrl))
  expect(response.headers.get('content-type')).toContain('application/manifest+json')
  const manifest = (await response.json()) as {
    name: string
    start_url: string
    icons: { src: string; type: string }[]
  }
  expect(manifest).toMatchObject({
    name: 'Sunny Bakery: Breakfast club',
    start_url: new URL(card.walletUrl).pathname,
    display: 'standalone',
    theme_color: color,
  })
  expect(manifest.icons.length).toBeGreaterThan(0)
  for (const { src, type } of manifest.icons) {
    const icon = await fetch(new URL(src, card.walletUrl))
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, expect.stringContaining(type)])
  }
  expect(manifest.icons.map(({ type }) => type)).toEqual(['image/svg+xml', 'image/png', 'image/png'])
  // An iPhone takes its icon from the page.
  const touchIcon = await page.locator('link[rel=apple-touch-icon]').getAttribute('href')
  expect(
    await page.evaluate(`(async () => {
      const picture = Object.assign(new Image(), { src: ${JSON.stringify(touchIcon)} })
      await picture.decode()
      return [picture.naturalWidth, picture.naturalHeight]
    })()`),
  ).toEqual([192, 192])
  // What the browser itself makes of it.
  const session = await opened.context.newCDPSession(page)
  const { errors } = await session.send('Page.getAppManifest')
  expect(errors).toEqual([])
  expectCalm(opened)
})

test('offers the wallets of phones that the merchant has keys for, and keeps no pass', {
  skip: !isFull,
}, async () => {
  const card = await issueCard()
  const opened = await openPage({ width: 390, height: 844 })
  const { page } = opened
  await page.goto(card.walletUrl)
  await page.getByText('1,234', { exact: true }).waitFor()
  const wallets = page.getByRole('list', { name: 'Take the card along' })
  expect(await wallets.count()).toBe(0)

  const { issuer, serviceAccount } = createServiceAccount()
  const authority = hasOpenssl ? createPassAuthority() : undefined
  const keys = { google: { issuer, serviceAccount }, apple: authority?.issue() }
  await callApi('PATCH', '/v1/wallet-passes', { token: card.token, body: keys })
  await page.reload()
  await wallets.waitFor()
  const names = authority ? ['Add to Apple Wallet', 'Save to Google Wallet'] : ['Save to Google Wallet']
  expect(await wallets.getByRole('link').allTextContents()).toEqual(names)
  await expectAccessible(page)
  await expectKept(page, card)
  if (authority) {
    const link = wallets.getByRole('link', { name: 'Add to Apple Wallet' })
    await link.focus()
    const downloading = page.waitForEvent('download')
    await page.keyboard.press('Enter')
    const download = await downloading
    expect(download.suggestedFilename()).toBe('card.pkpass')
    expect(readZip(await readFile(await download.path())).has('signature')).toBe(true)
    await expectKept(page, card)
    authority.remove()
  }
  for (const [language, name] of [
    ['de', 'In Google Wallet speichern'],
    ['ar', 'حفظ في Google Wallet'],
  ] as const) {
    await page.locator('.language select').selectOption(language)
    await page.getByRole('link', { name }).waitFor()
    await expectAccessible(page)
  }
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  await callApi('PATCH', '/v1/wallet-passes', { token: card.token, body: { apple: null, google: null } })
  expectCalm(opened)
})

/** The addresses below this one that the browser keeps. */
async function keptOf(page: Page, address: string): Promise<string[]> {
  const kept = await page.evaluate<string[]>(`(async () => {
    const names = await caches.keys()
    const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
    return lists.flat().map(({ url }) => url)
  })()`)
  return kept.filter((url) => url.startsWith(address)).sort()
}

/** All of it: the card and the files of the page. The version is written down when they are there. */
async function expectKept(page: Page, { walletUrl }: HeldCard): Promise<void> {
  await expect.poll(() => page.evaluate(`localStorage.getItem('lw-wallet-version')`)).toBeTruthy()
  await expect
    .poll(() => keptOf(page, walletUrl))
    .toEqual(
      ['', '/card', '/code128.svg', '/manifest.webmanifest', '/qr.svg'].map((part) => walletUrl + part),
    )
}

test('shows without a network how it was last, and says so', async () => {
  const card = await issueCard()
  const opened = await openPage({ width: 390, height: 844 })
  const { page, context } = opened
  await page.goto(card.walletUrl)
  await page.getByText('1,234', { exact: true }).waitFor()
  await expectKept(page, card)
  await context.setOffline(true)
  // The browser leaves the network to what a service worker asks for.
  await context.route('**/*', (route) => route.abort('internetdisconnected'))
  await page.reload()
  const notice = page.getByRole('status')
  await notice.getByText('No connection. Last updated').waitFor()
  await page.getByText('1,234', { exact: true }).waitFor()
  await code(page, card).evaluate((image) => image.decode())
  expect(await scanPicture(code(page, card))).toEqual([{ format: 'Code128', text: card.barcode }])
  await page.getByLabel('QR code').check()
  await code(page, card).evaluate((image) => image.decode())
  expect(await scanPicture(code(page, card))).toEqual([{ format: 'QRCode', text: card.barcode }])
  await expectAccessible(page)
  await context.unrouteAll()
  await context.setOffline(false)
  await page.reload()
  await page.getByText('1,234', { exact: true }).waitFor()
  // An answer that took its time is shown as it was last, too, until the next one.
  await notice.waitFor({ state: 'detached' })
  expectCalm(opened)
})

test('waits for a slow connection where nothing is kept', async () => {
  const [card, other] = [await issueCard(), await issueCard()]
  const opened = await openPage()
  const { page, context } = opened
  await page.goto(card.walletUrl)
  await expectKept(page, card)
  const slow: string[] = []
  await context.route(other.walletUrl, async (route) => {
    await sleep(4_500)
    slow.push(route.request().url())
    await route.continue()
  })
  await page.goto(other.walletUrl)
  await page.getByText('1,234', { exact: true }).waitFor()
  expect(slow).toEqual([other.walletUrl])
  expectCalm(opened)
})

test('shows how it was last while the service takes too long', { skip: !isFull }, async () => {
  const card = await issueCard()
  const opened = await openPage()
  const { page, context } = opened
  await page.goto(card.walletUrl)
  await expectKept(page, card)
  for (const part of ['', '/card']) await context.route(card.walletUrl + part, () => {})
  await page.goto(card.walletUrl)
  await page.getByRole('status').getByText('No connection. Last updated').waitFor()
  await page.getByText('1,234', { exact: true }).waitFor()
  expectCalm(opened)
})

test('shows what has come where there is no room to keep it', { skip: !isFull }, async () => {
  const [card, other] = [await issueCard(), await issueCard()]
  const opened = await openPage()
  const { page, context } = opened
  await page.goto(card.walletUrl)
  await expectKept(page, card)
  const session = await context.newCDPSession(page)
  await session.send('Storage.overrideQuotaForOrigin', { origin: demo.baseUrl, quotaSize: 1 })
  await page.goto(other.walletUrl)
  await page.getByText('1,234', { exact: true }).waitFor()
  expect(await keptOf(page, other.walletUrl)).toEqual([])
  await page.goto(card.walletUrl)
  await page.getByText('1,234', { exact: true }).waitFor()
  expect(await page.getByText('No connection').count()).toBe(0)
  expectCalm(opened)
})

test('shows how it was last while only a proxy answers for the service', { skip: !isFull }, async () => {
  const card = await issueCard()
  const opened = await openPage({ expected: [502] })
  const { page, context } = opened
  await page.goto(card.walletUrl)
  await expectKept(page, card)
  await context.route('**/*', (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }))
  await page.reload()
  await page.getByRole('status').getByText('No connection. Last updated').waitFor()
  await page.getByText('1,234', { exact: true }).waitFor()
  expectCalm(opened)
})

test('drops the files of an older version', { skip: !isFull }, async () => {
  const card = await issueCard()
  const opened = await openPage()
  const { page } = opened
  await page.goto(card.walletUrl)
  await expectKept(page, card)
  const assets = `${demo.baseUrl}/assets/`
  const ours = await keptOf(page, assets)
  expect(ours.length).toBeGreaterThan(3)
  // As it is after an update: files of before, and a mark that is not of this version.
  await page.evaluate(`(async () => {
    const cache = await caches.open('lw-wallet')
    await cache.put('/assets/wallet-old.js', new Response('old'))
    localStorage.setItem('lw-wallet-version', 'old')
  })()`)
  await page.reload()
  await expect.poll(() => keptOf(page, assets)).not.toContain(`${assets}wallet-old.js`)
  expect(await keptOf(page, assets)).toEqual(expect.arrayContaining(ours))
  await expectKept(page, card)
  expectCalm(opened)
})

test('works where service workers are refused, as in a private window', { skip: !isFull }, async () => {
  const card = await issueCard()
  const opened = await openPage()
  const { page } = opened
  await page.addInitScript(
    `navigator.serviceWorker.register = () => Promise.reject(new DOMException('refused', 'SecurityError'))`,
  )
  await page.goto(card.walletUrl)
  await page.getByText('1,234', { exact: true }).waitFor()
  expect(await keptOf(page, demo.baseUrl)).toEqual([])
  expectCalm(opened)
})

test('begins with what the card is for; of other campaigns it shows what there is, and whose it is', {
  skip: !isFull,
}, async () => {
  const { token, walletUrl, customer, campaignId } = await issueCard()
  const balances = ['crumbs', 'seeds'].map((key) => ({ key, name: key }))
  const rules = [{ id: 'crumbs', kind: 'points_per_amount', balance: 'crumbs', points: 1, per: 1 }]
  const body = { name: 'Other club', balances, rules, runsOn: [campaignId] }
  const other = await callApi('POST', '/v1/campaigns', { token, body })
  await callApi('POST', `/v1/campaigns/${other.id}/publish`, { token })
  const register = { campaignId: other.id, customer: { id: customer } }
  const { cards } = await callApi('POST', '/v1/customers/register', { token, body: register })
  const card = cards.find(({ campaign }: { campaign: string }) => campaign === other.id).id
  await callApi('POST', '/v1/transactions/process', { token, body: { customer, card, amount: 7 } })
  const opened = await openPage({ width: 390, height: 844 })
  const { page } = opened
  await page.goto(walletUrl)
  await page.getByText('1,234', { exact: true }).waitFor()
  const names = page.getByRole('region', { name: 'Balances' }).getByRole('heading')
  expect(await names.allTextContents()).toEqual(['Points', 'Stamps', 'crumbsOther club'])
  await expectAccessible(page)
  expectCalm(opened)
  await callApi('POST', `/v1/campaigns/${other.id}/archive`, { token })
})

test('leaves nothing behind when its address was taken back', async () => {
  const [card, other] = [await issueCard(), await issueCard()]
  const opened = await openPage({ expected: [404] })
  const { page, context } = opened
  await page.goto(card.walletUrl)
  await page.getByText('1,234', { exact: true }).waitFor()
  await expectKept(page, card)
  await callApi('POST', `/v1/cards/${card.id}/wallet/revoke`, { token: card.token })
  await page.reload()
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await page.getByText('Ask at the store for the new one.').waitFor()
  await expectAccessible(page)
  // While this is kept, the first page had all the time it may need to keep something after all.
  const second = await context.newPage()
  await second.goto(other.walletUrl)
  await expectKept(second, other)
  expect(await keptOf(page, card.walletUrl)).toEqual([])
  expectCalm(opened)
})

test('says that a card is blocked, and shows no code of it', async () => {
  const card = await issueCard()
  await callApi('POST', `/v1/cards/${card.id}/block`, { token: card.token })
  const opened = await openPage({ colorScheme: 'dark' })
  const { page } = opened
  await page.goto(card.walletUrl)
  await page.getByText('This card is blocked. Please ask at the store.').waitFor()
  expect(await page.getByRole('img', { name: 'Code for card' }).count()).toBe(0)
  await page.getByText('1,234', { exact: true }).waitFor()
  await expectAccessible(page)
  expectCalm(opened)
})

test('forgets the code of a card that is blocked while it is shown', async () => {
  const card = await issueCard()
  const opened = await openPage()
  const { page } = opened
  await page.goto(card.walletUrl)
  await expectKept(page, card)
  await callApi('POST', `/v1/cards/${card.id}/block`, { token: card.token })
  await page.reload()
  await page.getByText('This card is blocked. Please ask at the store.').waitFor()
  await expect.poll(() => keptOf(page, card.walletUrl)).not.toContainEqual(expect.stringContaining('.svg'))
  expectCalm(opened)
})

test('answers an address that never was one with a page that says so', async () => {
  const opened = await openPage({ expected: [404] })
  const { page } = opened
  const response = await page.goto(`${demo.baseUrl}/w/nothing-of-ours`)
  expect(response!.status()).toBe(404)
  expect(response!.headers()['x-robots-tag']).toBe('noindex')
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await expectAccessible(page)
  expect(await keptOf(page, `${demo.baseUrl}/w/nothing-of-ours`)).toEqual([])
  expectCalm(opened)
})
