import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { type MailServer, startMailServer, textOf } from '../support/mail-server.ts'
import { startReceiver } from '../support/receiver.ts'
import {
  callApi,
  demo,
  expectAccessible,
  expectCalm,
  newPhone,
  openPage,
  startBrowser,
  unique,
} from './browser.ts'
import { lookOnPhone } from './pictures.ts'
import { scanPicture } from './scan-picture.ts'

startBrowser()

const phone = { width: 390, height: 844 }
let mail: MailServer

beforeAll(async () => {
  mail = await startMailServer()
  await callApi('PUT', '/v1/senders/email', {
    body: { host: '127.0.0.1', port: mail.port, security: 'none', from: 'Demo Café <hello@example.com>' },
  })
})
afterAll(async () => {
  await callApi('DELETE', '/v1/senders/email')
  await mail.close()
})

interface Guest {
  readonly id: string
  readonly email: string
  readonly card: { readonly id: string; readonly barcode: string; readonly walletUrl: string }
}

async function newGuest(): Promise<Guest> {
  const email = `${unique()}@guests.example`
  const { id, cards } = await callApi('POST', '/v1/customers/register', {
    body: { campaignId: demo.campaignId, customer: { data: { fullname: 'Rosa Example', email } } },
  })
  return { id, email, card: cards[0] }
}

const sell = ({ id, card }: Guest, basket: object) =>
  callApi('POST', '/v1/transactions/process', { body: { customer: id, card: card.id, ...basket } })

/** The text of the latest message to an address, once it is there. */
async function mailTo(email: string, than = 0): Promise<string> {
  const mine = () => mail.mails.filter(({ to }) => to.includes(email))
  await expect.poll(() => mine().length, { timeout: 40_000 }).toBeGreaterThan(than)
  return textOf(mine().at(-1)!)
}
const codeIn = (text: string) => /\b\d{6}\b/.exec(text)![0]

const details = (page: Page) => page.getByRole('region').or(page.locator('.details'))
const enterCode = async (page: Page, code: string, button: string) => {
  await page.getByLabel(/^Enter the code we sent to/).fill(code)
  await page.getByRole('button', { name: button, exact: true }).click()
}

const expectFocus = (page: Page, name: string) =>
  expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe(name)

test('opens a coupon above the fold to be scanned, and remembers the kind of code', async () => {
  const guest = await newGuest()
  for (const reward of ['free-coffee', 'five-off'])
    await callApi('POST', '/v1/coupons', { body: { customer: guest.id, campaign: demo.campaignId, reward } })
  const opened = await openPage(phone)
  const { page } = opened
  await page.goto(guest.card.walletUrl)
  const first = page.locator('.coupon').first()
  await first.waitFor()
  if (isFull) await lookOnPhone(page, 'wallet-coupons')
  const { y, height } = (await first.boundingBox())!
  expect(y + height).toBeLessThan(phone.height)

  const dialog = page.getByRole('dialog')
  const code = dialog.getByRole('img', { name: `Code for card ${guest.card.barcode}` })
  await first.focus()
  await page.keyboard.press('Enter')
  await dialog.getByLabel('QR code').check()
  await code.evaluate((image: unknown) => (image as { decode(): Promise<void> }).decode())
  expect(await scanPicture(code as never)).toEqual([{ format: 'QRCode', text: guest.card.barcode }])
  await lookOnPhone(page, 'wallet-coupon')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  if (isFull) {
    await first.click()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await first.click()
  await dialog.waitFor()
  await page.goBack()
  await dialog.waitFor({ state: 'detached' })
  expect(page.url()).toBe(guest.card.walletUrl)
  await page.reload()
  await first.waitFor()
  expect(await page.getByLabel('QR code').isChecked()).toBe(true)
  // With the larger code, too.
  const larger = (await first.boundingBox())!
  expect(larger.y + larger.height).toBeLessThan(phone.height)
  expectCalm(opened)
})

test('shows older visits, the receipt of each, what points are worth, and the merchant', {
  skip: !isFull,
}, async () => {
  const guest = await newGuest()
  const items = [
    { id: 'a', product: 'latte', name: 'Latte', quantity: 2, unitPrice: 4.5, discountAmount: 1 },
    { id: 'b', name: 'Cake', amount: 5 },
  ]
  const sale = await sell(guest, { items })
  await callApi('POST', `/v1/transactions/${sale.id}/return`, {
    body: { items: [{ id: 'b', quantity: 1 }] },
  })
  for (let i = 0; i < 11; i++) await sell(guest, { amount: 20 + i })
  const opened = await openPage(phone)
  const { page } = opened
  await page.goto(guest.card.walletUrl)
  await page.getByText(/= \$1\.00/).waitFor()
  await page.getByText('12 Main Street').waitFor()
  expect(await page.getByRole('link', { name: 'Privacy' }).getAttribute('href')).toBe(
    'https://example.com/privacy',
  )
  const visits = page.locator('.visits .rows > li')
  expect(await visits.count()).toBe(10)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => visits.count()).toBe(12)
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
  await visits.last().getByText('Partly returned').waitFor()
  await visits.last().locator('summary').focus()
  await page.keyboard.press('Enter')
  const receipt = visits.last().locator('.receipt')
  await receipt.getByText('2 × Latte').waitFor()
  await receipt.getByText('$13.00').waitFor()
  await receipt.getByText('1 × Cake').waitFor()
  await lookOnPhone(page, 'wallet-receipt')
  expectCalm(opened)
})

test('lets the customer change the name and the address, and withdraw a consent', async () => {
  const guest = await newGuest()
  const opened = await openPage({ ...phone, expected: [400] })
  const { page } = opened
  await page.goto(guest.card.walletUrl)
  await page.getByText(/^.•••@g•••\.example$/).waitFor()
  expect(await page.getByText(guest.email).count()).toBe(0)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByRole('button', { name: 'Send code' }).click()
  const code = codeIn(await mailTo(guest.email))
  await enterCode(page, code === '000000' ? '000001' : '000000', 'Continue')
  await page.getByRole('alert').getByText('That code is wrong').waitFor()
  if (isFull) await lookOnPhone(page, 'wallet-code')
  await enterCode(page, code, 'Continue')

  const consent = page.getByRole('checkbox')
  await page.getByLabel('Name').fill('Rosa Neu')
  await consent.check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByText('Hello, Rosa').waitFor()
  await consent.uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('When you agreed to what').click()
  await page.getByText('Withdrawn: offers').waitFor()
  await lookOnPhone(page, 'wallet-profile')
  const stored = await callApi('GET', `/v1/customers/${guest.id}`)
  expect(stored).toMatchObject({
    data: { fullname: 'Rosa Neu' },
    consents: {
      marketing: false,
      history: [
        { given: true, via: 'wallet', wording: expect.stringContaining('offers') },
        { given: false, via: 'wallet' },
      ],
    },
  })

  const email = `${unique()}@guests.example`
  await page.getByRole('button', { name: 'Change email' }).click()
  await page.getByLabel('New email address').fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await enterCode(page, codeIn(await mailTo(email)), 'Confirm')
  await page.getByText('Confirmed. This is your address now.').waitFor()
  expect(await callApi('GET', `/v1/customers/${guest.id}`)).toMatchObject({
    data: { email },
    verified: { email: true },
  })
  expectCalm(opened)
})

test('the language that a customer chose is that of the other phones as well', {
  skip: !isFull,
}, async () => {
  const guest = await newGuest()
  const opened = await openPage(phone)
  const { page } = opened
  await page.goto(guest.card.walletUrl)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByRole('button', { name: 'Send code' }).click()
  await enterCode(page, codeIn(await mailTo(guest.email)), 'Continue')
  await page.getByLabel('Language of this page and of messages').selectOption('ar')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('تم الحفظ.').waitFor()
  expect(await page.locator('html').getAttribute('dir')).toBe('rtl')
  expect((await callApi('GET', `/v1/customers/${guest.id}`)).language).toBe('ar')
  await lookOnPhone(page, 'wallet-profile-ar')
  // Another phone of the customer follows, whatever its own language is.
  const other = await openPage(phone)
  await other.page.goto(guest.card.walletUrl)
  await other.page.getByRole('heading', { name: 'بياناتك' }).waitFor()
  expectCalm(other)
  expectCalm(opened)
})

test('asks which address a code shall go to, and for the code of a new one first thing', {
  skip: !isFull,
}, async () => {
  const receiver = await startReceiver()
  await callApi('PUT', '/v1/senders/sms', { body: { url: receiver.url } })
  const number = newPhone()
  const { id, cards } = await callApi('POST', '/v1/customers/register', {
    body: { campaignId: demo.campaignId, customer: { data: { phone: number } } },
  })
  const opened = await openPage({ ...phone, expected: [429] })
  const { page } = opened
  await page.goto(cards[0].walletUrl)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByText(/^We'll send a code to \+1 ••• ••\d\d/).waitFor()
  await page.getByRole('button', { name: 'Send code' }).click()
  await expect.poll(() => receiver.received.length, { timeout: 40_000 }).toBe(1)
  await enterCode(page, codeIn(receiver.received[0]!.body), 'Continue')
  const email = `${unique()}@guests.example`
  await page.getByRole('button', { name: 'Change email' }).click()
  await page.getByLabel('New email address').fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  const code = codeIn(await mailTo(email))

  // As somebody does who looks for the message and comes back to the page.
  await page.reload()
  const first = page.getByRole('region', { name: 'One more step' })
  await first.getByText('Enter the code we sent to').waitFor()
  await lookOnPhone(page, 'wallet-confirm')
  await first.getByRole('button', { name: 'Send again' }).click()
  await first.getByRole('alert').getByText('A code was sent a short while ago').waitFor()
  await enterCode(page, code, 'Confirm')
  await first.waitFor({ state: 'detached' })
  expect(await callApi('GET', `/v1/customers/${id}`)).toMatchObject({
    data: { email, phone: number },
    verified: { email: true, phone: true },
  })

  await page.getByRole('button', { name: 'Delete my data' }).click()
  await page.getByRole('radio', { name: /Text message/ }).check()
  await lookOnPhone(page, 'wallet-channels')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expectFocus(page, 'Change')
  await callApi('DELETE', '/v1/senders/sms')
  await receiver.close()
  expectCalm(opened)
})

test('lets the customer take the data along and delete it, and forgets the card', async () => {
  const guest = await newGuest()
  const opened = await openPage({ ...phone, expected: [404] })
  const { page } = opened
  await page.goto(guest.card.walletUrl)
  await page.getByRole('button', { name: 'Download my data' }).click()
  await page.getByRole('button', { name: 'Send code' }).click()
  const downloading = page.waitForEvent('download')
  await enterCode(page, codeIn(await mailTo(guest.email)), 'Download')
  const download = await downloading
  expect(download.suggestedFilename()).toBe('my-data.json')
  const data = JSON.parse(await readFile(await download.path(), 'utf8'))
  expect(data.customer.data.email).toBe(guest.email)
  await page.getByText('Look for the file my-data.json').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()

  // A code has just been sent, for another purpose: this one is sent all the same.
  await page.getByRole('button', { name: 'Delete my data' }).click()
  await page.getByText('This cannot be undone.').waitFor()
  await page.getByRole('button', { name: 'Send code' }).click()
  const code = codeIn(await mailTo(guest.email, 1))
  if (isFull) await lookOnPhone(page, 'wallet-delete')
  await enterCode(page, code, 'Delete my data')
  await page.getByRole('heading', { name: 'Goodbye' }).waitFor()
  await expectAccessible(page)
  await callApi('GET', `/v1/customers/${guest.id}`, { status: 404 })
  const kept = () =>
    page.evaluate<string[]>(`(async () => {
      const lists = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()))
      return lists.flat().map(({ url }) => url)
    })()`)
  await expect
    .poll(async () => (await kept()).filter((url) => url.startsWith(guest.card.walletUrl)))
    .toEqual([])
  await page.reload()
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  expectCalm(opened)
})

test('sends a new link to somebody whose link is no longer valid', { skip: !isFull }, async () => {
  const guest = await newGuest()
  await callApi('POST', `/v1/cards/${guest.card.id}/wallet/renew`)
  const opened = await openPage({ ...phone, expected: [404] })
  const { page } = opened
  await page.goto(guest.card.walletUrl)
  await page.getByRole('heading', { name: 'Get a new link' }).waitFor()
  await lookOnPhone(page, 'wallet-lost')
  await page.getByLabel('Email').fill(guest.email)
  await page.keyboard.press('Enter')
  await page.getByText('the link is on its way').waitFor()
  // A service that listens on any free port does not know its own address.
  const link = /https?:\/\/[^/]+(\/w\/\S+)/.exec(await mailTo(guest.email))!
  await page.goto(demo.baseUrl + link[1])
  await page.getByText('Hello, Rosa').waitFor()
  // A link that never was one asks at the store.
  await page.goto(`${demo.baseUrl}/w/nothing-of-ours`)
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await page.getByText('Ask at the store for the new one.').waitFor()
  expect(await page.getByRole('heading', { name: 'Get a new link' }).count()).toBe(0)
  expectCalm(opened)
})

test('cannot change anything without a connection, and says so', async () => {
  const guest = await newGuest()
  const opened = await openPage(phone)
  const { page, context } = opened
  await page.goto(guest.card.walletUrl)
  await page.getByRole('button', { name: 'Change', exact: true }).waitFor()
  await expect.poll(() => page.evaluate(`localStorage.getItem('lw-wallet-version')`)).toBeTruthy()
  await context.setOffline(true)
  await context.route('**/*', (route) => route.abort('internetdisconnected'))
  await page.reload()
  await details(page).getByText("Your details can be changed once you're online.").first().waitFor()
  expect(await page.getByRole('button', { name: 'Change', exact: true }).count()).toBe(0)
  await expectAccessible(page)
  expectCalm(opened)
})
