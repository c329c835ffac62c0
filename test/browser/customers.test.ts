/** Customers, their coupons and their sales, as somebody at the desk looks after them. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { demo, expectAccessible, expectCalm, openPage, signIn, startBrowser } from './browser.ts'

startBrowser()

interface Customer {
  readonly id: string
  readonly cards: readonly { readonly id: string }[]
}

let token: string

beforeAll(async () => {
  const headers = { 'x-api-key': demo.apiKey, 'x-api-secret': demo.apiSecret }
  const answer = await fetch(`${demo.baseUrl}/auth/token`, { method: 'POST', headers })
  token = ((await answer.json()) as { accessToken: string }).accessToken
})

/** As a till calls. */
async function post<T>(path: string, body: object): Promise<T> {
  const answer = await fetch(demo.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(201)
  return (await answer.json()) as T
}

const register = (fullname: string) =>
  post<Customer>('/v1/customers/register', { campaignId: demo.campaignId, customer: { data: { fullname } } })

async function sell({ id, cards: [card] }: Customer, receipt: string): Promise<string> {
  const items = [{ product: 'latte', name: 'Latte', quantity: 3, unitPrice: 4 }]
  const basket = { customer: id, card: card!.id, opaqueId: receipt, items }
  return (await post<{ id: string }>('/v1/transactions/process', basket)).id
}

const open = (page: Page, path: string) => page.goto(demo.consoleUrl + path)

test('registers a customer, who is then found by phone, and shows the barcode of the card', async () => {
  const opened = await openPage({ expected: [401] })
  const { page } = opened
  await signIn(page)
  await open(page, '/customers')
  await page.getByRole('button', { name: 'Register a customer' }).first().click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name').fill('Mary Somerville')
  await form.getByLabel('Phone').fill('(202) 555-0187')
  await form.getByRole('button', { name: 'Register', exact: true }).click()
  await page.getByRole('heading', { name: 'Mary Somerville' }).waitFor()
  const image = page.getByRole('img', { name: /^Card \d+ as a code to scan$/ })
  await image.waitFor()
  const width = () => image.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth)
  await expect.poll(width).toBeGreaterThan(0)
  await expectAccessible(page)

  await open(page, '/customers')
  await page.getByLabel('Search', { exact: true }).fill('202 555 0187')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Mary Somerville' }).click()
  await page.getByRole('heading', { name: 'Mary Somerville' }).waitFor()
  expectCalm(opened)
})

test('adjusts a balance with a reason, and shows the refusal of the service in the form', async () => {
  const { id } = await register('Emmy Noether')
  const opened = await openPage({ expected: [400, 401] })
  const { page } = opened
  await signIn(page)
  await open(page, `/customers/${id}`)
  await page.getByRole('button', { name: 'Adjust: Points' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Amount').fill('-50')
  await form.getByLabel('Reason').fill('Counted wrongly')
  await form.getByRole('button', { name: 'Book it' }).click()
  await form.getByRole('alert').getByText('insufficient_points').waitFor()
  await expectAccessible(page)
  await form.getByLabel('Amount').fill('50')
  await form.getByRole('button', { name: 'Book it' }).click()
  await form.waitFor({ state: 'detached' })
  await page.getByText('Adjusted by +50').waitFor()
  await page.getByRole('tab', { name: 'Ledger' }).click()
  await page.getByText('Counted wrongly').waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
  expectCalm(opened)
})

test('issues a coupon by hand and takes it back', async () => {
  const { id } = await register('Sophie Germain')
  const opened = await openPage({ expected: [401] })
  const { page } = opened
  await signIn(page)
  await open(page, `/customers/${id}?tab=coupons`)
  await page.getByRole('button', { name: 'Issue a coupon' }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('combobox', { name: 'Campaign' }).click()
  await page.getByRole('option', { name: 'Coffee club' }).first().click()
  await form.getByRole('combobox', { name: 'Reward' }).click()
  await page.getByRole('option', { name: 'Free coffee' }).click()
  await form.getByRole('button', { name: 'Issue', exact: true }).click()
  const row = page.getByRole('row', { name: /Free coffee/ })
  await row.getByText('Active').waitFor()
  await expectAccessible(page)

  await open(page, `/coupons?customer=${id}`)
  await row.getByRole('link', { name: 'Sophie Germain' }).waitFor()
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await row.getByText('Revoked').waitFor()
  expect(await row.getByRole('button', { name: 'Revoke' }).count()).toBe(0)
  await expectAccessible(page)
  expectCalm(opened)
})

test('explains a sale in words, and takes back what is left of a line but no more', async () => {
  const sale = await sell(await register('Ada King'), 'desk-1')
  const opened = await openPage({ expected: [401] })
  const { page } = opened
  await signIn(page)
  await open(page, '/transactions?opaqueId=desk-1')
  await page.getByRole('link', { name: 'Ada King' }).waitFor()
  await open(page, `/transactions/${sale}`)
  await page.getByText(/^Collected \d+\sPoints by rule base of Coffee club$/).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Return goods' }).click()
  const form = page.getByRole('dialog')
  await form.getByText('3 left').waitFor()
  await form.getByRole('button', { name: 'Return', exact: true }).click()
  await form.getByRole('alert').waitFor()
  await form.getByLabel('How many of Latte come back').fill('2')
  await form.getByLabel('Reason').fill('Cold')
  await form.getByRole('button', { name: 'Return', exact: true }).dblclick()
  await page.getByRole('status').getByText('Refund $8.00 to the customer.').waitFor()
  await page.getByText('Partly returned').waitFor()
  await page.getByRole('button', { name: 'Return goods' }).click()
  await form.getByText('1 left').waitFor()
  await form.getByRole('button', { name: 'Everything' }).click()
  await form.getByRole('button', { name: 'Return', exact: true }).click()
  await page.getByRole('status').getByText('Refund $4.00 to the customer.').waitFor()
  // Nothing is left, so there is nothing more to take back.
  await page.getByRole('button', { name: 'Return goods' }).waitFor({ state: 'detached' })
  await expectAccessible(page)
  expectCalm(opened)
})

test('erases a customer only after the name was typed', async () => {
  const { id } = await register('Maria Agnesi')
  const opened = await openPage({ expected: [401, 404] })
  const { page } = opened
  await signIn(page)
  await open(page, `/customers/${id}`)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Erase…' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel(/^Type Maria Agnesi/).fill('Maria')
  await form.getByRole('button', { name: 'Erase for ever' }).click()
  await form.getByRole('alert').getByText('Nothing was erased').waitFor()
  await form.getByLabel(/^Type Maria Agnesi/).fill('Maria Agnesi')
  await form.getByRole('button', { name: 'Erase for ever' }).click()
  await page.getByRole('heading', { name: 'Customers' }).waitFor()
  await open(page, `/customers/${id}`)
  await page.getByText('customer_not_found').waitFor()
  expectCalm(opened)
})

test('blocks and replaces a card, and gives its wallet page a new address', async () => {
  const { id } = await register('Caroline Herschel')
  const opened = await openPage({ expected: [401] })
  const { page } = opened
  await signIn(page)
  await open(page, `/customers/${id}`)
  const wallet = page.getByRole('link', { name: 'Open', exact: true })
  const before = await wallet.getAttribute('href')
  const choose = async (entry: string) => {
    await page.getByRole('button', { name: 'Card actions' }).click()
    await page.getByRole('menuitem', { name: entry }).click()
    await page.getByRole('dialog').getByRole('button', { name: entry }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await choose('New wallet address')
  await page.getByText('The wallet page has a new address').waitFor()
  await expect.poll(() => wallet.getAttribute('href')).not.toBe(before)
  await choose('Block card')
  await page.getByText('Blocked', { exact: true }).waitFor()
  await choose('Unblock card')
  await page.getByText('The card is active again').waitFor()
  await choose('Replace card')
  await page.getByText('1 former card').waitFor()
  await choose('Revoke wallet address')
  await page.getByText('No wallet page: its address was revoked.').waitFor()
  await expectAccessible(page)
  expectCalm(opened)
})
