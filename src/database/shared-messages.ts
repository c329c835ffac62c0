/**
 * Statements of several organizations in one message and one transaction, each run as its own organization. A message
 * and a COMMIT cost the service and PostgreSQL about as much as a look-up or a basket itself, so that many
 * organizations with little to do each would otherwise cost several times as much as one that does all of it.
 */
import pLimit from 'p-limit'
import pg from 'pg'
import { currentSpan, runIn, runShared, type Span } from '../tracing/spans.ts'
import { isConnectionError } from './classify-error.ts'
import type { Step, WireRow } from './pipeline.ts'

export interface Part {
  readonly org: number
  readonly steps: readonly Step[]
}

export interface Senders {
  /** Runs the parts in one transaction, and returns the rows of each. */
  together(parts: readonly Part[]): Promise<WireRow[][][]>
  /** Runs a part in a transaction of its own. */
  alone(part: Part): Promise<WireRow[][]>
  /** Told of the parts that have failed together, before each of them is run alone. */
  onFailed?(parts: readonly Part[]): void
}

interface Waiting extends Part {
  /** What the part is done for. */
  readonly span: Span | undefined
  readonly resolve: (rows: WireRow[][] | Promise<WireRow[][]>) => void
  readonly reject: (error: unknown) => void
}

/** Connections for parts that have failed together. */
const maxAlone = 4

const apartMs = 1_000

/** Organizations whose part has failed by itself as well: it must not make those of others fail again at once. */
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

/** What is sent in one turn of the event loop is sent together. */
export function createSharedMessages({ together, alone, onFailed }: Senders) {
  const waiting: Waiting[] = []
  const limit = pLimit(maxAlone)
  const apart = createApart()

  function send(): void {
    const parts = new Map<number, Waiting>()
    for (const part of waiting.splice(0)) {
      // A second part of an organization would lock rows in another order than if it were alone.
      if (parts.has(part.org) || apart.has(part.org)) sendAlone(part)
      else parts.set(part.org, part)
    }
    const [first, second] = parts.values()
    if (second) void sendTogether([...parts.values()])
    else if (first) sendAlone(first)
  }

  function sendAlone({ span, resolve, ...part }: Waiting): Promise<WireRow[][]> {
    const sent = runIn(span, () => alone(part))
    resolve(sent)
    return sent
  }

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
      if (!(error instanceof pg.DatabaseError) || isConnectionError(error)) {
        for (const { reject } of parts) reject(error)
        return
      }
      onFailed?.(parts)
      for (const part of parts) void limit(() => sendAlone(part)).catch(() => apart.add(part.org))
    }
  }

  return (part: Part): Promise<WireRow[][]> =>
    new Promise((resolve, reject) => {
      // After all promises of this turn, so that those who were waiting for the same thing send together.
      if (waiting.length === 0) process.nextTick(send)
      waiting.push({ ...part, span: currentSpan(), resolve, reject })
    })
}
