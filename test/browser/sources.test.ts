/** Sales from other systems, as a merchant connects them, sees them arrive, and finds out why one did not. */
import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterEach, expect, test, vi } from 'vitest'
import { isFull } from '../support/full.ts'
import { callApi, expectAccessible, expectCalm, newCustomer, startBrowser, unique } from './browser.ts'
import { addressOf, openConsole, pageTitle } from './console.ts'
import { desk, look } from './pictures.ts'

startBrowser()

afterEach(async () => {
  const { data } = await callApi('GET', '/v1/sources')
  await Promise.all(data.map(({ id }: { id: string }) => callApi('DELETE', `/v1/sources/${id}`)))
})

async function lookAt(page: Page, name: string): Promise<void> {
  await look(page, `console-${name}`)
  await page.setViewportSize(desk)
  await page.emulateMedia({ colorScheme: 'light' })
}

const post = async (url: string, body: string, headers: Record<string, string>): Promise<number> => {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  await reply.text()
  return reply.status
}

/** As Shopify sends it when an order was paid. */
function sendOrder(url: string, secret: string, email: string): Promise<number> {
  const body = JSON.stringify({
    id: Date.now(),
    currency: 'USD',
    financial_status: 'paid',
    customer: { id: Date.now(), email },
    line_items: [{ id: 1, sku: 'latte', title: 'Latte', price: '4.20', quantity: 2 }],
  })
  return post(url, body, {
    'x-shopify-topic': 'orders/paid',
    'x-shopify-webhook-id': unique(),
    'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
  })
}

/** The id of the newest request with this status, once it is there. */
const receivedWith = (status: number, source: string): Promise<string> =>
  vi.waitFor(async () => {
    const { data } = await callApi('GET', `/v1${source}/received?status=${status}`)
    return data[0].id
  }, 20_000)

const choose = async (page: Page, status: string) => {
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: status }).click()
}

test('connects Shopify step by step, and sees a sale come in', async () => {
  const customer = await newCustomer()
  const opened = await openConsole('/sources')
  const { page } = opened
  const main = page.getByRole('main')
  const dialog = page.getByRole('dialog')
  await page.getByText('Let your till or store send its sales').waitFor()
  const guide = await main.getByRole('link', { name: 'How it works' }).getAttribute('href')
  expect((await page.request.get(new URL(guide!, page.url()).href)).ok()).toBe(true)
  if (isFull) await lookAt(page, 'sources-empty')
  await main.getByRole('button', { name: /^Shopify/ }).click()
  const name = `Store ${unique()}`
  // The name has the focus, and a first one is there.
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(name)
  await dialog.getByRole('combobox', { name: 'Campaign' }).click()
  await page.getByRole('option', { name: 'Coffee club' }).click()
  if (isFull) await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create and continue' }).click()

  await pageTitle(page, name).waitFor()
  await main.getByRole('alert').getByText('No signing key yet').waitFor()
  const url = await main.getByLabel('Address').inputValue()
  const secret = unique() + unique()
  if (isFull) await lookAt(page, 'source-setup')
  await main.getByRole('textbox', { name: 'Signing key' }).fill(secret)
  await main.getByRole('button', { name: 'Save keys' }).click()
  // Exactly: what says that it is missing contains the same words.
  await main.getByText('The signing key is saved.', { exact: true }).waitFor()

  if (isFull) {
    expect(await sendOrder(url, 'another secret', customer.data.email)).toBe(401)
    await main.getByRole('alert').getByText('Rejected: wrong key').waitFor()
  }
  expect(await sendOrder(url, secret, customer.data.email)).toBe(200)
  await receivedWith(2, addressOf(page).path)
  await main.getByRole('button', { name: 'Show setup' }).waitFor()
  await choose(page, 'Recorded')
  await main
    .getByRole('row', { name: /orders\/paid.*Recorded.*Show sale/ })
    .filter({ hasText: customer.data.fullname })
    .waitFor()
  await (isFull ? lookAt(page, 'source') : expectAccessible(page))
  await main.getByRole('link', { name: 'Show sale' }).click()
  await main.getByText('Latte', { exact: true }).waitFor()
  expectCalm(opened)
})

/** Of a system that we do not know, up to the page that shows the source. */
async function addOldTill(page: Page) {
  const dialog = page.getByRole('dialog')
  const name = `Old till ${unique()}`
  await page.getByRole('button', { name: 'Add source' }).click()
  await page.getByRole('menuitem', { name: 'Any other system' }).click()
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('combobox', { name: 'Campaign' }).click()
  await page.getByRole('option', { name: 'Coffee club' }).click()
  await dialog.getByRole('button', { name: 'Create and continue' }).click()
  const secret = await dialog.getByLabel('Secret', { exact: true }).inputValue()
  await page.getByRole('button', { name: "I've copied it" }).click()
  await pageTitle(page, name).waitFor()
  const url = await page.getByRole('main').getByLabel('Address').inputValue()
  return { name, secret, url, source: addressOf(page).path }
}

const receiptOf = (email: string, price: number | string) =>
  JSON.stringify({
    event: 'receipt.closed',
    receipt: {
      number: `R-${unique()}`,
      guest: { card: '', email },
      lines: [{ sku: 'latte', text: 'Latte', count: 2, price }],
    },
  })

test('maps what any other system sends', async () => {
  const { data } = await newCustomer()
  const opened = await openConsole('/sources')
  const { page } = opened
  const main = page.getByRole('main')
  await addOldTill(page)
  // The example works, but its customer is not in the program.
  await main.getByRole('link', { name: 'Open the mapping' }).click()
  await main.getByText('Sale R-10042').waitFor()
  await main.getByText("The customer isn't in your program").waitFor()
  const payload = main.getByLabel('What comes in (JSON)')
  await payload.fill('{')
  await main.getByText("This isn't valid JSON.").waitFor()
  await payload.fill(receiptOf(data.email, 4.2))
  await main.getByText('Works', { exact: true }).waitFor()
  await main.getByText('Amount of the sale: $8.40').waitFor()
  await main.getByText(/^Stamps \+2/).waitFor()
  await lookAt(page, 'source-mapping')
  expectCalm(opened)
})

test('corrects a mapping, and retries what had failed', { skip: !isFull }, async () => {
  const { data } = await newCustomer()
  const opened = await openConsole('/sources')
  const { page } = opened
  const main = page.getByRole('main')
  const dialog = page.getByRole('dialog')
  const { name, secret, url, source } = await addOldTill(page)
  // The till sends prices as texts, which the example does not expect.
  const headers = { authorization: `Bearer ${secret}` }
  expect(await post(url, receiptOf(data.email, '4.20'), headers)).toBe(200)
  await receivedWith(4, source)
  await choose(page, 'Failed')
  await main.getByRole('row', { name: /receipt\.closed.*Failed.*isn't a sale or a return/ }).click()
  await main.getByRole('alert').getByText('items[0].unitPrice').waitFor()
  await lookAt(page, 'source-received')
  await main.getByRole('link', { name: 'Try with the mapping' }).click()
  await main.getByText("Doesn't work yet").waitFor()
  const mapping = main.getByRole('textbox', { name: 'Expression' })
  const wrong = await mapping.inputValue()
  await mapping.fill(wrong.replace('"unitPrice": price', '"unitPrice": $number(price)'))
  await main.getByText('Works', { exact: true }).waitFor()
  await main.getByRole('button', { name: 'Save' }).click()
  await main.getByText('Not saved yet.').waitFor({ state: 'detached' })
  await page.goBack()
  await main.getByRole('button', { name: 'Retry' }).click()
  await main.getByText('Recorded').waitFor()
  await main.getByRole('link', { name: 'Show sale' }).waitFor()

  await main.getByRole('link', { name }).click()
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Pause' }).click()
  await main.getByRole('alert').getByText('Paused').waitFor()
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await dialog.getByText('Its address stops working').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await pageTitle(page, 'Sales sources').waitFor()
  expectCalm(opened)
})
