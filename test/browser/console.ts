/** What journeys through the console have in common. */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import { beforeEach } from 'vitest'
import { isFull } from '../support/full.ts'
import {
  callApi,
  demo,
  expectAccessible,
  expectReadable,
  type Opened,
  type OpenOptions,
  openPage,
  openSignedIn,
  unique,
} from './browser.ts'

interface ConsoleOptions extends OpenOptions {
  readonly email?: string
  readonly password?: string
}

/** A page of the console, signed in. */
export async function openConsole(path: string, options: ConsoleOptions = {}): Promise<Opened> {
  const { email = demo.consoleEmail, password = demo.consolePassword } = options
  const opened = await openPage(options)
  const { page } = opened
  await openSignedIn(page, demo.consoleUrl + path, email, password)
  await page.getByRole('navigation', { name: 'Menu' }).waitFor({ state: 'attached' })
  return opened
}

export const pageTitle = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('heading', { level: 1, name, exact: true })

/** The address behind `/console`. */
export function addressOf(page: Page): { readonly path: string; readonly search: Record<string, string> } {
  const { pathname, searchParams } = new URL(page.url())
  return { path: pathname.replace(/^\/console/, '') || '/', search: Object.fromEntries(searchParams) }
}

/**
 * By day, and in the full check also by night: contrast is another in the dark. Of pages as they open,
 * screenshots.test.ts does both each time: a journey looks at what became of one.
 */
export async function expectAccessibleInBothSchemes(page: Page): Promise<void> {
  await expectAccessible(page)
  if (!isFull) return
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    if (colorScheme === 'dark') await expectReadable(page)
  }
}

/** The rows of a list, without its head. */
export const rowsOf = (page: Page): Locator =>
  page
    .getByRole('main')
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })

/** Of an image, 0 until it is there: what is not found is not drawn. */
export const naturalWidth = (image: Locator): Promise<number> =>
  image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth)

/** Waits for a list to show the rows of its address. */
export async function waitForRows(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('table').and(page.locator('[aria-busy=false]')).waitFor()
}

export async function fileFrom(
  page: Page,
  save: () => Promise<void>,
): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), save()])
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
}

/** As a spreadsheet reads it: RFC 4180. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  const cells = text.replace(/^\ufeff/, '').matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)
  for (const [, quoted, plain = '', end] of cells) {
    rows.at(-1)!.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '\r\n') rows.push([])
    if (end === '') break
  }
  return rows.slice(0, -1)
}

/** Of the demo's café. */
const timeZone = 'America/New_York'
const dayMs = 86_400_000

/** A day of the café, counted back from today: those that are over no journey changes. */
export function dayBefore(days: number): string {
  // From day to day, since not all of them have 24 hours.
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date())
  return new Date(Date.parse(today) - days * dayMs).toISOString().slice(0, 10)
}

/** For tests that speak of today: one that could not end before midnight in the café begins after it. */
export function stayOnOneDay(): void {
  beforeEach(async ({ task }) => {
    const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, timeStyle: 'medium' }).format(new Date())
    const left = dayMs - Date.parse(`1970-01-01T${clock}Z`)
    if (left <= task.timeout) await sleep(left)
  }, 180_000)
}

interface Invited {
  readonly email: string
  /** The link to hand over. */
  readonly invitation: string
}

/** A merchant who begins today, with an owner who is invited. */
export async function newOrganization(
  currency = 'USD',
): Promise<Invited & { readonly id: string; readonly name: string }> {
  const name = `Bakery ${unique()}`
  const { id } = await callApi('POST', '/admin/v1/organizations', {
    token: demo.adminToken,
    body: { name, country: 'US', currency, timezone: 'America/New_York' },
  })
  return { id, name, ...(await invite(id, 'owner')) }
}

/** As the operator of the platform. */
export async function invite(organization: string, role: 'owner' | 'manager' | 'cashier'): Promise<Invited> {
  const email = `${role}-${unique()}@bakery.example`
  const { invitation } = await callApi('POST', `/admin/v1/organizations/${organization}/people`, {
    token: demo.adminToken,
    body: { email, role },
  })
  return { email, invitation: invitation.url }
}

/** Opens an invitation in a browser of its own and chooses a password. */
export async function join(invitation: string, name: string, options: ConsoleOptions = {}): Promise<Opened> {
  const opened = await openPage(options)
  const { page } = opened
  await page.goto(invitation)
  await page.getByLabel('Your name').fill(name)
  await page.getByRole('textbox', { name: 'New password' }).fill(options.password ?? chosenPassword)
  await page.getByRole('button', { name: 'Get started' }).click()
  await page.getByRole('navigation', { name: 'Menu' }).waitFor({ state: 'attached' })
  return opened
}

export const chosenPassword = 'chosen by the invited'
