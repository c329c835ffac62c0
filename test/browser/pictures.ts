/** Looks at pages, and leaves pictures for people in `screenshots/` in the full check. */
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { isFull } from '../support/full.ts'
import { expectAccessible, expectReadable } from './browser.ts'

const folder = join(packageRoot, 'screenshots')
export const desk = { width: 1280, height: 900 }
const phone = { width: 390, height: 844 }

interface Look {
  readonly name: string
  readonly size: typeof desk
  readonly colorScheme: 'light' | 'dark'
}
const looks: readonly Look[] = [
  { name: 'desk-light', size: desk, colorScheme: 'light' },
  { name: 'desk-dark', size: desk, colorScheme: 'dark' },
  { name: 'phone-dark', size: phone, colorScheme: 'dark' },
  { name: 'phone-light', size: phone, colorScheme: 'light' },
]
/** Both sizes and both schemes. */
const fewLooks = looks.filter(({ name }) => name === 'desk-light' || name === 'phone-dark')
/** Of a page that journeys have on the desk by day: where nothing may be too wide, and everything is dark. */
export const looksOfPage = isFull ? looks : fewLooks.slice(1)
/** What stands the other way round. */
export const arabicLooks = isFull ? fewLooks : fewLooks.slice(1)

/** As text: it runs in the page. Everything is there that it waits for, and drawn. */
const isDrawn = `!document.querySelector('[aria-busy=true], .mantine-Loader-root, .mantine-Skeleton-root') &&
  [...document.images].every(({ complete }) => complete) && document.fonts.status === 'loaded'`
const twoFrames = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

/**
 * Whether the page as it is now can be used, in several sizes and colors. In the quick check axe looks at the first of
 * them, and nothing is wider than the others.
 */
export async function look(page: Page, name: string, some = isFull ? looks : fewLooks): Promise<void> {
  const seen = new Set<Look['size']>()
  for (const { name: view, size, colorScheme } of some) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme })
    await expect.poll(() => page.evaluate(isDrawn)).toBe(true)
    await page.evaluate(twoFrames)
    // A chart follows the window a little later.
    const widthOf = () => page.evaluate('document.documentElement.scrollWidth')
    await expect.poll(widthOf).toBeLessThanOrEqual(size.width)
    const path = join(folder, `${name}-${view}.png`)
    if (isFull) await page.screenshot({ path, animations: 'disabled' })
    if (seen.has(size)) await expectReadable(page)
    else if (isFull || seen.size === 0) await expectAccessible(page)
    seen.add(size)
  }
}

/** The same for a page that is only for phones: in light colors, and in the full check in both schemes. */
export async function lookOnPhone(page: Page, name: string): Promise<void> {
  await look(page, name, isFull ? [looks[3]!, looks[2]!] : [looks[3]!])
}
