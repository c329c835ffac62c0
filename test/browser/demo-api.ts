/** The service behind the pages: what a journey needs to be there before it begins, and what came of it. */
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { demo } from './browser.ts'

async function fetchToken({ apiKey, apiSecret }: { apiKey: string; apiSecret: string }): Promise<string> {
  const response = await fetch(`${demo.baseUrl}/auth/token`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'x-api-secret': apiSecret },
  })
  return ((await response.json()) as { accessToken: string }).accessToken
}

let demoToken: Promise<string> | undefined

/** An access token of the demo's connection, which may do everything. */
export function accessToken(): Promise<string> {
  demoToken ??= fetchToken(demo)
  return demoToken
}

export async function callApi<T>(
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
  token?: string,
): Promise<T> {
  const response = await fetch(demo.baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${token ?? (await accessToken())}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
  return answer as T
}

export interface Customer {
  readonly id: string
  readonly cards: readonly { id: string; barcode: string; walletUrl?: string }[]
  readonly collectables: Readonly<Record<string, { value: number }>>
  readonly coupons: readonly { id: string; reward: { key: string } }[]
}

export interface Transaction {
  readonly id: string
  readonly opaqueId: string
  readonly status: number
  readonly payableAmount: number
  readonly pointsSpent: number
  readonly returns: readonly object[]
}

export const readCustomer = (id: string): Promise<Customer> => callApi('GET', `/v1/customers/${id}`)

export async function balancesOf(id: string): Promise<Record<string, number>> {
  const { collectables } = await readCustomer(id)
  return Object.fromEntries(Object.entries(collectables).map(([key, { value }]) => [key, value]))
}

export async function salesUnder(receipt: string): Promise<Transaction[]> {
  const query = new URLSearchParams({ opaqueId: receipt })
  return (await callApi<{ data: Transaction[] }>('GET', `/v1/transactions?${query}`)).data
}

export interface GuestOptions {
  readonly fullname: string
  readonly campaign?: string
  readonly balances?: Readonly<Record<string, number>>
  /** Keys of rewards of the campaign. */
  readonly coupons?: readonly string[]
}

/** A customer of its own for each journey, with a card. */
export async function registerGuest(options: GuestOptions): Promise<Customer> {
  const { fullname, campaign = demo.campaignId, balances = {}, coupons = [] } = options
  const data = { fullname, email: `guest-${randomUUID()}@example.com` }
  const { id } = await callApi<Customer>('POST', '/v1/customers/register', {
    campaignId: campaign,
    customer: { data },
  })
  for (const [key, amount] of Object.entries(balances)) {
    await callApi('POST', `/v1/customers/${id}/adjustments`, { key, amount, reason: 'Welcome' })
  }
  for (const reward of coupons) await callApi('POST', '/v1/coupons', { customer: id, campaign, reward })
  return readCustomer(id)
}

/** Seven random digits after an area code: of fewer, two of many journeys would meet. The demo has nobody there. */
export function newPhone(): string {
  return `+1202${Math.floor(2_000_000 + Math.random() * 7_999_999)}`
}

export async function publishCampaign(definition: object, token?: string): Promise<string> {
  const { id } = await callApi<{ id: string }>('POST', '/v1/campaigns', definition, token)
  await callApi('POST', `/v1/campaigns/${id}/publish`, {}, token)
  return id
}

/** Another merchant than the demo, for journeys that change how everything looks. Gives its access token. */
export async function openMerchant(name: string, looks: object): Promise<string> {
  const admin = demo.adminToken
  const place = { country: 'DE', currency: 'EUR', timezone: 'Europe/Berlin' }
  const { id } = await callApi<{ id: string }>('POST', '/admin/v1/organizations', { name, ...place }, admin)
  const integration = await callApi<{ id: string; apiKey: string }>(
    'POST',
    '/admin/v1/integrations',
    { name: `${name} ${randomUUID()}` },
    admin,
  )
  const { apiSecret } = await callApi<{ apiSecret: string }>(
    'POST',
    `/admin/v1/organizations/${id}/connections`,
    { integration: integration.id, scopes: ['pos', 'manage'] },
    admin,
  )
  const token = await fetchToken({ apiKey: integration.apiKey, apiSecret })
  await callApi('PATCH', '/v1/organization', looks, token)
  return token
}

export const tillUrl = `${demo.baseUrl}/till`

/** By the keyboard alone, as everything at a till can be done. */
export async function openTill(page: Page): Promise<void> {
  await page.goto(tillUrl)
  await page.getByRole('heading', { name: 'Till' }).waitFor()
  await page.keyboard.type('cashier@demo.example')
  await page.keyboard.press('Tab')
  await page.keyboard.type(demo.consolePassword)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Latte' }).first().waitFor()
}

/** As a scanner does: faster than anybody types, wherever the focus is. */
export async function scan(page: Page, code: string): Promise<void> {
  await page.keyboard.type(`${code}\n`)
}
