/** A test organization, as somebody uses it who wants to see what a month does to a card. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { callApi, demo, expectCalm, newToken, startBrowser, unique } from './browser.ts'
import { addressOf, openConsole, pageTitle } from './console.ts'
import { desk, look, lookOnPhone } from './pictures.ts'

startBrowser()

async function lookAt(page: Page, name: string): Promise<void> {
  await look(page, name)
  await page.setViewportSize(desk)
  await page.emulateMedia({ colorScheme: 'light' })
}

test('opens a test organization, sets its clock forward, sees what happened, goes back and deletes it', async () => {
  const opened = await openConsole('/branches')
  const { page } = opened
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Test mode' }).click()
  const name = `Tests ${unique()}`
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'New test organization' }).first().click()
  await dialog.getByLabel('Name').fill(name)
  if (isFull) await lookAt(page, 'test-mode-new')
  await page.keyboard.press('Enter')
  const apiKey = await page.getByLabel('API key').inputValue()
  const apiSecret = await page.getByLabel('API secret').inputValue()
  await page.getByRole('button', { name: "I've copied them" }).click()
  await dialog.waitFor({ state: 'detached' })

  // A sale whose points and reward end in the month that follows.
  const token = await newToken({ apiKey, apiSecret })
  const data = { email: `${unique()}@example.com`, fullname: 'Ada Lovelace' }
  const body = { campaignId: demo.campaignId, customer: { data } }
  const { id, cards } = await callApi('POST', '/v1/customers/register', { token, body })
  const coupon = { customer: id, campaign: demo.campaignId, reward: 'free-coffee' }
  const { expiresAt } = await callApi('POST', '/v1/coupons', { token, body: coupon })
  expect(expiresAt).toBeDefined()

  const row = page.locator('section').filter({ hasText: name })
  await row.getByText(/^Its time/).waitFor()
  if (isFull) await lookAt(page, 'test-mode-list')
  await row.getByRole('button', { name: 'Open' }).click()
  const ribbon = page.getByRole('region', { name: 'Test mode' })
  await ribbon.getByText('TEST', { exact: true }).waitFor()
  expect(addressOf(page).path).toBe('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  // In the quick check the ribbon is looked at above the clock.
  if (isFull) await lookAt(page, 'test-mode-home')

  await ribbon.getByRole('link').click()
  await pageTitle(page, 'Test clock').waitFor()
  const time = () => ribbon.locator('time').getAttribute('datetime')
  const before = Date.parse((await time())!)
  await page.getByRole('button', { name: 'Next day' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText(/^It is now/).waitFor()
  await page
    .getByLabel('Set the clock to')
    .fill(new Date(Date.parse(expiresAt) + 86_400_000).toISOString().slice(0, 16))
  await page.getByRole('button', { name: 'Set clock' }).click()
  await page.getByText('Coupon expired (1)').waitFor()
  await expect.poll(async () => Date.parse((await time())!)).toBeGreaterThan(before + 86_400_000)
  await lookAt(page, 'test-mode-clock')

  await page.goto(`${demo.baseUrl}/till`)
  await page.getByRole('banner').getByText('TEST', { exact: true }).waitFor()
  if (isFull) {
    const wallet = await callApi('GET', `/v1/cards/${cards[0].id}`, { token })
    await page.goto(wallet.walletUrl.replace(/^https?:\/\/[^/]+/, demo.baseUrl))
    await page.getByText('Test', { exact: true }).waitFor()
    await lookOnPhone(page, 'test-mode-wallet')
    await page.setViewportSize(desk)
  }

  await page.goto(`${demo.consoleUrl}/test-mode`)
  await page.getByRole('button', { name: 'Back to live' }).click()
  await ribbon.waitFor({ state: 'detached' })
  await page.goto(`${demo.consoleUrl}/test-mode`)
  await row.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText(`${name} was deleted.`).waitFor()
  expect(await row.count()).toBe(0)
  expectCalm(opened)
})
