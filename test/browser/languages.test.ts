import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { isFull } from '../support/full.ts'
import {
  callApi,
  demo,
  expectAccessible,
  expectCalm,
  newCustomer,
  openPage,
  startBrowser,
} from './browser.ts'

startBrowser()

type Language = 'en' | 'de' | 'ar'

function readTexts(language: Language, namespace: string) {
  const file = join(packageRoot, `console/locales/${language}/${namespace}.json`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** The text behind `account:signIn.title`, as the pages have it. */
function textOf(language: Language, key: string): string {
  const [namespace, path] = key.split(':') as [string, string]
  const text = path.split('.').reduce((texts, part) => texts[part], readTexts(language, namespace))
  expect(text, `${key} in ${language}`).toEqual(expect.any(String))
  if (language !== 'en') expect(text).not.toBe(textOf('en', key))
  return text
}

async function expectLanguage(page: Page, language: Language): Promise<void> {
  const html = page.locator('html')
  await expect.poll(() => html.getAttribute('lang')).toBe(language)
  expect(await html.getAttribute('dir')).toBe(language === 'ar' ? 'rtl' : 'ltr')
  const isTooWide = () => page.evaluate('document.documentElement.scrollWidth > innerWidth')
  await expect.poll(isTooWide).toBe(false)
}

/** Which half of the window it stands in: everything is mirrored in Arabic, not only the letters. */
async function sideOf(page: Page, place: ReturnType<Page['locator']>): Promise<'left' | 'right'> {
  const box = await place.boundingBox()
  return box!.x + box!.width / 2 < page.viewportSize()!.width / 2 ? 'left' : 'right'
}

async function signInIn(page: Page, language: Language): Promise<void> {
  await page.getByLabel(textOf(language, 'account:email')).fill(demo.consoleEmail)
  const password = page.getByRole('textbox', { name: textOf(language, 'account:password') })
  await password.fill(demo.consolePassword)
  await page.keyboard.press('Enter')
}

/** How each writes a thousand and more, an amount of dollars and a day. The marks keep `US$` together in Arabic. */
const forms = {
  de: { number: '1.234', money: /^3,50\s\$$/, day: /\d{2}\.\d{2}\.\d{4}/ },
  ar: { number: '1,234', money: /^\u200f?3\.50\s\u2068US\$\u2069$/, day: /\d{2}\u200f\/\d{2}\u200f\/\d{4}/ },
} as const

test.runIf(isFull).each([
  ['ar', 'ar', 'right'],
  ['de', 'de-DE', 'left'],
] as const)('speaks %s where the browser asks for it', async (language, locale, side) => {
  const customer = await newCustomer({ fullname: 'Grace Hopper' })
  // With the ten of the sale 1234.
  const welcome = { key: 'points', amount: 1224, reason: 'Welcome' }
  await callApi('POST', `/v1/customers/${customer.id}/adjustments`, { body: welcome })
  const sale = {
    customer: customer.id,
    card: customer.cards[0].id,
    items: [{ product: 'tea', unitPrice: 1 }],
  }
  await callApi('POST', '/v1/transactions/process', { body: sale })
  const coupon = { customer: customer.id, campaign: demo.campaignId, reward: 'five-off' }
  await callApi('POST', '/v1/coupons', { body: coupon })
  const { number, money, day } = forms[language]
  const opened = await openPage({ locale })
  const { page } = opened

  await page.goto(demo.consoleUrl)
  await page.getByRole('heading', { name: textOf(language, 'account:signIn.title') }).waitFor()
  await expectLanguage(page, language)
  await expectAccessible(page)
  await signInIn(page, language)
  await page.getByRole('heading', { name: textOf(language, 'home:title'), exact: true }).waitFor()
  const menu = page.getByRole('navigation', { name: textOf(language, 'shell:menu') })
  expect(await sideOf(page, menu)).toBe(side)
  await menu.getByRole('link', { name: textOf(language, 'shell:pages.customers'), exact: true }).click()
  await page.getByRole('heading', { name: textOf(language, 'customers:title'), exact: true }).waitFor()
  const row = page.getByRole('row').filter({ hasText: 'Grace Hopper' }).first()
  await expect.poll(() => row.textContent()).toContain(number)
  expect(await row.textContent()).toMatch(day)
  await expectAccessible(page)

  await page.goto(`${demo.baseUrl}/till`)
  const latte = page.getByRole('button', { name: /^Latte/ })
  await latte.waitFor()
  await expectLanguage(page, language)
  await page.getByLabel(textOf(language, 'till:find.label')).waitFor()
  expect(await latte.locator(':scope > *').last().textContent()).toMatch(money)
  const finder = page.getByRole('region', { name: textOf(language, 'till:customer.title'), exact: true })
  expect(await sideOf(page, finder)).toBe(side)
  await expectAccessible(page)

  await page.goto(customer.cards[0].walletUrl)
  await page.getByRole('region', { name: textOf(language, 'wallet:card') }).waitFor()
  await expectLanguage(page, language)
  await page.getByText(number, { exact: true }).waitFor()
  await page.getByRole('heading', { name: textOf(language, 'wallet:visits') }).waitFor()
  expect(await page.getByRole('listitem').filter({ hasText: '5 off' }).textContent()).toMatch(day)
  await expectAccessible(page)
  expectCalm(opened)
})

test('changes the language by the menu at once, and keeps it', async () => {
  const opened = await openPage()
  const { page } = opened
  await page.goto(demo.consoleUrl)
  const choose = async (now: Language, name: string) => {
    await page.getByRole('button', { name: textOf(now, 'common:language') }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await choose('en', 'العربية')
  await page.getByRole('heading', { name: textOf('ar', 'account:signIn.title') }).waitFor()
  await expectLanguage(page, 'ar')
  await expectAccessible(page)
  await signInIn(page, 'ar')
  await page.getByRole('heading', { name: textOf('ar', 'home:title'), exact: true }).waitFor()
  await choose('ar', 'Deutsch')
  await page.getByRole('heading', { name: textOf('de', 'home:title'), exact: true }).waitFor()
  await expectLanguage(page, 'de')
  expect(await sideOf(page, page.getByRole('navigation', { name: textOf('de', 'shell:menu') }))).toBe('left')

  // One choice for all pages of this browser.
  await page.goto(`${demo.baseUrl}/till`)
  await page.getByLabel(textOf('de', 'till:find.label')).waitFor()
  await choose('de', 'العربية')
  await page.getByLabel(textOf('ar', 'till:find.label')).waitFor()
  await expectLanguage(page, 'ar')

  const customer = await newCustomer()
  await page.goto(customer.cards[0].walletUrl)
  await page.getByRole('region', { name: textOf('ar', 'wallet:card') }).waitFor()
  await page.getByLabel(textOf('ar', 'wallet:language')).selectOption('English')
  await page.getByRole('region', { name: textOf('en', 'wallet:card') }).waitFor()
  await expectLanguage(page, 'en')
  await page.reload()
  await page.getByRole('region', { name: textOf('en', 'wallet:card') }).waitFor()
  expectCalm(opened)
})

test.skipIf(!isFull).each(['de', 'ar'] as const)(
  'has a text for everything on every page of the console in %s',
  async (language) => {
    const opened = await openPage({ locale: language })
    const { page } = opened
    await page.goto(demo.consoleUrl)
    await signInIn(page, language)
    const menu = page.getByRole('navigation', { name: textOf(language, 'shell:menu') })
    await menu.waitFor()
    for (const name of Object.keys(readTexts(language, 'shell').pages)) {
      const link = menu.getByRole('link', { name: textOf(language, `shell:pages.${name}`), exact: true })
      await link.click()
      await expect.poll(() => link.getAttribute('aria-current')).toBe('page')
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')
    }
    // A key without a text is written on the console.
    expectCalm(opened)
  },
)

test('without a network the language stays what it was, whole, and can be chosen later', {
  skip: !isFull,
}, async () => {
  const opened = await openPage({ expected: ['ERR_INTERNET_DISCONNECTED', 'ERR_NETWORK_CHANGED'] })
  const { page, context } = opened
  await page.goto(demo.consoleUrl)
  await signInIn(page, 'en')
  // With its charts: a part that is on its way when the network goes would be loaded anew when it comes back.
  await page.getByText('Highest').first().waitFor()
  const choose = async () => {
    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitem', { name: 'العربية' }).click()
  }
  await context.setOffline(true)
  await choose()
  await page.getByRole('alert').waitFor()
  await expectLanguage(page, 'en')
  await context.setOffline(false)
  // The browser takes a moment to notice. Asked from here: a page of ours may not wait for a text as its condition.
  const isBack = () => page.evaluate(`fetch('/livez').then(({ ok }) => ok, () => false)`)
  await expect.poll(isBack).toBe(true)
  await choose()
  await expectLanguage(page, 'ar')
  await page.getByRole('heading', { name: textOf('ar', 'home:title') }).waitFor()
  expectCalm(opened)
})
