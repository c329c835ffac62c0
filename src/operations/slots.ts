/**
 * How many groups of baskets, or batches of lookups, run at the same time: as many as keep the database busy.
 * What waits meanwhile is written or read in larger groups, which cost less. With 8 organizations that all have
 * something waiting, four groups at a time write more baskets a second than eight do, also if the database is
 * 3 ms away. In a long line of organizations that have little to do each, waiting would make groups later
 * and not larger, so they get more slots.
 */
import type { Pool } from 'pg'

export interface Slots {
  /**
   * Whether one more may start, with so many organizations in line. If not, ask again when one has ended;
   * `onFree` is called when one has become slow.
   */
  isFree(organizations: number): boolean
  /** Takes a slot, and returns a function that gives it back. */
  take(): () => void
}

const fewestSlots = 4
const organizationsPerSlot = 3

/** One that takes longer is waiting, most likely for a lock, and must not keep others from running. */
const slowMs = 250

/** `max` is the number of slots with any number of organizations. */
export function createSlots(max: number, onFree: () => void): Slots {
  const startTimes = new Set<{ readonly at: number }>()
  let isWaiting = false

  function callWhenSlow(earliest: number): void {
    if (isWaiting) return
    isWaiting = true
    const call = () => {
      isWaiting = false
      onFree()
    }
    setTimeout(call, earliest + slowMs - performance.now() + 1).unref()
  }

  return {
    isFree(organizations) {
      if (startTimes.size >= max) return false
      const busy = [...startTimes].filter(({ at }) => at > performance.now() - slowMs)
      if (busy.length < Math.max(fewestSlots, organizations / organizationsPerSlot)) return true
      callWhenSlow(busy[0]!.at)
      return false
    },
    take() {
      const started = { at: performance.now() }
      startTimes.add(started)
      return () => void startTimes.delete(started)
    },
  }
}

/** Groups and batches leave some connections for requests that need one of their own. */
const connectionsForOthers = 2

/** How many groups of baskets, or batches of one kind, may run at the same time in all. */
export function maxSlots(pool: Pool): number {
  return Math.max(2, pool.options.max - connectionsForOthers)
}
