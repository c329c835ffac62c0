/**
 * Whether the service can be reached. After a request without a usable response the till asks `/readyz`; if that
 * fails as well, it asks again, with growing pauses, until the service is back.
 */
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { api } from '../../api/client.ts'

/** Short, since customers wait: one small request, which costs the service nothing. */
const pausesMs = [1_000, 2_000, 4_000, 5_000]
/** What a proxy responds for a service that is not there, and a service for its database. */
const goneStatuses = [502, 503, 504]
const answerWithinMs = 5_000
const readiness = '/readyz'

let isReached = navigator.onLine
let asking: { wake: () => void } | undefined
const listeners = new Set<() => void>()

function set(reached: boolean): void {
  if (reached !== isReached) {
    isReached = reached
    for (const listener of listeners) listener()
  }
  if (!reached && !asking) void askUntilReady()
}

async function askUntilReady(): Promise<void> {
  for (let tries = 0; ; tries++) {
    await new Promise<void>((wake) => {
      asking = { wake }
      setTimeout(wake, pausesMs[Math.min(tries, pausesMs.length - 1)])
    })
    if (navigator.onLine && (await isReady())) break
  }
  asking = undefined
  set(true)
}

async function isReady(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(answerWithinMs)
    return (await api.GET(readiness, { cache: 'no-store', signal })).response.ok
  } catch {
    return false
  }
}

/** One request may fail for reasons of its own, or take long. */
export async function doubt(): Promise<void> {
  if (isReached && (!navigator.onLine || !(await isReady()))) set(false)
}

api.use({
  onResponse({ schemaPath, response: { status } }) {
    if (schemaPath !== readiness && goneStatuses.includes(status)) void doubt()
  },
  onError({ schemaPath, error }) {
    // A preview that is no longer wanted says nothing about the network.
    const isUnwanted = error instanceof DOMException && error.name === 'AbortError'
    if (schemaPath !== readiness && !isUnwanted) void doubt()
  },
})
window.addEventListener('offline', () => set(false))
window.addEventListener('online', () => asking?.wake())
if (!isReached) set(false)

export function useReached(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isReached,
  )
}

/** Runs when the service is back, not when the page opens. */
export function useOnReturn(act: () => unknown): void {
  const reached = useReached()
  const latest = useRef(act)
  latest.current = act
  const before = useRef(reached)
  useEffect(() => {
    if (reached && !before.current) latest.current()
    before.current = reached
  }, [reached])
}
