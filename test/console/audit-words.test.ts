import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))

interface Operation {
  readonly operationId: string
  readonly security?: readonly Record<string, readonly string[]>[]
}

/** What people change is in the audit log, except for sales, which are a list of their own, and the own password. */
const changes = Object.entries<Record<string, Operation>>(read('openapi.json').paths)
  .filter(([path]) => !path.startsWith('/auth/'))
  .flatMap(([, item]) => Object.entries(item))
  .filter(([method, { security = [] }]) => method !== 'get' && security.some((scheme) => 'session' in scheme))
  .map(([, { operationId }]) => operationId)
  .filter((name) => !/^(?:validate|preview|backtest|try)|^(?:process|return)Transaction$/.test(name))

test.each(['en', 'de', 'ar'])('the audit log has words in %s for every change', (language) => {
  const { action } = read(`console/locales/${language}/developers.json`)
  expect(changes.length).toBeGreaterThan(40)
  expect(changes.filter((name) => !(name in action))).toEqual([])
})
