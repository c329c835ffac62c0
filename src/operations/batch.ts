/**
 * Batches lookups: those that arrive while a batch is running share the next one. Each is answered by a query
 * that began after it arrived, so the result is as fresh as if it had been queried alone; under load many
 * share the cost.
 */
import { Refused } from '../domain/refusal.ts'

export interface BatchOptions {
  /** Maximum number of concurrent batches. */
  readonly maxRunning: number
  readonly maxBatch: number
  readonly maxWaiting: number
}

interface Waiting<Q, A> {
  readonly question: Q
  readonly resolve: (answer: A) => void
  readonly reject: (error: unknown) => void
}

/** `answer` returns one answer per question, in order. */
export function createBatch<Q, A>(
  answer: (questions: readonly Q[]) => Promise<readonly A[]>,
  { maxRunning, maxBatch, maxWaiting }: BatchOptions,
): (question: Q) => Promise<A> {
  let waiting: Waiting<Q, A>[] = []
  let running = 0
  let isScheduled = false

  function start(): void {
    isScheduled = false
    while (waiting.length > 0 && running < maxRunning) {
      const batch = waiting.slice(0, maxBatch)
      waiting = waiting.slice(maxBatch)
      running++
      void run(batch)
    }
  }

  async function run(batch: readonly Waiting<Q, A>[]): Promise<void> {
    try {
      const answers = await answer(batch.map(({ question }) => question))
      batch.forEach(({ resolve }, i) => {
        resolve(answers[i]!)
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      running--
      start()
    }
  }

  return (question) => {
    if (waiting.length >= maxWaiting)
      return Promise.reject(new Refused('_unavailable', 'Too many requests are waiting.'))
    return new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      // At the end of this turn of the event loop, so that requests which arrived together share a batch.
      if (isScheduled || running >= maxRunning) return
      isScheduled = true
      setImmediate(start)
    })
  }
}
