/** Follows the events of the organization for as long as a page shows them. */
import { ApiError, api, dataOf, type Schemas } from '../../api/client.ts'
import type { EventType } from '../../i18n/event-words.ts'

export type LoyaltyEvent = Schemas['LoyaltyEvent']

/** Where the reading began, and how far it has come. */
export interface Place {
  start?: string
  cursor?: string
}

interface Listener {
  /** Oldest first. */
  readonly onEvents: (events: readonly LoyaltyEvent[]) => void
  /** What follows is not connected to what came before. */
  readonly onGap: () => void
  readonly onConnection: (isLost: boolean) => void
}

const waitSeconds = 25
const limit = 100
/** So that a busy day does not become a request for each event. */
const pauseMs = 500
/** A page that was hidden for hours does not read all that it has missed, only this many times `limit`. */
const mostInARow = 5
const longestRetryMs = 10_000

/**
 * Reads until the signal or a refusal for good, which it throws. Other failures are retried: the place is kept,
 * so that nothing is missed by them.
 */
export async function followEvents(
  type: EventType | undefined,
  place: Place,
  signal: AbortSignal,
  { onEvents, onGap, onConnection }: Listener,
): Promise<void> {
  let failures = 0
  let inARow = 0
  const startAnew = () => {
    place.start = undefined
    place.cursor = undefined
    onGap()
  }
  while (!signal.aborted) {
    try {
      const { data, cursor, hasMore } = await read(type, place.cursor, signal)
      place.start ??= cursor
      place.cursor = cursor
      failures = 0
      onConnection(false)
      onEvents(data)
      inARow = hasMore ? inARow + 1 : 0
      if (inARow >= mostInARow) startAnew()
      else if (data.length > 0 && !hasMore) await pause(pauseMs, signal)
    } catch (error) {
      if (signal.aborted) return
      const status = error instanceof ApiError ? error.status : 0
      if (status === 401 || status === 403) throw error
      // The place is too old, or of a database that was restored since.
      if (status === 410 || status === 400) startAnew()
      onConnection(true)
      await pause(Math.min(1_000 * 2 ** failures, longestRetryMs), signal)
      failures += 1
    }
  }
}

/** Without a cursor, only where the newest event is: at once, so that there is a place to return to. */
function read(type: EventType | undefined, cursor: string | undefined, signal: AbortSignal) {
  const types = type && [type]
  const query = cursor
    ? { after: cursor, wait: waitSeconds, limit, types }
    : { after: 'latest', wait: 0, limit, types }
  return dataOf(api.GET('/v1/events', { params: { query }, signal }))
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
