/**
 * Organizations take turns. A call whose organization already has its share in work waits in a line of its own,
 * and the lines are served in turn, so one that sends a hundred times as much as another waits for itself.
 *
 * An organization's share is what the others leave free: alone it gets most of the places, never all of them,
 * and whoever comes next finds one. The same holds for the places in line; beyond them a call is answered with
 * 503, as is one that has waited as long as a till would.
 */
import { Refused } from '../../domain/refusal.ts'
import { createRoundRobin } from '../../operations/round-robin.ts'

/** The number of an organization, or a name for calls that belong to none. */
export type Party = number | string

export interface Turns {
  /** Calls `start` now or when it is the party's turn; with a refusal when that will not be. */
  take(party: Party, start: (refused?: Refused) => void): void
  /** The work that was started has ended. */
  leave(party: Party): void
  readonly running: number
  readonly waiting: number
}

export interface TurnsOptions {
  readonly maxRunning: number
  /** How many times what is free one party may hold: 1 leaves it half of all places, 3 three quarters. */
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
  /** In order of arrival; a Set, because one that has waited too long leaves from the middle. */
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
    const one: Waiting = { start, timer: setTimeout(() => giveUp(line, one), maxWaitMs) }
    line.waiting.add(one)
    waiting++
  }

  function giveUp(line: Line, one: Waiting): void {
    line.waiting.delete(one)
    waiting--
    lines.release(line.party)
    one.start(tooMany())
  }

  /** Starts what can be started. */
  function serve(): void {
    while (waiting > 0) {
      const line = lines.next((one) => one.waiting.size > 0 && hasRoom(one))
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

const tooMany = () => new Refused('_unavailable', 'Too many calls are waiting. Repeat the call in a moment.')
