/**
 * Sends unsettled sales and returns in the order in which they were made, with growing pauses until responses
 * arrive. Of several windows one sends at a time, so that the order holds; a number that is sent twice all the
 * same counts once.
 */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError, api, dataOf, type Schemas } from '../../api/client.ts'
import { idempotencyHeaders } from '../../api/idempotency-key.ts'
import { sessionQuery } from '../../api/session.ts'
import { useReached } from '../offline/reach.ts'
import {
  findUnsettled,
  type Outbox,
  type Unsettled,
  type UnsettledReturn,
  type UnsettledSale,
} from './outbox.ts'

export type Settled =
  | { kind: 'sale'; entry: UnsettledSale; transaction: Schemas['ProcessedTransaction'] }
  | { kind: 'return'; entry: UnsettledReturn; done: Schemas['SaleReturn'] }

const answerWithinMs = 10_000
const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/** Statuses that refuse exactly this request. Any other failure leaves the outcome open: retry. */
const refusals = [400, 404, 409, 413, 415, 422]
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && refusals.includes(error.status) && error.code !== 'idempotency_key_in_use'

async function sendOnce(entry: Unsettled, signal: AbortSignal): Promise<Settled> {
  if (entry.kind === 'sale') {
    const params = { query: { include: 'walletUrl' as const } }
    const call = api.POST('/v1/transactions/process', { params, body: entry.body, signal })
    return { kind: 'sale', entry, transaction: await dataOf(call) }
  }
  const params = { path: { id: entry.transaction } }
  const call = api.POST('/v1/transactions/{id}/return', { params, body: entry.body, signal })
  return { kind: 'return', entry, done: await dataOf(call) }
}

/** The recorded result of the entry; undefined if there is none (yet). Sending again is safe either way. */
export async function lookUp(entry: Unsettled): Promise<Settled | undefined> {
  if (entry.kind === 'sale') {
    const query = { opaqueId: entry.number }
    const { data } = await dataOf(api.GET('/v1/transactions', { params: { query } }))
    const [sale] = data
    return sale && { kind: 'sale', entry, transaction: { ...sale, walletUrl: await walletUrlOf(sale) } }
  }
  const params = { path: { id: entry.transaction } }
  const sale = await dataOf(api.GET('/v1/transactions/{id}', { params }))
  const done = sale.returns.find(({ opaqueId }) => opaqueId === entry.number)
  return done && { kind: 'return', entry, done }
}

/** Where the customer's card is, for the receipt, which is complete without it as well. */
async function walletUrlOf({ card: id }: Schemas['Transaction']): Promise<string | undefined> {
  if (id === undefined) return undefined
  const params = { path: { id }, header: idempotencyHeaders() }
  const call = api.POST('/v1/cards/{id}/wallet/show', { params, body: {} as never })
  const card = await dataOf(call).catch(() => undefined)
  return card?.walletUrl
}

export interface Sending {
  readonly tries: number
  /** Time of the next attempt; undefined while a request is in flight. */
  readonly nextAt?: number
  readonly error?: unknown
}

interface SendOptions {
  readonly outbox: Outbox
  readonly isSignedIn: boolean
  readonly onSettled: (settled: Settled) => void
  readonly onRefused: (entry: Unsettled, error: ApiError) => void
}

/** Runs alone among the windows of this till. Locks exist only over HTTPS. */
function alone<T>(organization: string, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  if (!('locks' in navigator)) return run()
  return navigator.locks.request(`lw-till-${organization}`, { signal }, run)
}

/**
 * What is left to send, the oldest first. Another window takes care of what it shows itself. `settled` are those
 * whose response is not rendered yet.
 */
function listWaiting({ outbox }: SendOptions, settled: ReadonlySet<string>): readonly Unsettled[] {
  return outbox.unsettled.filter(
    ({ number, isAside, refused }) =>
      (isAside || number === outbox.current?.number) && !refused && !settled.has(number),
  )
}

/** Sends what is waiting. Throws if no response arrives, so that nothing overtakes it. */
async function sendAll(options: () => SendOptions, settled: Set<string>, stop: AbortSignal): Promise<void> {
  for (const entry of listWaiting(options(), settled)) {
    if (stop.aborted) return
    const { outbox, onSettled, onRefused } = options()
    // Another window may have settled it while this one waited for its turn.
    const stored = findUnsettled(outbox.organization, entry.number)
    try {
      const late = AbortSignal.timeout(answerWithinMs)
      const response = stored && !stored.refused && (await sendOnce(stored, AbortSignal.any([stop, late])))
      if (stop.aborted) return
      settled.add(entry.number)
      if (response) onSettled(response)
    } catch (error) {
      if (stop.aborted) return
      if (!isRefusal(error)) throw error
      settled.add(entry.number)
      onRefused(entry, error)
    }
  }
}

export function useSending(options: SendOptions): { sending: Sending | undefined; sendNow: () => void } {
  const { outbox, isSignedIn } = options
  const [sending, setSending] = useState<Sending>()
  const queries = useQueryClient()
  const wake = useRef(() => {})
  const latest = useRef(options)
  latest.current = options

  useEffect(() => {
    if (!isSignedIn) return
    const stop = new AbortController()
    const settled = new Set<string>()
    const pause = (ms?: number) =>
      new Promise<void>((resolve) => {
        wake.current = resolve
        if (ms !== undefined) setTimeout(resolve, ms)
      })
    const run = async () => {
      for (let tries = 1; !stop.signal.aborted; ) {
        if (listWaiting(latest.current, settled).length === 0) {
          setSending(undefined)
          tries = 1
          await pause()
          continue
        }
        setSending((before) => ({ tries, error: before?.error }))
        try {
          const { organization } = latest.current.outbox
          await alone(organization, stop.signal, () => sendAll(() => latest.current, settled, stop.signal))
        } catch (error) {
          if (stop.signal.aborted) return
          // Sending continues after the next sign-in.
          if (error instanceof ApiError && error.status === 401) {
            return queries.setQueryData(sessionQuery.queryKey, null)
          }
          const pauseMs = pausesMs[Math.min(tries++, pausesMs.length) - 1]!
          setSending({ tries, error, nextAt: Date.now() + pauseMs })
          await pause(pauseMs)
        }
      }
    }
    void run()
    return () => {
      stop.abort()
      wake.current()
    }
  }, [isSignedIn, queries])

  useWaking(outbox, wake)
  const current = outbox.current?.number
  useEffect(() => setSending((before) => before && { tries: before.tries }), [current])
  return { sending, sendNow: () => wake.current() }
}

/** Ends the pause when there is something new to send, or a way to send it. */
function useWaking({ aside, current }: Outbox, wake: { readonly current: () => void }): void {
  const reached = useReached()
  // The numbers: an entry read from storage again is another object with the same content.
  const numbers = [...aside, current].map((entry) => entry?.number).join()
  useEffect(() => wake.current(), [reached, numbers, wake])
  useEffect(() => {
    const wakeUp = () => wake.current()
    window.addEventListener('online', wakeUp)
    return () => window.removeEventListener('online', wakeUp)
  }, [wake])
}
