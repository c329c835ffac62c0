/**
 * Browser profiles with a window each. One is emptied after a test and used by the next: a new one begins with a process
 * that has compiled nothing, and takes twice as long to open its first page.
 */
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'

export interface ProfileOptions {
  readonly width: number
  readonly height: number
  readonly colorScheme: 'light' | 'dark'
  readonly locale: string
  readonly hasTouch: boolean
}

export interface Profile {
  readonly options: ProfileOptions
  readonly context: BrowserContext
  readonly page: Page
  readonly session: CDPSession
}

/** Emptied ones. */
const idle: Profile[] = []

const isSame = (a: ProfileOptions, b: ProfileOptions) =>
  (Object.keys(a) as (keyof ProfileOptions)[]).every((key) => a[key] === b[key])

/** One that was used before, unless there is none. */
export async function usedProfile(browser: Browser, options: ProfileOptions): Promise<Profile> {
  const place = idle.findIndex((profile) => isSame(profile.options, options))
  return place < 0 ? newProfile(browser, options) : idle.splice(place, 1)[0]!
}

export async function newProfile(browser: Browser, options: ProfileOptions): Promise<Profile> {
  const { width, height, ...others } = options
  const context = await browser.newContext({
    ...others,
    viewport: { width, height },
    reducedMotion: 'reduce',
    permissions: ['camera', 'clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  return { options, context, page, session: await context.newCDPSession(page) }
}

/** Leaves nothing of a journey but files in the cache: those may stay for good, and the browser asks for all others. */
export async function putAway(profile: Profile, origin: string): Promise<void> {
  const { context, page, session, options } = profile
  const { width, height, colorScheme } = options
  try {
    for (const event of ['console', 'pageerror', 'request', 'response'] as const) {
      page.removeAllListeners(event)
      if (event !== 'pageerror') context.removeAllListeners(event)
    }
    await Promise.all(context.pages().map((one) => (one === page ? undefined : one.close())))
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await context.setOffline(false)
    // A page of the same origin, which the process is kept for.
    await page.goto(`${origin}/livez`)
    await page.evaluate('sessionStorage.clear(), localStorage.clear()')
    const storageTypes = 'indexeddb,cache_storage,service_workers,websql,file_systems'
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes })
    await context.clearCookies()
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce', media: null })
    await session.send('Page.resetNavigationHistory')
    idle.push(profile)
  } catch {
    // One that was closed, or cannot be left.
    await context.close()
  }
}
