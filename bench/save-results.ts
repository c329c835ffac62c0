/**
 * Writes files in `results/`. Each of them says when, of which commit and on what it was measured; where a run may
 * measure a part, each entry says so for itself.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { dirname } from 'node:path'
import { packageRoot } from '../src/package-root.ts'
import { readHostTime } from './cpu.ts'
import { fileOf, type Origin, readEntries } from './read-results.ts'

/** Read when a program starts, because others may commit while it measures. */
const measured = readCommit()
const hostTimeBefore = readHostTime()
/** Above this, ratios differ from round to round by more than what they are to show. */
const tolerable = 0.03

/** Writes `results/<name>.json`. */
export function saveResults(name: string, results: object): void {
  write(name, { ...originNow(), ...results })
}

/** Replaces these entries of `results/<name>.json`, and keeps those that another run has measured. */
export function saveEntries(name: string, entries: Record<string, object>): void {
  const origin = originNow()
  const stamped = Object.entries(entries).map(([key, entry]) => [key, { ...origin, ...entry }])
  write(name, { entries: { ...readEntries(name), ...Object.fromEntries(stamped) } })
}

function originNow(): Origin {
  const { model = '' } = cpus()[0] ?? {}
  const machine = {
    processor: process.arch,
    // ARM has no name for it.
    ...(!/^(?:unknown)?$/.test(model) && { model }),
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  }
  return { measuredAt: new Date().toISOString(), ...measured, machine, ...takenByOthers() }
}

function takenByOthers(): Pick<Origin, 'takenByOthers'> {
  const now = readHostTime()
  if (!now || !hostTimeBefore) return {}
  const [used, taken] = [now.used - hostTimeBefore.used, now.taken - hostTimeBefore.taken]
  const share = Math.round((taken / (used + taken || 1)) * 1000) / 1000
  if (share > tolerable) {
    const percent = Math.round(share * 100)
    console.error(
      `The host of this computer gave ${percent} % of the processor time to others. Measure again when it is quieter, if times matter.`,
    )
  }
  return { takenByOthers: share }
}

/** Results and documents may differ: a series of measurements writes the former, and nothing measures the latter. */
function readCommit(): Pick<Origin, 'commit' | 'isTreeChanged'> {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: packageRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const changes = git('status', '--porcelain', '--', '.', ':!bench/results', ':!*.md')
    return { commit: git('rev-parse', '--short', 'HEAD').trim(), isTreeChanged: changes !== '' }
  } catch {
    return { commit: 'unknown' }
  }
}

function write(name: string, results: object): void {
  const file = fileOf(name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, textOf(results))
  console.error(`Kept in bench/results/${name}.json; npm run generate brings it into the docs.`)
}

/** Six digits are more than anything here is measured to; a series of numbers stands on one line. */
function textOf(results: object): string {
  const short = (_key: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value
  const text = JSON.stringify(results, short, 2)
  return `${text.replaceAll(/\[[\d\s.,e+-]+\]/g, (series) => series.replaceAll(/\s+/g, ' ').replaceAll(/(?<=\[) | (?=\])/g, ''))}\n`
}
