import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { callApi, demo, expectCalm, newCustomer, openPage, openSignedIn, startBrowser } from './browser.ts'

startBrowser()

const tillUrl = `${demo.baseUrl}/till`

/** What somebody would try who got a text of theirs into a page. As text: it runs there. */
const attack = `new Promise((resolve) => {
  const script = document.createElement('script')
  script.textContent = 'window.ran = "inline script"'
  document.body.append(script)
  const holder = document.createElement('div')
  holder.innerHTML = '<button onclick="window.ran = \\'handler\\'"></button>'
  document.body.append(holder)
  holder.firstChild.click()
  // Later: what the test itself runs is let through.
  setTimeout(() => {
    try {
      eval('window.ran = "eval"')
    } catch (error) {
      resolve({ ran: window.ran, refused: error.name })
    }
    resolve({ ran: window.ran })
  })
})`

async function expectGuarded(page: Page, address: string): Promise<void> {
  const response = await page.goto(address)
  const policy = response!.headers()['content-security-policy']!
  const scripts = /script-src ([^;]+)/.exec(policy)![1]
  expect(scripts).toContain("'self'")
  expect(scripts).not.toMatch(/'unsafe-(?:inline|eval|hashes)'|https?:|\*/)
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  await page.getByRole('heading').first().waitFor()
  expect(await page.evaluate(attack)).toEqual({ refused: 'EvalError' })
}

test('runs no script on any page but those that came with it', async () => {
  const opened = await openPage({ expected: ['Content Security Policy'] })
  const { page } = opened
  await expectGuarded(page, demo.consoleUrl)
  await expectGuarded(page, tillUrl)
  await openSignedIn(page, `${demo.baseUrl}/livez`)
  for (const path of isFull ? ['', '/customers', '/campaigns/new', '/settings'] : ['/settings']) {
    await expectGuarded(page, demo.consoleUrl + path)
  }
  await expectGuarded(page, tillUrl)
  const customer = await newCustomer()
  await expectGuarded(page, customer.cards[0].walletUrl)
  const body = { mode: 'open' }
  const { url } = await callApi('PATCH', `/v1/campaigns/${demo.campaignId}/enrollment`, { body })
  await expectGuarded(page, url)
  expectCalm(opened)
})
