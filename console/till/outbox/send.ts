/** Retries unsettled sales and returns until a response arrives, with growing pauses. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError, api, dataOf, type Schemas } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import type { Unsettled, UnsettledReturn, UnsettledSale } from './outbox.ts'

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
    return data[0] && { kind: 'sale', entry, transaction: data[0] }
  }
  const params = { path: { id: entry.transaction } }
  const sale = await dataOf(api.GET('/v1/transactions/{id}', { params }))
  const done = sale.returns.find(({ opaqueId }) => opaqueId === entry.number)
  return done && { kind: 'return', entry, done }
}

export interface Sending {
  readonly tries: number
  /** Time of the next attempt; undefined while a request is in flight. */
  readonly nextAt?: number
  readonly error?: unknown
}

interface SendOptions {
  readonly entry: Unsettled | undefined
  readonly isSignedIn: boolean
  readonly onSettled: (settled: Settled) => void
  readonly onRefused: (entry: Unsettled, error: ApiError) => void
}

export function useSending(options: SendOptions): { sending: Sending | undefined; sendNow: () => void } {
  const { entry, isSignedIn } = options
  const [sending, setSending] = useState<Sending>()
  const queries = useQueryClient()
  const wake = useRef(() => {})
  const latest = useRef(options)
  latest.current = options
  const number = entry?.number

  // Depends on the number: an entry read from storage again is another object with the same content.
  useEffect(() => {
    setSending(undefined)
    if (!entry || !isSignedIn) return
    const stop = new AbortController()
    const run = async () => {
      for (let tries = 1; !stop.signal.aborted; tries++) {
        setSending((before) => ({ tries, error: before?.error }))
        try {
          const late = AbortSignal.timeout(answerWithinMs)
          const settled = await sendOnce(entry, AbortSignal.any([stop.signal, late]))
          if (!stop.signal.aborted) latest.current.onSettled(settled)
          return
        } catch (error) {
          if (stop.signal.aborted) return
          if (isRefusal(error)) return latest.current.onRefused(entry, error)
          // Sending continues after the next sign-in.
          if (error instanceof ApiError && error.status === 401) {
            return queries.setQueryData(sessionQuery.queryKey, null)
          }
          const pauseMs = pausesMs[Math.min(tries, pausesMs.length) - 1]!
          setSending({ tries, error, nextAt: Date.now() + pauseMs })
          await new Promise<void>((resolve) => {
            wake.current = resolve
            setTimeout(resolve, pauseMs)
          })
        }
      }
    }
    void run()
    const wakeUp = () => wake.current()
    window.addEventListener('online', wakeUp)
    return () => {
      stop.abort()
      window.removeEventListener('online', wakeUp)
    }
  }, [number, isSignedIn, queries])

  return { sending, sendNow: () => wake.current() }
}
