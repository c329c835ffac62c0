/** Documents quote what is in `bench/results/`, and results say where they come from. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Aimed, aimed } from '../bench/aims.ts'
import { describeAims, isMissed } from '../scripts/describe-aims.ts'
import { documentsWithFigures, figures, fillFigures } from '../scripts/describe-figures.ts'
import { originsText, seriesText } from '../scripts/figure-words.ts'
import { packageRoot } from '../src/package-root.ts'

const read = (path: string) => readFileSync(join(packageRoot, path), 'utf8')
const place = /^<!-- (figures: .+|npm run .+) -->\n[\s\S]*?^<!-- end of it -->$/gm

describe('figures in documents', () => {
  test.each(documentsWithFigures)('%s has those of the newest results: npm run generate', (path) => {
    expect(fillFigures(read(path))).toBe(read(path))
  })

  test('each of them is in one document, which is written with the others', () => {
    const documents = readdirSync(join(packageRoot, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => `docs/${path.replaceAll('\\', '/')}`)
    const places = documents.flatMap((path) =>
      [...read(path).matchAll(place)].map(([, name]) => ({ path, name })),
    )
    expect([...new Set(places.map(({ path }) => path))].sort()).toEqual([...documentsWithFigures].sort())
    expect(places.map(({ name }) => name).sort()).toEqual(Object.keys(figures).sort())
  })

  test.each(['docs/guides/capacity.md', 'docs/guides/scale.md'])(
    'what %s says besides was measured by hand on a day that it names',
    (path) => {
      const measured =
        /\d (?:ms|µs|bytes|KB|MB|times|seconds|per second)\b|\d×|(?<![\d.] ?)\b\d+\.\d+(?![\d.])/
      const prose = read(path).replaceAll(place, '').split('\n')
      const undated = prose.filter(
        (line) => measured.test(line) && !/[Bb]y hand, on \d+ \w+ \d{4}/.test(line),
      )
      expect(undated, 'let npm run generate write it, or say when it was measured by hand').toEqual([])
    },
  )
})

test('every result says when it was measured, and of which commit', () => {
  const folder = 'bench/results'
  const files = readdirSync(join(packageRoot, folder)).filter((name) => name.endsWith('.json'))
  const silent = files.flatMap((name) => {
    const results = JSON.parse(read(`${folder}/${name}`))
    const parts = typeof results.entries === 'object' ? Object.entries(results.entries) : [['', results]]
    return parts.flatMap(([part, { measuredAt, commit, machine }]) =>
      Number.isFinite(Date.parse(measuredAt)) && commit && machine?.cores ? [] : [`${name} ${part}`],
    )
  })
  expect(files.length).toBeGreaterThan(5)
  expect(silent).toEqual([])
})

describe('a table of aims', () => {
  const base: Aimed = {
    file: 'full',
    name: 'a',
    words: 'a ÷ b',
    aim: { kind: 'at least', value: 0.8 },
    find: () => ({ median: 0.4, spread: [0.3, 0.5] }),
    reason: 'Because.',
    larger: 'more',
  }
  const rowsOf = (...aimed: Aimed[]) => describeAims(aimed).split('\n').slice(4)

  test('has a reason for each that the newest results miss: bench/aims.ts', () => {
    expect(aimed.filter((each) => isMissed(each) && !each.reason).map(({ words }) => words)).toEqual([])
  })

  test('says plainly what was missed, and why', () => {
    expect(rowsOf(base)).toEqual([
      '| a ÷ b | at least 0.80 | 0.40 (0.30 to 0.50) | **missed** | Because. | more |',
    ])
  })

  test('gives no reason for what was met, and no verdict on what was not measured', () => {
    expect(rowsOf({ ...base, aim: { kind: 'at most', value: 0.4 } })).toEqual([
      '| a ÷ b | at most 0.40 | 0.40 (0.30 to 0.50) | met | | more |',
    ])
    expect(rowsOf({ ...base, find: () => undefined })).toEqual([
      '| a ÷ b | at least 0.80 | | not measured yet | | more |',
    ])
  })

  test('is content with something else that is enough', () => {
    const or = { aim: { kind: 'at most', value: 100 } as const, unit: 'ms', find: () => ({ median: 47.25 }) }
    expect(rowsOf({ ...base, larger: undefined, or })).toEqual([
      '| a ÷ b | at least 0.80, or at most 100 ms | 0.40 (0.30 to 0.50); 47.3 ms | met | | |',
    ])
  })

  test('does not repeat a reason', () => {
    expect(
      rowsOf(base, base, { ...base, reason: 'Not this.' }).map((row) => row.split(' | ').slice(4)),
    ).toEqual([
      ['Because.', 'more |'],
      ['as above', 'as above |'],
      ['Not this.', 'as above |'],
    ])
  })
})

test('a figure has as many digits as it deserves', () => {
  expect([0.123, 12.34, 1234.5, 2].map((median) => seriesText({ median }))).toEqual([
    '0.12',
    '12.3',
    '1,235',
    '2',
  ])
  expect(seriesText({ median: 1, spread: [0.5, 2] }, 'ms')).toBe('1 ms (0.50 to 2)')
})

test('runs of one day are named together', () => {
  const machine = { cores: 2, processor: 'x64', memoryGb: 24 }
  const origin = (measuredAt: string, commit: string, isTreeChanged = false) => ({
    ...{ measuredAt, commit, isTreeChanged, machine },
  })
  expect(
    originsText([
      origin('2026-11-18T10:00:00Z', 'aaa'),
      origin('2026-11-18T23:00:00Z', 'bbb', true),
      origin('2026-11-19T01:00:00Z', 'aaa'),
    ]),
  ).toBe(
    'on 18 November 2026, commit aaa and commit bbb with changes; on 19 November 2026, commit aaa; 2 cores (x64) and 24 GB of memory',
  )
})
