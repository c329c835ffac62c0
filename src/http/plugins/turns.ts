/**
 * Fair scheduling across organizations. If an organization already holds its share of the slots, its requests
 * wait in a queue of their own, and the queues are served round-robin, so an organization that sends a
 * hundred times as much as another only delays itself.
 *
 * The share of an organization depends on what the others leave free: alone it gets most of the slots but
 * never all of them, so the next organization finds one. The same holds for places in the queues; a request
 * that finds none gets 503, and so does one that has waited as long as a till would.
 *
 * Slots share out connections; `processor-share.ts` shares out the processor.
 */
import { Refused } from '../../domain/refusal.ts'
import { LinkedList, type ListEntry } from '../../operations/linked-list.ts'
import { createRoundRobin } from '../../operations/round-robin.ts'
import { type Party, type Presence, ProcessorShare } from './processor-share.ts'

export interface Turns {
  /** Calls `start` now or when it is the party's turn, or with a refusal if that does not happen. */
  take(party: Party, start: (refused?: Refused) => void, steps?: number): void
  /** Releases the slot of work that has ended. */
  leave(party: Party, steps?: number): void
  /** Starts what is waiting and may start now. */
  serve(): void
  readonly running: number
  readonly waiting: number
  /** How long the request that has waited longest is waiting. */
  oldestWaitMs(): number
}

export interface TurnsOptions {
  readonly maxRunning: number
  /** A party may hold `share` × the free slots: 1 caps it at half, 3 at three quarters. */
  readonly share: number
  readonly maxWaiting: number
  readonly maxWaitMs: number
  readonly presence: Presence
  /** Whether a party may start anything more, apart from slots. */
  readonly mayStart?: (party: Party) => boolean
}

interface Waiting {
  readonly steps: number
  readonly since: number
  readonly start: (refused?: Refused) => void
  readonly timer: NodeJS.Timeout
}

interface Line {
  readonly party: Party
  running: number
  readonly processor: ProcessorShare
  /** In order of arrival; one that has waited too long is removed from the middle. */
  readonly waiting: LinkedList<Waiting>
}

export function createTurns(options: TurnsOptions): Turns {
  const { maxRunning, share, maxWaiting, maxWaitMs, presence, mayStart = () => true } = options
  const lines = createRoundRobin<Party, Line>((party) => openLine(party, presence, serveNext), isIdle)
  let running = 0
  let waiting = 0

  const hasRoom = (line: Line, steps: number | undefined) =>
    steps !== undefined &&
    line.running < share * (maxRunning - running) &&
    line.processor.hasRoom(steps) &&
    mayStart(line.party)

  function wait(line: Line, start: Waiting['start'], steps: number): void {
    const timer = setTimeout(() => giveUp(line, entry), maxWaitMs)
    const entry = line.waiting.add({ steps, since: performance.now(), start, timer })
    waiting++
  }

  function giveUp(line: Line, entry: ListEntry<Waiting>): void {
    line.waiting.remove(entry)
    waiting--
    lines.release(line.party)
    entry.value.start(tooMany())
  }

  /** Starts as many waiting requests as there are slots for. */
  function serve(): void {
    while (waiting > 0) {
      const line = lines.next((each) => hasRoom(each, each.waiting.first?.steps))
      if (!line) return
      waiting--
      run(line, takeFirst(line))
    }
  }

  function serveNext(party: Party): void {
    lines.release(party)
    serve()
  }

  function run(line: Line, { start, steps }: Pick<Waiting, 'start' | 'steps'>): void {
    line.running++
    running++
    line.processor.begin(steps)
    start()
  }

  return {
    take(party, start, steps = 0) {
      const line = lines.lineOf(party)
      if (line.waiting.size === 0 && hasRoom(line, steps)) return run(line, { start, steps })
      if (waiting < maxWaiting && line.waiting.size < maxWaiting - waiting) return wait(line, start, steps)
      lines.release(party)
      start(tooMany())
    },
    leave(party, steps = 0) {
      const line = lines.find(party)
      if (!line) return
      line.running--
      running--
      line.processor.end(steps)
      serveNext(party)
    },
    serve,
    get running() {
      return running
    },
    get waiting() {
      return waiting
    },
    oldestWaitMs: () => oldestWaitMs(lines.all()),
  }
}

const openLine = (party: Party, presence: Presence, onRested: (party: Party) => void): Line => ({
  party,
  running: 0,
  processor: new ProcessorShare(party, presence, onRested),
  waiting: new LinkedList(),
})

const isIdle = ({ running, waiting, processor }: Line) =>
  running === 0 && waiting.size === 0 && !processor.isResting

function oldestWaitMs(lines: Iterable<Line>): number {
  const since = [...lines].flatMap(({ waiting }) => waiting.first?.since ?? [])
  return since.length === 0 ? 0 : performance.now() - Math.min(...since)
}

function takeFirst(line: Line): Waiting {
  const first = line.waiting.takeFirst()!
  clearTimeout(first.timer)
  return first
}

const tooMany = () => new Refused('_unavailable', 'Too many requests are waiting. Retry in a moment.')
