import { VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ApiError } from '../../api/client.ts'
import { api, dataOf } from '../../api/client.ts'
import type { Session } from '../../api/session.ts'
import { useScanner } from '../hardware/scanner.ts'
import { type Unsettled, useOutbox } from '../outbox/outbox.ts'
import { type Settled, useSending } from '../outbox/send.ts'
import { UnsettledPanel } from '../outbox/unsettled-panel.tsx'
import { Receipt } from '../sale/receipt.tsx'
import { isEmpty } from '../sale/sale.ts'
import { SaleView } from '../sale/sale-view.tsx'
import { useSale } from '../sale/use-sale.ts'
import { useAsksToLeave, useShown } from './back.ts'
import { lazyPanel } from './lazy-panel.tsx'
import { LeaveDialog } from './leave-dialog.tsx'
import { useShortcuts } from './shortcuts.ts'
import { focusOn, places, TillContext } from './till-context.ts'
import { TillHeader } from './till-header.tsx'

const CallsPanel = lazyPanel(() => import('../outbox/calls-panel.tsx'))
const Help = lazyPanel(() => import('./help.tsx'))
const ReturnResult = lazyPanel(() => import('../return/return-result.tsx'))
const ReturnView = lazyPanel(() => import('../return/return-view.tsx'))
const Settings = lazyPanel(() => import('./settings.tsx'))

interface TillDeskProps {
  readonly session: Session
  readonly isSignedIn: boolean
  readonly onSignOut: () => void
}

async function readCampaigns() {
  const query = { limit: 100, status: 'published' as const }
  return (await dataOf(api.GET('/v1/campaigns', { params: { query } }))).data
}

async function readBalances() {
  return (await dataOf(api.GET('/v1/till/balances', { params: { query: { limit: 100 } } }))).data
}

export function TillDesk({ session, isSignedIn, onSignOut }: TillDeskProps) {
  const { t } = useTranslation('till')
  const { shown, show } = useShown()
  // A receipt lives only in memory: after a reload the sale is shown instead.
  const [settled, setSettled] = useState<Settled>()
  const done = shown.view === 'done' && settled?.entry.number === shown.number ? settled : undefined
  const view = shown.view === 'done' && !done ? 'sale' : shown.view
  const [refused, setRefused] = useState<{ entry: Unsettled; error: ApiError }>()
  const [open, setOpen] = useState<'calls' | 'help' | 'settings' | 'leave'>()
  const [message, setMessage] = useState({ text: '', count: 0 })
  const announce = (text: string) => setMessage(({ count }) => ({ text, count: count + 1 }))
  const { data: campaigns = [] } = useQuery({ queryKey: ['campaigns'], queryFn: readCampaigns })
  const { data: balances = [] } = useQuery({ queryKey: ['balances'], queryFn: readBalances })
  const outbox = useOutbox(session.organization.id)
  const selling = useSale(outbox, session, announce)
  useAsksToLeave(isEmpty(selling.sale) ? undefined : () => setOpen('leave'))

  const settle = (answered: Settled) => {
    const { number } = answered.entry
    outbox.settle(number)
    selling.finish(number)
    setRefused(undefined)
    setSettled(answered)
    show({ view: 'done', number })
    announce(t(answered.kind === 'sale' ? 'receipt.recorded' : 'return.recorded', { number }))
  }
  const { sending, sendNow } = useSending({
    entry: outbox.current,
    isSignedIn,
    onSettled: settle,
    onRefused: (entry, error) => {
      // The sale is restored in one window only: a second window could charge it as well.
      if (outbox.settle(entry.number)) selling.takeBack(entry)
      else selling.finish(entry.number)
      setRefused({ entry, error })
    },
  })
  const isWaiting = outbox.current !== undefined && sending !== undefined && sending.error !== undefined

  const toSale = () => {
    show({ view: 'sale' })
    setRefused(undefined)
  }
  const toReturn = (number?: string) => {
    setRefused(undefined)
    show({ view: 'return', number })
  }
  const isFirstView = useRef(true)
  useEffect(() => {
    if (!isFirstView.current && view === 'sale') focusOn(places.customer)
    isFirstView.current = false
  }, [view])
  const toggleCalls = () => setOpen((before) => (before === 'calls' ? undefined : 'calls'))
  const isSelling = view === 'sale' && !isWaiting
  // While a receipt is shown, scanning a card starts the next sale.
  const [scanned, setScanned] = useState<string>()
  // Receipt numbers end in digits too, so in the return view a scan goes into the field for the number.
  const isScanning = !isWaiting && view !== 'return'
  useScanner(
    isScanning
      ? (code) => {
          if (view === 'done') toSale()
          setScanned(code)
        }
      : undefined,
  )
  useShortcuts({
    '?': () => setOpen('help'),
    ...(isSelling && { F8: () => toReturn() }),
    Escape: () => {
      if (open === 'calls') setOpen(undefined)
      else if (!isSelling && !isWaiting) toSale()
    },
  })

  return (
    <TillContext value={{ session, campaigns, balances, announce }}>
      <VisuallyHidden role="status" aria-live="polite">
        <span key={message.count}>{message.text}</span>
      </VisuallyHidden>
      <div className="till">
        <a className="lw-skip" href="#till-main">
          {t('common:skip')}
        </a>
        <TillHeader
          asideCount={outbox.aside.length}
          isCallsOpen={open === 'calls'}
          onCalls={toggleCalls}
          onReturn={() => !isWaiting && toReturn()}
          onHelp={() => setOpen('help')}
          onSettings={() => setOpen('settings')}
          onSignOut={onSignOut}
        />
        <div className="till-body">
          <div className="till-stage">
            {isWaiting ? (
              <UnsettledPanel
                entry={outbox.current!}
                sending={sending}
                onSendNow={sendNow}
                onSetAside={() => {
                  selling.finish(outbox.current!.number)
                  outbox.setAside(outbox.current!.number)
                  toSale()
                }}
                onSettled={settle}
              />
            ) : view === 'return' ? (
              <ReturnView
                receipt={shown.number}
                refused={refused?.entry.kind === 'return' ? refused.error : undefined}
                onReturn={(given) => {
                  setRefused(undefined)
                  outbox.putReturn(given)
                }}
                onBack={toSale}
              />
            ) : done ? (
              done.kind === 'sale' ? (
                <Receipt settled={done} onNext={toSale} onReturn={() => toReturn(done.entry.number)} />
              ) : (
                <ReturnResult settled={done} onNext={toSale} />
              )
            ) : (
              <SaleView
                selling={selling}
                isSending={outbox.current !== undefined}
                refused={refused?.entry.kind === 'sale' ? refused.error : undefined}
                onCharge={() => setRefused(undefined)}
                scanned={scanned}
                onScanned={() => setScanned(undefined)}
              />
            )}
          </div>
          {open === 'calls' && <CallsPanel onClose={() => setOpen(undefined)} />}
        </div>
      </div>
      {open === 'help' && <Help onClose={() => setOpen(undefined)} />}
      {open === 'leave' && <LeaveDialog onClose={() => setOpen(undefined)} />}
      {open === 'settings' && (
        <Settings outbox={outbox} onClose={() => setOpen(undefined)} onSettled={settle} />
      )}
    </TillContext>
  )
}
