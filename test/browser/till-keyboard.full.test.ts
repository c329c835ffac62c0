import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  callApi,
  demo,
  expectAccessible,
  expectCalm,
  newCustomer,
  openPage,
  scan,
  startBrowser,
} from './browser.ts'
import { balancesOf, booked, expectFocus, receiptNumber } from './till-shop.ts'

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

/** By the keyboard too. */
async function signInAtTill(page: Page): Promise<void> {
  await page.goto(`${demo.baseUrl}/till`)
  await expectFocus(page.getByLabel('Email'))
  await page.keyboard.type('cashier@demo.example')
  await page.keyboard.press('Tab')
  await page.keyboard.type(demo.consolePassword)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Latte' }).first().waitFor()
}

test('sells, redeems, spends and takes back without a mouse', async () => {
  const customer = await newCustomer({ fullname: 'Keyboard Guest' })
  const welcome = { key: 'points', amount: 500, reason: 'Welcome' }
  await callApi('POST', `/v1/customers/${customer.id}/adjustments`, { body: welcome })
  const coupon = { customer: customer.id, campaign: demo.campaignId, reward: 'five-off' }
  await callApi('POST', '/v1/coupons', { body: coupon })
  const opened = await openPage({ expected: [400] })
  const { page } = opened
  await signInAtTill(page)

  // In the middle of a search for products: what the scanner typed does not stay there.
  await page.keyboard.press('F3')
  await page.keyboard.type('lat')
  await scan(page, customer.cards[0].barcode)
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
  await gains.getByText('Points +150', { exact: true }).waitFor()
  await gains.getByText('Stamps +2', { exact: true }).waitFor()

  const fiveOff = page.getByRole('button', { name: '$5 off', pressed: false })
  await tabTo(page, fiveOff, 'Shift+Tab')
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: '$5 off', pressed: true }).waitFor()
  await page.getByRole('button', { name: 'Charge $10.90' }).waitFor()

  await page.keyboard.press('F7')
  await expectSelected(page, '0')
  await page.keyboard.type('50')
  await page.getByRole('alert').getByText("That's below the minimum.").waitFor()
  await expect.poll(() => charge.isDisabled()).toBe(true)
  await page.keyboard.press('Control+A')
  await page.keyboard.type('100')
  await page.getByRole('button', { name: 'Charge $9.90' }).waitFor()
  await page.getByText('Worth $1.00').waitFor()
  await gains.getByText('Points +90', { exact: true }).waitFor()
  await expectAccessible(page)

  await page.keyboard.press('F9')
  await page.getByRole('heading', { name: '$9.90 paid' }).waitFor()
  const receipt = page.getByRole('article', { name: 'Receipt' })
  for (const text of ['2 × Latte', 'Coupon: $5 off', 'Points −100', 'Points +90', 'Stamps +2']) {
    await receipt.getByText(text).waitFor()
  }
  const balances = receipt.getByRole('region', { name: 'New balance' }).locator('dl')
  await expect.poll(() => balances.textContent()).toBe('Points490Stamps2')
  await expectAccessible(page)
  const number = await receiptNumber(page)
  expect(await balancesOf(customer.id)).toEqual({ points: 490, stamps: 2 })
  expect((await callApi('GET', `/v1/customers/${customer.id}`)).coupons).toEqual([])
  expect(await booked(number)).toMatchObject({ payableAmount: 10.9, pointsSpent: 100, returns: [] })

  await page.keyboard.press('Enter')
  const find = page.getByRole('textbox', { name: 'Phone, email, or barcode' })
  await expectFocus(find)

  await page.keyboard.press('F8')
  await expectFocus(page.getByLabel('Receipt number'))
  await page.keyboard.type(number)
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('button', { name: 'Add one Latte' }))
  await page.keyboard.press('Space')
  await expectAccessible(page)
  await tabTo(page, page.getByRole('button', { name: 'Return items' }))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Refund' }).waitFor()
  await page.getByText(`for receipt ${number}`).waitFor()
  await expectAccessible(page)
  const opaqueId = expect.stringMatching(/^T[A-Z]{4}-R\d{6}$/)
  expect(await booked(number)).toMatchObject({ returns: [{ opaqueId, items: [{ quantity: 1 }] }] })
  expect((await balancesOf(customer.id)).stamps).toBe(1)
  await page.keyboard.press('Enter')
  await find.waitFor()
  expectCalm(opened)
})
