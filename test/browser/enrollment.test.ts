import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import {
  callApi,
  demo,
  expectAccessible,
  expectCalm,
  expectReadable,
  newPhone,
  openPage,
  scan,
  startBrowser,
  unique,
} from './browser.ts'
import { openConsole, pageTitle } from './console.ts'
import { look } from './pictures.ts'
import { readPdf } from './read-pdf.ts'
import { scanPicture } from './scan-picture.ts'
import { charge, openShop, openTill, type Shop } from './till-shop.ts'

startBrowser({ optimizes: true })

let shop: Shop
let shortName: string
beforeAll(async () => {
  shop = await openShop()
})
beforeEach(async () => {
  shortName = `tea-${unique()}`
  await set({ shortName, mode: 'open' })
})

const set = (body: object) => callApi('PATCH', `/v1/campaigns/${shop.campaign}/enrollment`, { body })
const pageUrl = () => `${demo.baseUrl}/j/${shortName}`
const phone = { width: 390, height: 844, hasTouch: true }

/**
 * How long the proof of work takes is a matter of luck, and here of a browser that does not optimize scripts: 32,000
 * attempts a second were measured, a fortieth of what people's browsers make.
 */
const patienceMs = 300_000
const atCard = (page: Page): Promise<void> => page.waitForURL(/\/w\//, { timeout: patienceMs })

async function fillIn(page: Page, name: string, email: string): Promise<void> {
  await page.getByLabel('Your name').fill(name)
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('checkbox').check()
}

test(
  'from the poster to the first stamp: three fields, the card, a sale at the till',
  async () => {
    const opened = await openPage(phone)
    const { page } = opened
    const beganAt = performance.now()
    await page.goto(pageUrl())
    await page.getByRole('heading', { name: 'Tea house', level: 1 }).waitFor()
    expect(await page.getByText('Free tea').isVisible()).toBe(true)
    const shownAt = performance.now()
    const name = `Mary ${unique()}`
    await fillIn(page, name, `${unique()}@visitors.example`)
    await page.getByRole('button', { name: 'Get my card' }).click()
    await atCard(page)
    await page.getByText('Hello, Mary').waitFor()
    const [shown, all] = [shownAt - beganAt, performance.now() - beganAt]
    console.info(`enrolled in ${Math.round(all)} ms, of which ${Math.round(shown)} until the form was there`)
    const number = await page
      .getByText(/^(?:\d{4} ?){4}$/)
      .first()
      .innerText()

    const till = await openPage()
    await openTill(till.page)
    await scan(till.page, number.replaceAll(/\D/g, ''))
    await till.page.getByRole('heading', { name }).waitFor()
    await till.page.keyboard.press('F3')
    await till.page.keyboard.type('assam')
    await till.page.keyboard.press('Enter')
    await charge(till.page, '$3.30')
    await till.page
      .getByRole('button', { name: /New sale|Next/ })
      .first()
      .waitFor()

    await page.reload()
    await page.getByText('4 more').waitFor()
    // Going back leads out, and not to a form that would open a second card.
    await page.goBack().catch(() => {})
    expect(page.url()).not.toContain('/j/')
    expectCalm(opened)
    expectCalm(till)
  },
  patienceMs,
)

test('is light, in three languages, by day and by night, and can be used by everybody', async () => {
  const opened = await openPage(phone)
  const { page } = opened
  const sizes = new Map<string, Promise<number>>()
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    sizes.set(
      pathname,
      response
        .request()
        .sizes()
        .then((size) => size.responseBodySize),
    )
  })
  await page.goto(pageUrl())
  await page.getByRole('button', { name: 'Get my card' }).waitFor()
  await page.waitForLoadState('networkidle')
  const bytes = (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0)
  console.info(`enrollment page: ${Math.round(bytes / 1000)} KB in ${sizes.size} files`)
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThanOrEqual(100_000)
  await look(page, 'enrollment')
  for (const [language, title] of [
    ['de', 'Holen Sie sich Ihre Karte'],
    ['ar', 'احصل على بطاقتك'],
  ] as const) {
    await page.getByRole('combobox').selectOption(language)
    await page.getByRole('heading', { name: title }).waitFor()
    if (isFull) await look(page, `enrollment-${language}`)
  }
  expect(await page.locator('html').getAttribute('dir')).toBe('rtl')
  expectCalm(opened)
})

test(
  'says what is wrong, keeps what was typed, and works with the keyboard alone',
  async () => {
    const opened = await openPage({ ...phone, expected: [400, 429] })
    const { page } = opened
    await page.goto(pageUrl())
    await page.getByLabel('Your name').focus()
    await page.keyboard.type('Kim Keyboard')
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Tab')
    await page.keyboard.type('12')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toContain('phone number')
    expect(await page.getByLabel('Your name').inputValue()).toBe('Kim Keyboard')
    await expectReadable(page)
    await page.getByRole('textbox', { name: 'Phone' }).fill(newPhone())
    await page.keyboard.press('Enter')
    await atCard(page)
    expectCalm(opened)
  },
  patienceMs,
)

test('tells kindly that it is closed, or that there is no such page', async () => {
  const opened = await openPage({ ...phone, expected: [404] })
  const { page } = opened
  await set({ mode: 'off' })
  await page.goto(pageUrl())
  await page.getByRole('heading', { name: 'Enrolling is closed at the moment' }).waitFor()
  if (isFull) await expectAccessible(page)
  await page.getByRole('button', { name: /Already have a card/ }).click()
  await page.getByRole('heading', { name: 'Your card’s link' }).waitFor()
  await expectAccessible(page)
  await page.goto(`${demo.baseUrl}/j/no-such-page-here`)
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  await expectAccessible(page)
  expectCalm(opened)
})

test.runIf(isFull)(
  'a page that was open for too long gets a new challenge by itself',
  async () => {
    const opened = await openPage({ ...phone, expected: [400] })
    const { page } = opened
    let isFirst = true
    await page.route('**/customers', async (route) => {
      const body = route.request().postDataJSON()
      const postData = JSON.stringify(isFirst ? { ...body, nonce: 'old' } : body)
      isFirst = false
      await route.continue({ postData })
    })
    await page.goto(pageUrl())
    await fillIn(page, 'Lena Late', `${unique()}@visitors.example`)
    await page.getByRole('button', { name: 'Get my card' }).click()
    await atCard(page)
    expectCalm(opened)
  },
  patienceMs,
)

test(
  'a merchant opens the page, and prints posters',
  async () => {
    await set({ mode: 'off' })
    const opened = await openConsole(`/campaigns/${shop.campaign}`, { width: 1440 })
    const { page } = opened
    await page.getByRole('tab', { name: 'Enrollment' }).click()
    await page.getByRole('radio', { name: 'With approval' }).check()
    shortName = `house-${unique()}`
    await page.getByLabel('Short name').fill(shortName)
    await page.getByRole('button', { name: 'Save', exact: true }).last().click()
    const code = page.getByRole('img', { name: 'QR code of the page' })
    await code.waitFor()
    expect(await scanPicture(code)).toEqual([{ format: 'QRCode', text: pageUrl() }])

    const formats = [
      ['Table tent, A4 folded', 2],
      ['Counter display, A6', 1],
      ['Poster, A4', 1],
      ['Poster, A5', 1],
    ] as const
    for (const [format, codes] of isFull ? formats : formats.slice(1, 2)) {
      await page.getByRole('combobox', { name: 'Format' }).click()
      await page.getByRole('option', { name: format }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download PDF' }).click(),
      ])
      expect(download.suggestedFilename()).toMatch(/^house-.*\.pdf$/)
      const pdf = await readPdf(await download.path())
      expect(pdf.codes, format).toEqual(Array(codes).fill(pageUrl()))
    }
    await (isFull ? look(page, 'campaign-enrollment') : expectAccessible(page))
    expectCalm(opened)
  },
  patienceMs,
)

test.runIf(isFull)(
  'a merchant approves who enrolled',
  async () => {
    await set({ mode: 'approval' })
    const visitor = await openPage(phone)
    const name = `Wanda ${unique()}`
    await visitor.page.goto(pageUrl())
    await visitor.page.getByText('approves new cards').waitFor()
    await fillIn(visitor.page, name, `${unique()}@visitors.example`)
    await visitor.page.getByRole('button', { name: 'Get my card' }).click()
    await atCard(visitor.page)

    const opened = await openConsole('/customers')
    const { page } = opened
    await page.getByText(/waits? for your approval/).waitFor()
    await page.getByRole('button', { name: 'Show them' }).click()
    await page.getByRole('link', { name }).click()
    await pageTitle(page, name).waitFor()
    await look(page, 'customer-waiting')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Card approved').waitFor()
    await page.getByRole('button', { name: 'Decline' }).waitFor({ state: 'detached' })
    await visitor.page.reload()
    await visitor.page
      .getByText(/^(?:\d{4} ?){4}$/)
      .first()
      .waitFor()
    expectCalm(opened)
    expectCalm(visitor)
  },
  patienceMs,
)

test.runIf(isFull)(
  'a merchant declines, and nothing is left of the enrollment',
  async () => {
    await set({ mode: 'approval' })
    const visitor = await openPage({ ...phone, expected: [404] })
    const name = `Dora ${unique()}`
    await visitor.page.goto(pageUrl())
    await fillIn(visitor.page, name, `${unique()}@visitors.example`)
    await visitor.page.getByRole('button', { name: 'Get my card' }).click()
    await atCard(visitor.page)
    const { data } = await callApi('GET', '/v1/customers?awaitsApproval=true')
    const opened = await openConsole(`/customers/${data[0].id}`)
    const { page } = opened
    await pageTitle(page, name).waitFor()
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click()
    await page.getByText('Declined and erased').waitFor()
    await callApi('GET', `/v1/customers/${data[0].id}`, { status: 404 })
    expectCalm(visitor)
  },
  patienceMs,
)
