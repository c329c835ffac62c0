/**
 * Every page as it looks on a phone by night; by day the journeys are there. The full check looks at all of them in both
 * sizes and schemes, and leaves pictures for people in `screenshots/`.
 */
import { beforeAll, expect, test, vi } from 'vitest'
import { isFull } from '../support/full.ts'
import {
  callApi,
  demo,
  expectCalm,
  newCustomer,
  type Opened,
  openPage,
  openSignedIn,
  scan,
  startBrowser,
} from './browser.ts'
import { dayBefore } from './console.ts'
import { arabicLooks, desk, look, looksOfPage } from './pictures.ts'

startBrowser()

let opened: Opened
/** Of the demo's own: a customer with a history, a sale of theirs, and a call that was refused. */
let examples: Record<'customer' | 'sale' | 'request' | 'campaign' | 'wallet', string>

beforeAll(async () => {
  examples = await findExamples()
  opened = await openPage({ stays: true })
  await openSignedIn(opened.page, `${demo.consoleUrl}/branches`)
})

async function findExamples(): Promise<typeof examples> {
  // A long path, which a narrow page has to break. Calls are written down about once a second.
  await callApi('GET', `/v1/customers/cus_${'0'.repeat(32)}/transactions`, { status: 404 })
  const request = await vi.waitFor(async () => {
    const { data } = await callApi('GET', '/v1/requests?status=refused&limit=1&q=00000000')
    return data[0].id
  }, 20_000)
  // Guests of the demo have an opaque id, and their coupons are older than those of the journeys.
  const { data: coupons } = await callApi(
    'GET',
    `/v1/coupons?status=1&limit=100&campaign=${demo.campaignId}&to=${dayBefore(1)}`,
  )
  const holders = new Set<string>(coupons.map(({ customer }: { customer: string }) => customer))
  const customers = await Promise.all([...holders].map((id) => callApi('GET', `/v1/customers/${id}`)))
  const customer = customers
    .filter(({ opaqueId }) => opaqueId)
    .sort((a, b) => b.collectables.stamps.value - a.collectables.stamps.value)[0]
  const { data: sales } = await callApi('GET', `/v1/customers/${customer.id}/transactions?limit=1`)
  return {
    customer: customer.id,
    sale: sales[0].id,
    request,
    campaign: demo.campaignId,
    wallet: customer.cards[0].walletUrl,
  }
}

test('sign-in', async () => {
  const stranger = await openPage()
  await stranger.page.goto(demo.consoleUrl)
  await stranger.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await look(stranger.page, 'console-sign-in', looksOfPage)
  expectCalm(stranger)
})

test.each([
  ['home', '/'],
  ['customers', '/customers'],
  ['import', '/import'],
  ['customer', '/customers/{customer}'],
  ['campaigns', '/campaigns'],
  ['new-campaign', '/campaigns/new'],
  ['campaign', '/campaigns/{campaign}'],
  ['campaign-versions', '/campaigns/{campaign}/versions'],
  ['transactions', '/transactions'],
  ['transaction', '/transactions/{sale}'],
  ['coupons', '/coupons'],
  ['products', '/products'],
  ['branches', '/branches'],
  ['users', '/users'],
  ['people', '/people'],
  ['connections', '/connections'],
  ['requests', '/requests'],
  ['request', '/requests/{request}'],
  ['audit', '/audit'],
  ['settings', '/settings'],
])('console, %s', async (name, path) => {
  const { page } = opened
  await page.goto(demo.consoleUrl + path.replace(/\{(\w+)\}/, (_, key) => examples[key as 'customer']))
  await page.getByRole('heading', { level: 1 }).waitFor()
  await look(page, `console-${name}`, looksOfPage)
  expectCalm(opened)
})

test('till', { skip: !isFull }, async () => {
  const { page } = opened
  const customer = await newCustomer({ fullname: 'Frida Kahlo' })
  const welcome = { key: 'points', amount: 740, reason: 'Welcome' }
  await callApi('POST', `/v1/customers/${customer.id}/adjustments`, { body: welcome })
  const coupon = { customer: customer.id, campaign: demo.campaignId, reward: 'free-coffee' }
  await callApi('POST', '/v1/coupons', { body: coupon })
  await page.setViewportSize(desk)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(`${demo.baseUrl}/till`)
  const latte = page.getByRole('button', { name: /^Latte/ })
  await latte.waitFor()
  await look(page, 'till-start')

  await page.setViewportSize(desk)
  await scan(page, customer.cards[0].barcode)
  await page.getByRole('heading', { name: 'Frida Kahlo' }).waitFor()
  await latte.click()
  await page.getByRole('button', { name: /^Cheesecake/ }).click()
  await page.getByRole('button', { name: 'Free coffee', pressed: false }).click()
  await page.getByRole('button', { name: 'Charge $5.20' }).waitFor()
  await look(page, 'till-sale')

  await page.keyboard.press('F9')
  await page.getByRole('heading', { name: '$5.20 paid' }).waitFor()
  await look(page, 'till-receipt')
  expectCalm(opened)
})

test('wallet page', async () => {
  const { page } = opened
  await page.goto(examples.wallet)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await look(page, 'wallet')
  expectCalm(opened)
})

test('in Arabic', async () => {
  const { page } = opened
  await page.evaluate(`localStorage.setItem('lw-language', 'ar')`)
  const pages = [
    ['console-home', demo.consoleUrl],
    ['wallet', examples.wallet],
    ['till-start', `${demo.baseUrl}/till`],
  ] as const
  for (const [name, address] of isFull ? pages : pages.slice(0, 2)) {
    await page.goto(address)
    await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
    expect(await page.evaluate('document.documentElement.dir')).toBe('rtl')
    await look(page, `${name}-arabic`, arabicLooks)
  }
  expectCalm(opened)
})
