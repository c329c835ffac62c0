/** A real browser, and what every journey through the pages is held to. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'
import { newProfile, type Profile, type ProfileOptions, putAway, usedProfile } from './profiles.ts'
import type { DemoFile } from './running-service.ts'

export { expectAccessible, expectReadable } from './accessible.ts'

// As root there is no sandbox; the pages are our own. Nothing may ask the outside for anything.
const args = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
  '--use-fake-ui-for-media-stream',
  '--use-fake-device-for-media-stream',
]
/** A page lives for seconds, in which optimizing its scripts costs more than it saves. */
const unoptimized = '--js-flags=--no-opt --no-maglev --always-sparkplug'

export interface Opened {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors on the page's console, requests that left the machine, answers of 500: all of them, in words. */
  readonly problems: string[]
}

export interface OpenOptions extends Partial<ProfileOptions> {
  /** For all tests of the file; otherwise it is closed after the test that opened it. */
  readonly stays?: boolean
  /** For a journey that changes what its pages find before their first script. */
  readonly isNew?: boolean
  /** Statuses and texts that belong to the journey: the browser writes each failed request on its console. */
  readonly expected?: readonly (number | string)[]
}

/** That of this worker. */
export const demo: DemoFile = inject('demos')[Number(process.env.VITEST_POOL_ID) - 1]!

/** One for all files of the process, which ends with it: each has profiles of its own, and a start costs a second. */
let shared: Browser | undefined
let browser: Browser | undefined
let areNew = false
/** Until the file ends. */
let stayed: BrowserContext[] = []
let opened: (Profile & { readonly isNew: boolean })[] = []

const launch = (...more: string[]) =>
  chromium.launch({ executablePath: inject('browser'), args: [...args, ...more] })

interface StartOptions {
  /** For pages that compute, as those do that prove their work. */
  readonly optimizes?: boolean
  /** A new profile for each test, for journeys about what a browser keeps: files, a history, a page without a network. */
  readonly areNew?: boolean
}

export function startBrowser(options: StartOptions = {}): void {
  const { optimizes = false } = options
  beforeAll(async () => {
    if (!optimizes && !shared?.isConnected()) shared = await launch(unoptimized)
    browser = optimizes ? await launch() : shared
    areNew = optimizes || (options.areNew ?? false)
  })
  // A page that nobody looks at any more still asks for news, and takes time from the next.
  afterEach(async () => {
    const { origin } = new URL(demo.baseUrl)
    await Promise.all(
      opened.map((profile) => (profile.isNew ? profile.context.close() : putAway(profile, origin))),
    )
    opened = []
  })
  afterAll(async () => {
    await Promise.all(stayed.map((context) => context.close()))
    stayed = []
    if (optimizes) await browser?.close()
  })
}

/** An empty profile. `expectCalm` says at the end whether anything went wrong beside the journey. */
export async function openPage(options: OpenOptions = {}): Promise<Opened> {
  const { width = 1280, height = 900, colorScheme = 'light', locale = 'en-US' } = options
  const { hasTouch = false, expected = [], stays = false } = options
  const isNew = areNew || stays || (options.isNew ?? false)
  const open = isNew ? newProfile : usedProfile
  const profile = await open(browser!, { width, height, colorScheme, locale, hasTouch })
  const { context, page } = profile
  if (stays) stayed.push(context)
  else opened.push({ ...profile, isNew })
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`broke: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    const text = message.text()
    const isPart = (item: number | string) =>
      text.includes(typeof item === 'string' ? item : `status of ${item}`)
    if (!expected.some(isPart)) problems.push(`said: ${text} (${message.location().url})`)
  })
  context.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (/^(?:data|blob):$/.test(protocol)) return
    if (origin !== new URL(demo.baseUrl).origin) problems.push(`asked elsewhere: ${request.url()}`)
  })
  context.on('response', (response) => {
    if (response.status() >= 500 && !expected.includes(response.status())) {
      problems.push(`${response.status()}: ${response.url()}`)
    }
  })
  return { context, page, problems }
}

export function expectCalm({ problems }: Opened): void {
  expect(problems, problems.join('\n')).toEqual([])
}

/** Through the form, as people do. */
export async function signIn(
  page: Page,
  email = demo.consoleEmail,
  password = demo.consolePassword,
): Promise<void> {
  await page.goto(demo.consoleUrl)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Menu' }).waitFor({ state: 'attached' })
}

/**
 * Signs in without the form, which has journeys of its own, and goes to a page. The session belongs to this browser
 * alone, so that a journey may end it.
 */
export async function openSignedIn(
  page: Page,
  url: string,
  email = demo.consoleEmail,
  password = demo.consolePassword,
): Promise<void> {
  const reply = await page.request.post(`${demo.baseUrl}/auth/session`, { data: { email, password } })
  if (!reply.ok()) throw new Error(`not signed in: ${reply.status()} ${await reply.text()}`)
  // Pages cannot see the cookie and remember here that there is one; see console/api/client.ts. Only the first is told,
  // since a journey may sign out, and without another page before it, since a journey may go back.
  const note = await page.addInitScript({ content: `localStorage.setItem('lw-signed-in', '1')` })
  await page.goto(url)
  await note.dispose()
}

// biome-ignore lint/suspicious/noExplicitAny: replies are looked into freely, as in the tests of the API
type Body = any

interface CallOptions {
  readonly body?: unknown
  /** The demo's connection calls unless told. */
  readonly token?: string
  readonly status?: number
}

let demoToken: Promise<string> | undefined

/** Asks the service itself, to prepare a journey or to see what came of it. */
export async function callApi(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  { body, token, status }: CallOptions = {},
): Promise<Body> {
  demoToken ??= newToken(demo)
  const reply = await fetch(demo.baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${token ?? (await demoToken)}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await reply.text()
  if (status === undefined ? !reply.ok : reply.status !== status) {
    throw new Error(`${method} ${path}: ${reply.status} ${text}`)
  }
  return text === '' ? undefined : JSON.parse(text)
}

export async function newToken({
  apiKey,
  apiSecret,
}: Pick<DemoFile, 'apiKey' | 'apiSecret'>): Promise<string> {
  const headers = { 'x-api-key': apiKey, 'x-api-secret': apiSecret }
  const reply = await fetch(`${demo.baseUrl}/auth/token`, { method: 'POST', headers })
  if (!reply.ok) throw new Error(`no token: ${reply.status} ${await reply.text()}`)
  return ((await reply.json()) as Body).accessToken
}

/** For names and addresses that no other journey has, also when it is made a second time. */
export const unique = (): string => Math.random().toString(36).slice(2, 10)

let lastPhone = 0

/** Nobody else's in this demo: the clock does not come by the same millisecond again for two hours. */
export function newPhone(): string {
  lastPhone = Math.max(lastPhone + 1, Date.now())
  return `+1202${2_000_000 + (lastPhone % 8_000_000)}`
}

/** A card of the demo's campaign unless told. */
export async function newCustomer(
  data: Record<string, string> = {},
  campaignId = demo.campaignId,
): Promise<Body> {
  const mark = unique()
  const given = { fullname: `Visitor ${mark}`, phone: newPhone(), email: `${mark}@visitors.example`, ...data }
  return callApi('POST', '/v1/customers/register', {
    body: { campaignId, customer: { data: given } },
  })
}

/**
 * As a keyboard scanner types it: faster than anybody can. The time of each key is told to the page, which takes for a
 * scan only what was typed so fast, however long a busy computer takes to get it there.
 */
export async function scan(page: Page, code: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const begunAt = Date.now() / 1000
  for (const [i, key] of [...code, 'Enter'].entries()) {
    const isEnter = key === 'Enter'
    const typed = {
      key,
      windowsVirtualKeyCode: isEnter ? 13 : key.charCodeAt(0),
      timestamp: begunAt + i / 100,
    }
    await session.send('Input.dispatchKeyEvent', { ...typed, type: 'keyDown', text: isEnter ? '\r' : key })
    await session.send('Input.dispatchKeyEvent', { ...typed, type: 'keyUp' })
  }
  await session.detach()
}
