import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectCalm, openPage, startBrowser } from './browser.ts'
import {
  accessToken,
  balancesOf,
  type Customer,
  openTill,
  registerGuest,
  salesUnder,
  scan,
} from './demo-api.ts'

startBrowser()

/** What the browser writes about a request that the test let fail. */
const lost = 'net::ERR_CONNECTION_RESET'

interface Network {
  /** The network is gone before the service hears of a sale, or after it has booked it; or all is well. */
  loses: 'the request' | 'the answer' | 'nothing'
  /** Receipt numbers in the order in which the page sent them. */
  readonly sent: string[]
  /** How many of them the service heard of. */
  arrived: number
}

async function breakNetwork(page: Page, loses: Network['loses']): Promise<Network> {
  const network: Network = { loses, sent: [], arrived: 0 }
  await page.route('**/v1/transactions/process', async (route) => {
    network.sent.push(route.request().postDataJSON().opaqueId)
    if (network.loses === 'the request') return route.abort('connectionreset')
    network.arrived++
    if (network.loses === 'nothing') return route.continue()
    await route.fetch()
    await route.abort('connectionreset')
  })
  return network
}

/** Two lattes for a customer without anything: 70 points and 2 stamps. */
async function chargeTwoLattes(page: Page, customer: Customer): Promise<void> {
  await scan(page, customer.cards[0]!.barcode)
  const latte = page.getByRole('button', { name: 'Latte $3.50', exact: true })
  await page.getByRole('heading', { level: 3, name: 'Guest' }).waitFor()
  await latte.click()
  await latte.click()
  await page.getByRole('button', { name: 'Charge $7.00' }).click()
}

async function expectBookedOnce(customer: Customer, number: string): Promise<void> {
  expect(await salesUnder(number)).toMatchObject([{ customer: customer.id, payableAmount: 7 }])
  expect(await balancesOf(customer.id)).toEqual({ points: 70, stamps: 2 })
}

const again = (page: Page, number: string) =>
  page.getByRole('heading', { name: `No answer yet. Sending receipt ${number} again; it counts once.` })

test('sends a sale again that never arrived, under the same receipt number', async () => {
  const customer = await registerGuest({ fullname: 'Offline Guest' })
  const opened = await openPage({ expected: [lost] })
  const { page } = opened
  await openTill(page)
  const network = await breakNetwork(page, 'the request')
  await chargeTwoLattes(page, customer)
  await expect.poll(() => network.sent.length).toBeGreaterThan(0)
  const number = network.sent[0]!
  await again(page, number).waitFor()
  await page.getByRole('button', { name: 'Find out what became of it' }).click()
  await page.getByText(`The service does not know ${number} so far.`).waitFor()
  expect(await salesUnder(number)).toEqual([])
  await expectAccessible(page)

  // It goes on by itself.
  network.loses = 'nothing'
  await page.getByRole('heading', { name: '$7.00 paid' }).waitFor()
  await page.getByRole('article', { name: 'Receipt' }).getByText(number).waitFor()
  expect(network.sent.length).toBeGreaterThan(1)
  expect(new Set(network.sent)).toEqual(new Set([number]))
  await expectBookedOnce(customer, number)
  expectCalm(opened)
})

test('counts a sale once whose answer was lost, also when the page is loaded again in between', async () => {
  const customer = await registerGuest({ fullname: 'Lost Answer Guest' })
  const opened = await openPage({ colorScheme: 'dark', expected: [lost] })
  const { page } = opened
  await openTill(page)
  const network = await breakNetwork(page, 'the answer')
  await chargeTwoLattes(page, customer)
  await expect.poll(() => network.sent.length).toBeGreaterThan(0)
  const number = network.sent[0]!
  await again(page, number).waitFor()
  await expectBookedOnce(customer, number)
  await expectAccessible(page)

  const before = network.arrived
  await page.reload()
  await again(page, number).waitFor()
  expect(network.arrived).toBeGreaterThan(before)
  network.loses = 'nothing'
  await page.getByRole('button', { name: 'Send now' }).click()
  await page.getByRole('heading', { name: '$7.00 paid' }).waitFor()
  const receipt = page.getByRole('article', { name: 'Receipt' })
  await receipt.getByText('New balance: 70 Points and 2 Stamps').waitFor()
  expect(new Set(network.sent)).toEqual(new Set([number]))
  await expectBookedOnce(customer, number)

  // Nothing of it is left: the next sale is another one.
  await page.getByRole('button', { name: 'Next customer' }).click()
  await chargeTwoLattes(page, await registerGuest({ fullname: 'Next Guest' }))
  await page.getByRole('heading', { name: '$7.00 paid' }).waitFor()
  expect(network.sent.at(-1)).not.toBe(number)
  await page.reload()
  await page.getByRole('textbox', { name: 'Phone, e-mail or card number' }).waitFor()
  await expectBookedOnce(customer, number)
  expectCalm(opened)
})

test('sets a sale aside that finds no answer, sells on, and finds out later', async () => {
  const customer = await registerGuest({ fullname: 'Aside Guest' })
  const opened = await openPage({ expected: [lost] })
  const { page } = opened
  await openTill(page)
  const network = await breakNetwork(page, 'the answer')
  await chargeTwoLattes(page, customer)
  await page.getByRole('button', { name: 'Set aside' }).click()
  const number = network.sent[0]!
  network.loses = 'nothing'
  await chargeTwoLattes(page, await registerGuest({ fullname: 'Other Guest' }))
  await page.getByRole('heading', { name: '$7.00 paid' }).waitFor()
  await page.getByRole('button', { name: '1 set aside' }).click()
  const dialog = page.getByRole('dialog', { name: 'This till' })
  await dialog.getByText(number, { exact: true }).waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Find out what became of it' }).click()
  await page.getByRole('article', { name: 'Receipt' }).getByText(number).waitFor()
  await expectBookedOnce(customer, number)
  expectCalm(opened)
})

test('shows its calls as curl, which works as it is', async () => {
  const customer = await registerGuest({ fullname: 'Curl Guest' })
  const opened = await openPage()
  const { page } = opened
  await openTill(page)
  await chargeTwoLattes(page, customer)
  await page.getByRole('heading', { name: '$7.00 paid' }).waitFor()
  await page.getByRole('button', { name: 'API calls' }).click()
  const calls = page.getByRole('complementary', { name: 'API calls' })

  const runCopied = async (name: RegExp) => {
    const control = calls.getByRole('button', { name }).first()
    await control.click()
    await calls.getByRole('button', { name: 'Copy as curl' }).click()
    await calls.getByRole('button', { name: 'Copied' }).waitFor()
    const curl = await page.evaluate<string>('navigator.clipboard.readText()')
    await expectAccessible(page)
    await control.click()
    const env = { PATH: process.env.PATH, TOKEN: await accessToken() }
    const { stdout } = await promisify(execFile)('bash', ['-c', curl], { env })
    return JSON.parse(stdout)
  }
  expect(await runCopied(/GET.*\/v1\/customers\/find/)).toMatchObject({ id: customer.id })
  // A sale sent twice is the same sale.
  const booked = await runCopied(/POST.*\/v1\/transactions\/process/)
  await expectBookedOnce(customer, booked.opaqueId)

  await page.keyboard.press('Escape')
  await calls.waitFor({ state: 'detached' })
  expectCalm(opened)
})
