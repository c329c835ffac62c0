/** Round-robin scheduling: a served party moves to the end, so that a busy one cannot starve a quiet one. */
import { RenewedMap } from './renewed-map.ts'

export interface RoundRobin<Party, Line> {
  /** The party's queue, created if there is none. */
  lineOf(party: Party): Line
  find(party: Party): Line | undefined
  /** The queue whose turn it is among those that can be served now. */
  next(canServe: (line: Line) => boolean): Line | undefined
  /** How many parties have something to do. */
  readonly size: number
  /** All queues, in no particular order. */
  all(): Iterable<Line>
  /** Removes the party if it has nothing left to do. */
  release(party: Party): void
}

export function createRoundRobin<Party, Line>(
  open: (party: Party) => Line,
  isIdle: (line: Line) => boolean,
): RoundRobin<Party, Line> {
  /** Least recently served first. */
  const lines = new RenewedMap<Party, Line>()
  return {
    lineOf(party) {
      let line = lines.get(party)
      if (line === undefined) {
        line = open(party)
        lines.set(party, line)
      }
      return line
    },
    find: (party) => lines.get(party),
    next(canServe) {
      for (const [party, line] of lines) {
        if (!canServe(line)) continue
        lines.delete(party)
        lines.set(party, line)
        return line
      }
      return undefined
    },
    get size() {
      return lines.size
    },
    all: () => lines.values(),
    release(party) {
      const line = lines.get(party)
      if (line !== undefined && isIdle(line)) lines.delete(party)
    },
  }
}
