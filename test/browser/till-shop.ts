/** A small programme of its own in the demo's café, so that the journeys at the till know every number. */
import { randomInt } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { demo } from './browser.ts'

// biome-ignore lint/suspicious/noExplicitAny: replies are looked into freely here, as in the tests of the API.
type Reply = any

let token: Promise<string> | undefined

async function askToken(): Promise<string> {
  const reply = await fetch(`${demo.baseUrl}/auth/token`, {
    method: 'POST',
    headers: { 'x-api-key': demo.apiKey, 'x-api-secret': demo.apiSecret },
  })
  return ((await reply.json()) as { accessToken: string }).accessToken
}

/** A call of the demo's connection, which may do everything. */
export async function call(method: string, path: string, body?: unknown): Promise<Reply> {
  token ??= askToken()
  const reply = await fetch(demo.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${await token}`, 'content-type': 'application/json' },
    body: method === 'GET' ? undefined : JSON.stringify(body ?? {}),
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
  return text ? JSON.parse(text) : undefined
}

export interface Shop {
  readonly campaign: string
}

/** Two points for a dollar, a stamp for a tea, and a free tea for five stamps. */
export async function openShop(): Promise<Shop> {
  const { id } = await call('POST', '/v1/campaigns', {
    name: 'Tea house',
    balances: [
      { key: 'leaves', name: 'Leaves' },
      { key: 'cups', name: 'Cups' },
    ],
    rules: [
      { id: 'base', kind: 'points_per_amount', balance: 'leaves', points: 2, per: 1 },
      { id: 'tea', kind: 'collect_per_item', balance: 'cups', amount: 1, products: ['till-tea'] },
    ],
    rewards: [
      { key: 'free-tea', name: 'Free tea', kind: 'free_product', products: ['till-tea'] },
      { key: 'tenth', name: 'A tenth off', kind: 'percent_off', percent: 10 },
    ],
    thresholds: [{ balance: 'cups', at: 5, grant: 'free-tea', consume: true }],
    spend: { balance: 'leaves', worth: 0.1, min: 10, maxShare: 0.5 },
  })
  await call('POST', `/v1/campaigns/${id}/publish`)
  const products = [
    { opaqueId: 'till-tea', name: 'Assam tea', category: 'Tea house', price: 3.3 },
    { opaqueId: 'till-scone', name: 'Warm scone', category: 'Tea house', price: 2.15 },
    { opaqueId: 'till-jam', name: 'Jam by weight', category: 'Tea house' },
  ]
  for (const product of products) await call('POST', '/v1/products', product)
  return { campaign: id }
}

export interface Guest {
  readonly id: string
  readonly card: string
  readonly barcode: string
  readonly phone: string
  readonly name: string
}

export const newPhone = (): string => `+1202555${randomInt(1000, 9999)}`

/** A customer with `leaves` to spend and the coupons named. */
export async function register(shop: Shop, name: string, leaves = 0, coupons: string[] = []): Promise<Guest> {
  const phone = newPhone()
  const { id, cards } = await call('POST', '/v1/customers/register', {
    campaignId: shop.campaign,
    customer: { data: { phone, fullname: name } },
  })
  if (leaves > 0) {
    await call('POST', `/v1/customers/${id}/adjustments`, { key: 'leaves', amount: leaves, reason: 'Test' })
  }
  for (const reward of coupons)
    await call('POST', '/v1/coupons', { customer: id, campaign: shop.campaign, reward })
  return { id, card: cards[0].id, barcode: cards[0].barcode, phone, name }
}

/** At the till, as a cashier. */
export async function openTill(page: Page): Promise<void> {
  await page.goto(`${demo.baseUrl}/till`)
  await page.getByLabel('E-mail').fill('cashier@demo.example')
  await page.getByRole('textbox', { name: 'Password' }).fill(demo.consolePassword)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Customer' }).waitFor()
  await page.locator('.till-product', { hasText: 'Assam tea' }).waitFor({ state: 'attached' })
}

export async function findGuest(page: Page, guest: Guest): Promise<void> {
  await page.keyboard.press('F2')
  await page.getByLabel('Phone, e-mail or card number').fill(guest.phone)
  await page.keyboard.press('Enter')
  // On a phone the products stand before it by then.
  await page.locator('h3', { hasText: guest.name }).waitFor({ state: 'attached' })
}

/** Waits until the service has said what is on the screen, and charges. */
export async function charge(page: Page, amount: string): Promise<void> {
  const button = page.getByRole('button', { name: `Charge ${amount}` })
  await button.waitFor()
  await expect.poll(() => button.isEnabled()).toBe(true)
  await page.keyboard.press('F9')
}

/** What the service has booked under this receipt number: exactly one transaction. */
export async function booked(receipt: string): Promise<Reply> {
  const { data } = await call('GET', `/v1/transactions?opaqueId=${receipt}`)
  expect(data).toHaveLength(1)
  return data[0]
}

export async function receiptNumber(page: Page): Promise<string> {
  const text = await page.getByRole('article', { name: 'Receipt' }).textContent()
  return /T[A-Z]{4}-\d{6}/.exec(text!)![0]
}
