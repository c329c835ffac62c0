import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { releasedSize } from '../support/released-size.ts'
import { demo, expectCalm, newCustomer, openPage, openSignedIn, startBrowser } from './browser.ts'

startBrowser({ areNew: true })

const tillUrl = `${demo.baseUrl}/till`

const mostBytes = 250_000
/** Of everything but pictures: customers open it at the counter, on any phone. */
const mostWalletBytes = 100_000

/** What the page asks for and gets, in order: `ask /assets/main.js`, `get /v1/campaigns`. */
function watch(page: Page): string[] {
  const events: string[] = []
  page.on('request', (request) => events.push(`ask ${new URL(request.url()).pathname}`))
  page.on('response', (response) => events.push(`get ${new URL(response.url()).pathname}`))
  return events
}

/** From a page that asks for nothing: what the one before had on its way is not counted. */
async function beginAnew(page: Page, events: string[]): Promise<void> {
  await page.goto('about:blank')
  events.length = 0
}

/** The size of each file by its path: pages share files. */
const sizes = new Map<string, Promise<number>>()

/** As they travel from a release. Asked for again here, since the browser has some of them already. */
async function bytesOfScripts(events: readonly string[]): Promise<number> {
  return bytesOf(events, /^ask (\/.*\.js)$/)
}

async function bytesOf(events: readonly string[], wanted: RegExp): Promise<number> {
  const files = new Set(events.flatMap((event) => wanted.exec(event)?.[1] ?? []))
  for (const path of files) if (!sizes.has(path)) sizes.set(path, sizeOf(path))
  const all = await Promise.all([...files].map((path) => sizes.get(path)!))
  return all.reduce((sum, size) => sum + size, 0)
}

async function sizeOf(path: string): Promise<number> {
  const response = await fetch(demo.baseUrl + path, { headers: { 'accept-encoding': 'br' } })
  const content = new Uint8Array(await response.arrayBuffer())
  const encoding = response.headers.get('content-encoding')
  // The smallest ones are sent as they are.
  if (path.endsWith('.js') && content.length >= 1_024) expect(encoding, path).toBe('br')
  if (path.startsWith('/assets/') && encoding === 'br') return releasedSize(content)
  return Number(response.headers.get('content-length') ?? content.length)
}

async function expectLight(name: string, events: readonly string[]): Promise<void> {
  const bytes = await bytesOfScripts(events)
  console.info(`${name}: ${Math.round(bytes / 1000)} KB of scripts`)
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThanOrEqual(mostBytes)
}

test('every page begins with at most 250 KB of scripts', async () => {
  const opened = await openPage()
  const { page } = opened
  const events = watch(page)
  await page.goto(demo.consoleUrl)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await expectLight('console, sign-in', events)

  await openSignedIn(page, `${demo.baseUrl}/livez`)
  await beginAnew(page, events)
  await page.goto(demo.consoleUrl)
  const chart = /^ask \/assets\/figure-chart-.*\.js$/
  await expect.poll(() => events.some((event) => chart.test(event))).toBe(true)
  const beforeChart = events.slice(
    0,
    events.findIndex((event) => chart.test(event)),
  )
  // The chart comes when there is something to draw.
  expect(beforeChart).toContain('get /v1/reports/daily')
  await expectLight('console, home without its chart', beforeChart)

  await beginAnew(page, events)
  await page.goto(tillUrl)
  await page.getByRole('button', { name: 'Latte' }).first().waitFor()
  expect(events.filter((event) => /camera|zxing|\.wasm/.test(event))).toEqual([])
  await expectLight('till', events)

  const customer = await newCustomer()
  await beginAnew(page, events)
  await page.goto(customer.cards[0].walletUrl)
  await page.getByRole('heading', { name: 'Coffee club' }).waitFor()
  await expectLight('wallet page', events)
  // What changes something comes when it is opened.
  expect(
    events.filter((event) => /^ask .*(details-panel|wallet-details|lost-link|confirm-contact)/.test(event)),
  ).toEqual([])
  const all = await bytesOf(events, /^ask (\/(?:assets\/.*\.(?:js|css)|w\/[^/]+(?:\/card|\/code128\.svg)?))$/)
  console.info(`wallet page: ${Math.round(all / 1000)} KB of everything`)
  expect(all).toBeLessThanOrEqual(mostWalletBytes)
  expectCalm(opened)
})
