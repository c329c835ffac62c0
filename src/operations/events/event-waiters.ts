/**
 * Readers that wait for the next event. While any of them wait, one query asks every 300 ms for the newest positions
 * of their organizations, however many there are; none of them holds a connection, and nothing has to be sent by
 * those who write. It works the same with several processes, behind a pooler and on a cluster, where LISTEN does not.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { Refused } from '../../domain/refusal.ts'
import { listNewestEvents } from '../../store/events.ts'
import { platformTenant } from '../../store/tenant.ts'

/** Why a wait has ended: there may be events, the time is over, or nobody waits for the result any more. */
export type WaitEnd = 'events' | 'time' | 'over'

export interface EventPlace {
  /** Waits for an event after this position. */
  wait(after: number, forMs: number): Promise<WaitEnd>
  /** Ends the wait, and frees the place. */
  leave(): void
}

export interface EventWaiters {
  /** Takes one of the places of an organization; refuses if there is none. */
  enter(org: number): EventPlace
  /** Ends all waits, and those still to come. */
  stop(): void
}

interface Waiter {
  readonly after: number
  readonly end: (why: WaitEnd) => void
}

const pollEveryMs = 300
/** In this process: a reader needs one, and each costs a socket. */
const maxOfOne = 10
/** Most sockets are for those who do not wait. */
const maxOfAll = 2_000
const retryAfterSeconds = 5

export function createEventWaiters(pool: Pool): EventWaiters {
  const places = new Map<number, Set<EventPlace>>()
  const room = createWaitingRoom(pool)
  let taken = 0
  let isStopped = false
  return {
    enter(org) {
      if ((places.get(org)?.size ?? 0) >= maxOfOne) {
        throw new Refused(
          '_too_many_requests',
          `${maxOfOne} requests of this organization are waiting for events already.`,
        ).after(retryAfterSeconds)
      }
      if (taken >= maxOfAll) throw new Refused('_unavailable', 'Too many requests are waiting for events.')
      let current: Waiter | undefined
      let isOver = false
      const place: EventPlace = {
        async wait(after, forMs) {
          if (isOver || isStopped) return 'over'
          return new Promise((resolve) => {
            current = room.wait(org, after, forMs, resolve)
          })
        },
        leave() {
          if (isOver) return
          isOver = true
          remove(places, org, place)
          taken--
          current?.end('over')
        },
      }
      add(places, org, place)
      taken++
      return place
    },
    stop() {
      isStopped = true
      room.endAll('over')
    },
  }
}

/** Asks for all that wait, as long as there are any. */
function createWaitingRoom(pool: Pool) {
  const waiting = new Map<number, Set<Waiter>>()
  let isPolling = false

  async function poll(): Promise<void> {
    isPolling = true
    for (;;) {
      await sleep(pollEveryMs, undefined, { ref: false })
      if (waiting.size === 0) break
      const newest = await listNewestEvents(platformTenant(pool), [...waiting.keys()]).catch(() => undefined)
      // Without an answer, each of them finds out for itself what is wrong.
      if (!newest) endAll('events')
      for (const [org, waiters] of waiting) {
        for (const { after, end } of waiters) if ((newest?.get(org) ?? 0) > after) end('events')
      }
    }
    isPolling = false
  }

  function endAll(why: WaitEnd): void {
    for (const waiters of waiting.values()) for (const { end } of waiters) end(why)
  }

  function wait(org: number, after: number, forMs: number, onEnd: Waiter['end']): Waiter {
    const timer = setTimeout(() => waiter.end('time'), forMs)
    const waiter: Waiter = {
      after,
      end(why) {
        clearTimeout(timer)
        remove(waiting, org, waiter)
        onEnd(why)
      },
    }
    add(waiting, org, waiter)
    if (!isPolling) void poll()
    return waiter
  }

  return { wait, endAll }
}

function add<T>(sets: Map<number, Set<T>>, org: number, item: T): void {
  const own = sets.get(org) ?? new Set<T>()
  sets.set(org, own.add(item))
}

function remove<T>(sets: Map<number, Set<T>>, org: number, item: T): void {
  const own = sets.get(org)
  own?.delete(item)
  if (own?.size === 0) sets.delete(org)
}
