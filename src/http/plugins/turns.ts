/**
 * Fair scheduling across organizations. If an organization already holds its share of the slots, its requests
 * wait in a queue of their own, and the queues are served round-robin, so an organization that sends a
 * hundred times as much as another only delays itself.
 *
 * The share of an organization depends on what the others leave free: alone it gets most of the slots but
 * never all of them, so the next organization finds one. The same holds for places in the queues; a request
 * that finds none gets 503, and so does one that has waited as long as a till would.
 */
import { Refused } from '../../domain/refusal.ts'
import { createRoundRobin } from '../../operations/round-robin.ts'

/** Internal ID of an organization, or a name for requests that belong to none. */
export type Party = number | string

export interface Turns {
  /** Calls `start` now or when it is the party's turn, or with a refusal if that does not happen. */
  take(party: Party, start: (refused?: Refused) => void): void
  /** Releases the slot of work that has ended. */
  leave(party: Party): void
  readonly running: number
  readonly waiting: number
}

export interface TurnsOptions {
  readonly maxRunning: number
  /** A party may hold `share` × the free slots: 1 caps it at half, 3 at three quarters. */
  readonly share: number
  readonly maxWaiting: number
  readonly maxWaitMs: number
}

interface Waiting {
  readonly start: (refused?: Refused) => void
  readonly timer: NodeJS.Timeout
}

interface Line {
  readonly party: Party
  running: number
  /** In order of arrival; a Set, because an entry that has waited too long is removed from the middle. */
  readonly waiting: Set<Waiting>
}

export function createTurns({ maxRunning, share, maxWaiting, maxWaitMs }: TurnsOptions): Turns {
  const lines = createRoundRobin<Party, Line>(
    (party) => ({ party, running: 0, waiting: new Set() }),
    (line) => line.running === 0 && line.waiting.size === 0,
  )
  let running = 0
  let waiting = 0

  const hasRoom = (line: Line) => running < maxRunning && line.running < share * (maxRunning - running)
  const mayWait = (line: Line) => waiting < maxWaiting && line.waiting.size < maxWaiting - waiting

  function wait(line: Line, start: Waiting['start']): void {
    const entry: Waiting = { start, timer: setTimeout(() => giveUp(line, entry), maxWaitMs) }
    line.waiting.add(entry)
    waiting++
  }

  function giveUp(line: Line, entry: Waiting): void {
    line.waiting.delete(entry)
    waiting--
    lines.release(line.party)
    entry.start(tooMany())
  }

  /** Starts as many waiting requests as there are slots for. */
  function serve(): void {
    while (waiting > 0) {
      const line = lines.next((candidate) => candidate.waiting.size > 0 && hasRoom(candidate))
      if (!line) return
      startFirst(line)
    }
  }

  function startFirst(line: Line): void {
    const [first] = line.waiting
    clearTimeout(first!.timer)
    line.waiting.delete(first!)
    waiting--
    line.running++
    running++
    first!.start()
  }

  return {
    take(party, start) {
      const line = lines.lineOf(party)
      if (line.waiting.size === 0 && hasRoom(line)) {
        line.running++
        running++
        start()
      } else if (mayWait(line)) {
        wait(line, start)
      } else {
        lines.release(party)
        start(tooMany())
      }
    },
    leave(party) {
      const line = lines.find(party)
      if (!line) return
      line.running--
      running--
      lines.release(party)
      if (waiting > 0) serve()
    },
    get running() {
      return running
    },
    get waiting() {
      return waiting
    },
  }
}

const tooMany = () => new Refused('_unavailable', 'Too many requests are waiting. Retry in a moment.')
