/**
 * Creates ids: UUIDv7, so that new rows land at the end of every index instead of all over it. Within one
 * process they ascend even inside a millisecond, which also keeps events of one commit in their order.
 */
import { randomFillSync } from 'node:crypto'
import type { IdOf, IdPrefix } from '../domain/ids.ts'

/**
 * How far an id may be ahead of the clock; far more than clocks step, or than a request takes to insert its
 * row.
 */
const toleranceMs = 3_600_000

const pool = Buffer.alloc(8 * 512)
let poolAt = pool.length
let lastMs = 0
let counter = 0

export function newId<P extends IdPrefix>(prefix: P, now: Date): IdOf<P> {
  // A clock that steps back must not break the order: the last millisecond is kept until time has caught up.
  // A clock that was far ahead was wrong and is not followed: from now on ids carry the current time.
  const ms = lastMs - now.getTime() > toleranceMs ? now.getTime() : Math.max(now.getTime(), lastMs)
  if (ms === lastMs) {
    counter++
  } else {
    lastMs = ms
    counter = 0
  }
  if (counter > 0xfff) {
    lastMs++
    counter = 0
  }
  if (poolAt === pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  pool[poolAt] = 0x80 | (pool[poolAt]! & 0x3f)
  const random = pool.toString('hex', poolAt, poolAt + 8)
  poolAt += 8
  const time = lastMs.toString(16).padStart(12, '0')
  return `${prefix}_${time}7${counter.toString(16).padStart(3, '0')}${random}` as IdOf<P>
}

const latestMs = 2 ** 48 - 1

/** The uuid that precedes all uuids created from this millisecond on. */
export function firstIdAt(time: Date): string {
  return Math.min(Math.max(time.getTime(), 0), latestMs).toString(16).padStart(12, '0').padEnd(32, '0')
}

/**
 * Ids ascend with time, so that a range of time is a range of the primary key. They are not exactly as old as
 * their rows, though: the bounds are wider by the possible difference, and the row's own time decides.
 */
export function idsWithin({ from, to }: { from?: Date; to?: Date }): { least?: string; most?: string } {
  return {
    least: from && firstIdAt(new Date(from.getTime() - 2 * toleranceMs)),
    most: to && firstIdAt(new Date(to.getTime() + 2 * toleranceMs)),
  }
}
