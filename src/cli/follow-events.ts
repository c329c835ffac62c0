/** Events as they happen, until one is told to stop: a service that is away for a while is waited for. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isRefusal, type LoyaltyWallet, type Schemas, Unavailable } from '../../sdk/src/index.ts'
import { misused } from './failure.ts'

export type LoyaltyEvent = Schemas['LoyaltyEvent']

export interface FollowOptions {
  readonly since: Since
  readonly types?: readonly string[]
  readonly customer?: string | undefined
  /** Ends when everything that has happened so far was read. */
  readonly isOnce?: boolean
  readonly signal: AbortSignal
  note(text: string): void
}

export interface Since {
  readonly after?: string
  /** Older events are left out. */
  readonly from?: Date
}

const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `10m`, a time, the cursor of an event, or without any what happens from now on. */
export function readSince(text: string | undefined, now: Date): Since {
  if (text === undefined || text === 'now') return { after: 'latest' }
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== undefined && unit !== undefined)
    return { from: new Date(now.getTime() - Number(count) * units[unit]!) }
  if (/^\d+-[0-9a-f]{8}$/.test(text)) return { after: text }
  const from = new Date(text)
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(from.getTime())) return { from }
  throw misused(`--since: "${text}" is not a time such as 10m, 2h, 1d or 2026-01-31T12:00:00Z, nor a cursor.`)
}

/** Less than the SDK waits for an answer. */
const waitSeconds = 10
/** The most that the service allows: with --since, there may be many to go through. */
const pageSize = 1_000
const longestPauseMs = 15_000

export async function* followEvents(
  wallet: LoyaltyWallet,
  { since, types, customer, isOnce, signal, note }: FollowOptions,
): AsyncGenerator<LoyaltyEvent> {
  let after = since.after
  let wait = 0
  for (let failures = 0; !signal.aborted; ) {
    const query = {
      after,
      wait,
      customer,
      limit: pageSize,
      types: types as Schemas['EventType'][] | undefined,
    }
    try {
      const { data, cursor, hasMore } = await wallet.listEvents(query, { signal })
      if (failures > 0) note('The service is back.')
      failures = 0
      for (const event of data)
        if (since.from === undefined || new Date(event.timestamp) >= since.from) yield event
      after = cursor
      if (isOnce && !hasMore) return
      wait = hasMore ? 0 : waitSeconds
    } catch (error) {
      if (signal.aborted) return
      if (isRefusal(error, 'cursor_expired') && error.body.cursor !== undefined) {
        note('Some events are no longer kept, and were missed. Going on with the oldest that is.')
        after = error.body.cursor
      } else if (error instanceof Unavailable && (failures > 0 || wait > 0)) {
        failures += 1
        if (failures === 1) note('The service does not answer. Waiting for it to come back.')
        await sleep(Math.min(longestPauseMs, 1_000 * 2 ** failures), undefined, { signal }).catch(() => {})
      } else throw error
    }
  }
}
