/** The pages under /docs: guides in several languages, and one search over them and the reference. */
import { expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { demo, expectAccessible, expectCalm, openPage, startBrowser } from './browser.ts'

startBrowser()

const urlOf = (path: string) => `${demo.baseUrl}${path}`

test('a guide shows one language at a time, by mouse and keyboard, and remembers which', async () => {
  const opened = await openPage()
  const { page } = opened
  await page.goto(urlOf('/docs/guides/coupons'))
  const tabs = page.getByRole('tablist').first()
  const panel = page.getByRole('tabpanel').first()
  expect(await panel.textContent()).toContain('curl -s')
  await tabs.getByRole('tab', { name: 'TypeScript' }).click()
  expect(await panel.textContent()).toContain('await wallet.registerCustomer')

  await page.keyboard.press('ArrowRight')
  expect(await tabs.getByRole('tab', { selected: true }).textContent()).toBe('Python')
  expect(await panel.textContent()).toContain('wallet.register_customer')
  await page.keyboard.press('ArrowRight')
  expect(await tabs.getByRole('tab', { selected: true }).textContent()).toBe('curl')
  await page.keyboard.press('ArrowLeft')

  await page.getByRole('link', { name: 'Next Spending points' }).click()
  await page.getByRole('heading', { level: 1, name: 'Spending points' }).waitFor()
  const chosen = await page.getByRole('tab', { selected: true }).allTextContents()
  expect(new Set(chosen)).toEqual(new Set(['Python']))
  await expectAccessible(page)
  expectCalm(opened)
})

test('without scripts a guide shows all languages, one below the other', async () => {
  const { context } = await openPage()
  const page = await (await context.browser()!.newContext({ javaScriptEnabled: false })).newPage()
  await page.goto(urlOf('/docs/guides/returns'))
  const shown = page.locator('.tabs').first().locator('pre')
  expect(await shown.count()).toBe(3)
  for (const block of await shown.all()) expect(await block.isVisible()).toBe(true)
  for (const name of ['curl', 'TypeScript', 'Python'])
    expect(await page.getByText(name, { exact: true }).first().isVisible()).toBe(true)
  await page.context().close()
})

test('the search finds sections of guides, operations and error codes with the keyboard alone', async () => {
  const opened = await openPage()
  const { page } = opened
  await page.goto(urlOf('/docs/glossary'))
  await page.keyboard.press('/')
  await page.keyboard.type('response is lost')
  const first = page.locator('#results a').first()
  await page.getByText(/^\d+ results?$/).waitFor()
  expect(await first.textContent()).toContain('A sale whose response is lost')
  expect(await first.textContent()).toContain('Retries and unknown outcomes')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/guides/retries#a-sale-whose-response-is-lost')

  await page.keyboard.press('/')
  await page.keyboard.type('points_above_share')
  await page.getByText(/^\d+ results?$/).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/errors#points_above_share')

  // Here nothing is loaded anew, so the search has to make room by itself.
  await page.keyboard.press('/')
  await page.keyboard.type('coupon_expired')
  await page.getByText(/^\d+ results?$/).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/errors#coupon_expired')
  await page.getByRole('navigation', { name: 'Documentation' }).waitFor()

  // The reference is a long page, so only the way to it is looked at.
  await page.keyboard.press('/')
  await page.keyboard.type('findCustomer')
  await page.getByText(/^\d+ results?$/).waitFor()
  expect(await page.locator('#results a').first().getAttribute('href')).toBe('/docs#findCustomer')
  await page.keyboard.press('Escape')

  await page.keyboard.press('/')
  await page.keyboard.type('no such thing anywhere')
  await page.getByText('No results').waitFor()
  await page.keyboard.press('Escape')
  expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('')
  expectCalm(opened)
})

test('on a phone, in dark colors, a guide and the search fit', { skip: !isFull }, async () => {
  const opened = await openPage({ width: 390, height: 844, colorScheme: 'dark', hasTouch: true })
  const { page } = opened
  const isTooWide = () => page.evaluate('document.documentElement.scrollWidth > innerWidth')
  await page.goto(urlOf('/docs/guides/first-integration'))
  expect(await isTooWide()).toBe(false)
  await expectAccessible(page)
  await page.getByRole('searchbox', { name: 'Search' }).fill('coupon')
  await page.getByText(/^\d+ results?$/).waitFor()
  expect(await page.locator('#results a').first().textContent()).toContain('Coupons and what to charge')
  expect(await isTooWide()).toBe(false)
  await expectAccessible(page)
  expectCalm(opened)
})
