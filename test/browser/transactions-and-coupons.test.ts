/** What tills sent and what customers may redeem, as the desk sees it and puts it right. */
import { expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { callApi, demo, expectCalm, newCustomer, startBrowser, unique } from './browser.ts'
import {
  addressOf,
  expectAccessibleInBothSchemes,
  fileFrom,
  openConsole,
  pageTitle,
  parseCsv,
  rowsOf,
  waitForRows,
} from './console.ts'

startBrowser()

async function newSale() {
  const customer = await newCustomer()
  const items = [
    { product: 'latte', name: 'Latte', quantity: 3, unitPrice: 4 },
    { product: 'brownie', name: 'Brownie', quantity: 2, unitPrice: 2.5 },
  ]
  const sale = await callApi('POST', '/v1/transactions/process', {
    body: { customer: customer.id, card: customer.cards[0].id, opaqueId: `desk-${unique()}`, items },
  })
  return { customer, sale }
}

test('finds a sale by its filters, and explains it in words', async () => {
  const { customer, sale } = await newSale()
  // A draft that does not name the balance changes nothing of what it is called.
  await callApi('POST', '/v1/campaigns', { body: { name: 'Not yet', balances: [{ key: 'points' }] } })
  const opened = await openConsole('/transactions')
  const { page } = opened
  await waitForRows(page)
  await page.getByRole('combobox', { name: 'Customer' }).fill(customer.data.email)
  await page.getByRole('option', { name: customer.data.fullname }).click()
  await expect.poll(() => addressOf(page).search).toEqual({ customer: customer.id })
  await expect.poll(() => rowsOf(page).count()).toBe(1)
  await page.reload()
  await rowsOf(page).getByRole('link', { name: customer.data.fullname }).waitFor()
  // Its id, until the name is there.
  await expect
    .poll(() => page.getByRole('combobox', { name: 'Customer' }).inputValue())
    .toBe(customer.data.fullname)
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'Returned', exact: true }).click()
  await page.getByText('No results. Remove a filter to see more.').waitFor()
  expect(addressOf(page).search).toEqual({ customer: customer.id, status: '3' })
  await page.goto(`${demo.consoleUrl}/transactions`)
  await page.getByLabel('Receipt', { exact: true }).fill(sale.opaqueId)
  await expect.poll(() => rowsOf(page).count()).toBe(1)
  await page.getByRole('cell', { name: sale.opaqueId }).click()

  await pageTitle(page, `Receipt ${sale.opaqueId}`).waitFor()
  expect(addressOf(page).path).toBe(`/transactions/${sale.id}`)
  await page.getByRole('row', { name: /Latte.*3.*\$4\.00/ }).waitFor()
  await page.getByRole('row', { name: /Brownie.*2.*\$2\.50/ }).waitFor()
  await page.getByText('Points +170 · Points for money (base) · Coffee club', { exact: true }).waitFor()
  await page.getByText('Stamps +3 · For every item (coffee) · Coffee club', { exact: true }).waitFor()
  await page
    .getByText("Multiply (gold) · Coffee club The customer isn't in one of the rule's tiers.", {
      exact: true,
    })
    .waitFor()
  await page
    .getByText('Free coffee · Stamps earned toward the next coupon: 3 of 10', { exact: true })
    .waitFor()
  await page.getByText('Points: 170 · Stamps: 3', { exact: true }).waitFor()
  await page.getByRole('definition').and(page.getByText('$17.00')).waitFor()
  await expectAccessibleInBothSchemes(page)
  expectCalm(opened)
})

test('shows from the price to what was due, and what the till should have sent differently', async () => {
  const { id, cards } = await newCustomer()
  const welcome = { key: 'points', amount: 200, reason: 'Welcome' }
  await callApi('POST', `/v1/customers/${id}/adjustments`, { body: welcome })
  const coupon = await callApi('POST', '/v1/coupons', {
    body: { customer: id, campaign: demo.campaignId, reward: 'free-coffee' },
  })
  const items = [
    { product: 'latte', name: 'Latte', unitPrice: 4, reward: coupon.id },
    { product: 'brownie', name: 'Brownie', quantity: 2, unitPrice: 2.5, discountAmount: 0.5 },
  ]
  const sale = await callApi('POST', '/v1/transactions/process', {
    body: { customer: id, card: cards[0].id, pointsToSpend: 100, items },
  })
  const opened = await openConsole(`/transactions/${sale.id}`)
  const { page } = opened
  const totals = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Totals' }) })
  await expect
    .poll(() => totals.locator('dl').textContent())
    .toBe('Subtotal$9.00Discounts−$0.50Coupons−$4.00Paid with points−$1.00Total due$3.50')
  const note = page.getByRole('note')
  await note.getByText('The sale has no receipt number').waitFor()
  await note.getByText('Field: opaqueId').waitFor()
  await expectAccessibleInBothSchemes(page)
  expectCalm(opened)
})

test('takes goods back until nothing is left', async () => {
  const { customer, sale } = await newSale()
  const opened = await openConsole(`/transactions/${sale.id}`)
  const { page } = opened
  await page.getByRole('button', { name: 'Return items' }).click()
  const form = page.getByRole('dialog')
  await form.getByText('3 left').waitFor()
  await form.getByRole('button', { name: 'Return items', exact: true }).click()
  await form.getByRole('alert').waitFor()
  if (isFull) await expectAccessibleInBothSchemes(page)
  await form.getByLabel('Quantity of Latte to return').fill('2')
  const preview = form.getByRole('region', { name: 'What this return does' })
  await expect
    .poll(() => preview.getByRole('paragraph').allTextContents())
    .toEqual(['Refund $8.00 to the customer.', 'Return: Points −80', 'Return: Stamps −2'])
  await expectAccessibleInBothSchemes(page)
  await form.getByLabel('Reason').fill('Cold')
  // Pressed twice by a nervous hand: booked once.
  await form.getByRole('button', { name: 'Return items', exact: true }).dblclick()
  await page.getByRole('status').getByText('Refund $8.00 to the customer.').waitFor()
  await page.getByText('Partially returned').waitFor()
  const partly = await callApi('GET', `/v1/transactions/${sale.id}`)
  expect(partly.status).toBe(2)
  expect(partly.returns).toHaveLength(1)
  expect(partly.returns[0].items).toEqual([{ id: '1', quantity: 2 }])

  await page.getByRole('button', { name: 'Return items' }).click()
  await form.getByText('1 left').waitFor()
  await form.getByRole('button', { name: 'Select all' }).click()
  await form.getByRole('button', { name: 'Return items', exact: true }).click()
  await page.getByRole('status').getByText('Refund $9.00 to the customer.').waitFor()
  // Nothing is left, so there is nothing more to take back.
  await page.getByRole('button', { name: 'Return items' }).waitFor({ state: 'detached' })
  if (isFull) await expectAccessibleInBothSchemes(page)
  const { collectables } = await callApi('GET', `/v1/customers/${customer.id}`)
  expect(collectables.points.value).toBe(0)
  expect((await callApi('GET', `/v1/transactions/${sale.id}`)).status).toBe(3)
  expectCalm(opened)
})

test('takes back a part of a sale without items by its amount', { skip: !isFull }, async () => {
  const { id, cards } = await newCustomer()
  const sale = await callApi('POST', '/v1/transactions/process', {
    body: { customer: id, card: cards[0].id, opaqueId: `desk-${unique()}`, amount: 20 },
  })
  const opened = await openConsole(`/transactions/${sale.id}`)
  const { page } = opened
  await page.getByRole('button', { name: 'Return an amount' }).click()
  const form = page.getByRole('dialog')
  const preview = form.getByRole('region', { name: 'What this return does' })
  await expect.poll(() => preview.innerText()).toContain('Refund $20.00 to the customer.')
  await form.getByLabel('Amount to return (USD)').fill('7.5')
  await expect
    .poll(() => preview.getByRole('paragraph').allTextContents())
    .toEqual(['Refund $7.50 to the customer.', 'Return: Points −80'])
  await expectAccessibleInBothSchemes(page)
  await form.getByRole('button', { name: 'Return an amount', exact: true }).click()
  await page.getByRole('status').getByText('Refund $7.50 to the customer.').waitFor()
  await page.getByRole('status').getByText('$7.50 of the sale returned').waitFor()
  await page.getByRole('button', { name: 'Return an amount' }).click()
  await form.getByText('$12.50 is left.').waitFor()
  expectCalm(opened)
})

test('issues a coupon by hand, lists it with its filters, and takes it back', async () => {
  const { id, data } = await newCustomer()
  const opened = await openConsole(`/customers/${id}?tab=coupons`)
  const { page } = opened
  await page.getByRole('button', { name: 'Issue coupon' }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('combobox', { name: 'Campaign' }).click()
  await page.getByRole('option', { name: 'Coffee club', exact: true }).click()
  await form.getByRole('combobox', { name: 'Reward' }).click()
  await page.getByRole('option', { name: 'Free coffee' }).click()
  await form.getByRole('button', { name: 'Issue', exact: true }).click()
  await form.waitFor({ state: 'detached' })
  const row = rowsOf(page).filter({ hasText: 'Free coffee' })
  await row.getByText('Active').waitFor()
  const { data: coupons } = await callApi('GET', `/v1/customers/${id}/coupons`)
  expect(coupons).toHaveLength(1)

  await page.goto(`${demo.consoleUrl}/coupons?customer=${id}`)
  await row.getByRole('link', { name: data.fullname }).waitFor()
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'Active' }).click()
  await expect.poll(() => addressOf(page).search).toEqual({ customer: id, status: '1' })
  await expectAccessibleInBothSchemes(page)
  await page.reload()
  const { name, text } = await fileFrom(page, () => page.getByRole('button', { name: 'Export CSV' }).click())
  expect(name).toBe('coupons.csv')
  const [head, ...rows] = parseCsv(text)
  expect(rows.map((cells) => cells[head!.indexOf('Coupon')])).toEqual([coupons[0].id])
  await row.getByRole('button', { name: /^Actions for coupon / }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  // It is no active one any more.
  await page.getByText('No results. Remove a filter to see more.').waitFor()
  await callApi('GET', `/v1/coupons/${coupons[0].id}`).then(({ status }) => expect(status).toBe(5))
  expectCalm(opened)
})

test('a coupon that was taken back can be copied, and not taken back again', { skip: !isFull }, async () => {
  const { id } = await newCustomer()
  const coupon = await callApi('POST', '/v1/coupons', {
    body: { customer: id, campaign: demo.campaignId, reward: 'free-coffee' },
  })
  await callApi('POST', `/v1/coupons/${coupon.id}/revoke`)
  const opened = await openConsole(`/coupons?customer=${id}`)
  const { page } = opened
  await rowsOf(page).getByText('Revoked').waitFor()
  await page.getByRole('button', { name: /^Actions for coupon / }).click()
  await page.getByRole('menuitem', { name: 'Copy coupon ID' }).waitFor()
  expect(await page.getByRole('menuitem', { name: 'Revoke' }).count()).toBe(0)
  await page.getByRole('menuitem', { name: 'Copy coupon ID' }).click()
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(coupon.id)
  await page.goto(`${demo.consoleUrl}/customers/${id}`)
  await page.getByText('Coupon revoked: Free coffee').waitFor()
  expectCalm(opened)
})

test('the lines of a sale are a table in half a page, and cards with their own labels on a phone', {
  skip: !isFull,
}, async () => {
  const { sale } = await newSale()
  const opened = await openConsole(`/transactions/${sale.id}`)
  const { page } = opened
  await page.getByRole('row', { name: /Latte/ }).waitFor()
  const cell = `document.querySelector('main td[data-label="Quantity"]')`
  const shown = () =>
    page.evaluate(
      `[getComputedStyle(${cell}.parentElement).display, getComputedStyle(${cell}, '::before').content]`,
    )
  for (const [width, display, label] of [
    [1280, 'table-row', 'none'],
    [768, 'table-row', 'none'],
    [767, 'grid', '"Quantity"'],
    [390, 'grid', '"Quantity"'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await expect.poll(shown).toEqual([display, label])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  }
  expectCalm(opened)
})
