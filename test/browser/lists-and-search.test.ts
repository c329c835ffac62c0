/** How one gets about in the console: Ctrl-K, the menu by keyboard alone, and on a phone. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isFull, someOf } from '../support/full.ts'
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

test('Ctrl-K finds a page, and a customer by name, phone, email and barcode', async () => {
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
  for (const asked of someOf([data.fullname, data.phone, data.email, cards[0].barcode], 4, 0)) {
    await page.keyboard.press('Control+k')
    await search.fill(asked)
    await page.getByRole('dialog').getByText(`${data.phone} · ${data.email}`).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => addressOf(page).path).toBe(`/customers/${id}`)
    await search.waitFor({ state: 'detached' })
  }
  await page.keyboard.press('Control+k')
  await search.fill('0 nothing is called like this')
  await page.getByText('No results').waitFor()
  await page.keyboard.press('Escape')
  await search.waitFor({ state: 'detached' })
  expectCalm(opened)
})

test('Ctrl-K finds a campaign by its name, and a transaction by its receipt number or id', {
  skip: !isFull,
}, async () => {
  const [{ id: customer, cards }, receipt, name] = [
    await newCustomer(),
    `R-${unique()}-7`,
    `Club ${unique()}`,
  ]
  const campaign = await callApi('POST', '/v1/campaigns', {
    body: { name, balances: [{ key: 'points' }], rules: [] },
  })
  const basket = { customer, card: cards[0].id, opaqueId: receipt, amount: 12.5 }
  const sale = await callApi('POST', '/v1/transactions/process', { body: basket })
  const opened = await openConsole('/settings')
  const { page } = opened
  await pageTitle(page, 'Settings').waitFor()
  const search = page.getByRole('dialog').getByLabel('Search or jump to…')
  const jump = async (text: string, found: string | RegExp, path: string) => {
    await page.keyboard.press('Control+k')
    await search.fill(text)
    await page.getByRole('dialog').getByRole('button', { name: found }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => addressOf(page).path).toBe(path)
    await search.waitFor({ state: 'detached' })
  }
  await jump(name.toUpperCase(), `${name} Draft`, `/campaigns/${campaign.id}`)
  await jump(receipt, new RegExp(`^${receipt} .*\\$12\\.50$`), `/transactions/${sale.id}`)
  await page.goto(`${demo.consoleUrl}/settings`)
  await pageTitle(page, 'Settings').waitFor()
  await jump(sale.id, new RegExp(`^${receipt} `), `/transactions/${sale.id}`)
  await jump(customer, /^Visitor /, `/customers/${customer}`)
  expectCalm(opened)
})

test('Ctrl-K typed quickly leads to what was typed, not to what is there already', {
  skip: !isFull,
}, async () => {
  const { id, data } = await newCustomer()
  const opened = await openConsole('/settings')
  const { page } = opened
  await pageTitle(page, 'Settings').waitFor()
  const dialog = page.getByRole('dialog')
  const search = dialog.getByLabel('Search or jump to…')
  const club = dialog.getByRole('button', { name: /^Coffee club/ })
  // The campaigns have been read once.
  await page.keyboard.press('Control+k')
  await search.fill('coffee club')
  await club.waitFor()
  await page.keyboard.press('Escape')
  await search.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await dialog.getByRole('button', { name: 'Home' }).waitFor()
  expect(await club.count()).toBe(0)
  await search.pressSequentially(data.fullname, { delay: 40 })
  await page.keyboard.press('Enter')
  await expect.poll(() => addressOf(page).path).not.toBe('/settings')
  expect(addressOf(page).path).toBe(`/customers/${id}`)
  await search.waitFor({ state: 'detached' })
  expectCalm(opened)
})

test('Ctrl-K says that there is no network, not that nothing was found', { skip: !isFull }, async () => {
  const opened = await openConsole('/settings', { expected: ['ERR_INTERNET_DISCONNECTED'] })
  const { page, context } = opened
  await pageTitle(page, 'Settings').waitFor()
  const dialog = page.getByRole('dialog')
  await page.keyboard.press('Control+k')
  await dialog.getByRole('button', { name: 'Home' }).waitFor()
  await context.setOffline(true)
  await dialog.getByLabel('Search or jump to…').fill(unique())
  await dialog.getByText("Can't reach the service").waitFor()
  expect(await dialog.getByText('No results').count()).toBe(0)
  expectCalm(opened)
})

test('Ctrl-K begins what is often done: a campaign, a registration, the till', {
  skip: !isFull,
}, async () => {
  const opened = await openConsole('/settings')
  const { page } = opened
  await pageTitle(page, 'Settings').waitFor()
  const search = page.getByRole('dialog').getByLabel('Search or jump to…')
  const begin = async (text: string) => {
    await page.keyboard.press('Control+k')
    await search.fill(text)
    await page.keyboard.press('Enter')
  }
  await begin('new camp')
  await pageTitle(page, 'New campaign').waitFor()
  await begin('register')
  const form = page.getByRole('dialog', { name: 'Register customer' })
  await form.waitFor()
  expect(addressOf(page)).toEqual({ path: '/customers', search: {} })
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
  // Also where one is already.
  await begin('register')
  await form.waitFor()
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
  await begin('open till')
  await page.waitForURL(`${demo.baseUrl}/till`)
  expectCalm(opened)
})

test('the key for it is the one of the machine', { skip: !isFull }, async () => {
  const opened = await openConsole('/settings', { isNew: true })
  const { page } = opened
  const button = page.getByRole('banner').getByRole('button', { name: /^Search or jump to/ })
  await button.getByText('Ctrl K').waitFor()
  const userAgent = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36'
  await page.addInitScript(`Object.defineProperty(navigator, 'userAgent', { value: '${userAgent}' })`)
  await page.reload()
  await button.getByText('⌘K').waitFor()
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
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Skip to content')
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

test('a search that was just typed does not follow to the next page', { skip: !isFull }, async () => {
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

test('a search that was just typed is given up with the filter, and the field says what is shown', {
  skip: !isFull,
}, async () => {
  const opened = await openConsole('/customers?q=nobody-at-all')
  const { page } = opened
  const field = page.getByLabel('Search', { exact: true })
  await expect.poll(() => field.inputValue()).toBe('nobody-at-all')
  // Both within the time that a search waits for the next letter, however slow the computer is.
  await field.evaluate((input) => {
    const { document, Event } = input.ownerDocument.defaultView!
    const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), 'value')!.set!
    set.call(input, 'nobody-at-all-x')
    input.dispatchEvent(new Event('input', { bubbles: true }))
    const link = document.querySelector('nav a[href$="/customers"]') as unknown as { click(): void }
    link.click()
  })
  await expect.poll(() => addressOf(page)).toEqual({ path: '/customers', search: {} })
  await waitForRows(page)
  await sleep(600)
  expect([addressOf(page).search, await field.inputValue()]).toEqual([{}, ''])
  expectCalm(opened)
})

test('a double click on "Next page" opens nobody', { skip: !isFull }, async () => {
  const opened = await openConsole('/customers')
  const { page } = opened
  await waitForRows(page)
  // The rows of the next page come after the second click.
  let letThrough = () => {}
  const clicked = new Promise<void>((resolve) => {
    letThrough = resolve
  })
  await page.route('**/v1/customers?*cursor=*', async (route) => {
    await clicked
    await route.continue()
  })
  const next = page.getByRole('button', { name: 'Next page' })
  await next.scrollIntoViewIfNeeded()
  const { x, y, width, height } = (await next.boundingBox())!
  await page.mouse.click(x + width / 2, y + height / 2)
  await sleep(250)
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
  letThrough()
  await expect.poll(() => addressOf(page).search.cursor).toBeTruthy()
  await waitForRows(page)
  expect(addressOf(page).path).toBe('/customers')
  // Back from a row one still knows where one came from.
  await rowsOf(page).first().click()
  await expect.poll(() => addressOf(page).path).toMatch('/customers/cus_')
  await page.goBack()
  await page.getByRole('button', { name: 'Previous page' }).click()
  await expect.poll(() => addressOf(page)).toEqual({ path: '/customers', search: {} })
  expectCalm(opened)
})

async function openOnPhone(path: string) {
  const opened = await openConsole(path, { width: 390, height: 844, expected: [404] })
  const { page } = opened
  const menu = page.getByRole('navigation', { name: 'Menu' })
  const burger = page.getByRole('button', { name: 'Open menu' })
  const isInSight = async () => ((await menu.boundingBox())?.x ?? -1) >= 0 && (await menu.isVisible())
  return { opened, page, menu, burger, isInSight }
}

test('on a phone the menu opens and closes', async () => {
  const { opened, page, menu, burger, isInSight } = await openOnPhone('/branches')
  await pageTitle(page, 'Branches').waitFor()
  expect(await burger.getAttribute('aria-expanded')).toBe('false')
  expect(await isInSight()).toBe(false)
  await burger.click()
  await expect.poll(isInSight).toBe(true)
  await expectAccessibleInBothSchemes(page)
  await burger.click()
  await expect.poll(isInSight).toBe(false)
  // Also by the entry of the page one is on.
  await burger.click()
  await expect.poll(isInSight).toBe(true)
  await menu.getByRole('link', { name: 'Branches', exact: true }).click()
  await expect.poll(isInSight).toBe(false)
  expectCalm(opened)
})

test('on a phone no page sticks out', { skip: !isFull }, async () => {
  // Something for the audit log.
  await callApi('POST', '/v1/products', { body: { opaqueId: unique() } })
  const { opened, page, menu, burger, isInSight } = await openOnPhone('/')
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
  }
  expectCalm(opened)
})

test('on a phone what is not there says so', { skip: !isFull }, async () => {
  const { opened, page } = await openOnPhone('/nowhere')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await expectAccessible(page)
  for (const path of ['campaigns/cmp_1', 'transactions/txn_1', 'requests/req_1']) {
    await page.goto(`${demo.consoleUrl}/${path}`)
    await page
      .getByRole('heading', { level: 1, name: /^(?:Campaign|Transaction|Request) not found/ })
      .waitFor()
    await expectAccessible(page)
  }
  expectCalm(opened)
})
