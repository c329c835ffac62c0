/** What journeys through the console have in common. */
import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import {
  callApi,
  demo,
  expectAccessible,
  type Opened,
  type OpenOptions,
  openPage,
  unique,
} from './browser.ts'

interface ConsoleOptions extends OpenOptions {
  readonly email?: string
  readonly password?: string
}

/** Comes by the address of a page, is asked to sign in, and gets to that page. */
export async function openConsole(path: string, options: ConsoleOptions = {}): Promise<Opened> {
  const { email = demo.consoleEmail, password = demo.consolePassword } = options
  const opened = await openPage(options)
  const { page } = opened
  await page.goto(demo.consoleUrl + path)
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.keyboard.press('Enter')
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

/** By day and by night: contrast is another in the dark. */
export async function expectAccessibleInBothSchemes(page: Page): Promise<void> {
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: 'light' })
}

/** The rows of a list, without its head. */
export const rowsOf = (page: Page): Locator =>
  page
    .getByRole('main')
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })

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

interface FreshOrganization {
  readonly id: string
  readonly name: string
  readonly email: string
  /** The link that the owner was given. */
  readonly invitation: string
}

/** A merchant who begins today, and the invitation of the owner. */
export async function newOrganization(): Promise<FreshOrganization> {
  const mark = unique()
  const name = `Bakery ${mark}`
  const email = `owner-${mark}@bakery.example`
  const asOperator = { token: demo.adminToken }
  const { id } = await callApi('POST', '/admin/v1/organizations', {
    ...asOperator,
    body: { name, country: 'US', currency: 'USD', timezone: 'America/New_York' },
  })
  const { invitation } = await callApi('POST', `/admin/v1/organizations/${id}/people`, {
    ...asOperator,
    body: { email, role: 'owner' },
  })
  return { id, name, email, invitation: invitation.url }
}

/** Opens an invitation in a browser of its own and chooses a password. */
export async function join(invitation: string, name: string, options: ConsoleOptions = {}): Promise<Opened> {
  const opened = await openPage(options)
  const { page } = opened
  await page.goto(invitation)
  await page.getByLabel('Your name').fill(name)
  await page.getByRole('textbox', { name: 'New password' }).fill(options.password ?? chosenPassword)
  await page.getByRole('button', { name: 'Begin' }).click()
  await page.getByRole('navigation', { name: 'Menu' }).waitFor({ state: 'attached' })
  return opened
}

export const chosenPassword = 'chosen by the invited'
