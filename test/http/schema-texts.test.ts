/**
 * The console draws its forms from schemas and looks their English words up in its texts, to show them in other
 * languages. A word that is missing there would stay English in all of them.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
})
afterAll(() => service.close())

/** Every title, description, sentence and label, wherever it stands. */
function wordsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    if (['title', 'description', 'x-sentence'].includes(name) && typeof inner === 'string') return [inner]
    return name === 'x-labels' ? Object.values(inner as Record<string, string>) : wordsOf(inner)
  })
}

test('every word of the schemas and templates is a text of the console, and no text is of something gone', async () => {
  const schemas = (await merchant.call('GET', '/v1/rule-schemas')).body
  const templates = (await merchant.call('GET', '/v1/campaign-templates')).body as {
    title: string
    description: string
  }[]
  const words = [...wordsOf(schemas), ...templates.flatMap(({ title, description }) => [title, description])]
  const file = join(packageRoot, 'console/locales/en/schema-texts.json')
  const texts = Object.keys(JSON.parse(readFileSync(file, 'utf8')))
  expect(texts.toSorted()).toEqual([...new Set(words)].sort())
})
