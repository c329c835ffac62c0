/** How a card gets from the till to the phone of its customer. */
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { callApi, demo, expectAccessible, expectCalm, newPhone, openPage, startBrowser } from './browser.ts'
import { openConsole, rowsOf, waitForRows } from './console.ts'
import { measureRoom, scanPicture } from './scan-picture.ts'
import { charge, expectFocus, findGuest, openShop, openTill, register, type Shop } from './till-shop.ts'

startBrowser()
let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

const codeIn = (place: Locator) => place.getByRole('img', { name: 'QR code for the card' })

/** What a phone reads from the screen: an address, and nothing else. */
async function scanCode(place: Locator): Promise<string> {
  await codeIn(place).waitFor()
  const codes = await scanPicture(codeIn(place))
  expect(codes).toEqual([{ format: 'QRCode', text: expect.stringMatching(/\/w\/[\w-]{54}$/) }])
  return codes[0]!.text
}

/** The phone opens what it has read. */
async function expectCardAt(url: string, barcode: string): Promise<void> {
  const phone = await openPage({ width: 390, height: 844, hasTouch: true })
  await phone.page.goto(url)
  const code = phone.page.getByRole('img', { name: barcode })
  await code.waitFor()
  expect((await scanPicture(code)).map(({ text }) => text)).toEqual([barcode])
  expectCalm(phone)
}

/** A roll of 58 mm at 96 dots per inch: nothing stands over its edge, and the code is still read. */
async function expectPrintable(page: Page, place: Locator, url: string): Promise<void> {
  const before = page.viewportSize()!
  await page.emulateMedia({ media: 'print' })
  for (const mm of [58, 80]) {
    const width = Math.floor(((mm - 6) / 25.4) * 96)
    await page.setViewportSize({ width, height: 900 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    expect(await scanCode(place)).toBe(url)
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false)
  }
  await page.emulateMedia({ media: 'screen' })
  await page.setViewportSize(before)
}

test('a new customer scans the card at the till, and again from the receipt', async () => {
  const phone = newPhone()
  const opened = await openPage({ colorScheme: 'dark', expected: [404] })
  const { page } = opened
  await openTill(page)
  await page.getByLabel('Phone, email, or barcode').fill(phone)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Register new customer' }).click()
  await page.getByRole('textbox', { name: 'Full name' }).fill('Nia Newcomer')
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Scan to keep your card' })
  const url = await scanCode(dialog)
  await expectAccessible(page)
  // In the dark, too, the code is dark on white, with four modules of room: its corner has seven.
  const { before, after, top, firstBar, light, dark } = await measureRoom(page, codeIn(dialog))
  expect(light).toBe(255)
  expect(dark).toBeLessThan(60)
  expect(Math.min(before, after, top)).toBeGreaterThanOrEqual(Math.floor((4 * firstBar) / 7))
  const { id, cards } = await callApi('GET', `/v1/customers/find?q=${encodeURIComponent(phone)}`)
  expect(url).toBe(cards[0].walletUrl)
  await expectCardAt(url, cards[0].barcode)

  // Enter goes on with the sale.
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await expectFocus(page.getByLabel('Search products'))
  await page.getByRole('button', { name: /^Assam tea/ }).click()
  await charge(page, '$3.30')
  const receipt = page.getByRole('article', { name: 'Receipt' })
  expect(await scanCode(receipt)).toBe(url)
  if (isFull) await expectAccessible(page)
  if (isFull) await expectPrintable(page, receipt, url)
  expect((await callApi('GET', `/v1/customers/${id}`)).cards).toHaveLength(1)
  expectCalm(opened)
})

test('a known card is shown again, and the console says who showed whose', { skip: !isFull }, async () => {
  const guest = await register(shop, 'Kaja Lost-Phone')
  const opened = await openPage()
  const { page } = opened
  await openTill(page)
  await findGuest(page, guest)
  await page.getByRole('button', { name: 'Show card' }).click()
  const dialog = page.getByRole('dialog', { name: 'Scan to keep your card' })
  const url = await scanCode(dialog)
  expect(new URL(url).origin).toBe(new URL(demo.baseUrl).origin)
  await expectPrintable(page, dialog, url)
  await page.keyboard.press('Escape')
  await expectFocus(page.getByRole('button', { name: 'Show card' }))

  const merchant = await openConsole(`/audit?q=${guest.card}`)
  await waitForRows(merchant.page)
  const row = rowsOf(merchant.page)
  expect(await row.count()).toBe(1)
  for (const text of [
    "Showed a card's QR code",
    `Card ending in ${guest.barcode.slice(-4)}`,
    guest.name,
    'Cashier',
  ]) {
    await row.getByText(text).first().waitFor()
  }
  expect(await row.textContent()).not.toContain(url.split('/w/')[1])
  await expectAccessible(merchant.page)
  expectCalm(merchant)

  // Once it is blocked there is nothing to show.
  await callApi('POST', `/v1/cards/${guest.card}/block`)
  await findGuest(page, guest)
  await page.getByText('This card is blocked').waitFor()
  expect(await page.getByRole('button', { name: 'Show card' }).count()).toBe(0)
  expectCalm(opened)
})
