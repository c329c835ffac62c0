/** How the pages write what cannot be waited for in a browser. */
import { join } from 'node:path'
import i18next from 'i18next'
import { beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'

let formatRelative: (at: Date, now: number) => string

beforeAll(async () => {
  await i18next.init({ lng: 'en' })
  formatRelative = (await import(join(packageRoot, 'console/i18n/format.ts'))).formatRelative
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
  expect(formatRelative(new Date(now + seconds * 1000), now)).toBe(said)
})
