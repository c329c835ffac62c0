/**
 * How many changes have a connection to themselves to lock rows. Organizations take turns, and those that know of
 * nobody who holds a row for long have places of their own: there a change waits for a lock only briefly, and tries
 * again with a place for patient ones if that was not enough.
 */
import { createRoundRobin } from '../round-robin.ts'

export interface LockPlaces {
  take<T>(org: number, isPatient: boolean, attempt: () => Promise<T>): Promise<T>
}

export function createLockPlaces(places: number): LockPlaces {
  const brief = createPlaces(places, places)
  // One organization must not wait in all of them.
  const patient = createPlaces(places, 1)
  return { take: (org, isPatient, attempt) => (isPatient ? patient : brief)(org, attempt) }
}

interface Line {
  readonly org: number
  readonly waiting: (() => Promise<void>)[]
  running: number
}

function createPlaces(places: number, placesOfOne: number) {
  const lines = createRoundRobin<number, Line>(
    (org) => ({ org, waiting: [], running: 0 }),
    ({ waiting, running }) => waiting.length === 0 && running === 0,
  )
  let free = places

  function start(): void {
    while (free > 0) {
      const line = lines.next(({ waiting, running }) => waiting.length > 0 && running < placesOfOne)
      if (!line) return
      free--
      line.running++
      void line.waiting.shift()!().finally(() => {
        free++
        line.running--
        lines.release(line.org)
        start()
      })
    }
  }

  return <T>(org: number, attempt: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      lines.lineOf(org).waiting.push(() => attempt().then(resolve, reject))
      start()
    })
}
