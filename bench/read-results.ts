/** The files in `results/`, which the benchmark, the fault tests and the runs of the test suite write. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../src/package-root.ts'

/** When, of which commit and on what something was measured. */
export interface Origin {
  readonly measuredAt: string
  readonly commit: string
  /** Whether files other than results and documents differed from the commit. */
  readonly isTreeChanged?: boolean
  readonly machine: Machine
  /** Share of the wanted processor time that the host of a virtual computer gave to others meanwhile. */
  readonly takenByOthers?: number
}

export interface Machine {
  readonly processor?: string
  readonly model?: string
  readonly cores: number
  readonly memoryGb?: number
  readonly node?: string
}

/** What was measured round after round. */
export interface Series {
  readonly median: number
  readonly spread: readonly [low: number, high: number]
  readonly values?: readonly number[]
}

export const fileOf = (name: string) => join(packageRoot, `bench/results/${name}.json`)

/** A file of `saveResults`; undefined if nobody has measured it yet. */
export function readResults<T extends object>(name: string): (Origin & T) | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(name), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** What each run that measured a part has left in a file of `saveEntries`. */
export function readEntries<T extends object>(name: string): Record<string, Origin & T> {
  return readResults<{ entries: Record<string, Origin & T> }>(name)?.entries ?? {}
}

/** `full.json` and `quick.json`, of `run.ts`. */
export interface FullResults {
  readonly rounds: number
  readonly seconds: number
  readonly raw: string
  readonly bigCustomers: number
  readonly summary: readonly (Series & { readonly name: string })[]
  readonly figures: Record<string, readonly number[]>
}

/** `cost.json`: µs of processor time by call and by the number of tills, and what was compared in each round. */
export interface CostResults {
  readonly rounds: number
  readonly bytesPerCustomer: number
  readonly calls: Record<'service' | 'database' | 'timesEcho', Record<string, Series>>
  readonly ratios?: Record<string, Series>
  readonly loads: Record<'service' | 'database', Record<string, Series>>
  readonly workers: Record<string, Series>
}

/** `organizations.json`: by target, of each comparison. */
export interface ComparedRates {
  readonly ratios: Record<string, Series>
  readonly perSecond: Record<string, Series>
  /** Processor time of all PostgreSQL servers, and on the side that it is compared with. */
  readonly databaseUs?: Record<string, Series>
  readonly databaseUsOfOther?: Record<string, Series>
}

/** `neighbors.json`, by what was measured. */
export type NeighborSeries = Record<'series', Record<string, Series>>

/** A command of `backup.json` or `import.json`. */
export interface TimedCommand {
  readonly seconds: number
  readonly processorSeconds: number
}

export interface BackupResults {
  readonly ledgerEntries: number
  readonly fileMb: number
  readonly backup: TimedCommand & { readonly rows: number; readonly textBytes: number }
  readonly verify: TimedCommand
  readonly restore: TimedCommand & { readonly parts: Record<'rows' | 'indexes' | 'check' | 'all', number> }
}

export interface ImportResults {
  readonly rows: number
  readonly rowsPerSecond: number
}
