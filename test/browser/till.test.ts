import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { demo, expectAccessible, expectCalm, openPage, startBrowser } from './browser.ts'
import {
  balancesOf,
  callApi,
  newPhone,
  openTill,
  readCustomer,
  registerGuest,
  salesUnder,
  scan,
} from './demo-api.ts'

startBrowser()

/** Goes there as somebody without a mouse does. */
async function tabTo(page: Page, place: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await place.waitFor()
  for (let presses = 0; presses < 40; presses++) {
    if (await place.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press(key)
  }
  throw new Error(`${place} cannot be reached with ${key}`)
}

/** The field is ready: what is typed next takes the place of what is there. */
async function expectSelected(page: Page, text: string): Promise<void> {
  await expect.poll(() => page.evaluate('String(getSelection())')).toBe(text)
}

const receiptNumber = /T[A-Z]{4}-\d{6}/

async function readReceiptNumber(page: Page): Promise<string> {
  const text = await page.getByRole('article', { name: 'Receipt' }).textContent()
  return receiptNumber.exec(text!)![0]
}

test('sells, redeems, spends and takes back without a mouse', async () => {
  const customer = await registerGuest({
    fullname: 'Keyboard Guest',
    balances: { points: 500 },
    coupons: ['five-off'],
  })
  const opened = await openPage({ expected: [400] })
  const { page } = opened
  await openTill(page)

  // In the middle of a search for products: what the scanner typed does not stay there.
  await page.keyboard.press('F3')
  await page.keyboard.type('lat')
  await scan(page, customer.cards[0]!.barcode)
  await page.getByRole('heading', { name: 'Keyboard Guest' }).waitFor()
  await expectSelected(page, 'lat')

  await page.keyboard.type('latte')
  await page.keyboard.press('Enter')
  await page.keyboard.type('latte')
  await page.keyboard.press('Enter')
  await page.keyboard.type('avo')
  await page.keyboard.press('Enter')
  const charge = page.getByRole('button', { name: 'Charge' })
  await page.getByRole('button', { name: 'Charge $15.90' }).waitFor()
  const gains = page.getByRole('list', { name: 'What the customer gets' })
  await gains.getByText('+150 Points').waitFor()
  await gains.getByText('+2 Stamps').waitFor()

  const coupon = page.getByRole('button', { name: '5 off', pressed: false })
  await tabTo(page, coupon, 'Shift+Tab')
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: '5 off', pressed: true }).waitFor()
  await page.getByRole('button', { name: 'Charge $10.90' }).waitFor()

  await page.keyboard.press('F7')
  await expectSelected(page, '0')
  await page.keyboard.type('50')
  await page.getByRole('alert').getByText('fewer than can be used at once').waitFor()
  expect(await charge.isDisabled()).toBe(true)
  await page.keyboard.press('Control+A')
  await page.keyboard.type('100')
  await page.getByRole('button', { name: 'Charge $9.90' }).waitFor()
  await page.getByText('Worth $1.00').waitFor()
  await gains.getByText('+90 Points').waitFor()
  await expectAccessible(page)

  await page.keyboard.press('F9')
  await page.getByRole('heading', { name: '$9.90 paid' }).waitFor()
  const receipt = page.getByRole('article', { name: 'Receipt' })
  for (const text of ['2 × Latte', 'Coupon: 5 off', 'Paid with 100 Points', '+90 Points', '+2 Stamps']) {
    await receipt.getByText(text).waitFor()
  }
  await receipt.getByText('New balance: 490 Points · 2 Stamps').waitFor()
  await expectAccessible(page)
  const number = await readReceiptNumber(page)
  expect(await balancesOf(customer.id)).toEqual({ points: 490, stamps: 2 })
  expect((await readCustomer(customer.id)).coupons).toEqual([])
  expect(await salesUnder(number)).toMatchObject([{ payableAmount: 10.9, pointsSpent: 100, returns: [] }])

  await page.keyboard.press('Enter')
  const find = page.getByRole('textbox', { name: 'Phone, e-mail or card number' })
  await find.waitFor()
  expect(await find.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true)

  await page.keyboard.press('F8')
  await page.getByRole('heading', { name: 'Return' }).waitFor()
  await page.keyboard.type(number)
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('button', { name: 'One Latte more' }))
  await page.keyboard.press('Space')
  await expectAccessible(page)
  await tabTo(page, page.getByRole('button', { name: 'Take it back' }))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Give back' }).waitFor()
  await page.getByText(`of receipt ${number}`).waitFor()
  await expectAccessible(page)
  const [sale] = await salesUnder(number)
  expect(sale).toMatchObject({ returns: [{ items: [{ quantity: 1 }] }] })
  expect((await balancesOf(customer.id)).stamps).toBe(1)
  await page.keyboard.press('Enter')
  await find.waitFor()
  expectCalm(opened)
})

test('registers whom nobody knows, and sells to them', async () => {
  const opened = await openPage({ colorScheme: 'dark', expected: [404] })
  const { page } = opened
  await openTill(page)
  const phone = newPhone()
  await page.getByLabel('Phone, e-mail or card number').fill(phone)
  await page.getByRole('button', { name: 'Find the customer' }).click()
  await page.getByText(`Nobody is known by “${phone}”.`).waitFor()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Register a new customer' }).click()
  const form = page.getByRole('dialog', { name: 'New customer' })
  expect(await form.getByLabel('Phone').inputValue()).toBe(phone)
  await form.getByLabel('Full name').fill('New Guest')
  await form.getByRole('combobox', { name: 'Programme' }).click()
  await page.getByRole('option', { name: 'Coffee club', exact: true }).click()
  await form.getByLabel('Agrees to receive news').check()
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Register' }).click()
  await page.getByRole('heading', { name: 'New Guest' }).waitFor()

  await page.getByRole('button', { name: 'Flat white' }).click()
  await page.getByRole('button', { name: 'One Flat white more' }).click()
  await page.getByRole('button', { name: 'Free line' }).click()
  const price = page.getByRole('dialog', { name: 'Free line' })
  await price.getByLabel('Name').fill('Birthday candle')
  await price.getByLabel('Price (USD)').fill('1.2')
  await price.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('button', { name: 'Charge $9.00' }).click()
  await page.getByRole('heading', { name: '$9.00 paid' }).waitFor()
  await expectAccessible(page)
  const number = await readReceiptNumber(page)

  const customer = await callApi<{ id: string; consents?: object }>(
    'GET',
    `/v1/customers/find?${new URLSearchParams({ q: phone })}`,
  )
  expect(customer.consents).toMatchObject({ marketing: true })
  expect(await balancesOf(customer.id)).toEqual({ points: 90, stamps: 2 })
  expect(await salesUnder(number)).toMatchObject([{ customer: customer.id, payableAmount: 9 }])
  expectCalm(opened)
})

test('scans with the camera by a scanner of its own, or says why not', async () => {
  const opened = await openPage()
  const { page, context } = opened
  const loaded: string[] = []
  context.on('response', (response) => loaded.push(response.url()))
  await openTill(page)
  expect(loaded.filter((url) => url.endsWith('.wasm'))).toEqual([])

  await page.getByRole('button', { name: 'Scan with the camera' }).click()
  const dialog = page.getByRole('dialog', { name: 'Scan the card' })
  await dialog.getByText('Hold the code of the card in front of the camera.').waitFor()
  await expect
    .poll(() => loaded.filter((url) => url.endsWith('.wasm')), { timeout: 30_000 })
    .toEqual([expect.stringMatching(new RegExp(`^${demo.baseUrl}/assets/zxing_reader-[\\w-]+\\.wasm$`))])
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })

  // The same without a camera.
  await page.addInitScript(`navigator.mediaDevices.getUserMedia = () =>
    Promise.reject(new DOMException('Requested device not found', 'NotFoundError'))`)
  await page.reload()
  await page.getByRole('button', { name: 'Scan with the camera' }).click()
  await page.getByRole('alert').getByText('This computer has no camera.').waitFor()
  await page.getByText('Type the number under the code instead').waitFor()
  await expectAccessible(page)
  expectCalm(opened)
})
