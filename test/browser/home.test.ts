import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { isFull, someOf } from '../support/full.ts'
import { callApi, demo, expectAccessible, expectCalm, newCustomer, startBrowser, unique } from './browser.ts'
import {
  addressOf,
  dayBefore,
  expectAccessibleInBothSchemes,
  fileFrom,
  join,
  newOrganization,
  openConsole,
  pageTitle,
  parseCsv,
  rowsOf,
  stayOnOneDay,
  waitForRows,
} from './console.ts'

startBrowser()

stayOnOneDay()

/** As the page writes it. */
const shown = (count: number) => count.toLocaleString('en-US')

/** The smallest part of the page that holds both the name of a figure and its chart. */
const figure = (page: Page, name: string) =>
  page
    .getByRole('main')
    .locator('div')
    .filter({ has: page.getByRole('heading', { name, exact: true }) })
    .filter({ has: page.getByRole('img', { name: new RegExp(`^${name} by day`) }) })
    .last()

test('shows the figures of a range and leads to what they are counted from', async () => {
  const opened = await openConsole('/')
  const { page } = opened
  await pageTitle(page, 'Home').waitFor()
  await page.getByRole('banner').getByText('Demo', { exact: true }).waitFor()
  // Drawn, not only announced.
  await figure(page, 'Sales').locator('svg path').first().waitFor()
  await expect.poll(() => page.getByRole('img', { name: /by day, highest on/ }).count()).toBe(9)

  if (isFull) {
    await page.getByRole('radiogroup', { name: 'Date range' }).getByText('7 days').click()
    await expect.poll(() => addressOf(page).search).toEqual({ days: '7' })
  }
  const [from, to] = [dayBefore(4), dayBefore(2)]
  await page.getByRole('radiogroup', { name: 'Date range' }).getByText('Custom').click()
  await page.getByLabel('From').fill(from)
  await page.getByLabel('To', { exact: true }).fill(to)
  await expect.poll(() => addressOf(page).search).toEqual({ from, to })

  const sum = await callApi('GET', `/v1/reports/summary?from=${from}&to=${to}`)
  expect(sum.transactions).toBeGreaterThan(10)
  await figure(page, 'Sales').getByText(shown(sum.transactions), { exact: true }).waitFor()
  await figure(page, 'Active customers').getByText(shown(sum.activeCustomers), { exact: true }).waitFor()
  await figure(page, 'Coupons issued').getByText(shown(sum.coupons.granted), { exact: true }).waitFor()
  await figure(page, 'Earned').getByText(shown(sum.collected.points), { exact: true }).waitFor()
  await expectAccessibleInBothSchemes(page)

  if (isFull) {
    // Another range, other figures; the address brings the first ones back.
    const before = await callApi('GET', `/v1/reports/summary?from=${dayBefore(20)}&to=${to}`)
    expect(before.transactions).not.toBe(sum.transactions)
    await page.getByLabel('From').fill(dayBefore(20))
    await figure(page, 'Sales').getByText(shown(before.transactions), { exact: true }).waitFor()
    await page.goto(`${demo.consoleUrl}?from=${from}&to=${to}`)
    await figure(page, 'Sales').getByText(shown(sum.transactions), { exact: true }).waitFor()
  }

  await page.getByRole('link', { name: 'Sales', exact: true }).click()
  await pageTitle(page, 'Transactions').waitFor()
  expect(addressOf(page)).toEqual({ path: '/transactions', search: { from, to } })
  await waitForRows(page)
  expect(await rowsOf(page).count()).toBe(Math.min(25, sum.transactions))
  const { text } = await fileFrom(page, () => page.getByRole('button', { name: 'Export CSV' }).click())
  expect(parseCsv(text)).toHaveLength(sum.transactions + 1)

  if (isFull) {
    await page.goBack()
    await page.getByRole('link', { name: 'Registrations', exact: true }).click()
    await pageTitle(page, 'Customers').waitFor()
    expect(addressOf(page)).toEqual({ path: '/customers', search: { from, to } })
  }
  expectCalm(opened)
})

test('a range is typed digit by digit, and changed in the middle', { skip: !isFull }, async () => {
  const opened = await openConsole('/transactions')
  const { page } = opened
  await waitForRows(page)
  const field = page.getByLabel('From')
  await field.focus()
  await page.keyboard.type('10152025', { delay: 60 })
  await expect.poll(() => addressOf(page).search).toEqual({ from: '2025-10-15' })
  await page.getByLabel('To', { exact: true }).focus()
  await page.keyboard.type('11022025')
  await page.keyboard.press('Enter')
  await expect.poll(() => addressOf(page).search).toEqual({ from: '2025-10-15', to: '2025-11-02' })
  // The year alone, slower than the filter is applied.
  await field.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.type('2024', { delay: 450 })
  await expect.poll(() => addressOf(page).search).toEqual({ from: '2024-10-15', to: '2025-11-02' })
  expect(await field.inputValue()).toBe('2024-10-15')
  // The address has the last word.
  await page.goto(`${demo.consoleUrl}/transactions?from=2025-01-05`)
  await expect.poll(() => field.inputValue()).toBe('2025-01-05')
  await field.fill('')
  await expect.poll(() => addressOf(page).search).toEqual({})
  expectCalm(opened)
})

/** What each figure leads to, and how many rows or points are behind it. */
const lists = [
  { name: 'Earned', to: '/transactions', rows: (of: Sums) => of.transactions },
  {
    name: 'Spent',
    to: '/transactions',
    points: (of: Sums) => of.spent.points ?? 0,
    chip: 'Sales that spent Points',
  },
  { name: 'Outstanding', to: '/customers', chip: 'With a balance: Points' },
  {
    name: 'Active customers',
    to: '/customers',
    rows: (of: Sums) => of.activeCustomers,
    chip: /^With a sale: /,
  },
  { name: 'Registrations', to: '/customers', rows: (of: Sums) => of.customers },
  { name: 'Sales', to: '/transactions', rows: (of: Sums) => of.transactions },
  { name: 'Coupons issued', to: '/coupons', rows: (of: Sums) => of.coupons.granted },
  {
    name: 'Coupons redeemed',
    to: '/coupons',
    rows: (of: Sums) => of.coupons.redeemed,
    chip: /^Redeemed, expired, or revoked: /,
  },
  {
    name: 'Coupons expired',
    to: '/coupons',
    rows: (of: Sums) => of.coupons.expired,
    chip: /^Redeemed, expired, or revoked: /,
  },
]

interface Sums {
  readonly transactions: number
  readonly customers: number
  readonly activeCustomers: number
  readonly spent: Record<string, number>
  readonly coupons: Record<'granted' | 'redeemed' | 'expired', number>
}

/** All rows of the list that is shown, over all of its pages, as the file has them. */
async function rowsOfFile(page: Page): Promise<Record<string, string>[]> {
  const { text } = await fileFrom(page, () => page.getByRole('button', { name: 'Export CSV' }).click())
  const [head, ...rows] = parseCsv(text)
  return rows.map((cells) => Object.fromEntries(head!.map((label, i) => [label, cells[i]!])))
}

const sum = (rows: Record<string, string>[], label: string) =>
  rows.reduce((total, row) => total + Number(row[label]), 0)

async function expectList(page: Page, { to, rows, points, chip }: (typeof lists)[number], of: Sums) {
  await expect.poll(() => addressOf(page).path).toBe(to)
  if (chip) await page.getByRole('main').getByRole('button', { name: chip }).waitFor()
  const file = await rowsOfFile(page)
  if (rows) expect(file).toHaveLength(rows(of))
  if (points) expect(sum(file, 'Points spent')).toBe(points(of))
  // Balances are those of now, whatever the day.
  if (!rows && !points) {
    const { outstanding } = await callApi('GET', '/v1/reports/summary')
    expect(sum(file, 'Points')).toBe(outstanding.points)
    expect(file.every((row) => Number(row.Points) > 0)).toBe(true)
  }
}

test('each figure leads to exactly the rows it was counted from', {
  skip: !isFull,
  timeout: 120_000,
}, async () => {
  const opened = await openConsole('/')
  const { page } = opened
  const [from, to] = [dayBefore(30), dayBefore(1)]
  const whole: Sums = await callApi('GET', `/v1/reports/summary?from=${from}&to=${to}`)
  for (const one of Object.values(whole.coupons)) expect(one).toBeGreaterThan(0)
  expect(whole.spent.points).toBeGreaterThan(0)
  expect(whole.activeCustomers).toBeGreaterThan(25)
  for (const list of lists) {
    await page.getByRole('link', { name: list.name, exact: true }).click()
    await expectList(page, list, whole)
    await page.goBack()
  }
  expectCalm(opened)
})

test('a day of each chart leads to the same rows, of that day', {
  skip: !isFull,
  timeout: 120_000,
}, async () => {
  const opened = await openConsole('/?days=7')
  const { page } = opened
  const { data } = await callApi('GET', `/v1/reports/daily?from=${dayBefore(7)}&to=${dayBefore(1)}`)
  for (const list of lists) {
    const chart = figure(page, list.name).getByRole('img', { name: /by day/ })
    await chart.locator('svg path').first().waitFor()
    await chart.hover()
    // With its year where that is another one.
    await chart
      .getByText(/^\w+ \d+(?:, \d{4})?: /)
      .first()
      .waitFor()
    await chart.click()
    await expect.poll(() => addressOf(page).path).toBe(list.to)
    const { search } = addressOf(page)
    const day = search.from ?? search.endedFrom ?? search.activeFrom
    expect(search.to ?? search.endedTo ?? search.activeTo).toBe(day)
    // In the middle of a week.
    if (day !== undefined) expect(day).toBe(dayBefore(4))
    await expectList(page, list, data[3])
    await page.goBack()
  }
  expectCalm(opened)
})

test('a tap on a chart leads to the day as a click does', { skip: !isFull }, async () => {
  const opened = await openConsole('/?days=7', { width: 390, height: 844, hasTouch: true })
  const { page } = opened
  const chart = figure(page, 'Sales').getByRole('img', { name: /by day/ })
  await chart.locator('svg path').first().waitFor()
  await chart.tap()
  const day = dayBefore(4)
  await expect.poll(() => addressOf(page)).toEqual({ path: '/transactions', search: { from: day, to: day } })
  expectCalm(opened)
})

test('today is told by itself, and compared with nothing', { skip: !isFull }, async () => {
  const opened = await openConsole('/')
  const { page } = opened
  const today = dayBefore(0)
  const { transactions } = await callApi('GET', `/v1/reports/summary?from=${today}&to=${today}`)
  await figure(page, 'Sales')
    .getByRole('link', { name: `Today so far: ${shown(transactions)}`, exact: true })
    .click()
  await expect
    .poll(() => addressOf(page))
    .toEqual({ path: '/transactions', search: { from: today, to: today } })
  await page.goto(`${demo.consoleUrl}?view=table`)
  const rows = page
    .getByRole('main')
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader') })
  await rows
    .first()
    .getByRole('rowheader', { name: /, so far$/ })
    .waitFor()
  expect(await rows.count()).toBe(31)
  const { name, text } = await fileFrom(page, () => page.getByRole('button', { name: 'Export CSV' }).click())
  expect(name).toBe(`figures-${dayBefore(30)}-${today}.csv`)
  expect(parseCsv(text).map(([day]) => day)).toEqual([
    'Day',
    ...Array.from({ length: 31 }, (_, i) => dayBefore(30 - i)),
  ])
  // Who asks for it gets it, and is told.
  await page.goto(`${demo.consoleUrl}?from=${dayBefore(2)}&to=${today}`)
  await page.getByText(/, including today so far, compared with/).waitFor()
  expect(await page.getByText(/^Today so far/).count()).toBe(0)
  // The past has its years, and nothing of it is going on.
  await page.goto(`${demo.consoleUrl}?from=2024-12-30&to=2025-01-02`)
  await page
    .getByText('Dec 30, 2024 – Jan 2, 2025, compared with Dec 26 – 29, 2024', { exact: true })
    .waitFor()
  expectCalm(opened)
})

test('a balance keeps its name and decimals when its campaign is over, and another range is of the same one', {
  skip: !isFull,
}, async () => {
  const key = `credit${unique()}`
  const { id } = await callApi('POST', '/v1/campaigns', {
    body: {
      name: 'Credit of old',
      balances: [{ key, name: 'Old credit', decimals: 2 }],
      rules: [{ id: 'base', kind: 'points_per_amount', balance: key, points: 1, per: 1 }],
    },
  })
  await callApi('POST', `/v1/campaigns/${id}/publish`)
  const { id: customer } = await newCustomer({}, id)
  const body = { key, amount: 22.84, reason: 'Moved from the old card' }
  await callApi('POST', `/v1/customers/${customer}/adjustments`, { body })
  await callApi('POST', `/v1/campaigns/${id}/archive`)
  const today = dayBefore(0)
  const opened = await openConsole(`/?from=${today}&to=${today}&balance=${key}`)
  const { page } = opened
  await figure(page, 'Outstanding').getByText('22.84', { exact: true }).waitFor()
  const choice = page.getByRole('combobox', { name: 'Balance' })
  await expect.poll(() => choice.inputValue()).toBe('Old credit')
  for (const range of ['', '?from=2024-12-30&to=2025-01-02']) {
    await page.goto(demo.consoleUrl + range)
    await expect.poll(() => choice.inputValue()).toBe('Points')
  }
  expectCalm(opened)
})

test('a condition that a chart brought is told in words and taken away again', {
  skip: !isFull,
}, async () => {
  const opened = await openConsole(`/coupons?status=3&endedFrom=${dayBefore(30)}&endedTo=${dayBefore(1)}`)
  const { page } = opened
  const chip = page.getByRole('button', { name: /^Redeemed, expired, or revoked: / })
  await chip.waitFor()
  await waitForRows(page)
  await expectAccessibleInBothSchemes(page)
  await chip.click()
  await chip.waitFor({ state: 'detached' })
  await expect.poll(() => addressOf(page)).toEqual({ path: '/coupons', search: { status: '3' } })
  await page.goto(`${demo.consoleUrl}/customers?activeFrom=${dayBefore(1)}&holds=points`)
  await page.getByRole('button', { name: /^With a sale: from / }).waitFor()
  await page.getByRole('button', { name: 'With a balance: Points' }).click()
  await expect.poll(() => addressOf(page).search).toEqual({ activeFrom: dayBefore(1) })
  expectCalm(opened)
})

test('lists name their customers without asking for each', { skip: !isFull }, async () => {
  const opened = await openConsole('/transactions')
  const { page } = opened
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  for (const [path, title] of [
    ['/transactions', 'Transactions'],
    ['/coupons', 'Coupons'],
  ] as const) {
    await page.goto(demo.consoleUrl + path)
    await pageTitle(page, title).waitFor()
    await waitForRows(page)
    const [row] = (await callApi('GET', `/v1${path}?limit=1`)).data
    await rowsOf(page).first().getByRole('link', { name: row.customerName }).waitFor()
    const file = await rowsOfFile(page)
    expect(file[0]).toMatchObject({ Customer: row.customerName, 'Customer ID': row.customer })
  }
  expect(asked).toContain('/v1/coupons')
  expect(asked.filter((path) => /^\/v1\/customers\/cus_/.test(path))).toEqual([])
  expectCalm(opened)
})

test('shows the same days as a table and as a file', async () => {
  const [from, to] = [dayBefore(4), dayBefore(2)]
  const opened = await openConsole(`/?from=${from}&to=${to}&view=table`)
  const { page } = opened
  const { data } = await callApi('GET', `/v1/reports/daily?from=${from}&to=${to}`)
  const table = page.getByRole('main').getByRole('table')
  const days = table.getByRole('row').filter({ has: page.getByRole('rowheader') })
  await days.first().waitFor()
  // Newest first, and no day that has only begun.
  expect(await days.count()).toBe(3)
  expect(await days.last().getByRole('cell').nth(5).textContent()).toBe(String(data[0].transactions))
  await expectAccessibleInBothSchemes(page)
  const { name, text } = await fileFrom(page, () => page.getByRole('button', { name: 'Export CSV' }).click())
  expect(name).toBe(`figures-${from}-${to}.csv`)
  const [head, ...rows] = parseCsv(text)
  expect(rows.map((row) => row[0])).toEqual(data.map(({ day }: { day: string }) => day))
  expect(rows.map((row) => row[head!.indexOf('Sales')])).toEqual(
    data.map(({ transactions }: { transactions: number }) => String(transactions)),
  )
  await days.last().getByRole('rowheader').getByRole('link').click()
  await expect.poll(() => addressOf(page)).toEqual({ path: '/transactions', search: { from, to: from } })
  expectCalm(opened)
})

test('tells a merchant who begins what to do first', async () => {
  const { invitation, name } = await newOrganization()
  const opened = await join(invitation, 'Bea Baker')
  const { page } = opened
  await pageTitle(page, `Welcome, ${name}`).waitFor()
  expect(addressOf(page).path).toBe('/')
  expect(new URL(page.url()).hash).toBe('')
  expect(await page.getByRole('banner').getByText('Demo', { exact: true }).count()).toBe(0)
  await page.getByRole('heading', { name: 'Three steps to your first sale' }).waitFor()
  await page.getByRole('link', { name: 'Set up messages' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  const lists = [
    ['Customers', 'No customers yet'],
    ['Campaigns', 'No campaigns yet'],
    ['Transactions', 'No transactions yet'],
    ['Coupons', 'No coupons yet'],
    ['Products', 'No products yet'],
    ['API connections', 'No connections yet'],
    ['Request log', undefined],
  ] as const
  for (const [path, empty] of someOf(lists, 3, 0)) {
    await page
      .getByRole('navigation', { name: 'Menu' })
      .getByRole('link', { name: path, exact: true })
      .click()
    await pageTitle(page, path).waitFor()
    if (empty) await page.getByRole('heading', { name: empty }).waitFor()
    if (isFull) await expectAccessible(page)
  }
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Home' }).click()
  await page.getByRole('link', { name: 'Create campaign' }).click()
  await pageTitle(page, 'New campaign').waitFor()
  expectCalm(opened)
})
