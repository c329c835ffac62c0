/**
 * The console draws its forms from schemas and looks their English words up in its texts, to show them in other
 * languages. A word that is missing there would stay English in all of them.
 */
import { readdirSync, readFileSync } from 'node:fs'
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

const textsOf = (language: string): string[] =>
  Object.keys(
    JSON.parse(
      readFileSync(join(packageRoot, `console/locales/${language}/schema-texts.json`), 'utf8'),
    ) as object,
  )

test('every word of the schemas and templates is translated, and no translation is of something gone', async () => {
  const schemas = (await merchant.call('GET', '/v1/rule-schemas')).body
  const templates = (await merchant.call('GET', '/v1/campaign-templates')).body as {
    title: string
    description: string
  }[]
  const words = [...wordsOf(schemas), ...templates.flatMap(({ title, description }) => [title, description])]
  for (const language of readdirSync(join(packageRoot, 'console/locales'))) {
    // English is shown as it stands, but for what a form says better in fewer words.
    if (language === 'en') expect(textsOf(language).filter((text) => !words.includes(text))).toEqual([])
    else expect(textsOf(language).sort(), language).toEqual([...new Set(words)].sort())
  }
})
