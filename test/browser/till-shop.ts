/** A small programme of its own in the demo's café, so that the journeys at the till know every number. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { callApi, demo, newPhone, openSignedIn } from './browser.ts'

export interface Shop {
  readonly campaign: string
}

const teaHouse = {
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
}

const products = [
  { opaqueId: 'till-tea', name: 'Assam tea', category: 'Tea house', price: 3.3 },
  { opaqueId: 'till-scone', name: 'Warm scone', category: 'Tea house', price: 2.15 },
  { opaqueId: 'till-jam', name: 'Jam by weight', category: 'Tea house' },
]

/** Opened by the first file that needs it. */
export async function openShop(): Promise<Shop> {
  const { data } = await callApi('GET', '/v1/campaigns?limit=100')
  const known = data.find(({ name }: { name: string }) => name === teaHouse.name)
  if (known) return { campaign: known.id }
  const { id } = await callApi('POST', '/v1/campaigns', { body: teaHouse })
  await callApi('POST', `/v1/campaigns/${id}/publish`)
  for (const body of products) await callApi('POST', '/v1/products', { body })
  return { campaign: id }
}

export interface Guest {
  readonly id: string
  readonly card: string
  readonly barcode: string
  readonly phone: string
  readonly name: string
}

/** A customer with `leaves` to spend and the coupons named. */
export async function register(
  { campaign }: Shop,
  name: string,
  leaves = 0,
  coupons: readonly string[] = [],
): Promise<Guest> {
  const phone = newPhone()
  const { id, cards } = await callApi('POST', '/v1/customers/register', {
    body: { campaignId: campaign, customer: { data: { phone, fullname: name } } },
  })
  if (leaves > 0) {
    const body = { key: 'leaves', amount: leaves, reason: 'Moved from the old card' }
    await callApi('POST', `/v1/customers/${id}/adjustments`, { body })
  }
  for (const reward of coupons) {
    await callApi('POST', '/v1/coupons', { body: { customer: id, campaign, reward } })
  }
  return { id, card: cards[0].id, barcode: cards[0].barcode, phone, name }
}

/** At the till, as a cashier unless told. */
export async function openTill(page: Page, email = 'cashier@demo.example'): Promise<void> {
  await openSignedIn(page, `${demo.baseUrl}/till`, email)
  await page.getByRole('heading', { name: 'Customer' }).waitFor()
  await page.locator('.till-product', { hasText: 'Assam tea' }).waitFor({ state: 'attached' })
}

export async function findGuest(page: Page, guest: Guest): Promise<void> {
  await page.keyboard.press('F2')
  await page.getByLabel('Phone, email, or barcode').fill(guest.phone)
  await page.keyboard.press('Enter')
  // On a phone the products stand before it by then.
  await page.locator('h3', { hasText: guest.name }).waitFor({ state: 'attached' })
}

/** What is typed next goes there. */
export async function expectFocus(place: Locator): Promise<void> {
  await expect
    .poll(() => place.evaluate((element) => element === element.ownerDocument.activeElement))
    .toBe(true)
}

/** Adds one although a dialog may have come over the page by then: who is signed out is told with the next call. */
export const addUnderDialog = (page: Page, product: string): Promise<void> =>
  page.locator('.till-product', { hasText: product }).dispatchEvent('click')

/** Waits until the service has said what is on the screen, and charges. */
export async function charge(page: Page, amount: string): Promise<void> {
  const button = page.getByRole('button', { name: `Charge ${amount}` })
  await button.waitFor()
  await expect.poll(() => button.isEnabled()).toBe(true)
  await page.keyboard.press('F9')
}

export async function balancesOf(customer: string): Promise<Record<string, number>> {
  const { collectables } = await callApi('GET', `/v1/customers/${customer}`)
  const entries = Object.entries<{ value: number }>(collectables)
  return Object.fromEntries(entries.map(([key, { value }]) => [key, value]))
}

/** What the service has booked under this receipt number: exactly one transaction. */
export async function booked(receipt: string): ReturnType<typeof callApi> {
  const { data } = await callApi('GET', `/v1/transactions?opaqueId=${receipt}`)
  expect(data).toHaveLength(1)
  return data[0]
}

export async function receiptNumber(page: Page): Promise<string> {
  const text = await page.getByRole('article', { name: 'Receipt' }).textContent()
  return /T[A-Z]{4}-\d{6}/.exec(text!)![0]
}
