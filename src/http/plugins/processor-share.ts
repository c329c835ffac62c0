/**
 * An organization's share of the processor. What it has in work at once takes a bounded time, so that of its
 * longest requests one runs at a time, and after a long one the next waits for its share: as long as the first
 * kept the processor busy, once for each organization that has something in work as well. An organization that
 * is alone does not wait.
 */
import { RenewedMap } from '../../operations/renewed-map.ts'

/** Internal ID of an organization, or a name for requests that belong to none. */
export type Party = number | string

/** The most that a request can cost, in steps of the engine: one rule that looks at one line is one step. */
export const maxSteps = 500_000
/** What a party has in work at once: one of the longest requests, and small ones next to it. */
const maxStepsAtOnce = 600_000
/** A request of this many steps is long: it takes milliseconds in one go. */
const longSteps = 150_000
const maxRestMs = 500
/** A party that had something in work this recently counts as being there. */
const recentMs = 1_000

/** Who has something in work, in whatever lane. */
export interface Presence {
  enter(party: Party): void
  leave(party: Party): void
  /** Number of other parties that have something in work; at least 1 if one had a moment ago. */
  others(party: Party): number
}

export function createPresence(): Presence {
  const inWork = new RenewedMap<Party, number>()
  /** The party that entered last, and when another one did so last. */
  let latest: Party | undefined
  let latestAt = Number.NEGATIVE_INFINITY
  let otherAt = Number.NEGATIVE_INFINITY
  return {
    enter(party) {
      inWork.set(party, (inWork.get(party) ?? 0) + 1)
      if (party !== latest) otherAt = latestAt
      latest = party
      latestAt = performance.now()
    },
    leave(party) {
      const left = (inWork.get(party) ?? 1) - 1
      if (left === 0) inWork.delete(party)
      else inWork.set(party, left)
    },
    others(party) {
      const seenAt = party === latest ? otherAt : latestAt
      const isRecent = performance.now() - seenAt < recentMs
      return Math.max(inWork.size - (inWork.has(party) ? 1 : 0), isRecent ? 1 : 0)
    },
  }
}

/** A class, because one is opened for almost every request: that of a party with nothing in work is dropped. */
export class ProcessorShare {
  readonly #party: Party
  readonly #presence: Presence
  readonly #onRested: (party: Party) => void
  #stepsInWork = 0
  #longInWork = 0
  /** How busy the event loop has been, in all, when the time of long requests was last counted. */
  #countedMs = 0
  #resting: NodeJS.Timeout | undefined

  /** `onRested` is called when the next long request may start. */
  constructor(party: Party, presence: Presence, onRested: (party: Party) => void) {
    this.#party = party
    this.#presence = presence
    this.#onRested = onRested
  }

  /** Whether a request of so many steps may start now. */
  hasRoom(steps: number): boolean {
    return (
      (this.#stepsInWork === 0 || this.#stepsInWork + steps <= maxStepsAtOnce) &&
      (steps < longSteps || this.#resting === undefined)
    )
  }

  begin(steps: number): void {
    this.#presence.enter(this.#party)
    this.#stepsInWork += steps
    if (steps >= longSteps && this.#longInWork++ === 0)
      this.#countedMs = performance.eventLoopUtilization().active
  }

  end(steps: number): void {
    this.#presence.leave(this.#party)
    this.#stepsInWork -= steps
    if (steps < longSteps) return
    this.#longInWork--
    this.#rest()
  }

  /** Whether the next long request has to wait. */
  get isResting(): boolean {
    return this.#resting !== undefined
  }

  #rest(): void {
    const { active } = performance.eventLoopUtilization()
    const restMs = Math.min(maxRestMs, (active - this.#countedMs) * this.#presence.others(this.#party))
    this.#countedMs = active
    if (restMs < 1) return
    clearTimeout(this.#resting)
    this.#resting = setTimeout(() => {
      this.#resting = undefined
      this.#onRested(this.#party)
    }, restMs)
  }
}
