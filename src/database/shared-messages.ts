/**
 * Statements of several organizations in one message and one transaction, each run as its own organization. A message
 * and a COMMIT cost the service and PostgreSQL about as much as a look-up or a basket itself, so that many
 * organizations with little to do each would otherwise cost several times as much as one that does all of it.
 */
import pLimit from 'p-limit'
import pg from 'pg'
import { currentSpan, runIn, runShared, type Span } from '../tracing/spans.ts'
import { isConnectionError, isLockTimeout } from './classify-error.ts'
import type { WireRow } from './pipeline.ts'
import { failedOrg, type Part } from './tenant-query.ts'

export interface SharedOptions {
  /**
   * Runs the parts in one transaction, and returns the rows of each. With `hasWaited`, they have waited in vain for a
   * lock of another part before.
   */
  send(parts: readonly Part[], hasWaited: boolean): Promise<WireRow[][][]>
  /** A part that was refused in a shared message is sent once more by itself. */
  readonly triesAlone: boolean
  /** How many parts of organizations that must not share one may be sent at the same time. */
  readonly maxApart: number
}

interface Waiting extends Part {
  /** What the part is done for. */
  readonly span: Span | undefined
  readonly resolve: (rows: WireRow[][]) => void
  readonly reject: (error: unknown) => void
}

const apartMs = 1_000
/** Longer than a change waits for a lock: what its organization sends next would most likely wait for it again. */
const apartAfterLockMs = 5_000

/** Organizations that have made a message fail: they must not do so again at once. */
function createApart() {
  const until = new Map<number, number>()
  return {
    has: (org: number) => (until.get(org) ?? 0) > performance.now(),
    add(org: number, forMs: number): void {
      const now = performance.now()
      for (const [other, end] of until) if (end <= now) until.delete(other)
      until.set(org, now + forMs)
    },
  }
}

const isRefused = (error: unknown) => error instanceof pg.DatabaseError && !isConnectionError(error)

/** What is sent in one turn of the event loop is sent together. */
export function createSharedMessages(options: SharedOptions): (part: Part) => Promise<WireRow[][]> {
  const { send, triesAlone, maxApart } = options
  const waiting: Waiting[] = []
  const apart = createApart()
  const limit = pLimit(maxApart)

  function sendAll(): void {
    const parts = new Map<number, Waiting>()
    for (const part of waiting.splice(0)) {
      if (apart.has(part.org)) void limit(() => sendTogether([part]))
      // A second part of an organization would lock rows in another order than if it were alone.
      else if (parts.has(part.org)) void sendTogether([part])
      else parts.set(part.org, part)
    }
    // Rows are locked in the order of organizations, and within each as if it were alone.
    void sendTogether([...parts.values()].sort((a, b) => a.org - b.org))
  }

  async function sendTogether(parts: readonly Waiting[], hasWaited = false): Promise<void> {
    if (parts.length === 0) return
    try {
      const rows = await runFor(parts, () => send(parts, hasWaited))
      parts.forEach(({ resolve }, i) => {
        resolve(rows[i]!)
      })
    } catch (error) {
      settle(parts, error, hasWaited)
    }
  }

  /** A transaction that the server has refused has changed nothing: those who are not the reason try again. */
  function settle(parts: readonly Waiting[], error: unknown, hasWaited: boolean): void {
    const failed = isRefused(error) ? failedOrg(error) : undefined
    if (failed !== undefined) {
      const isLocked = isLockTimeout(error)
      apart.add(failed, isLocked ? apartAfterLockMs : apartMs)
      const part = parts.find(({ org }) => org === failed)!
      if (triesAlone && parts.length > 1) void limit(() => sendTogether([part]))
      else part.reject(error)
      void sendTogether(
        parts.filter(({ org }) => org !== failed),
        hasWaited || isLocked,
      )
    } else if (isRefused(error) && parts.length > 1) {
      // No statement of theirs, but most likely the COMMIT: nobody knows because of whom.
      for (const part of parts) void limit(() => sendTogether([part]))
    } else {
      // Without a response from the server it is not known either whether they were committed.
      for (const { reject } of parts) reject(error)
    }
  }

  return ({ org, steps }) =>
    new Promise((resolve, reject) => {
      // After all promises of this turn, so that those who were waiting for the same thing send together.
      if (waiting.length === 0) process.nextTick(sendAll)
      waiting.push({ org, steps, span: currentSpan(), resolve, reject })
    })
}

const runFor = <T>(parts: readonly Waiting[], run: () => Promise<T>): Promise<T> =>
  parts.length > 1 ? runShared('message of several organizations', parts, run) : runIn(parts[0]!.span, run)
