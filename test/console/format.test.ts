/** How the pages write what cannot be waited for in a browser. */
import { join } from 'node:path'
import i18next from 'i18next'
import { beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'

interface Formats {
  formatRelative(at: Date, now: number): string
  formatNumber(value: number): string
  formatMoney(value: number, currency: string): string
  formatDate(at: string, timeZone: string): string
}
let formats: Formats

beforeAll(async () => {
  await i18next.init({ lng: 'en' })
  formats = await import(join(packageRoot, 'console/i18n/format.ts'))
})

const [minute, hour, day] = [60, 3_600, 86_400]

test.each([
  { seconds: 0, said: 'now' },
  { seconds: -59.4, said: '59 seconds ago' },
  { seconds: -59.6, said: '1 minute ago' },
  { seconds: -59.4 * minute, said: '59 minutes ago' },
  { seconds: -59.6 * minute, said: '1 hour ago' },
  { seconds: -23.4 * hour, said: '23 hours ago' },
  { seconds: -23.6 * hour, said: 'yesterday' },
  { seconds: 5 * day, said: 'in 5 days' },
  { seconds: -29.6 * day, said: 'last month' },
  { seconds: -200 * day, said: '7 months ago' },
  { seconds: -364 * day, said: 'last year' },
  { seconds: -3 * 365 * day, said: '3 years ago' },
])('$seconds seconds are $said', ({ seconds, said }) => {
  const now = Date.UTC(2026, 2, 14)
  expect(formats.formatRelative(new Date(now + seconds * 1000), now)).toBe(said)
})

test('numbers, money and days are written as the language does', async () => {
  const { formatNumber, formatMoney, formatDate } = formats
  const day = () => formatDate('2026-03-14T12:00:00Z', 'America/New_York')
  expect([formatNumber(1234), day()]).toEqual(['1,234', 'Mar 14, 2026'])
  await i18next.changeLanguage('de')
  expect([formatNumber(1234), day()]).toEqual(['1.234', '14.03.2026'])
  expect(formatMoney(3.5, 'USD').replace(/[\u2066-\u2069]/g, '')).toMatch(/^3,50\s\$$/)
  await i18next.changeLanguage('en')
})
