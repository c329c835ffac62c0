/** The browser's Back and Forward at the till. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { demo, expectAccessible, expectCalm, openPage, scan, startBrowser } from './browser.ts'
import {
  charge,
  expectFocus,
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

const find = (page: Page) => page.getByLabel('Phone, email, or barcode')
const returning = (page: Page) => page.getByRole('heading', { name: 'Return', exact: true })
const leaving = (page: Page) => page.getByRole('dialog', { name: 'Leave the till?' })
const isAtTill = (page: Page) => page.url().startsWith(`${demo.baseUrl}/till`)

/** As the buttons of the browser do; the page may be another afterwards. */
const back = (page: Page) => page.evaluate('history.back()')
const forward = (page: Page) => page.evaluate('history.forward()')

/** Where the cashier came from. */
const before = '/icon.svg'

async function openFromElsewhere(page: Page): Promise<void> {
  await page.goto(demo.baseUrl + before)
  await openTill(page)
}

test('from the return and the receipt back to the sale, and forward again', { skip: !isFull }, async () => {
  const guest = await register(shop, 'Bea Back')
  const opened = await openPage()
  const { page } = opened
  await openFromElsewhere(page)
  await page.keyboard.press('F8')
  await returning(page).waitFor()
  await back(page)
  await expectFocus(find(page))
  await forward(page)
  await returning(page).waitFor()
  await page.reload()
  await returning(page).waitFor()
  await page.keyboard.press('Escape')
  await find(page).waitFor()

  await findGuest(page, guest)
  await page.getByRole('button', { name: /^Assam tea/ }).click()
  await charge(page, '$3.30')
  const paid = page.getByRole('heading', { name: '$3.30 paid' })
  await paid.waitFor()
  const receipt = await receiptNumber(page)
  await back(page)
  await find(page).waitFor()
  await page.getByText('The basket is empty.').waitFor()
  await forward(page)
  await paid.waitFor()
  expect(await receiptNumber(page)).toBe(receipt)

  // From the receipt to its return, which stays through a reload with its number.
  await page.getByRole('button', { name: 'Return' }).last().click()
  await page.getByText('1 left to return').waitFor()
  await page.reload()
  await page.getByText('1 left to return').waitFor()
  await back(page)
  await find(page).waitFor()

  // A scanned card still begins the next sale, and with nothing in the basket Back leaves.
  await scan(page, guest.barcode)
  await page.getByRole('heading', { name: guest.name }).waitFor()
  await page.getByRole('button', { name: 'Change customer' }).click()
  await back(page)
  await page.waitForURL(`**${before}`)
  expectCalm(opened)
})

test('closes what is open over the sale, and never the sale with it', { skip: !isFull }, async () => {
  const opened = await openPage({ width: 390, height: 844 })
  const { page } = opened
  await openFromElsewhere(page)
  const menu = async (name: string) => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  for (const [open, role, name] of [
    [() => menu('Keyboard shortcuts'), 'dialog', 'Keyboard shortcuts'],
    [() => menu('This till'), 'dialog', 'This till'],
    [() => menu('API requests'), 'complementary', 'API requests'],
    [() => page.getByRole('button', { name: 'New customer' }).click(), 'dialog', 'New customer'],
    [() => page.getByRole('button', { name: 'Scan with camera' }).click(), 'dialog', 'Scan the card'],
    [() => page.keyboard.press('F4'), 'dialog', 'Custom item'],
  ] as const) {
    const opening = page.getByRole(role, { name })
    // Closed by its button it leaves nothing behind, however often.
    for (const isByButton of [true, true, false]) {
      await open()
      await opening.waitFor()
      if (isByButton) await opening.getByRole('button', { name: 'Close' }).click()
      else await back(page)
      await opening.waitFor({ state: 'detached' })
      expect(isAtTill(page)).toBe(true)
    }
  }
  expect(await page.evaluate<number>('history.length')).toBeLessThan(8)

  // Over the return they close first, then the return, then the till.
  await menu('Return')
  await menu('API requests')
  await page.getByRole('complementary').waitFor()
  await page.getByRole('complementary').press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await back(page)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await returning(page).waitFor()
  await back(page)
  await find(page).waitFor()
  await back(page)
  await page.waitForURL(`**${before}`)
  expectCalm(opened)
})

test('asks before it leaves the till with something in the basket', async () => {
  const guest = await register(shop, 'Lea Leaving')
  const opened = await openPage()
  const { page } = opened
  await openFromElsewhere(page)
  await findGuest(page, guest)
  await page.getByRole('button', { name: /^Assam tea/ }).click()
  const ready = page.getByRole('button', { name: 'Charge $3.30' })
  await ready.waitFor()
  // Nothing of the return or the help stands between.
  await page.keyboard.press('F8')
  await returning(page).waitFor()
  await page.keyboard.press('Escape')
  await ready.waitFor()
  for (let times = isFull ? 2 : 1; times > 0; times--) {
    await back(page)
    await leaving(page).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Stay' }).click()
    await leaving(page).waitFor({ state: 'detached' })
    expect(isAtTill(page)).toBe(true)
    await ready.waitFor()
  }
  await back(page)
  await leaving(page).getByRole('button', { name: 'Leave', exact: true }).click()
  await page.waitForURL(`**${before}`)
  // Gone by mistake, it is still there.
  await page.goForward()
  await page.getByRole('alert').getByText('This basket was saved').waitFor()
  if (isFull) {
    await charge(page, '$3.30')
    await page.getByRole('heading', { name: '$3.30 paid' }).waitFor()
  }
  expectCalm(opened)
})

test('with the calls beside it goes back over what was left, and closes what is on top', {
  skip: !isFull,
}, async () => {
  const opened = await openPage()
  const { page } = opened
  await openFromElsewhere(page)
  const calls = page.getByRole('complementary', { name: 'API requests' })
  const toggleCalls = () => page.getByRole('button', { name: 'API requests' }).click()
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })

  // The return was left with the calls open: they close, and it does not come again.
  await page.keyboard.press('F8')
  await returning(page).waitFor()
  await toggleCalls()
  await calls.waitFor()
  await page.getByRole('button', { name: 'Back to sale' }).click()
  await find(page).waitFor()
  await back(page)
  await calls.waitFor({ state: 'detached' })
  await find(page).waitFor()

  // The calls were there before the return and are closed over it: the next dialog closes alone.
  await toggleCalls()
  await calls.waitFor()
  await page.keyboard.press('F8')
  await returning(page).waitFor()
  await toggleCalls()
  await calls.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'API requests' }).press('?')
  await keys.waitFor()
  await back(page)
  await keys.waitFor({ state: 'detached' })
  await returning(page).waitFor()
  await back(page)
  await find(page).waitFor()
  await back(page)
  await page.waitForURL(`**${before}`)
  expectCalm(opened)
})

test('in a window that began with the till there is nothing to leave for, and nothing is asked', {
  skip: !isFull,
}, async () => {
  const opened = await openPage()
  await openTill(opened.page)
  const [page] = await Promise.all([
    opened.page.waitForEvent('popup'),
    opened.page.evaluate(`void window.open('/till')`),
  ])
  await page.getByRole('button', { name: /^Assam tea/ }).click()
  const more = page.getByRole('button', { name: 'Add one Assam tea' })
  await more.waitFor()
  expect(await page.evaluate('history.length')).toBe(2)
  await page.evaluate(
    `new Promise((resolve) => {
      addEventListener('popstate', resolve, { once: true })
      history.back()
    }).then(() => {})`,
  )
  await expect.poll(() => page.evaluate('history.state.till.index')).toBe(1)
  await more.click()
  await page.getByRole('group', { name: 'Quantity of Assam tea' }).getByText('2').waitFor()
  expect(await leaving(page).count()).toBe(0)
  expectCalm(opened)
})
