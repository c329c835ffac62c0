/**
 * Statements of several organizations in one message and one transaction, each run as its own organization. A message
 * and a COMMIT cost the service and PostgreSQL about as much as a look-up or a basket itself, so that many
 * organizations with little to do each would otherwise cost several times as much as one that does all of it.
 */
import pLimit from 'p-limit'
import pg from 'pg'
import { currentSpan, runIn, runShared, type Span } from '../tracing/spans.ts'
import { isConnectionError } from './classify-error.ts'
import type { WireRow } from './pipeline.ts'
import { failedOrg, type Part } from './tenant-query.ts'

export interface Senders {
  /** Runs the parts in one transaction, and returns the rows of each. */
  together(parts: readonly Part[]): Promise<WireRow[][][]>
  /** Runs a part in a transaction of its own. */
  alone(part: Part): Promise<WireRow[][]>
  /** Told how many parts are run again, each alone, because a message has failed. */
  onAlone?(parts: number): void
  /** How many parts may run alone at the same time after a message has failed. */
  readonly maxAlone: number
}

interface Waiting extends Part {
  /** What the part is done for. */
  readonly span: Span | undefined
  readonly resolve: (rows: WireRow[][] | Promise<WireRow[][]>) => void
  readonly reject: (error: unknown) => void
}

const apartMs = 1_000

/** Organizations that have made a message fail: they must not do so again at once. */
function createApart() {
  const until = new Map<number, number>()
  return {
    has(org: number): boolean {
      const end = until.get(org)
      if (end !== undefined && end <= performance.now()) until.delete(org)
      return until.has(org)
    },
    add: (org: number) => void until.set(org, performance.now() + apartMs),
  }
}

const isRefused = (error: unknown) => error instanceof pg.DatabaseError && !isConnectionError(error)

/** What is sent in one turn of the event loop is sent together. */
export function createSharedMessages({ together, alone, onAlone, maxAlone }: Senders) {
  const waiting: Waiting[] = []
  const limit = pLimit(maxAlone)
  const apart = createApart()

  function send(): void {
    const parts = new Map<number, Waiting>()
    for (const part of waiting.splice(0)) {
      if (apart.has(part.org)) sendApart(part)
      // A second part of an organization would lock rows in another order than if it were alone.
      else if (parts.has(part.org)) sendAlone(part)
      else parts.set(part.org, part)
    }
    sendParts([...parts.values()])
  }

  function sendParts(parts: Waiting[]): void {
    if (parts.length > 1) void sendTogether(parts)
    else if (parts[0]) sendAlone(parts[0])
  }

  function sendAlone({ span, resolve, ...part }: Waiting): Promise<unknown> {
    const sent = runIn(span, () => alone(part))
    resolve(sent)
    return sent
  }

  // It may wait for a lock, so that only a few of them have a connection.
  const sendApart = (part: Waiting) => void limit(() => sendAlone(part)).catch(() => {})

  async function sendTogether(parts: Waiting[]): Promise<void> {
    // Rows are locked in the order of organizations, and within each as if it were alone.
    parts.sort((a, b) => a.org - b.org)
    try {
      const rows = await runShared('message of several organizations', parts, () => together(parts))
      parts.forEach(({ resolve }, i) => {
        resolve(rows[i]!)
      })
    } catch (error) {
      // Without a response from the server it is not known whether they were committed.
      if (isRefused(error)) sendAgain(parts, failedOrg(error))
      else for (const { reject } of parts) reject(error)
    }
  }

  function sendAgain(parts: readonly Waiting[], failed: number | undefined): void {
    const rest = failed === undefined ? [] : parts.filter(({ org }) => org !== failed)
    onAlone?.(parts.length - rest.length)
    if (failed !== undefined) apart.add(failed)
    for (const part of parts) if (!rest.includes(part)) sendApart(part)
    sendParts(rest)
  }

  return (part: Part): Promise<WireRow[][]> =>
    new Promise((resolve, reject) => {
      // After all promises of this turn, so that those who were waiting for the same thing send together.
      if (waiting.length === 0) process.nextTick(send)
      waiting.push({ ...part, span: currentSpan(), resolve, reject })
    })
}
