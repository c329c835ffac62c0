/** The guides, without running them: `npm run check:guides` does that. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import groups from '../docs/pages.json' with { type: 'json' }
import { incompleteSteps, languages, matchesShown, readSteps } from '../scripts/guide-steps.mjs'
import { packageRoot } from '../src/package-root.ts'

const textOf = (path: string) => readFileSync(join(packageRoot, path), 'utf8')
const guides = readdirSync(join(packageRoot, 'docs/guides'))
  .map((name) => ({ name, text: textOf(`docs/guides/${name}`) }))
  .filter(({ text }) => /^```(?:bash|ts|python)/m.test(text))
const pages = groups.flatMap((group) => group.pages)

describe('guides', () => {
  test('are there for every part of an integration', () => {
    expect(guides.map(({ name }) => name.replace('.md', ''))).toEqual([
      'branches',
      'coupons',
      'events',
      'first-integration',
      'going-live',
      'registering',
      'retries',
      'returns',
      'spending-points',
    ])
  })

  test.each(guides)(
    '$name shows each step in all languages, and nothing that is not run',
    ({ name, text }) => {
      const steps = readSteps(text, name)
      expect(incompleteSteps(steps, name)).toEqual([])
      expect(steps.filter(({ snippets }) => snippets.bash).length).toBeGreaterThanOrEqual(3)
      // An interactive zsh would run a comment.
      for (const { snippets } of steps) expect(snippets.bash ?? '').not.toMatch(/(?:^|\s)#/m)
    },
  )

  test('a block that would not be run is found', () => {
    const block = (kind: string) => `\`\`\`${kind}\necho\n\`\`\`\n`
    const all = languages.map(block).join('\n')
    expect(readSteps(all + block('text output'), 'a')).toHaveLength(1)
    expect(incompleteSteps(readSteps(block('bash') + block('ts'), 'a'), 'a')).toEqual(['a:1'])
    expect(() => readSteps(`${all}\nProse\n${block('ts')}`, 'a')).toThrow('a:14: a block `ts`')
    expect(() => readSteps(block('python'), 'a')).toThrow('is not run')
    expect(() => readSteps(block('json'), 'a')).toThrow('is not run')
    expect(() => readSteps(all + block('yaml'), 'a')).toThrow('is not run')
  })

  test.each([
    [{ id: 'cus_…', n: 1 }, { id: 'cus_12', n: 1 }, false, true],
    [{ id: 'cus_…', n: 1 }, { id: 'card_12', n: 1 }, false, false],
    [{ n: 1 }, { n: 1, more: 2 }, false, false],
    [{ n: 1 }, { n: 1, more: 2 }, true, true],
    [{ n: 1, more: 2 }, { n: 1 }, true, false],
    [[1], [1, 2], true, false],
    [{ n: '1' }, { n: 1 }, true, false],
    [{ at: '…' }, { at: 12 }, false, true],
    [{ at: '…' }, {}, true, false],
  ])('%j shown for %j, in part: %s, fits: %s', (shown, actual, isExcerpt, fits) => {
    expect(matchesShown(shown, actual, isExcerpt)).toBe(fits)
  })
})

describe('pages under /docs', () => {
  test('every guide is one of them', () => {
    const sources = new Set(pages.map(({ source }) => source))
    const missing = readdirSync(join(packageRoot, 'docs/guides')).filter(
      (name) => !sources.has(`docs/guides/${name}`),
    )
    expect(missing).toEqual([])
  })

  test('their paths and titles are used once, and an image is built from all of them', () => {
    for (const key of ['path', 'title', 'source'] as const)
      expect(new Set(pages.map((page) => page[key])).size).toBe(pages.length)
    const copied = textOf('.dockerignore').split('\n')
    const left = pages.filter(
      ({ source }) => !copied.some((line) => `${source}/`.startsWith(`${line.slice(1)}/`)),
    )
    expect(left).toEqual([])
  })
})
