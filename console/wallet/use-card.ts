import { useCallback, useEffect, useRef, useState } from 'react'
import type { Schemas } from '../api/client.ts'
import { requestCard } from './card-request.ts'
import { forgetCard, keepForOffline } from './offline.ts'

export type WalletCard = Schemas['WalletCard']

export type CardState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'shown'; readonly card: WalletCard; readonly isKept: boolean }
  /** The link was revoked or never existed. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unreachable' }

const freshMs = 30_000

/** Loads the card of this link, and reloads it whenever the reader returns to the page. */
export function useCard(): { readonly state: CardState; readonly reload: () => void } {
  const [state, setState] = useState<CardState>({ kind: 'loading' })
  const running = useRef<AbortController>(undefined)
  const load = useCallback(async () => {
    // An older response would replace a newer one, and one that never comes would keep its connection.
    running.current?.abort()
    const stop = new AbortController()
    running.current = stop
    try {
      const response = await requestCard('card', { signal: stop.signal })
      if (response.status === 404) {
        await forgetCard()
        return setState({ kind: 'gone' })
      }
      if (!response.ok) throw new Error(String(response.status))
      const isKept = response.headers.has('x-kept')
      const card: WalletCard = await response.json()
      setState({ kind: 'shown', card, isKept })
      // The card is stored only once it is known to exist: nothing of a revoked card may be kept. Where
      // service workers are not allowed, such as in a private window, the page works without one.
      if (!isKept) keepForOffline({ hasCode: card.card.barcode !== undefined }).catch(() => {})
    } catch {
      if (stop.signal.aborted) return
      setState((before) => (before.kind === 'shown' ? { ...before, isKept: true } : { kind: 'unreachable' }))
    } finally {
      if (running.current === stop) running.current = undefined
    }
  }, [])
  useEffect(() => {
    load()
    const again = () => document.visibilityState === 'visible' && load()
    // A slow response has time until the reader asks again.
    const timer = setInterval(() => running.current || again(), freshMs)
    document.addEventListener('visibilitychange', again)
    window.addEventListener('online', again)
    return () => {
      running.current?.abort()
      clearInterval(timer)
      document.removeEventListener('visibilitychange', again)
      window.removeEventListener('online', again)
    }
  }, [load])
  return { state, reload: load }
}

/** The time by the merchant's clock: that of a test organization may be ahead. */
export const nowOf = ({ organization, updatedAt }: WalletCard): number =>
  organization.mode === 'test' ? Date.parse(updatedAt) : Date.now()
