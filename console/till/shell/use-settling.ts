/** What became of each sale and return: it is shown as a receipt, comes back with a reason, or waits. */
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ApiError } from '../../api/client.ts'
import type { Outbox, Unsettled, UnsettledSale } from '../outbox/outbox.ts'
import { type Settled, useSending } from '../outbox/send.ts'
import type { Selling } from '../sale/use-sale.ts'
import { useShown } from './back.ts'

/** What a receipt shows: a response of the service, or what waits for one. */
export type Done = Settled | Later

interface Later {
  readonly kind: 'later'
  readonly entry: UnsettledSale
  /** The response, if it has come while the receipt is on the screen. */
  readonly answered?: Extract<Settled, { kind: 'sale' }>
}

interface SettlingOptions {
  readonly outbox: Outbox
  readonly selling: Selling
  readonly isSignedIn: boolean
}

/** What was sent in the background changes nothing on the screen, except on its own receipt. */
function completed(shown: Done | undefined, answered: Settled): Done | undefined {
  if (shown?.kind !== 'later' || answered.kind !== 'sale') return shown
  return shown.entry.number === answered.entry.number ? { ...shown, answered } : shown
}

export type Settling = ReturnType<typeof useSettling>

export function useSettling({ outbox, selling, isSignedIn }: SettlingOptions) {
  const { t } = useTranslation('till')
  const { shown, show } = useShown()
  // A receipt lives only in memory: after a reload the sale is shown instead.
  const [settled, setSettled] = useState<Done>()
  const done = shown.view === 'done' && settled?.entry.number === shown.number ? settled : undefined
  const [refused, setRefused] = useState<{ entry: Unsettled; error: ApiError }>()
  const isCurrent = ({ number }: Unsettled) => number === outbox.current?.number

  const settle = (answered: Settled) => {
    const { number } = answered.entry
    outbox.settle(number)
    selling.announce(t(answered.kind === 'sale' ? 'receipt.recorded' : 'return.recorded', { number }))
    if (!isCurrent(answered.entry)) return setSettled((shown) => completed(shown, answered))
    selling.finish(number)
    showDone(answered)
  }
  const refuse = (entry: Unsettled, error: ApiError) => {
    const { status, code, message } = error
    if (!isCurrent(entry)) return outbox.refuse(entry.number, { status, code, message })
    // The sale is restored in one window only: a second window could charge it as well.
    if (outbox.settle(entry.number)) selling.takeBack(entry)
    else selling.finish(entry.number)
    setRefused({ entry, error })
  }
  const { sending, sendNow } = useSending({ outbox, isSignedIn, onSettled: settle, onRefused: refuse })
  useEffect(() => {
    if (outbox.gone === undefined) return
    selling.finish(outbox.gone)
    outbox.settle(outbox.gone)
  }, [outbox.gone])
  const showDone = (answered: Done) => {
    setRefused(undefined)
    setSettled(answered)
    show({ view: 'done', number: answered.entry.number })
  }
  return {
    done,
    view: shown.view === 'done' && !done ? 'sale' : shown.view,
    number: shown.number,
    refused,
    sending,
    sendNow,
    isWaiting: outbox.current !== undefined && sending?.error !== undefined,
    settle,
    showDone,
    forgetRefusal: () => setRefused(undefined),
    toSale() {
      setRefused(undefined)
      show({ view: 'sale' })
    },
    toReturn(number?: string) {
      setRefused(undefined)
      show({ view: 'return', number })
    },
  }
}
