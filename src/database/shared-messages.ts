/**
 * Statements of several organizations in one message and one transaction, each run as its own organization. A message
 * and a COMMIT cost the service and PostgreSQL about as much as a look-up or a basket itself, so that many
 * organizations with little to do each would otherwise cost several times as much as one that does all of it.
 */
import pg from 'pg'
import { currentSpan, runIn, runShared, type Span } from '../tracing/spans.ts'
import { isConnectionError } from './classify-error.ts'
import type { WireRow } from './pipeline.ts'
import { failedOrg, type Part } from './tenant-query.ts'

/** Runs the parts in one transaction, and returns the rows of each; `isAgain` after it was refused with another part. */
export type Send = (parts: readonly Part[], isAgain: boolean) => Promise<WireRow[][][]>

interface Waiting extends Part {
  /** What the part is done for. */
  readonly span: Span | undefined
  readonly resolve: (rows: WireRow[][]) => void
  readonly reject: (error: unknown) => void
}

const apartMs = 1_000

/** Organizations that have made a message fail: they must not do so again at once. */
function createApart() {
  const until = new Map<number, number>()
  return {
    has: (org: number) => (until.get(org) ?? 0) > performance.now(),
    add(org: number): void {
      const now = performance.now()
      for (const [other, end] of until) if (end <= now) until.delete(other)
      until.set(org, now + apartMs)
    },
  }
}

const isRefused = (error: unknown) => error instanceof pg.DatabaseError && !isConnectionError(error)

/** What is sent in one turn of the event loop is sent together. */
export function createSharedMessages(send: Send): (part: Part) => Promise<WireRow[][]> {
  const waiting: Waiting[] = []
  const apart = createApart()

  function sendAll(): void {
    const parts = new Map<number, Waiting>()
    for (const part of waiting.splice(0)) {
      // A second part of an organization would lock rows in another order than if it were alone.
      if (apart.has(part.org) || parts.has(part.org)) void sendTogether([part])
      else parts.set(part.org, part)
    }
    // Rows are locked in the order of organizations, and within each as if it were alone.
    void sendTogether([...parts.values()].sort((a, b) => a.org - b.org))
  }

  async function sendTogether(parts: readonly Waiting[], isAgain = false): Promise<void> {
    if (parts.length === 0) return
    try {
      const rows = await runFor(parts, () => send(parts, isAgain))
      parts.forEach(({ resolve }, i) => {
        resolve(rows[i]!)
      })
    } catch (error) {
      settle(parts, error)
    }
  }

  /** A transaction that the server has refused has changed nothing: those who are not the reason try again. */
  function settle(parts: readonly Waiting[], error: unknown): void {
    const failed = isRefused(error) ? failedOrg(error) : undefined
    if (failed !== undefined) {
      apart.add(failed)
      parts.find(({ org }) => org === failed)!.reject(error)
      void sendTogether(
        parts.filter(({ org }) => org !== failed),
        true,
      )
    } else if (isRefused(error) && parts.length > 1) {
      // It was the COMMIT, and nobody knows because of whom.
      for (const part of parts) void sendTogether([part], true)
    } else {
      // Without a response from the server it is not known either whether they were committed.
      for (const { reject } of parts) reject(error)
    }
  }

  return (part) =>
    new Promise((resolve, reject) => {
      // After all promises of this turn, so that those who were waiting for the same thing send together.
      if (waiting.length === 0) process.nextTick(sendAll)
      waiting.push({ ...part, span: currentSpan(), resolve, reject })
    })
}

const runFor = <T>(parts: readonly Waiting[], run: () => Promise<T>): Promise<T> =>
  parts.length > 1 ? runShared('message of several organizations', parts, run) : runIn(parts[0]!.span, run)
