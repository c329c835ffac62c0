import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { callApi, demo, expectAccessible, expectCalm, startBrowser } from './browser.ts'
import {
  addressOf,
  expectAccessibleInBothSchemes,
  fileFrom,
  join,
  newOrganization,
  openConsole,
  pageTitle,
  parseCsv,
  rowsOf,
  waitForRows,
} from './console.ts'

startBrowser()

/** The last days that are over: no journey changes what happened then. */
const dayBefore = (days: number) => {
  const then = new Date(Date.now() - days * 86_400_000)
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York' }).format(then)
}

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
  expect(await page.getByRole('img', { name: /by day, highest on/ }).count()).toBe(9)

  await page.getByRole('radiogroup', { name: 'Range of days' }).getByText('7 days').click()
  await expect.poll(() => addressOf(page).search).toEqual({ days: '7' })
  const [from, to] = [dayBefore(4), dayBefore(2)]
  await page.getByRole('radiogroup', { name: 'Range of days' }).getByText('Custom').click()
  await page.getByLabel('From').fill(from)
  await page.getByLabel('To', { exact: true }).fill(to)
  await expect.poll(() => addressOf(page).search).toEqual({ from, to })

  const sum = await callApi('GET', `/v1/reports/summary?from=${from}&to=${to}`)
  expect(sum.transactions).toBeGreaterThan(10)
  await figure(page, 'Sales').getByText(String(sum.transactions), { exact: true }).waitFor()
  await figure(page, 'Active customers').getByText(String(sum.activeCustomers), { exact: true }).waitFor()
  await figure(page, 'Coupons granted').getByText(String(sum.coupons.granted), { exact: true }).waitFor()
  await figure(page, 'Collected')
    .getByText(sum.collected.points.toLocaleString('en-US'), { exact: true })
    .waitFor()
  await expectAccessibleInBothSchemes(page)

  // Another range, other figures; the address brings the first ones back.
  const before = await callApi('GET', `/v1/reports/summary?from=${dayBefore(20)}&to=${to}`)
  expect(before.transactions).not.toBe(sum.transactions)
  await page.getByLabel('From').fill(dayBefore(20))
  await figure(page, 'Sales').getByText(String(before.transactions), { exact: true }).waitFor()
  await page.goto(`${demo.consoleUrl}?from=${from}&to=${to}`)
  await figure(page, 'Sales').getByText(String(sum.transactions), { exact: true }).waitFor()

  await page.getByRole('link', { name: 'Sales', exact: true }).click()
  await pageTitle(page, 'Transactions').waitFor()
  expect(addressOf(page)).toEqual({ path: '/transactions', search: { from, to } })
  await waitForRows(page)
  expect(await rowsOf(page).count()).toBe(Math.min(25, sum.transactions))
  const { text } = await fileFrom(page, () => page.getByRole('button', { name: 'CSV' }).click())
  expect(parseCsv(text)).toHaveLength(sum.transactions + 1)

  await page.goBack()
  await page.getByRole('link', { name: 'Registrations', exact: true }).click()
  await pageTitle(page, 'Customers').waitFor()
  expect(addressOf(page)).toEqual({ path: '/customers', search: { from, to } })
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
  // Newest first.
  expect(await days.count()).toBe(3)
  expect(await days.last().getByRole('cell').nth(5).textContent()).toBe(String(data[0].transactions))
  await expectAccessibleInBothSchemes(page)
  const { name, text } = await fileFrom(page, () => page.getByRole('button', { name: 'CSV' }).click())
  expect(name).toBe(`figures-${from}-${to}.csv`)
  const [head, ...rows] = parseCsv(text)
  expect(rows.map((row) => row[0])).toEqual(data.map(({ day }: { day: string }) => day))
  expect(rows.map((row) => row[head!.indexOf('Sales')])).toEqual(
    data.map(({ transactions }: { transactions: number }) => String(transactions)),
  )
  await days.last().getByRole('link').click()
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
  await page.getByRole('heading', { name: 'Three steps to the first sale' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  for (const [path, empty] of [
    ['Customers', 'No customers yet'],
    ['Campaigns', 'No campaign yet'],
    ['Transactions', 'No transactions yet'],
    ['Coupons', 'No coupons yet'],
    ['Products', 'No products yet'],
    ['API connections', 'No connections yet'],
    ['Request log', undefined],
  ] as const) {
    await page
      .getByRole('navigation', { name: 'Menu' })
      .getByRole('link', { name: path, exact: true })
      .click()
    await pageTitle(page, path).waitFor()
    if (empty) await page.getByRole('heading', { name: empty }).waitFor()
    await expectAccessible(page)
  }
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Home' }).click()
  await page.getByRole('link', { name: 'Create a campaign' }).click()
  await pageTitle(page, 'New campaign').waitFor()
  expectCalm(opened)
})
