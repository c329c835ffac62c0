/** Reads the source tree of the browser pages and enforces its own few conventions. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../src/package-root.ts'

const root = join(packageRoot, 'console')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.startsWith('node_modules/') && path !== 'api/schema.d.ts')
const code = paths.filter((path) => /\.tsx?$/.test(path)).map((path) => ({ path, text: read(path) }))

const matching = (pattern: RegExp, allowed: readonly string[] = []) =>
  code
    .filter(({ path }) => !allowed.includes(path))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, i) => (pattern.test(line) ? `${path}:${i + 1}: ${line.trim()}` : [])),
    )

describe('the pages', () => {
  test('speak HTTP only and never import the service; only how files are read is shared with it', () => {
    expect(matching(/from '(?:\.\.\/)+src\/(?!files\/)/)).toEqual([])
  })

  test('call the service in one way only, except for the pages of customers, who have no session', () => {
    expect(matching(/\bfetch\(/, ['api/calls.ts', 'wallet/card-request.ts', 'enroll/requests.ts'])).toEqual(
      [],
    )
  })

  test('format numbers and dates in one place', () => {
    expect(matching(/toLocale(?:Date|Time)?String\(|new Intl\.\w+Format/, ['i18n/format.ts'])).toEqual([])
  })

  test('use the same default color as the service', () => {
    const ours = /#[0-9a-f]{6}/.exec(readFileSync(join(packageRoot, 'src/domain/color.ts'), 'utf8'))![0]
    expect(read('theme.ts')).toContain(`'${ours}'`)
    expect(matching(new RegExp(ours), ['theme.ts'])).toEqual([])
  })

  test('have files in kebab-case of at most 300 lines', () => {
    const names = code.filter(
      ({ path }) => !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.config|\.d)?\.tsx?$/.test(basename(path)),
    )
    const long = code.filter(({ text }) => text.split('\n').length - 1 > 300)
    expect([...names, ...long].map(({ path }) => path)).toEqual([])
  })

  test('use start and end, so that they work from right to left', () => {
    const sided =
      /\b(?:ml|mr|pl|pr)=|\b(?:margin|padding|border)(?:Left|Right)\b|\bta="(?:left|right)"|\b(?:left|right): ?\d/
    expect(matching(sided)).toEqual([])
    const sheets = paths.filter((path) => path.endsWith('.css')).map((path) => ({ path, text: read(path) }))
    const sidedCss =
      /(?:margin|padding|border)-(?:left|right)|text-align: (?:left|right)|^\s*(?:left|right):/m
    expect(sheets.filter(({ text }) => sidedCss.test(text)).map(({ path }) => path)).toEqual([])
  })
})

describe('texts', () => {
  const languages = readdirSync(join(root, 'locales')).sort()
  const files = readdirSync(join(root, 'locales/en')).sort()
  /** Lists the path of every text as `a.b`; plural suffixes differ between languages and are removed. */
  const keysOf = (value: unknown, path = ''): string[] =>
    typeof value === 'string'
      ? [path.replace(/_(?:zero|one|two|few|many|other)$/, '')]
      : Object.entries(value as object).flatMap(([key, inner]) =>
          keysOf(inner, path ? `${path}.${key}` : key),
        )
  const keys = (language: string, file: string) => [
    ...new Set(keysOf(JSON.parse(read(`locales/${language}/${file}`)))),
  ]

  test('there are English, another language, and a right-to-left language', () => {
    expect(languages).toEqual(['ar', 'de', 'en'])
  })

  describe.each(languages)('in %s', (language) => {
    // Its keys are the English texts themselves, so the English file contains only the exceptions.
    const keyed = files.filter((file) => file !== 'schema-texts.json')
    test.each(keyed)('%s has the same keys as in English', (file) => {
      expect(keys(language, file).sort()).toEqual(keys('en', file).sort())
    })

    test('use the same placeholders as in English', () => {
      const placeholders = (value: unknown): unknown =>
        typeof value === 'string'
          ? [...new Set([...value.matchAll(/\{\{\s*(\w+)/g)].map(([, name]) => name))].sort()
          : Object.fromEntries(
              Object.entries(value as object).map(([key, inner]) => [key, placeholders(inner)]),
            )
      for (const file of keyed) {
        const [theirs, ours] = [language, 'en'].map(
          (name) => placeholders(JSON.parse(read(`locales/${name}/${file}`))) as Record<string, unknown>,
        )
        // Plural forms that only one of them has are not compared.
        const common = (a: unknown, b: unknown): unknown =>
          Array.isArray(a) || a === undefined || b === undefined
            ? a
            : Object.fromEntries(
                Object.entries(a as object)
                  .filter(([key]) => key in (b as object))
                  .map(([key, inner]) => [key, common(inner, (b as Record<string, unknown>)[key])]),
              )
        expect(common(theirs, ours), file).toEqual(common(ours, theirs))
      }
    })
  })

  test('of a page are loaded together with the page', () => {
    const routes = read('routes.tsx')
    const listed = (text: string) => [...text.matchAll(/'([\w-]+)'/g)].map(([, name]) => name!)
    const groups = new Map(
      [...routes.matchAll(/const (\w+) = (\[.*\])/g)].map(([, name, list]) => [name!, listed(list!)]),
    )
    const opened = [
      ...routes.matchAll(
        /(\[[^\]]*\]|\w+),\s*'\w+Page',\s*(?:\(\) => import\('\.\/pages\/([\w/-]+)\.tsx'\)|(\w+))/g,
      ),
    ]
    expect(opened.length).toBeGreaterThan(15)
    for (const [, texts, file, variable] of opened) {
      const path = `pages/${file ?? `${variable}/${variable}-page`}.tsx`
      const loaded = groups.get(texts!) ?? listed(texts!)
      const [, asked] = /useTranslation\(([^)]*)\)/.exec(read(path))!
      const missing = listed(asked!).filter((name) => name !== 'common' && !loaded.includes(name))
      expect(missing, `routes.tsx loads ${path} without these texts`).toEqual([])
    }
  })

  test('every namespace that a page uses exists', () => {
    const asked = code.flatMap(({ text }) =>
      [...text.matchAll(/useTranslation\('([\w-]+)'\)/g)].map(([, name]) => name!),
    )
    expect([...new Set(asked)].filter((name) => !files.includes(`${name}.json`))).toEqual([])
  })
})
