/** What stands around every page of the console: filters on a phone, no network, a new version, what is not there. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import {
  callApi,
  demo,
  expectAccessible,
  expectCalm,
  newCustomer,
  newPhone,
  openPage,
  startBrowser,
  unique,
} from './browser.ts'
import {
  addressOf,
  expectAccessibleInBothSchemes,
  join,
  newOrganization,
  openConsole,
  pageTitle,
  rowsOf,
  waitForRows,
} from './console.ts'

startBrowser({ areNew: true })

const menuLink = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name, exact: true })

test('on a phone the filters of a list wait behind one button, and the search stays in sight', {
  skip: !isFull,
}, async () => {
  const opened = await openConsole('/transactions', { width: 390, height: 844 })
  const { page } = opened
  await waitForRows(page)
  // The first row is on the first screen.
  expect((await rowsOf(page).first().boundingBox())!.y).toBeLessThan(500)
  const status = page.getByRole('combobox', { name: 'Status' })
  expect(await page.getByLabel('Receipt').isVisible()).toBe(true)
  expect(await status.isVisible()).toBe(false)
  const button = page.getByRole('button', { name: 'Filter', exact: true })
  expect(await button.getAttribute('aria-expanded')).toBe('false')
  await expectAccessible(page)
  // With the keyboard alone: the fields come right after the button that opens them.
  await button.focus()
  await page.keyboard.press('Enter')
  await status.waitFor()
  expect(await button.getAttribute('aria-expanded')).toBe('true')
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.closest("[data-open=true]") !== null')).toBe(true)
  // The list of that field lies over the next ones.
  await page.keyboard.press('Escape')
  await status.click()
  await page.getByRole('option', { name: 'Returned', exact: true }).click()
  const active = page.getByRole('button', { name: 'Filter (1)' })
  await active.waitFor()
  expect(addressOf(page).search).toEqual({ status: '3' })
  await active.click()
  await status.waitFor({ state: 'hidden' })
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  // What is searched for can be seen and is no hidden filter.
  await page.getByLabel('Receipt').fill('000')
  await expect.poll(() => addressOf(page).search).toEqual({ status: '3', opaqueId: '000' })
  await active.waitFor()
  // A desktop has the room.
  await page.setViewportSize({ width: 1280, height: 900 })
  await status.waitFor()
  expect(await active.isVisible()).toBe(false)
  expectCalm(opened)
})

test('the widest list fits its place at every width, and its filters fold where its rows are cards', {
  skip: !isFull,
}, async () => {
  const { id: customer, cards } = await newCustomer({ fullname: 'Maximiliane von Hohenstein' })
  const sell = (quantity: number, unitPrice: number) => {
    const items = [{ product: 'latte', quantity, unitPrice }]
    // As a till writes them; its letters are no lot, which would be wide or narrow.
    const opaqueId = `TWIDE-${newPhone().slice(-6)}`
    const body = { customer, card: cards[0].id, opaqueId, items }
    return callApi('POST', '/v1/transactions/process', { body })
  }
  await sell(1, 3.21)
  await sell(11, 90_909.66)
  // These alone: how wide a column is depends on every row, also on those of other journeys.
  const opened = await openConsole(`/transactions?customer=${customer}`)
  const { page } = opened
  await waitForRows(page)
  const frame = `document.querySelector('main table').parentElement`
  const beyond = `${frame}.scrollWidth - ${frame}.clientWidth`
  const amount = page.getByRole('main').getByText('$1,000,006.26')
  const lineHeight = (await page.getByRole('main').getByText('$3.21').first().boundingBox())!.height
  for (const [width, areCards] of [
    [1280, false],
    [1024, true],
    [768, true],
    [767, true],
    [390, true],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    const filter = page.getByRole('button', { name: 'Filter (1)' })
    await expect.poll(() => filter.isVisible()).toBe(areCards)
    const display = await page.evaluate(`getComputedStyle(document.querySelector('main tbody tr')).display`)
    expect(display, String(width)).toBe(areCards ? 'grid' : 'table-row')
    expect(await page.evaluate(beyond), String(width)).toBeLessThanOrEqual(0)
    // On one line.
    expect((await amount.boundingBox())!.height, String(width)).toBeLessThan(lineHeight * 1.5)
  }
  expectCalm(opened)
})

test('without a network the frame stays, says so, and goes on when it is back', async () => {
  const opened = await openConsole('/customers', {
    expected: [
      'ERR_INTERNET_DISCONNECTED',
      'ERR_NETWORK_CHANGED',
      'dynamically imported module',
      'PartMissing',
    ],
  })
  const { page, context } = opened
  await waitForRows(page)
  await context.setOffline(true)
  await menuLink(page, 'Coupons').click()
  await pageTitle(page, 'No connection').waitFor()
  expect(addressOf(page).path).toBe('/coupons')
  await menuLink(page, 'Coupons').waitFor()
  if (isFull) await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'Try again' }).click()
  await pageTitle(page, 'No connection').waitFor()
  // The first that is asked for when it is back may still get lost.
  await page.route('**/auth/session', (route) => route.abort('internetdisconnected'), { times: 2 })
  await context.setOffline(false)
  await pageTitle(page, 'Coupons').waitFor()
  await waitForRows(page)
  expect(addressOf(page).path).toBe('/coupons')
  expectCalm(opened)
})

test('without a network what was opened before can still be opened; only its rows have to wait', {
  skip: !isFull,
}, async () => {
  const opened = await openConsole('/customers', {
    expected: ['ERR_INTERNET_DISCONNECTED', 'dynamically imported module', 'PartMissing'],
  })
  const { page, context } = opened
  await waitForRows(page)
  await context.setOffline(true)
  await menuLink(page, 'Coupons').click()
  await pageTitle(page, 'No connection').waitFor()
  await menuLink(page, 'Customers').click()
  await pageTitle(page, 'Customers').waitFor()
  await page.getByLabel('Search', { exact: true }).fill(unique())
  await page.getByRole('alert').getByText("Can't reach the service").waitFor()
  await page.keyboard.press('Control+k')
  await page.getByText("This part couldn't be loaded.").waitFor()
  expectCalm(opened)
})

test('"Try again" works where the browser did not notice that the network was gone', {
  skip: !isFull,
}, async () => {
  const opened = await openConsole('/customers', {
    expected: ['ERR_FAILED', 'dynamically imported module', 'PartMissing'],
  })
  const { page } = opened
  await waitForRows(page)
  await page.route('**/*', (route) => route.abort())
  await menuLink(page, 'Coupons').click()
  await pageTitle(page, 'No connection').waitFor()
  await page.unroute('**/*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await pageTitle(page, 'Coupons').waitFor()
  await waitForRows(page)
  expectCalm(opened)
})

/** Answers for the files of a page as after a deployment, and counts how often the whole page was loaded. */
async function deploy(page: Page, isGone: (loads: number) => boolean) {
  const seen = { loads: 0 }
  page.on('request', (request) => {
    if (request.isNavigationRequest()) seen.loads++
  })
  await page.route('**/assets/coupons-*.js', (route) =>
    isGone(seen.loads) ? route.fulfill({ status: 404, body: '{}' }) : route.continue(),
  )
  return seen
}

test('after a deployment the page is loaded anew once, and is there', async () => {
  const opened = await openConsole('/customers', {
    expected: [404, 'dynamically imported module', 'PartMissing'],
  })
  const { page } = opened
  await waitForRows(page)
  const seen = await deploy(page, (loads) => loads === 0)
  await menuLink(page, 'Coupons').click()
  await pageTitle(page, 'Coupons').waitFor()
  await waitForRows(page)
  expect(seen.loads).toBe(1)
  expectCalm(opened)
})

test('a file that stays away is no endless loop', { skip: !isFull }, async () => {
  const opened = await openConsole('/customers', {
    expected: [404, 'dynamically imported module', 'PartMissing'],
  })
  const { page } = opened
  await waitForRows(page)
  const seen = await deploy(page, () => true)
  await menuLink(page, 'Coupons').click()
  await pageTitle(page, "This page couldn't be loaded").waitFor()
  await expectAccessible(page)
  // The rest of the console goes on, and coming back does not begin it anew.
  await menuLink(page, 'Customers').click()
  await waitForRows(page)
  await menuLink(page, 'Coupons').click()
  await pageTitle(page, "This page couldn't be loaded").waitFor()
  expect(seen.loads).toBe(1)
  expectCalm(opened)
})

const missing = [
  ['customers', 'Customer not found', 'Customers'],
  ['transactions', 'Transaction not found', 'Transactions'],
  ['campaigns', 'Campaign not found', 'Campaigns'],
] as const

test.each(isFull ? missing : missing.slice(0, 1))(
  'what is not there says so and leads to its list: %s',
  async (list, said, title) => {
    const opened = await openConsole(`/${list}/nothing`, { expected: [404] })
    const { page } = opened
    await pageTitle(page, said).waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await expectAccessible(page)
    await page
      .getByRole('main')
      .getByRole('link', { name: `Go to ${title}` })
      .click()
    await pageTitle(page, title).waitFor()
    expectCalm(opened)
  },
)

test('a refusal is a sentence in the language of the reader, with the code small behind it', async () => {
  const opened = await openPage({ locale: 'de-DE', expected: [401] })
  const { page } = opened
  await page.goto(demo.consoleUrl)
  await page.getByLabel('E-Mail').fill('niemand@beispiel.example')
  await page.getByRole('textbox', { name: 'Passwort' }).fill('falsch')
  await page.keyboard.press('Enter')
  const alert = page.getByRole('alert', { name: 'E-Mail-Adresse oder Passwort ist falsch.' })
  await alert.getByText('_invalid_credentials').waitFor()
  await expectAccessible(page)
  expectCalm(opened)
})

test('an empty list says what to do first, and has the button for it', { skip: !isFull }, async () => {
  const { invitation } = await newOrganization()
  const opened = await join(invitation, 'Nora New')
  const { page } = opened
  const main = page.getByRole('main')
  for (const [entry, said, role, action] of [
    ['Products', 'No products yet', 'button', 'Add product'],
    ['API connections', 'No connections yet', 'button', 'Create connection'],
    ['Coupons', 'No coupons yet', 'link', 'Go to Campaigns'],
    ['Transactions', 'No transactions yet', 'link', 'Open till'],
  ] as const) {
    await menuLink(page, entry).click()
    await main.getByRole('heading', { level: 2, name: said }).waitFor()
    // The last one: the page has one above the list too.
    await main.getByRole(role, { name: action }).last().waitFor()
    const [text, button] = [main.getByText(said), main.getByRole(role, { name: action }).last()]
    expect((await button.boundingBox())!.y).toBeGreaterThan((await text.boundingBox())!.y)
  }
  await expectAccessible(page)
  await menuLink(page, 'Products').click()
  await main.getByRole('button', { name: 'Add product' }).last().click()
  await page.getByRole('dialog', { name: 'Add product' }).waitFor()
  expectCalm(opened)
})
