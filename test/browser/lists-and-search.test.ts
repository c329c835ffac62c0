/** How one gets about in the console: Ctrl-K, the menu by keyboard alone, and on a phone. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { callApi, demo, expectAccessible, expectCalm, newCustomer, startBrowser, unique } from './browser.ts'
import {
  addressOf,
  expectAccessibleInBothSchemes,
  openConsole,
  pageTitle,
  rowsOf,
  waitForRows,
} from './console.ts'

startBrowser()

test('Ctrl-K finds a page, and a customer by name, phone, e-mail and barcode', async () => {
  const { id, data, cards } = await newCustomer()
  const opened = await openConsole('/branches')
  const { page } = opened
  await pageTitle(page, 'Branches').waitFor()
  const search = page.getByRole('dialog').getByLabel('Search or jump to…')
  await page.keyboard.press('Control+k')
  await search.fill('coup')
  await page.getByRole('button', { name: 'Coupons' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Enter')
  await pageTitle(page, 'Coupons').waitFor()
  for (const asked of [data.fullname, data.phone, data.email, cards[0].barcode]) {
    await page.keyboard.press('Control+k')
    await search.fill(asked)
    await page.getByRole('dialog').getByText(`${data.phone} · ${data.email}`).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => addressOf(page).path).toBe(`/customers/${id}`)
    await search.waitFor({ state: 'detached' })
  }
  await page.keyboard.press('Control+k')
  await search.fill('nothing is called like this')
  await page.getByText('Nothing found').waitFor()
  await page.keyboard.press('Escape')
  await search.waitFor({ state: 'detached' })
  expectCalm(opened)
})

test('everything is reached with the keyboard: skip link, menu, rows and dialogs', async () => {
  const { data } = await newCustomer()
  const opened = await openConsole('/settings')
  const { page } = opened
  await pageTitle(page, 'Settings').waitFor()
  const focused = () => page.evaluate('document.activeElement.textContent.trim()')
  const tabTo = async (name: string) => {
    const passed: unknown[] = []
    for (let presses = 0; (await focused()) !== name; presses++) {
      passed.push(await focused())
      if (presses > 60) throw new Error(`no way to ${name} with the Tab key, only to ${passed.join(', ')}`)
      await page.keyboard.press('Tab')
    }
  }
  await page.reload()
  await pageTitle(page, 'Settings').waitFor()
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Skip to the content')
  await tabTo('Customers')
  await page.keyboard.press('Enter')
  await pageTitle(page, 'Customers').waitFor()
  expect(await page.getByRole('link', { name: 'Customers', exact: true }).getAttribute('aria-current')).toBe(
    'page',
  )
  await page.getByLabel('Search', { exact: true }).focus()
  await page.keyboard.type(data.email)
  await page.keyboard.press('Enter')
  await expect.poll(() => rowsOf(page).count()).toBe(1)
  await tabTo(data.fullname)
  await page.keyboard.press('Enter')
  await pageTitle(page, data.fullname).waitFor()
  await tabTo('Edit')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.value')).toBe(data.fullname)
  await page.keyboard.press('End')
  await page.keyboard.type(' the second')
  await page.keyboard.press('Enter')
  await pageTitle(page, `${data.fullname} the second`).waitFor()
  await dialog.waitFor({ state: 'detached' })
  // The focus is back where the dialog was opened.
  await expect.poll(focused).toBe('Edit')
  expectCalm(opened)
})

test('a search that was just typed does not follow to the next page', async () => {
  const opened = await openConsole('/customers')
  const { page } = opened
  await waitForRows(page)
  // The next page takes longer than a search waits for the next letter.
  await page.route('**/assets/transactions-*.js', async (route) => {
    await sleep(800)
    await route.continue()
  })
  await page.getByLabel('Search', { exact: true }).fill('somebody')
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Transactions' }).click()
  await pageTitle(page, 'Transactions').waitFor()
  expect(addressOf(page)).toEqual({ path: '/transactions', search: {} })
  expectCalm(opened)
})

test('on a phone the menu opens and closes, and no page sticks out', async () => {
  // Something for the audit log.
  await callApi('POST', '/v1/products', { body: { opaqueId: unique() } })
  const opened = await openConsole('/', { width: 390, height: 844, expected: [404] })
  const { page } = opened
  await pageTitle(page, 'Home').waitFor()
  const menu = page.getByRole('navigation', { name: 'Menu' })
  const burger = page.getByRole('button', { name: 'Open the menu' })
  expect(await burger.getAttribute('aria-expanded')).toBe('false')
  const isInSight = async () => ((await menu.boundingBox())?.x ?? -1) >= 0 && (await menu.isVisible())
  expect(await isInSight()).toBe(false)
  await burger.click()
  await expect.poll(isInSight).toBe(true)
  await expectAccessibleInBothSchemes(page)
  await burger.click()
  await expect.poll(isInSight).toBe(false)
  const lists = ['Customers', 'Campaigns', 'Transactions', 'Coupons', 'Products', 'People', 'API connections']
  for (const entry of [...lists, 'Request log', 'Audit log', 'Settings']) {
    await burger.click()
    await menu.getByRole('link', { name: entry, exact: true }).click()
    await pageTitle(page, entry).waitFor()
    await expect.poll(isInSight).toBe(false)
    if (entry !== 'Settings') await waitForRows(page)
    expect(
      await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
      entry,
    ).toBeLessThanOrEqual(0)
    // All lists are drawn alike.
    if (entry === 'Customers' || entry === 'Settings') await expectAccessible(page)
  }
  await page.goto(`${demo.consoleUrl}/nowhere`)
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  await expectAccessible(page)
  for (const path of ['campaigns/cmp_1', 'transactions/txn_1', 'requests/req_1']) {
    await page.goto(`${demo.consoleUrl}/${path}`)
    await page.getByRole('alert').waitFor()
    await expectAccessible(page)
  }
  expectCalm(opened)
})
