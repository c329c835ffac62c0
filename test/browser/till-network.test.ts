import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { callApi, demo, expectAccessible, expectCalm, newToken, openPage, startBrowser } from './browser.ts'
import {
  balancesOf,
  booked,
  charge,
  findGuest,
  type Guest,
  openShop,
  openTill,
  register,
  type Shop,
} from './till-shop.ts'

startBrowser()
let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

/** What the browser writes about a request that the test let fail. */
const lost = 'net::ERR_CONNECTION_RESET'

interface Network {
  /** The network is gone before the service hears of a sale, or after it has booked it; or all is well. */
  loses: 'the request' | 'the answer' | 'nothing'
  /** As the page sent them, in order. */
  readonly bodies: string[]
  /** How many of them the service heard of. */
  arrived: number
}

async function breakNetwork(page: Page, loses: Network['loses']): Promise<Network> {
  const network: Network = { loses, bodies: [], arrived: 0 }
  await page.route('**/v1/transactions/process*', async (route) => {
    network.bodies.push(route.request().postData()!)
    if (network.loses === 'the request') return route.abort('connectionreset')
    network.arrived++
    if (network.loses === 'nothing') return route.continue()
    await route.fetch()
    await route.abort('connectionreset')
  })
  return network
}

async function chargeTwoTeas(page: Page, guest: Guest): Promise<void> {
  await findGuest(page, guest)
  await page.getByRole('button', { name: /^Assam tea/ }).click()
  await page.getByRole('button', { name: 'Add one Assam tea' }).click()
  await charge(page, '$6.60')
}

/** The number of the receipt that the page says it sends again. */
async function waitForAgain(page: Page): Promise<string> {
  const heading = page.getByRole('heading', {
    name: /^Not confirmed yet\. Resending receipt \S+; it only counts once\.$/,
  })
  await heading.waitFor()
  return /T[A-Z]{4}-\d{6}/.exec((await heading.textContent())!)![0]
}

async function expectBookedOnce(guest: Guest, receipt: string): Promise<void> {
  expect(await booked(receipt)).toMatchObject({ customer: guest.id, payableAmount: 6.6 })
  expect(await balancesOf(guest.id)).toMatchObject({ leaves: 12, cups: 2 })
}

test('sends a sale again that never arrived, under the same receipt number', { skip: !isFull }, async () => {
  const guest = await register(shop, 'Nora Offline')
  const opened = await openPage({ expected: [lost] })
  const { page } = opened
  await openTill(page)
  const network = await breakNetwork(page, 'the request')
  await chargeTwoTeas(page, guest)
  const receipt = await waitForAgain(page)
  expect(await callApi('GET', `/v1/transactions?opaqueId=${receipt}`)).toMatchObject({ data: [] })
  await expectAccessible(page)

  // It goes on by itself.
  network.loses = 'nothing'
  await page.getByRole('heading', { name: '$6.60 paid' }).waitFor()
  await page.getByRole('article', { name: 'Receipt' }).getByText(receipt).waitFor()
  expect(network.bodies.length).toBeGreaterThan(1)
  expect(new Set(network.bodies).size).toBe(1)
  await expectBookedOnce(guest, receipt)
  expectCalm(opened)
})

test('counts a sale once whose answer was lost, also when the page is loaded again in between', async () => {
  const guest = await register(shop, 'Lou Unanswered')
  const opened = await openPage({ colorScheme: 'dark', expected: [lost] })
  const { page } = opened
  await openTill(page)
  const network = await breakNetwork(page, 'the answer')
  await chargeTwoTeas(page, guest)
  const receipt = await waitForAgain(page)
  await expectBookedOnce(guest, receipt)
  await expectAccessible(page)

  const before = network.arrived
  await page.reload()
  expect(await waitForAgain(page)).toBe(receipt)
  expect(network.arrived).toBeGreaterThan(before)
  network.loses = 'nothing'
  await page.getByRole('button', { name: 'Send now' }).click()
  await page.getByRole('heading', { name: '$6.60 paid' }).waitFor()
  await page.getByRole('article', { name: 'Receipt' }).getByText(receipt).waitFor()
  expect(new Set(network.bodies).size).toBe(1)
  await expectBookedOnce(guest, receipt)

  // Nothing of it is left: the next sale is another one.
  await page.getByRole('button', { name: 'Next customer' }).click()
  await chargeTwoTeas(page, await register(shop, 'Mia Next'))
  await page.getByRole('heading', { name: '$6.60 paid' }).waitFor()
  await expectBookedOnce(guest, receipt)
  expectCalm(opened)
})

test('shows every call with its bodies, and as curl that works as it is', { skip: !isFull }, async () => {
  const guest = await register(shop, 'Ivy Integrator')
  const opened = await openPage()
  const { page } = opened
  await openTill(page)
  await chargeTwoTeas(page, guest)
  await page.getByRole('heading', { name: '$6.60 paid' }).waitFor()
  await page.getByRole('button', { name: 'API requests' }).click()
  const panel = page.getByRole('complementary', { name: 'API requests' })
  const env = { PATH: process.env.PATH, TOKEN: await newToken(demo) }

  const runCopied = async (name: RegExp) => {
    const call = panel.getByRole('button', { name }).first()
    await call.click()
    await panel.getByRole('region', { name: 'Response' }).getByText(guest.id).waitFor()
    await panel.getByRole('button', { name: 'Copy as curl' }).click()
    await panel.getByRole('button', { name: 'Copied' }).waitFor()
    await expectAccessible(page)
    const curl = await page.evaluate<string>('navigator.clipboard.readText()')
    await call.click()
    const { stdout } = await promisify(execFile)('bash', ['-c', curl], { env })
    return JSON.parse(stdout)
  }
  expect(await runCopied(/200.*\/v1\/customers\/find/)).toMatchObject({ id: guest.id })
  // A sale sent twice is the same sale.
  const sale = await runCopied(/201.*\/v1\/transactions\/process/)
  await expectBookedOnce(guest, sale.opaqueId)

  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  expectCalm(opened)
})
