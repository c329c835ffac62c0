import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import {
  callApi,
  demo,
  expectAccessible,
  expectCalm,
  newPhone,
  openPage,
  scan,
  startBrowser,
  unique,
} from './browser.ts'
import {
  addUnderDialog,
  booked,
  charge,
  expectFocus,
  findGuest,
  openShop,
  openTill,
  receiptNumber,
  register,
  type Shop,
} from './till-shop.ts'

startBrowser()
let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

const takeAllPoints = (page: Page) =>
  page.getByRole('region', { name: 'Basket' }).getByRole('button', { name: 'All', exact: true }).click()

const process = '**/v1/transactions/process*'

test('sells with the keyboard alone: scan, search, coupons, points, charge, next', async () => {
  const guest = await register(shop, 'Ada Keyboard', 40, ['free-tea', 'tenth'])
  const opened = await openPage()
  const { page } = opened
  await openTill(page)
  await expectAccessible(page)

  // The scanner types into whatever has the focus, and nothing of it stays there.
  await page.keyboard.press('F3')
  await page.getByLabel('Search products').fill('sc')
  await scan(page, guest.barcode)
  await page.getByRole('heading', { name: guest.name }).waitFor()
  expect(await page.getByLabel('Search products').inputValue()).toBe('sc')

  await page.keyboard.press('F3')
  for (const text of ['assam', 'assam', 'warm']) {
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }
  await page.keyboard.press('F4')
  await expectFocus(page.getByRole('dialog').getByLabel('Name'))
  await page.keyboard.type('Ribbon')
  await page.keyboard.press('Tab')
  await page.keyboard.type('0.1')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Add one Ribbon' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')

  // 6.60 + 2.15 + 0.30 = 9.05; a free tea is 3.30, a tenth of the order 0.91 (half-up).
  for (const name of [/^Free tea/, /^A tenth off/]) {
    await page.getByRole('button', { name, pressed: false }).focus()
    await page.keyboard.press('Space')
  }
  await page.getByRole('button', { name: 'Charge $4.84' }).waitFor()
  await page.keyboard.press('F7')
  await page.keyboard.type('20')
  await page.getByText('Worth $2.00').waitFor()
  await expectAccessible(page)
  await charge(page, '$2.84')

  await page.getByRole('heading', { name: '$2.84 paid' }).waitFor()
  await expectAccessible(page)
  const sale = await booked(await receiptNumber(page))
  expect(sale).toMatchObject({ customer: guest.id, amount: 9.05, payableAmount: 4.84, pointsDiscount: 2 })
  expect(sale.items[0]).toMatchObject({ product: 'till-tea', quantity: 2 })
  expect(sale.totals).toEqual({ amount: 9.05, discounts: 0, coupons: 4.21, points: 2, due: 2.84 })

  // The next customer begins where the focus is, or with the next card that is scanned.
  await page.keyboard.press('Enter')
  await expectFocus(page.getByLabel('Phone, email, or barcode'))
  await findGuest(page, guest)
  await page.keyboard.type('warm')
  await page.keyboard.press('Enter')
  await charge(page, '$2.15')
  await page.getByRole('button', { name: 'Next customer' }).waitFor()
  await scan(page, guest.barcode)
  await page.getByRole('heading', { name: guest.name }).waitFor()
  expectCalm(opened)
})

test('looks up what became of a sale, sets it aside, and sells on with the next basket untouched', {
  skip: !isFull,
}, async () => {
  const guest = await register(shop, 'Cleo Aside')
  const opened = await openPage({ expected: [503] })
  const { page } = opened
  await openTill(page)
  await findGuest(page, guest)
  await page.getByRole('button', { name: /^Warm scone/ }).click()
  await page.route(process, (route) => route.fulfill({ status: 503, body: '' }))
  await charge(page, '$2.15')
  await page.getByRole('button', { name: 'Check status' }).click()
  await page.getByText('The service has no record of').waitFor()
  await page.getByRole('button', { name: 'Set aside' }).click()

  await findGuest(page, guest)
  await page.getByRole('button', { name: /^Assam tea/ }).click()
  const waiting = page.getByRole('button', { name: '1 not confirmed' })
  await waiting.click()
  const entry = page.getByRole('dialog').getByRole('region')
  await entry.getByText('$2.15').waitFor()
  await entry.getByText(`Card ending in ${guest.barcode.slice(-4)}`).waitFor()
  await expectAccessible(page)
  // Thrown away only after a second question.
  await entry.getByRole('button', { name: 'Discard' }).click()
  await entry.getByRole('button', { name: 'Keep' }).click()
  const number = (await entry.getAttribute('aria-label'))!
  await page.keyboard.press('Escape')
  // It is sent by itself, and the basket stays.
  await page.unroute(process)
  await waiting.waitFor({ state: 'detached' })
  await booked(number)
  await charge(page, '$3.30')
  await page.getByRole('heading', { name: '$3.30 paid' }).waitFor()
  expectCalm(opened)
})

test('a sale whose response was lost has the card on its receipt when its status is checked', {
  skip: !isFull,
}, async () => {
  const guest = await register(shop, 'Cleo Lost')
  const opened = await openPage({ expected: ['net::ERR_FAILED'] })
  const { page } = opened
  await openTill(page)
  await findGuest(page, guest)
  await page.getByRole('button', { name: /^Warm scone/ }).click()
  await page.route(process, async (route) => {
    await route.fetch()
    await route.abort()
  })
  await charge(page, '$2.15')
  await page.getByRole('button', { name: 'Check status' }).click()
  await page.getByRole('heading', { name: '$2.15 paid' }).waitFor()
  await page.getByRole('article').getByRole('img', { name: 'QR code for the card' }).waitFor()
  await expectAccessible(page)
  expectCalm(opened)
})

test('registers who is not known, and says clearly who is blocked', { skip: !isFull }, async () => {
  const blocked = await register(shop, 'Dora Blocked')
  await callApi('POST', `/v1/customers/${blocked.id}/block`)
  const opened = await openPage({ expected: [404] })
  const { page } = opened
  await openTill(page)
  const phone = newPhone()
  const field = page.getByLabel('Phone, email, or barcode')
  await field.fill(phone)
  await page.keyboard.press('Enter')
  await page.getByText(`No customer found for “${phone}”.`).waitFor()
  await page.getByRole('button', { name: 'Register new customer' }).click()
  await page.getByRole('dialog').waitFor()
  expect(await page.getByLabel('Phone', { exact: true }).inputValue()).toBe(phone)
  await expectAccessible(page)
  await page.getByLabel('Full name').fill('Eli Newcomer')
  await page.getByRole('combobox', { name: 'Campaign' }).click()
  await page.getByRole('option', { name: 'Tea house' }).click()
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  await page.getByRole('dialog', { name: 'Scan to keep your card' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Eli Newcomer' }).waitFor()
  await expectFocus(page.getByLabel('Search products'))
  const found = await callApi('GET', `/v1/customers/find?q=${encodeURIComponent(phone)}`)
  expect(found.cards[0].campaign).toBe(shop.campaign)

  await findGuest(page, blocked)
  await page.getByRole('alert').getByText('This customer is blocked').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: /^Assam tea/ }).click()
  expect(await page.getByRole('button', { name: /^Charge/ }).isEnabled()).toBe(false)
  expectCalm(opened)
})

test('says in words what the service refuses, and charges nothing meanwhile', async () => {
  const guest = await register(shop, 'Finn Refused', 100, ['free-tea'])
  const opened = await openPage({ expected: [400] })
  const { page } = opened
  await openTill(page)
  await findGuest(page, guest)
  await page.getByRole('button', { name: /^Warm scone/ }).click()
  await page.getByRole('button', { name: /^Free tea.*One free: Assam tea$/, pressed: false }).click()
  await page.getByRole('alert').getByText("This coupon doesn't apply to anything in the basket").waitFor()
  expect(await page.getByRole('button', { name: /^Charge/ }).isEnabled()).toBe(false)
  await page.getByRole('button', { name: /^Free tea/, pressed: true }).click()

  // Half of 4.30 are 21 leaves of 0.10; of 2.15 they are 10, and 21 are too many.
  await page.getByRole('button', { name: 'Add one Warm scone' }).click()
  await page.getByText('Up to 21 of 100 for this basket').waitFor()
  await takeAllPoints(page)
  await page.getByText('Worth $2.10').waitFor()
  await page.getByRole('button', { name: 'Remove one Warm scone' }).click()
  await page.getByRole('alert').getByText("Points can't cover that much of this basket").waitFor()
  await page.getByText('Up to 10 of 100 for this basket').waitFor()
  await expectAccessible(page)
  await takeAllPoints(page)
  await charge(page, '$1.15')
  await page.getByRole('heading', { name: '$1.15 paid' }).waitFor()
  expectCalm(opened)
})

test('takes goods back by receipt number, each return under a number of its own', {
  skip: !isFull,
}, async () => {
  const guest = await register(shop, 'Gail Returning')
  const opened = await openPage()
  const { page } = opened
  await openTill(page)
  await findGuest(page, guest)
  for (let count = 0; count < 3; count++) await page.getByRole('button', { name: /^Assam tea/ }).click()
  await charge(page, '$9.90')
  const receipt = await receiptNumber(page)
  await page.getByRole('button', { name: 'Next customer' }).click()

  await page.keyboard.press('F8')
  await page.getByLabel('Receipt number').fill(receipt)
  await page.keyboard.press('Enter')
  await page.getByText('3 left to return').waitFor()
  await page.getByRole('button', { name: 'Add one Assam tea' }).click()
  await page.getByLabel('Reason (optional)').fill('Cold')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Return items' }).click()
  await page.getByRole('heading', { name: 'Refund $3.30' }).waitFor()
  const balances = page.getByRole('region', { name: 'New balance' }).locator('dl')
  await expect.poll(() => balances.textContent()).toBe('Cups2Leaves12')
  await expectAccessible(page)
  const { returns } = await booked(receipt)
  expect(returns).toMatchObject([{ items: [{ id: '1', quantity: 1 }], reason: 'Cold', refundAmount: 3.3 }])
  expect(returns[0].opaqueId).toMatch(/^T[A-Z]{4}-R000001$/)

  await page.keyboard.press('Escape')
  await page.keyboard.press('F8')
  await page.getByLabel('Receipt number').fill(receipt)
  await page.keyboard.press('Enter')
  await page.getByText('2 left to return').waitFor()
  expectCalm(opened)
})

test('takes the card that replaced the scanned one, shows its tier, and says when a return ends it', {
  skip: !isFull,
}, async () => {
  const guest = await register(shop, 'Hana Medal')
  const medalClub = {
    name: 'Medal club',
    balances: [{ key: 'medals', name: 'Medals' }],
    rules: [
      { id: 'scone', kind: 'collect_per_item', balance: 'medals', amount: 1, products: ['till-scone'] },
    ],
    tiers: [{ key: 'star', name: 'Star', balance: 'medals', from: 1 }],
  }
  const { id: campaignId } = await callApi('POST', '/v1/campaigns', { body: medalClub })
  await callApi('POST', `/v1/campaigns/${campaignId}/publish`)
  const { cards } = await callApi('POST', '/v1/customers/register', {
    body: { campaignId, customer: { id: guest.id } },
  })
  const { barcode } = await callApi('POST', `/v1/cards/${cards[0].id}/replace`)
  const opened = await openPage()
  const { page } = opened
  await openTill(page)
  await scan(page, cards[0].barcode)
  await page.getByRole('heading', { name: guest.name }).waitFor()
  const card = page.getByRole('radio', { name: `Medal club, card ending in ${barcode.slice(-4)}` })
  expect(await card.isChecked()).toBe(true)
  await page.getByRole('button', { name: /^Warm scone/ }).click()
  await charge(page, '$2.15')
  const receipt = await receiptNumber(page)
  await page.getByRole('button', { name: 'Next customer' }).click()

  await findGuest(page, guest)
  await page.getByText('Tier Star', { exact: true }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('F8')
  await page.getByLabel('Receipt number').fill(receipt)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Add one Warm scone' }).click()
  await page.getByRole('button', { name: 'Return items' }).click()
  await page.getByText('Medal club: no tier anymore').waitFor()
  expectCalm(opened)
  await callApi('POST', `/v1/campaigns/${campaignId}/archive`)
})

test('keeps the basket when the session ends, and goes on after signing in', async () => {
  const guest = await register(shop, 'Hope Signed-Out')
  const opened = await openPage({ expected: [401] })
  const { page, context } = opened
  await openTill(page)
  await findGuest(page, guest)
  await context.clearCookies()
  await addUnderDialog(page, 'Assam tea')
  await page.getByRole('dialog').getByText('Sign in again').waitFor()
  await expectAccessible(page)
  await page.getByLabel('Email').fill('cashier@demo.example')
  await page.getByRole('textbox', { name: 'Password' }).fill(demo.consolePassword)
  await page.keyboard.press('Enter')
  await charge(page, '$3.30')
  await page.getByRole('heading', { name: '$3.30 paid' }).waitFor()
  expectCalm(opened)
})

test('reads a card with the camera, with WebAssembly of its own', async () => {
  const guest = await register(shop, 'Jo Camera')
  const opened = await openPage()
  const { page } = opened
  await openTill(page)
  // The camera of this browser films the barcode that the service draws.
  await page.evaluate(`
    navigator.mediaDevices.getUserMedia = async () => {
      const picture = new Image()
      picture.src = '/v1/cards/${guest.card}/barcode.svg?kind=code128'
      await picture.decode()
      const canvas = Object.assign(document.createElement('canvas'), { width: 900, height: 500 })
      const paper = canvas.getContext('2d')
      setInterval(() => {
        paper.fillStyle = '#fff'
        paper.fillRect(0, 0, 900, 500)
        paper.drawImage(picture, 100, 100, 700, 300)
      }, 50)
      return canvas.captureStream(20)
    }`)
  await page.getByRole('button', { name: 'Scan with camera' }).click()
  await page.getByRole('heading', { name: guest.name }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expectCalm(opened)
})

test('says why there is no camera and what to do instead', { skip: !isFull }, async () => {
  const opened = await openPage()
  const { page } = opened
  await openTill(page)
  await page.evaluate(
    `navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotAllowedError'))`,
  )
  await page.getByRole('button', { name: 'Scan with camera' }).click()
  await page.getByRole('alert').getByText('Camera access is blocked').waitFor()
  await page.getByText('Enter the number below the code instead').waitFor()
  await expectAccessible(page)
  expectCalm(opened)
})

test.each(isFull ? (['light', 'dark'] as const) : (['dark'] as const))(
  'works on a phone, %s',
  async (colorScheme) => {
    const guest = await register(shop, 'Kim Phone')
    const opened = await openPage({ width: 390, height: 844, colorScheme })
    const { page } = opened
    await openTill(page)
    await expectAccessible(page)
    await findGuest(page, guest)
    // The next part comes by itself.
    await page.getByRole('button', { name: /^Assam tea/ }).click()
    await page.getByText('Basket (1)').click()
    await page.getByRole('button', { name: 'Add one Assam tea' }).click()
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await charge(page, '$6.60')
    await page.getByRole('heading', { name: '$6.60 paid' }).waitFor()
    await expectAccessible(page)
    expectCalm(opened)
  },
)

test.runIf(isFull).each([
  { width: 390, height: 844 },
  { width: 1024, height: 768 },
])('says beside the button why it cannot charge, $width wide, whatever part is open', async (size) => {
  const guest = await register(shop, 'Lou Stopped', 0, ['free-tea'])
  const opened = await openPage({ ...size, expected: [400] })
  const { page } = opened
  await openTill(page)
  await page.keyboard.press('F3')
  await page.getByRole('button', { name: /^Warm scone/ }).click()
  const button = page.locator('.till-charge').getByRole('button', { name: 'Find customer', exact: true })
  await button.click()
  // Nothing of its words is cut off.
  const isWhole = '(one => one.scrollWidth <= one.clientWidth)'
  expect(
    await page.evaluate(`${isWhole}(document.querySelector('.till-charge .mantine-Button-label'))`),
  ).toBe(true)
  await findGuest(page, guest)
  if (size.width < 700) await page.locator('.till-parts').getByText('Customer').click()
  await page.getByRole('button', { name: /^Free tea/, pressed: false }).click()
  const why = page.getByRole('alert').getByText("This coupon doesn't apply to anything in the basket")
  await why.waitFor()
  await page.keyboard.press('F3')
  await why.waitFor()
  await expectAccessible(page)
  await page.keyboard.press('F6')
  await why.waitFor()
  expectCalm(opened)
})

test('a balance of a paused campaign keeps its name and its decimals and can be spent, by a cashier as well', {
  skip: !isFull,
}, async () => {
  const key = `credit${unique()}`
  const { id } = await callApi('POST', '/v1/campaigns', {
    body: {
      name: 'Credit',
      balances: [{ key, name: 'House credit', decimals: 2 }],
      rules: [{ id: 'base', kind: 'points_per_amount', balance: key, points: 1, per: 1 }],
      spend: { balance: key, worth: 1 },
    },
  })
  await callApi('POST', `/v1/campaigns/${id}/publish`)
  const guest = await register({ campaign: id }, 'Carl Credit')
  const body = { key, amount: 22.84, reason: 'Moved from the old card' }
  await callApi('POST', `/v1/customers/${guest.id}/adjustments`, { body })
  await callApi('POST', `/v1/campaigns/${id}/pause`)
  for (const email of ['cashier@demo.example', demo.consoleEmail]) {
    const opened = await openPage()
    const { page } = opened
    await openTill(page, email)
    await findGuest(page, guest)
    const held = page.locator('dl > div').filter({ hasText: 'House credit' })
    await expect.poll(() => held.textContent()).toBe('House credit22.84')
    await page.getByRole('button', { name: /^Assam tea/ }).click()
    await page.getByRole('textbox', { name: 'Pay with House credit' }).fill('1.25')
    await page.getByRole('button', { name: 'Charge $2.05' }).and(page.locator(':enabled')).waitFor()
    expectCalm(opened)
  }
  await callApi('POST', `/v1/campaigns/${id}/archive`)
})
