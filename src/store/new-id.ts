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

/** The last id of a clock. */
interface Line {
  ms: number
  counter: number
}

const real: Line = { ms: 0, counter: 0 }
/** Shared by all test organizations, whose clocks differ: an id of one takes no time from another. */
const ahead: Line = { ms: 0, counter: 0 }
const aheadTimes = new WeakSet<Date>()

/** Marks a time of a test organization's clock: ids of live organizations must not follow it. */
export function markAhead(time: Date): Date {
  aheadTimes.add(time)
  return time
}

export function newId<P extends IdPrefix>(prefix: P, now: Date): IdOf<P> {
  const isAhead = aheadTimes.has(now)
  const line = isAhead ? ahead : real
  // A clock that steps back must not break the order: the last millisecond is kept until time has caught up.
  // A clock that was far ahead was wrong and is not followed: from now on ids carry the current time.
  const isFollowed = line.ms - now.getTime() <= (isAhead ? 0 : toleranceMs)
  const ms = isFollowed ? Math.max(now.getTime(), line.ms) : now.getTime()
  if (ms === line.ms) {
    line.counter++
  } else {
    line.ms = ms
    line.counter = 0
  }
  if (line.counter > 0xfff) {
    line.ms++
    line.counter = 0
  }
  if (poolAt === pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  pool[poolAt] = 0x80 | (pool[poolAt]! & 0x3f)
  const random = pool.toString('hex', poolAt, poolAt + 8)
  poolAt += 8
  const time = line.ms.toString(16).padStart(12, '0')
  return `${prefix}_${time}7${line.counter.toString(16).padStart(3, '0')}${random}` as IdOf<P>
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
