import type { StormResult } from './storm.ts'

/** A storm in `bench/results/faults.json`. */
export interface StormRecord {
  readonly storm: string
  readonly skipped?: string
  readonly strikes: number
  readonly requests?: number
  readonly acknowledged?: number
  readonly refused?: number
  /** Writes whose first attempt got no response or a 503. */
  readonly unknown?: number
  /** Of these, those that had been committed. */
  readonly found?: number
  readonly lost?: number
  readonly doubled?: number
  readonly answers503?: number
  readonly slowestMs?: number
  readonly backAfterMs?: number
  readonly problems: readonly string[]
  readonly tookMs: number
}

export function recordOf(result: StormResult & { readonly tookMs: number }): StormRecord {
  const { storm, skipped, strikes, tally, backAfterMs, problems, tookMs } = result
  if (!tally) return { storm, skipped, strikes, problems, tookMs }
  const { sent: requests, resentAndFound: found, ...counted } = tally
  return { storm, strikes, requests, found, ...counted, backAfterMs, problems, tookMs }
}
