/** Customers as somebody at the desk looks after them. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { isFull, someOf } from '../support/full.ts'
import { callApi, demo, expectCalm, newCustomer, newPhone, startBrowser, unique } from './browser.ts'
import {
  addressOf,
  expectAccessibleInBothSchemes,
  fileFrom,
  naturalWidth,
  openConsole,
  pageTitle,
  parseCsv,
  rowsOf,
  waitForRows,
} from './console.ts'

startBrowser()

/** Chooses an action that asks first, and says yes. */
async function choose(page: Page, menu: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: menu }).click()
  await page.getByRole('menuitem', { name: entry }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: entry }).click()
  await dialog.waitFor({ state: 'detached' })
}

const statusOf = async (address: string) => (await fetch(address)).status

test('registers a customer and finds the one by name, phone, email and barcode', async () => {
  const opened = await openConsole('/customers', { expected: [400] })
  const { page } = opened
  const mark = unique()
  const digits = newPhone().slice('+1202'.length)
  const name = `Mary ${mark} Somerville`
  await page.getByRole('button', { name: 'Register customer' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Full name').fill(name)
  await form.getByRole('textbox', { name: 'Phone' }).fill('12')
  await form.getByRole('button', { name: 'Register', exact: true }).click()
  await form.getByRole('alert').getByText('invalid_phone').waitFor()
  await expectAccessibleInBothSchemes(page)
  await form.getByRole('textbox', { name: 'Phone' }).fill(`(202) ${digits.slice(0, 3)}-${digits.slice(3)}`)
  await form.getByLabel('Email').fill(`${mark}@desk.example`)
  await form.getByRole('combobox', { name: 'Campaign' }).click()
  await page.getByRole('option', { name: 'Coffee club', exact: true }).click()
  await form.getByRole('button', { name: 'Register', exact: true }).click()
  await pageTitle(page, name).waitFor()
  const { id, cards } = await callApi('GET', `/v1/customers/find?q=${mark}@desk.example`)
  expect(addressOf(page).path).toBe(`/customers/${id}`)

  await page.getByRole('link', { name: 'Customers', exact: true }).first().click()
  await waitForRows(page)
  const search = page.getByLabel('Search', { exact: true })
  const spellings = [
    mark,
    `202 ${digits}`,
    `+1202${digits}`,
    `${mark.toUpperCase()}@desk.example`,
    cards[0].barcode,
  ]
  for (const spelling of someOf(spellings, 3, 1)) {
    await search.fill(spelling)
    await expect.poll(() => addressOf(page).search.q).toBe(spelling)
    await expect.poll(() => rowsOf(page).getByRole('link').allTextContents()).toEqual([name])
  }
  await search.fill(`nobody ${mark}`)
  await page.getByText('No results. Remove a filter to see more.').waitFor()
  expectCalm(opened)
})

test('a double click registers once and says so once', async () => {
  const opened = await openConsole('/customers')
  const { page } = opened
  const name = `Grace ${unique()}`
  await page.getByRole('button', { name: 'Register customer' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Full name').fill(name)
  await form.getByLabel('Email').fill(`${unique()}@desk.example`)
  // What is said goes away by itself, so it is written down.
  await page.evaluate(`window.said = []
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) if (node.matches?.('[role=alert]')) said.push(node.textContent)
      }
    }).observe(document.body, { childList: true, subtree: true })`)
  await form.getByRole('button', { name: 'Register', exact: true }).dblclick()
  await pageTitle(page, name).waitFor()
  await form.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate('said')).toEqual(['Customer registered'])
  expect((await callApi('GET', `/v1/customers?q=${encodeURIComponent(name)}`)).data).toHaveLength(1)
  expectCalm(opened)
})

test('asks for consent, shows since when there is one, and finds those who agreed', {
  skip: !isFull,
}, async () => {
  const mark = unique()
  const agreed = await newCustomer({ fullname: `Agreed ${mark}` })
  await newCustomer({ fullname: `Silent ${mark}` })
  const opened = await openConsole(`/customers/${agreed.id}`)
  const { page } = opened
  const form = page.getByRole('dialog')
  const consent = form.getByRole('switch', { name: 'Marketing consent' })
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await form.getByText('Not asked yet').waitFor()
  await consent.focus()
  await page.keyboard.press('Space')
  await expectAccessibleInBothSchemes(page)
  await form.getByRole('button', { name: 'Save' }).click()
  const profile = page.getByRole('main')
  await profile.getByText(/Marketing consent: given on .*20\d\d.*\(signed-in person\)/).waitFor()

  await page.getByRole('link', { name: 'Customers', exact: true }).first().click()
  await page.getByLabel('Search', { exact: true }).fill(mark)
  await expect.poll(() => rowsOf(page).count()).toBe(2)
  await page.getByRole('combobox', { name: 'Agreed to' }).click()
  await page.getByRole('option', { name: 'Marketing' }).click()
  await expect.poll(() => rowsOf(page).getByRole('link').allTextContents()).toEqual([`Agreed ${mark}`])
  const { text } = await fileFrom(page, () => page.getByRole('button', { name: 'Export CSV' }).click())
  const [head, row] = parseCsv(text)
  const told = (label: string) => row![head!.indexOf(label)]
  const [{ at }] = (await callApi('GET', `/v1/customers/${agreed.id}`)).consents.history
  expect([told('Marketing'), told('Marketing consent changed'), told('Agreed to')]).toEqual([
    'Yes',
    at,
    'marketing',
  ])

  await page.getByRole('link', { name: `Agreed ${mark}` }).click()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await form.getByText(/^Given on .*\(signed-in person\)$/).waitFor()
  await consent.uncheck()
  await form.getByRole('button', { name: 'Save' }).click()
  await profile.getByText(/Marketing consent: refused or withdrawn on/).waitFor()
  expect((await callApi('GET', `/v1/customers/${agreed.id}`)).consents).toMatchObject({ marketing: false })
  expectCalm(opened)
})

test('a balance of a draft, which nobody can hold, is no column', { skip: !isFull }, async () => {
  const balance = `Tulips ${unique()}`
  const opened = await openConsole('/customers')
  const { page } = opened
  await waitForRows(page)
  await callApi('POST', '/v1/campaigns', {
    body: { name: unique(), balances: [{ key: `t${unique()}`, name: balance }], rules: [] },
  })
  // The columns come with the campaigns: a file asked for before that waits for them.
  let letThrough = () => {}
  const isSeen = new Promise<void>((resolve) => {
    letThrough = resolve
  })
  await page.route('**/v1/campaigns?*', async (route) => {
    await isSeen
    await route.continue()
  })
  await page.reload()
  await waitForRows(page)
  const { text } = await fileFrom(page, async () => {
    await page.getByRole('button', { name: 'Export CSV' }).click()
    letThrough()
  })
  const head = text.split('\r\n')[0]
  expect(head).toContain('Points')
  expect(head).not.toContain(balance)
  expectCalm(opened)
})

test('shows a profile whole: cards that can be scanned, balances, coupons, timeline and ledger', {
  skip: !isFull,
}, async () => {
  const { id, cards, data } = await newCustomer()
  // Ten coffees: a coupon for the stamps, and points.
  const items = [{ product: 'latte', name: 'Latte', quantity: 11, unitPrice: 4 }]
  const opaqueId = `desk-${unique()}`
  await callApi('POST', '/v1/transactions/process', {
    body: { customer: id, card: cards[0].id, opaqueId, items },
  })
  const opened = await openConsole(`/customers/${id}`)
  const { page } = opened
  await pageTitle(page, data.fullname).waitFor()
  const image = page.getByRole('img', { name: `Code for card ${cards[0].barcode}` })
  await expect.poll(() => naturalWidth(image)).toBeGreaterThan(0)
  await page.getByRole('radiogroup', { name: 'Code type' }).getByText('QR code').click()
  await expect.poll(() => image.getAttribute('src')).toContain('kind=qr')
  await expect.poll(() => naturalWidth(image)).toBeGreaterThan(0)
  const balances = page.getByRole('region', { name: 'Balances' })
  await balances.getByText('440', { exact: true }).waitFor()
  await balances.getByText('11 earned in total').waitFor()

  await page.getByText(`Receipt ${opaqueId}`).waitFor()
  await page.getByText('Received coupon: Free coffee').waitFor()
  await page.getByText('Registered', { exact: true }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('tab', { name: 'Coupons' }).click()
  await page
    .getByRole('row', { name: /Free coffee/ })
    .getByText('Active')
    .waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('tab', { name: 'Ledger' }).click()
  await expect.poll(() => addressOf(page).search).toEqual({ tab: 'ledger' })
  await page
    .getByRole('row', { name: /Earned.*Points for money \(base\) · Coffee club.*Points.*\+440.*440/ })
    .waitFor()
  await page.getByRole('row', { name: /Exchanged for a coupon.*Stamps.*−10.*1/ }).waitFor()
  expect(await rowsOf(page).count()).toBe(3)
  await expectAccessibleInBothSchemes(page)

  await page.reload()
  await page.getByRole('tab', { name: 'Ledger', selected: true }).waitFor()
  await waitForRows(page)
  await page.getByRole('link', { name: 'Earned' }).first().click()
  await pageTitle(page, `Receipt ${opaqueId}`).waitFor()
  expectCalm(opened)
})

test('shows the tier that a customer holds, and in the timeline that a return ended it', {
  skip: !isFull,
}, async () => {
  const { id, cards, data } = await newCustomer()
  const body = { customer: id, card: cards[0].id, amount: 80 }
  const sale = await callApi('POST', '/v1/transactions/process', { body })
  const opened = await openConsole(`/customers/${id}`)
  const { page } = opened
  await pageTitle(page, data.fullname).waitFor()
  await page.getByText('Tier Bronze', { exact: true }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await callApi('POST', `/v1/transactions/${sale.id}/return`)
  await page.reload()
  await page.getByText('No tier anymore in Coffee club').waitFor()
  expect(await page.getByText('Tier Bronze', { exact: true }).count()).toBe(0)
  expectCalm(opened)
})

test('adjusts a balance with a reason, and shows in the form what the service refuses', async () => {
  const { id } = await newCustomer()
  const opened = await openConsole(`/customers/${id}`, { expected: [400] })
  const { page } = opened
  await page.getByRole('button', { name: 'Adjust: Points' }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Amount' }).fill('-50')
  await form.getByLabel('Reason').fill('Counted wrongly')
  await form.getByRole('button', { name: 'Save adjustment' }).click()
  await form.getByRole('alert').getByText('insufficient_points').waitFor()
  await expectAccessibleInBothSchemes(page)
  await form.getByRole('textbox', { name: 'Amount' }).fill('50')
  await form.getByRole('button', { name: 'Save adjustment' }).click()
  await form.waitFor({ state: 'detached' })
  await page.getByText('Adjusted: Points +50').waitFor()
  await page.getByText('Counted wrongly').waitFor()
  await page.getByRole('region', { name: 'Balances' }).getByText('50', { exact: true }).waitFor()
  const { collectables } = await callApi('GET', `/v1/customers/${id}`)
  // The lifetime total is what was collected; a correction is not.
  expect(collectables.points).toEqual({ value: 50, total: 0 })
  expectCalm(opened)
})

test('changes the name of a customer, and takes the email away', { skip: !isFull }, async () => {
  const { id, data } = await newCustomer()
  const opened = await openConsole(`/customers/${id}`)
  const { page } = opened
  const form = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Edit' }).click()
  expect(await form.getByLabel('Full name').inputValue()).toBe(data.fullname)
  await form.getByLabel('Full name').fill(`${data.fullname} junior`)
  await form.getByLabel('Email').fill('')
  await form.getByRole('button', { name: 'Save' }).click()
  await pageTitle(page, `${data.fullname} junior`).waitFor()
  const changed = await callApi('GET', `/v1/customers/${id}`)
  expect(changed.data).toEqual({ fullname: `${data.fullname} junior`, phone: data.phone })
  expectCalm(opened)
})

test('blocks and unblocks a customer, replaces a card, and gives its wallet page a new address', {
  skip: !isFull,
}, async () => {
  const { id, cards } = await newCustomer()
  const [card] = cards
  const opened = await openConsole(`/customers/${id}`)
  const { page } = opened
  const sell = (status: number) =>
    callApi('POST', '/v1/transactions/process', { body: { customer: id, card: card.id, amount: 3 }, status })
  await choose(page, 'More', 'Block')
  await page.getByText('Blocked', { exact: true }).waitFor()
  expect((await sell(400)).message).toBe('customer_not_active')
  await choose(page, 'More', 'Unblock')
  await page.getByText('Blocked', { exact: true }).waitFor({ state: 'detached' })
  await sell(201)

  const wallet = page.getByRole('link', { name: 'Open', exact: true })
  const first = await wallet.getAttribute('href')
  expect(await statusOf(`${first}/card`)).toBe(200)
  await choose(page, 'Card actions', 'Renew wallet link')
  await expect.poll(() => wallet.getAttribute('href')).not.toBe(first)
  const second = await wallet.getAttribute('href')
  expect([await statusOf(`${first}/card`), await statusOf(`${second}/card`)]).toEqual([404, 200])
  const visitor = await opened.context.newPage()
  await visitor.goto(first!)
  await visitor.getByText('This link no longer works').waitFor()
  await visitor.close()

  await choose(page, 'Card actions', 'Replace card')
  await page.getByRole('button', { name: '1 previous card' }).click()
  await page.getByText(card.barcode).waitFor()
  await page.getByText('Replaced', { exact: true }).waitFor()
  await expectAccessibleInBothSchemes(page)
  const now = await callApi('GET', `/v1/customers/${id}`)
  const live = now.cards.find(({ status }: { status: number }) => status === 1)
  expect(live.barcode).not.toBe(card.barcode)
  await expect
    .poll(() => naturalWidth(page.getByRole('img', { name: `Code for card ${live.barcode}` })))
    .toBeGreaterThan(0)
  await choose(page, 'Card actions', 'Revoke wallet link')
  await page.getByText('No wallet page. Its link was revoked.').waitFor()
  expect(await statusOf(`${live.walletUrl}/card`)).toBe(404)
  expectCalm(opened)
})

test('hands out all that is known of a customer, and erases it once the name was typed', async () => {
  const { id, data } = await newCustomer()
  const opened = await openConsole(`/customers/${id}`, { expected: [404] })
  const { page } = opened
  await page.getByRole('button', { name: 'More' }).click()
  const { name, text } = await fileFrom(page, () =>
    page.getByRole('menuitem', { name: 'Export as JSON' }).click(),
  )
  expect(name).toBe(`${id}.json`)
  expect(JSON.parse(text)).toEqual(await callApi('GET', `/v1/customers/${id}/export`))
  expect(text).toContain(data.phone)

  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Erase…' }).click()
  const form = page.getByRole('dialog')
  const typed = form.getByLabel(`Type ${data.fullname} to confirm`)
  await typed.fill('Visitor')
  await form.getByRole('button', { name: 'Erase permanently' }).click()
  await form.getByRole('alert').getByText('Nothing was erased').waitFor()
  await expectAccessibleInBothSchemes(page)
  await callApi('GET', `/v1/customers/${id}`, { status: 200 })
  await typed.fill(data.fullname)
  await form.getByRole('button', { name: 'Erase permanently' }).click()
  await pageTitle(page, 'Customers').waitFor()
  await callApi('GET', `/v1/customers/${id}`, { status: 404 })
  if (isFull) {
    await page.goto(`${demo.consoleUrl}/customers?q=${encodeURIComponent(data.email)}`)
    await page.getByText('No results. Remove a filter to see more.').waitFor()
    await page.goto(`${demo.consoleUrl}/customers/${id}`)
    await pageTitle(page, 'Customer not found').waitFor()
    await expectAccessibleInBothSchemes(page)
  }
  expectCalm(opened)
})
