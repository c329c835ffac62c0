/**
 * Batches lookups: those that arrive while a batch is running share the next one. Each is answered by a query
 * that began after it arrived, so the result is as fresh as if it had been queried alone; under load many
 * share the cost.
 *
 * A batch belongs to one organization. Organizations take turns, and batches of several run side by side, as
 * many as keep the database busy (`slots.ts`), or together, in the same messages to the database.
 */
import type { Pool } from 'pg'
import { Refused } from '../domain/refusal.ts'
import { connectionsForGroups } from '../store/connections.ts'
import { sharesMessages } from '../store/tenant.ts'
import { currentSpan, runShared, type Span } from '../tracing/spans.ts'
import { createRoundRobin } from './round-robin.ts'
import { atEndOfTurn, createSlots } from './slots.ts'

export interface BatchOptions<Q> {
  /** Organization of a question; without it, all questions can share a batch. */
  readonly orgOf?: (question: Q) => number
  /** Maximum number of concurrent batches of one organization. */
  readonly maxRunning: number
  /** Maximum number of concurrent batches in all; by default that of one organization. */
  readonly maxRunningInAll?: number
  readonly maxBatch: number
  /** Batches of several organizations run together, and share messages to the database. */
  readonly isShared?: boolean
  readonly maxWaiting: number
}

interface Waiting<Q, A> {
  readonly question: Q
  /** The request that waits. */
  readonly span: Span | undefined
  readonly resolve: (answer: A) => void
  readonly reject: (error: unknown) => void
}

interface Line<Q, A> {
  readonly org: number
  readonly waiting: Waiting<Q, A>[]
  running: number
}

interface Batch<Q, A> {
  readonly line: Line<Q, A>
  readonly questions: readonly Waiting<Q, A>[]
}

/** `answer` returns one answer per question, in order. */
export function createBatch<Q, A>(
  answer: (questions: readonly Q[], org: number) => Promise<readonly A[]>,
  options: BatchOptions<Q>,
): (question: Q) => Promise<A> {
  const { orgOf = () => 0, maxRunning, maxRunningInAll = maxRunning, maxBatch, maxWaiting } = options
  const lines = createRoundRobin<number, Line<Q, A>>(
    (org) => ({ org, waiting: [], running: 0 }),
    ({ waiting, running }) => waiting.length === 0 && running === 0,
  )
  let waiting = 0

  const start = createSlots<Batch<Q, A>>({
    max: maxRunningInAll,
    isShared: options.isShared ?? false,
    enough: 32,
    inLine: () => lines.size,
    take() {
      const line = lines.next((each) => each.waiting.length > 0 && each.running < maxRunning)
      if (!line) return undefined
      const questions = line.waiting.splice(0, maxBatch)
      waiting -= questions.length
      line.running++
      return { line, questions }
    },
    sizeOf: ({ questions }) => questions.length,
    run,
  })

  // Requests that arrived together share a batch.
  const startSoon = atEndOfTurn(start)

  async function run({ line, questions }: Batch<Q, A>): Promise<void> {
    try {
      const asked = questions.map(({ question }) => question)
      const answers = await runShared('lookup', questions, () => answer(asked, line.org))
      questions.forEach(({ resolve }, i) => {
        resolve(answers[i]!)
      })
    } catch (error) {
      for (const { reject } of questions) reject(error)
    } finally {
      line.running--
      lines.release(line.org)
    }
  }

  return (question) => {
    if (waiting >= maxWaiting)
      return Promise.reject(new Refused('_unavailable', 'Too many requests are waiting.'))
    return new Promise((resolve, reject) => {
      lines.lineOf(orgOf(question)).waiting.push({ question, span: currentSpan(), resolve, reject })
      waiting++
      startSoon()
    })
  }
}

/** For lookups of customers, cards and previews. */
export function lookupLimits(pool: Pool) {
  return {
    maxRunning: 2,
    maxRunningInAll: connectionsForGroups(pool),
    maxBatch: 128,
    maxWaiting: 5_000,
    isShared: sharesMessages(pool),
  }
}
