/**
 * How many changes have a connection to themselves to lock rows. Each waits briefly for a lock at first: that is
 * enough unless somebody holds a row for long. Then it tries again in a place for patient ones, of which an
 * organization has one at a time. Organizations take turns.
 */
import { isLockTimeout } from '../../database/classify-error.ts'
import { Refused } from '../../domain/refusal.ts'
import { currentSpan, recordWait, runIn } from '../../tracing/spans.ts'
import { LinkedList } from '../linked-list.ts'
import { createRoundRobin } from '../round-robin.ts'

/** Runs an attempt when there is a place for it, or refuses it if there has been none until `latest`. */
export type LockPlaces = <T>(
  org: number,
  latest: number,
  attempt: (isPatient: boolean) => Promise<T>,
) => Promise<T>

/** As many for brief attempts as for patient ones. */
export function createLockPlaces(places: number): LockPlaces {
  const brief = createPlaces(places, places)
  const patient = createPlaces(places, 1)
  return async (org, latest, attempt) => {
    try {
      return await brief(org, latest, () => attempt(false))
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() > latest) throw error
      return await patient(org, latest, () => attempt(true))
    }
  }
}

interface Line {
  readonly org: number
  /** In order of arrival; one that has waited too long leaves from the middle. */
  readonly waiting: LinkedList<() => Promise<void>>
  running: number
}

function createPlaces(places: number, placesOfOne: number) {
  const lines = createRoundRobin<number, Line>(
    (org) => ({ org, waiting: new LinkedList(), running: 0 }),
    ({ waiting, running }) => waiting.size === 0 && running === 0,
  )
  let free = places

  function start(): void {
    while (free > 0) {
      const line = lines.next(({ waiting, running }) => waiting.size > 0 && running < placesOfOne)
      if (!line) return
      const next = line.waiting.takeFirst()
      free--
      line.running++
      void next!().then(() => {
        free++
        line.running--
        lines.release(line.org)
        start()
      })
    }
  }

  return <T>(org: number, latest: number, attempt: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const { waiting } = lines.lineOf(org)
      const span = currentSpan()
      const since = performance.now()
      const run = () => {
        clearTimeout(timer)
        recordWait(span, 'wait for a place', since)
        return runIn(span, attempt).then(resolve, reject)
      }
      const timer = setTimeout(() => {
        waiting.remove(entry)
        lines.release(org)
        reject(new Refused('_unavailable', 'Too many changes wait for locked rows. Retry.'))
      }, latest - since)
      const entry = waiting.add(run)
      start()
    })
}
