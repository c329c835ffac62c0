/** Webhooks, their deliveries and the live events, as somebody who connects software uses them. */
import type { Page } from 'playwright-core'
import { Webhook as Verifier } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isFull } from '../support/full.ts'
import { answerWith, type Received, type Receiver, startReceiver } from '../support/receiver.ts'
import { callApi, expectAccessible, expectCalm, newCustomer, startBrowser, unique } from './browser.ts'
import { addressOf, openConsole, pageTitle } from './console.ts'
import { desk, look } from './pictures.ts'

startBrowser()

let receiver: Receiver

beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(async () => {
  const { data } = await callApi('GET', '/v1/webhooks')
  await Promise.all(data.map(({ id }: { id: string }) => callApi('DELETE', `/v1/webhooks/${id}`)))
  await receiver.close()
})

async function lookAt(page: Page, name: string): Promise<void> {
  await look(page, `console-${name}`)
  await page.setViewportSize(desk)
  await page.emulateMedia({ colorScheme: 'light' })
}

async function sell(): Promise<{ readonly customer: string; readonly transaction: string }> {
  const customer = await newCustomer()
  const body = {
    customer: customer.id,
    card: customer.cards[0].id,
    items: [{ product: 'tea', unitPrice: 1 }],
  }
  const { id } = await callApi('POST', '/v1/transactions/process', { body })
  return { customer: customer.id, transaction: id }
}

const isTest = ({ body }: Received) => body.includes('webhook.test')

const verify = ({ body, headers }: Received, secret: string) =>
  new Verifier(secret).verify(body, headers as Record<string, string>)

/** The id of the delivery of an event, once it is noted as delivered. */
const deliveryOf = (event: string, webhook: string): Promise<string> =>
  vi.waitFor(async () => {
    const { data } = await callApi('GET', `/v1${webhook}/deliveries?status=2`)
    return data.find((one: { event: string }) => one.event === event).id
  }, 20_000)

const outcome = (page: Page) => page.getByRole('main').getByRole('status')

test('adds a webhook, sees a test and a sale arrive, and sends it again', async () => {
  const opened = await openConsole('/webhooks')
  const { page } = opened
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add webhook' }).first().click()
  // The address has the focus.
  await page.keyboard.type(receiver.url)
  await dialog.getByLabel('Description').fill('Accounting')
  await dialog.getByLabel('Only some types').check()
  await dialog.getByRole('button', { name: 'Add webhook' }).click()
  await dialog.getByText('Choose at least one type.').waitFor()
  if (isFull) await expectAccessible(page)
  await dialog.getByRole('checkbox', { name: 'Sale', exact: true }).check()
  await dialog.getByRole('button', { name: 'Add webhook' }).click()
  const secret = await dialog.getByLabel('Secret', { exact: true }).inputValue()
  if (isFull) await expectAccessible(page)
  // A slip of the hand does not take away what is shown only once.
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: "I've copied it" }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /Accounting.*Sale.*Active/ }).waitFor()

  await page.getByRole('link', { name: receiver.url }).click()
  await pageTitle(page, 'Accounting').waitFor()
  await page.getByText('Nothing sent yet').waitFor()
  const { transaction } = await sell()
  await page.getByRole('button', { name: 'Send a test' }).click()
  await outcome(page).getByText('The test was delivered').waitFor()
  await outcome(page).getByText('Responded with 204').waitFor()
  expect(verify(receiver.received.find(isTest)!, secret)).toMatchObject({ type: 'webhook.test' })
  await page.getByRole('row', { name: /Test.*webhook\.test.*Delivered.*204/ }).waitFor()

  const sales = () => receiver.received.filter(({ body }) => body.includes(transaction))
  await expect.poll(() => sales().length).toBe(1)
  const id = sales()[0]!.headers['webhook-id'] as string
  const delivery = await deliveryOf(id, addressOf(page).path)
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'Delivered' }).click()
  await expect.poll(() => addressOf(page).search.status).toBe('2')
  await lookAt(page, 'webhook')
  await page.getByRole('row', { name: /Sale/ }).locator(`a[href$="${delivery}"]`).click()

  await page.getByRole('heading', { name: 'Attempt 1' }).waitFor()
  await page.getByText('The response was empty.').waitFor()
  const first = page.url()
  await page.getByText(id).waitFor()
  await page.getByRole('button', { name: 'Send again' }).click()
  await expect.poll(() => page.url()).not.toBe(first)
  await page.getByRole('main').getByText('Delivered').waitFor()
  expect(sales().map(({ headers }) => headers['webhook-id'])).toEqual([id, id])
  expectCalm(opened)
})

test('sends the events of a time again', { skip: !isFull }, async () => {
  const { id } = await callApi('POST', '/v1/webhooks', { body: { url: receiver.url } })
  const { transaction } = await sell()
  const sales = () =>
    receiver.received.filter(
      ({ body }) => body.includes('transaction.processed') && body.includes(transaction),
    )
  await expect.poll(() => sales().length).toBe(1)
  const opened = await openConsole(`/webhooks/${id}`)
  const { page } = opened
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Send past events again' }).click()
  await dialog.getByLabel('To').fill('2020-01-01T00:00')
  await dialog.getByText('Must be after “From”.').waitFor()
  await expectAccessible(page)
  await dialog.getByLabel('To').fill('')
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await page.getByText(/sent again$/).waitFor()
  await expect.poll(() => sales().length).toBe(2)
  expectCalm(opened)
})

test('marks a webhook that fails, says why, and resumes it', { skip: !isFull }, async () => {
  const { id } = await callApi('POST', '/v1/webhooks', { body: { url: receiver.url } })
  receiver.answer = answerWith(500)
  const opened = await openConsole(`/webhooks/${id}`)
  const { page } = opened
  const alert = page.getByRole('alert')
  await page.getByRole('button', { name: 'Send a test' }).click()
  await outcome(page).getByText("The test wasn't delivered").waitFor()
  await outcome(page).getByText('Responded with 500').waitFor()
  await outcome(page)
    .getByText(/tried again in \d+ seconds/)
    .waitFor()
  await alert.getByText('Every attempt has failed since').waitFor()
  await outcome(page).getByRole('link', { name: 'Show delivery' }).click()
  await page.getByRole('region', { name: 'Beginning of the response' }).getByText('status 500').waitFor()
  await page.getByText('Pending').waitFor()
  await (isFull ? lookAt(page, 'delivery') : expectAccessible(page))
  await page.goBack()

  receiver.answer = answerWith(410)
  await page.getByRole('button', { name: 'Send a test' }).click()
  await alert.getByText('Paused: the address is gone').waitFor()
  expect(await page.getByRole('button', { name: 'Send a test' }).isDisabled()).toBe(true)
  await page.getByRole('link', { name: 'Webhooks' }).first().click()
  const row = page.getByRole('row').filter({ hasText: receiver.url })
  await row.getByText('Paused: the address is gone').waitFor()
  await lookAt(page, 'webhooks')

  receiver.answer = answerWith(204)
  const { transaction } = await sell()
  const isTold = () => receiver.received.some(({ body }) => body.includes(transaction))
  expect(isTold()).toBe(false)
  await page.getByRole('button', { name: `Resume ${receiver.url}` }).click()
  await row.getByText('Active').waitFor()
  await expect.poll(isTold).toBe(true)
  expectCalm(opened)
})

test('changes, pauses and deletes a webhook, and gives it a new secret beside the old one', {
  skip: !isFull,
}, async () => {
  const { id, secret } = await callApi('POST', '/v1/webhooks', {
    body: { url: receiver.url, types: ['campaign.published'] },
  })
  const opened = await openConsole('/webhooks')
  const { page } = opened
  const dialog = page.getByRole('dialog')
  const row = page.getByRole('row').filter({ hasText: receiver.url })
  const name = `Newsletter ${unique()}`
  const choose = async (action: string, of = name) => {
    await page.getByRole('button', { name: `Actions for ${of}` }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  await choose('Edit', receiver.url)
  expect(await dialog.getByRole('checkbox', { name: 'Campaign published' }).isChecked()).toBe(true)
  await dialog.getByLabel('Description').fill(name)
  await dialog.getByLabel('All events').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row.getByText('All events').waitFor()
  await choose('Pause')
  await row.getByText('Paused').waitFor()
  await choose('Resume')
  await row.getByText('Active').waitFor()

  await choose('Rotate secret')
  await dialog.getByText('signed with both').waitFor()
  await dialog.getByRole('button', { name: 'Rotate secret' }).click()
  const second = await dialog.getByLabel('Secret', { exact: true }).inputValue()
  await page.getByRole('button', { name: "I've copied it" }).click()
  await callApi('POST', `/v1/webhooks/${id}/test`)
  await expect.poll(() => receiver.received.some(isTest)).toBe(true)
  const sent = receiver.received.find(isTest)!
  for (const one of [secret, second]) verify(sent, one)

  await row.getByRole('link').click()
  await pageTitle(page, name).waitFor()
  await choose('Delete')
  await dialog.getByText(receiver.url).waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await pageTitle(page, 'Webhooks').waitFor()
  await row.waitFor({ state: 'detached' })
  const { data: entries } = await callApi('GET', `/v1/audit?q=deleteWebhook&limit=1`)
  expect(entries[0].subject).toEqual({ kind: 'webhook', id })
  expectCalm(opened)
})

/** As text: it runs in the page. As if somebody looked at another window, and came back. */
const setVisibility = (state: 'visible' | 'hidden') => `
  Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))`

/** The requests for events that are on their way. */
function watchEvents(page: Page): Set<unknown> {
  const open = new Set<unknown>()
  const isOfEvents = (url: string) => new URL(url).pathname === '/v1/events'
  page.on('request', (request) => isOfEvents(request.url()) && open.add(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  return open
}

const saleRow = (page: Page, sale: string) =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: `Sale …${sale.slice(-8)}`, exact: true }) })

/** From the page of webhooks, until it waits for what happens. */
async function followEvents(page: Page): Promise<void> {
  const begun = page.waitForRequest((request) => /\/v1\/events\?.*wait=25/.test(request.url()))
  await page.getByRole('link', { name: 'Live events' }).click()
  await begun
}

test('shows a sale as it happens', async () => {
  const opened = await openConsole('/webhooks')
  const { page } = opened
  await followEvents(page)
  const { transaction, customer } = await sell()
  const atSale = saleRow(page, transaction).filter({ hasText: 'transaction.processed' })
  await atSale.getByRole('button', { name: 'Show details: Sale' }).click()
  await page.getByRole('dialog').getByText(`"${customer}"`).waitFor()
  await page.keyboard.press('Escape')
  await (isFull ? lookAt(page, 'events') : expectAccessible(page))
  expectCalm(opened)
})

test('misses no sale, and asks for nothing when nobody looks', { skip: !isFull }, async () => {
  const opened = await openConsole('/webhooks', { expected: ['ERR_FAILED'] })
  const { page } = opened
  const open = watchEvents(page)
  const rowOf = (sale: string) => saleRow(page, sale)
  await followEvents(page)
  const first = await sell()
  await rowOf(first.transaction).filter({ hasText: 'transaction.processed' }).waitFor()

  await page.getByRole('button', { name: 'Pause' }).click()
  await expect.poll(() => open.size).toBe(0)
  const second = await sell()
  await expect.poll(() => outcome(page).textContent()).toBe('Paused')
  expect(await rowOf(second.transaction).count()).toBe(0)
  await page.getByRole('button', { name: 'Continue' }).click()
  await rowOf(second.transaction).filter({ hasText: 'transaction.processed' }).waitFor()

  await page.evaluate(setVisibility('hidden'))
  await expect.poll(() => open.size).toBe(0)
  const third = await sell()
  await page.evaluate(setVisibility('visible'))
  await rowOf(third.transaction).first().waitFor()

  await page.route('**/v1/events?*', (route) => route.abort('failed'))
  await page.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Sale', exact: true }).click()
  await outcome(page).getByText('Reconnecting…').waitFor()
  const fourth = await sell()
  await page.unroute('**/v1/events?*')
  await rowOf(fourth.transaction).waitFor()
  await outcome(page).getByText('Live').waitFor()
  expect(await page.getByText('customer.registered').count()).toBe(0)
  await rowOf(first.transaction).waitFor()

  await page.getByRole('link', { name: `Customer …${fourth.customer.slice(-8)}` }).click()
  await expect.poll(() => addressOf(page).path).toBe(`/customers/${fourth.customer}`)
  await expect.poll(() => open.size).toBe(0)
  expectCalm(opened)
})
