/**
 * Keeps in `bench/results/tests.json` what a run of the tests has found, by part of the suite, because documents quote
 * it: TEST_RECORD says under which name. A part of which not every test was asked for is left out.
 */
import { relative } from 'node:path'
import type { Reporter, TestModule, Vitest } from 'vitest/node'
import { saveEntries } from '../../bench/save-results.ts'
import { packageRoot } from '../../src/package-root.ts'
import { isFull } from './full.ts'
import { pgBouncerProgram } from './pgbouncer.ts'
import { describeTarget } from './test-target.ts'

export interface RecordedPart {
  readonly form: 'quick' | 'full'
  readonly versions: Readonly<Record<string, string>>
  readonly files: number
  readonly tests: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export default class RecordRun implements Reporter {
  #vitest!: Vitest

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  async onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: string): Promise<void> {
    const name = process.env.TEST_RECORD
    if (!name || reason === 'interrupted' || this.#vitest.config.testNamePattern) return
    const all = await this.#vitest.globTestSpecifications()
    const filesOf = countBy(all.map(({ moduleId }) => partOf(moduleId)))
    const { versions } = await describeTarget({
      database: process.env.TEST_DATABASE_URL,
      bin: process.env.TEST_POSTGRES_BIN,
      pgBouncer: pgBouncerProgram,
    })
    const entries: Record<string, RecordedPart> = {}
    for (const part of new Set(modules.map(({ moduleId }) => partOf(moduleId)))) {
      const ran = modules.filter(({ moduleId }) => partOf(moduleId) === part)
      if (ran.length < filesOf.get(part)!) console.log(`Not recorded, because it was run in part: ${part}`)
      else entries[`${name}: ${part}`] = { form: isFull ? 'full' : 'quick', versions, ...countTests(ran) }
    }
    saveEntries('tests', entries)
  }
}

/** The folder of a test, or what those that belong together are called. */
export function partOf(file: string): string {
  const path = relative(packageRoot, file).replaceAll('\\', '/')
  if (path.startsWith('test/tidy')) return 'test/tidy*'
  return /^(?:src|test\/[^/]+(?=\/)|test)/.exec(path)![0]
}

function countTests(modules: readonly TestModule[]) {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const states = countBy(tests.map((test) => test.result().state))
  // A file that could not be loaded has no tests that could fail.
  const broken = modules.filter((module) => module.errors().length > 0).length
  return {
    files: modules.length,
    tests: tests.length + broken,
    passed: states.get('passed') ?? 0,
    failed: (states.get('failed') ?? 0) + broken,
    skipped: (states.get('skipped') ?? 0) + (states.get('pending') ?? 0),
  }
}

function countBy<T>(items: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}
