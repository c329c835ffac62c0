/** The till goes on without a network, and nothing that was sold meanwhile is lost or counted twice. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { callApi, demo, expectAccessible, expectCalm, openPage, scan, startBrowser } from './browser.ts'
import {
  balancesOf,
  booked,
  charge,
  findGuest,
  openShop,
  openTill,
  receiptNumber,
  register,
  type Shop,
} from './till-shop.ts'

startBrowser({ areNew: true })
let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

/** What the browser writes about requests that went nowhere. */
const lost = ['net::ERR_INTERNET_DISCONNECTED', 'net::ERR_FAILED']

/** A service worker has a network of its own, which is taken away as well. */
async function goOffline(context: BrowserContext): Promise<void> {
  await context.setOffline(true)
  await context.route('**/*', (route) => route.abort('internetdisconnected'))
}

async function goOnline(context: BrowserContext): Promise<void> {
  await context.unrouteAll()
  await context.setOffline(false)
}

/** The page itself is kept last. */
async function expectShellKept(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(`localStorage.getItem('lw-till-version')`)).toBeTruthy()
}

const offline = (page: Page) => page.getByRole('status').getByText('Offline.')

async function chargeLater(page: Page, amount: string): Promise<string> {
  await page
    .getByRole('button', { name: `Charge ${amount}, points follow` })
    .and(page.locator(':enabled'))
    .waitFor()
  await page.keyboard.press('F9')
  await page.getByRole('heading', { name: `${amount} paid` }).waitFor()
  await page.getByText('Points follow when the connection is back.').waitFor()
  return receiptNumber(page)
}

/** All digits right, and nobody's. */
const unknownBarcode = '2000000000000006'

test('an offline hour at the till', async () => {
  const [known, scanned] = [
    await register(shop, 'Olga Tunnel', 100, ['free-tea']),
    await register(shop, 'Otto Tunnel'),
  ]
  const opened = await openPage({ expected: [...lost, 400] })
  const { page, context } = opened
  const answers: number[] = []
  context.on('response', (response) => {
    if (/transactions\/process/.test(response.url())) answers.push(response.status())
  })
  await openTill(page)
  await expectShellKept(page)
  await findGuest(page, known)
  await page.getByRole('button', { name: /^Assam tea/ }).click()
  await page.getByRole('button', { name: 'Charge $3.30' }).and(page.locator(':enabled')).waitFor()

  // The customer is there when the network goes: the sum is known all the same, and what needs the service is not.
  await goOffline(context)
  await offline(page).waitFor()
  await page.getByRole('button', { name: /^Warm scone/ }).click()
  await page.getByText('Coupons need a connection.').waitFor()
  await page.getByText('Paying with points needs a connection.').waitFor()
  expect(await page.getByRole('button', { name: /^Free tea/ }).isEnabled()).toBe(false)
  expect(await page.locator('.till-foot dl').textContent()).toBe('Total due$5.45')
  await expectAccessible(page)
  const receipts = [await chargeLater(page, '$5.45')]
  if (isFull) await expectAccessible(page)

  // A reload shows the till, with its prices.
  await page.reload()
  await offline(page).waitFor()
  await page.getByRole('button', { name: '1 not confirmed' }).waitFor()
  await scan(page, scanned.barcode)
  await page.getByRole('heading', { name: `Card ending in ${scanned.barcode.slice(-4)}` }).waitFor()
  await page.getByRole('button', { name: /^Assam tea/ }).click()
  receipts.push(await chargeLater(page, '$3.30'))
  await page.getByRole('button', { name: 'Next customer' }).click()
  await page.getByLabel('Phone, email, or barcode').fill(unknownBarcode)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Warm scone/ }).click()
  const refused = await chargeLater(page, '$2.15')
  await scan(page, scanned.barcode)
  await page.getByRole('button', { name: /^Assam tea/ }).click()
  await page.getByRole('button', { name: 'Add one Assam tea' }).click()
  receipts.push(await chargeLater(page, '$6.60'))
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('Tunnel')

  // By itself, in order, and each once.
  await page.getByRole('button', { name: 'Next customer' }).click()
  await goOnline(context)
  const attention = page.getByRole('button', { name: '1 needs attention' })
  await attention.waitFor()
  await offline(page).waitFor({ state: 'detached' })
  await expect.poll(() => answers).toEqual([201, 201, 400, 201])
  const sales = await Promise.all(receipts.map(booked))
  expect(sales.map(({ customer, payableAmount }) => [customer, payableAmount])).toEqual([
    [known.id, 5.45],
    [scanned.id, 3.3],
    [scanned.id, 6.6],
  ])
  for (const time of ['occurredAt', 'createdAt']) {
    const times = sales.map((sale) => sale[time])
    expect(times).toEqual(times.toSorted())
  }
  expect(await balancesOf(scanned.id)).toMatchObject({ cups: 3 })

  // The one that was refused says why and what to do, and is recorded for the customer once that is known.
  await attention.click()
  const entry = page.getByRole('dialog').getByRole('region', { name: refused })
  await entry.getByText('No card has this number.').waitFor()
  await entry.getByText('without taking the money').waitFor()
  await entry.getByText('$2.15').waitFor()
  await expectAccessible(page)
  await entry.getByRole('button', { name: 'Open in basket' }).click()
  await page.getByText(`This was already paid as receipt ${refused}.`).waitFor()
  await findGuest(page, scanned)
  await charge(page, '$2.15')
  await page.getByRole('heading', { name: '$2.15 paid' }).waitFor()
  expect(await attention.count()).toBe(0)
  expectCalm(opened)
})

test('a new version replaces the kept one as a whole, and signing out leaves nothing of the day', {
  skip: !isFull,
}, async () => {
  const opened = await openPage({ expected: lost })
  const { page, context } = opened
  await openTill(page)
  await expectShellKept(page)
  const keys = () =>
    page.evaluate<string[]>(
      `caches.open('lw-till').then((cache) => cache.keys()).then((all) => all.map(({ url }) => url))`,
    )
  await page.evaluate(`(async () => {
    const cache = await caches.open('lw-till')
    await cache.put('/assets/till-old.js', new Response('old'))
    await cache.put('/till', new Response('<p>An older till</p>', { headers: { 'content-type': 'text/html' } }))
    localStorage.setItem('lw-till-version', 'old')
  })()`)
  // A browser that has no room for one of the files keeps the older version, which is complete.
  await page.addInitScript(`{
    const { add } = Cache.prototype
    Cache.prototype.add = function (address) {
      if (localStorage.getItem('has-room') || !/assets\\/till-/.test(address)) return add.call(this, address)
      sessionStorage.setItem('was-refused', '1')
      return Promise.reject(new DOMException('', 'QuotaExceededError'))
    }
  }`)
  await page.reload()
  await expect
    .poll(() => page.evaluate(`sessionStorage.getItem('was-refused')`), { timeout: 30_000 })
    .toBe('1')
  await sleep(1_500)
  expect(await keys()).toContain(`${demo.baseUrl}/assets/till-old.js`)
  expect(
    await page.evaluate(
      `caches.open('lw-till').then((cache) => cache.match('/till')).then((kept) => kept.text())`,
    ),
  ).toMatch(/An older till/)
  await page.evaluate(`localStorage.setItem('has-room', '1')`)
  await page.reload()
  await expect.poll(keys).not.toContain(`${demo.baseUrl}/assets/till-old.js`)
  await goOffline(context)
  await page.reload()
  await page.locator('.till-product', { hasText: 'Assam tea' }).waitFor()
  await goOnline(context)
  await offline(page).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('textbox', { name: 'Email', exact: true }).waitFor()
  expect(
    await page.evaluate('Object.keys(localStorage).filter((key) => key.startsWith("lw-till-day-"))'),
  ).toEqual([])
  expectCalm(opened)
})

test('of two windows one sends what both know, and a sale is recorded once', { skip: !isFull }, async () => {
  const guest = await register(shop, 'Tia Two-Tabs')
  const opened = await openPage({ expected: lost })
  const { page, context } = opened
  await openTill(page)
  await expectShellKept(page)
  const second = await context.newPage()
  await second.goto(`${demo.baseUrl}/till`)
  await second.locator('.till-product', { hasText: 'Assam tea' }).waitFor()
  await goOffline(context)
  await offline(page).waitFor()
  await scan(page, guest.barcode)
  await page.getByRole('button', { name: /^Assam tea/ }).click()
  const receipt = await chargeLater(page, '$3.30')
  await second.getByRole('button', { name: '1 not confirmed' }).waitFor()
  let times = 0
  await context.unrouteAll()
  context.on('request', (request) => {
    if (/process/.test(request.url())) times++
  })
  await context.setOffline(false)
  for (const one of [page, second]) {
    await one.getByRole('button', { name: '1 not confirmed' }).waitFor({ state: 'detached' })
  }
  expect(await booked(receipt)).toMatchObject({ customer: guest.id })
  expect(await callApi('GET', `/v1/customers/${guest.id}`)).toMatchObject({
    collectables: { cups: { value: 1 } },
  })
  expect(times).toBe(1)
  expectCalm(opened)
})

test('while the service is not ready, sales wait for it', { skip: !isFull }, async () => {
  const guest = await register(shop, 'Rita Restart')
  const opened = await openPage({ expected: [503] })
  const { page, context } = opened
  await openTill(page)
  await findGuest(page, guest)
  const gone = /\/(?:readyz|v1\/transactions)/
  await context.route(gone, (route) => route.fulfill({ status: 503, body: '{}' }))
  await page.getByRole('button', { name: /^Warm scone/ }).click()
  await offline(page).waitFor()
  const receipt = await chargeLater(page, '$2.15')
  await context.unroute(gone)
  await page.getByRole('button', { name: '1 not confirmed' }).waitFor({ state: 'detached' })
  await offline(page).waitFor({ state: 'detached' })
  expect(await booked(receipt)).toMatchObject({ customer: guest.id, payableAmount: 2.15 })
  expectCalm(opened)
})

test('a receipt that is still on the screen gets its points and the card when the sale is recorded', {
  skip: !isFull,
}, async () => {
  const guest = await register(shop, 'Ona Tunnel')
  const opened = await openPage({ expected: lost })
  const { page, context } = opened
  await openTill(page)
  await expectShellKept(page)
  await findGuest(page, guest)
  await page.getByRole('button', { name: /^Assam tea/ }).click()
  await page.getByRole('button', { name: 'Charge $3.30' }).and(page.locator(':enabled')).waitFor()
  await goOffline(context)
  await offline(page).waitFor()
  const number = await chargeLater(page, '$3.30')
  const code = page.getByRole('article').getByRole('img', { name: 'QR code for the card' })
  expect(await code.count()).toBe(0)
  await goOnline(context)
  await page.getByText('Recorded. The points have been added.').waitFor()
  await code.waitFor()
  await page.getByRole('article').getByText('Cups').waitFor()
  await expectAccessible(page)
  await booked(number)
  await page.getByRole('button', { name: 'Next customer' }).click()
  await page.getByLabel('Phone, email, or barcode').waitFor()
  expectCalm(opened)
})
