import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))

interface Operation {
  readonly operationId: string
  readonly security?: readonly Record<string, readonly string[]>[]
}

/** What a back office changes is in the audit log. */
const changes = Object.values<Record<string, Operation>>(read('openapi.json').paths)
  .flatMap((item) => Object.entries(item))
  .filter(([method]) => method !== 'get')
  .map(([, operation]) => operation)
  .filter(({ security = [] }) =>
    security.some((scheme) =>
      Object.values(scheme).some((scopes) => !scopes.includes('pos') && scopes.length > 0),
    ),
  )
  .map(({ operationId }) => operationId)
  .filter((name) => !/^(?:validate|preview)/.test(name))

test.each(['en', 'de', 'ar'])('the audit log has words in %s for every change', (language) => {
  const { action } = read(`console/locales/${language}/developers.json`)
  expect(changes.length).toBeGreaterThan(40)
  expect(changes.filter((name) => !(name in action))).toEqual([])
})
