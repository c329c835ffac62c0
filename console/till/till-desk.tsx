import { VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ApiError } from '../api/client.ts'
import { answerOf, api } from '../api/client.ts'
import type { Session } from '../api/session.ts'
import { type Campaign, DeskContext, focusOn, places } from './desk.ts'
import { later } from './later.tsx'
import { type Unsettled, useOutbox } from './outbox.ts'
import { Receipt } from './receipt.tsx'
import { SaleView, useSale } from './sale-view.tsx'
import { useScanner } from './scanner.ts'
import { type Settled, useSending } from './send.ts'
import { useShortcuts } from './shortcuts.ts'
import { TillHeader } from './till-header.tsx'
import { UnsettledPanel } from './unsettled-panel.tsx'

const CallsPanel = later(() => import('./calls-panel.tsx'))
const Help = later(() => import('./help.tsx'))
const ReturnResult = later(() => import('./return-result.tsx'))
const ReturnView = later(() => import('./return-view.tsx'))
const Settings = later(() => import('./settings.tsx'))

interface TillDeskProps {
  readonly session: Session
  readonly isSignedIn: boolean
  readonly onSignOut: () => void
}

/** The three things a till does beside selling: show what was done, take goods back, wait for an answer. */
type View = { name: 'sale' } | { name: 'done'; settled: Settled } | { name: 'return'; receipt?: string }

async function readCampaigns(): Promise<{ running: Campaign[]; naming: Campaign[] }> {
  const { data } = await answerOf(api.GET('/v1/campaigns', { params: { query: { limit: 100 } } }))
  // A manager is shown the others as well: customers still hold what those gave, and drafts have given nothing.
  const running = data.filter(({ status }) => status === 'published')
  const others = data.filter(({ status, version }) => status !== 'published' && version > 0)
  return { running, naming: [...running, ...others] }
}

const none = { running: [], naming: [] }

export function TillDesk({ session, isSignedIn, onSignOut }: TillDeskProps) {
  const { t } = useTranslation('till')
  const [view, setView] = useState<View>({ name: 'sale' })
  const [refused, setRefused] = useState<{ entry: Unsettled; error: ApiError }>()
  const [open, setOpen] = useState<'calls' | 'help' | 'settings'>()
  const [message, setMessage] = useState({ text: '', count: 0 })
  const say = (text: string) => setMessage(({ count }) => ({ text, count: count + 1 }))
  const { data: campaigns = none } = useQuery({ queryKey: ['campaigns'], queryFn: readCampaigns })
  const outbox = useOutbox(session.organization.id)
  const selling = useSale(outbox, say)

  const settle = (settled: Settled) => {
    outbox.settle(settled.entry.number)
    selling.finish(settled.entry.number)
    setRefused(undefined)
    setView({ name: 'done', settled })
    say(t(settled.kind === 'sale' ? 'receipt.said' : 'return.said', { number: settled.entry.number }))
  }
  const { sending, sendNow } = useSending({
    entry: outbox.current,
    isSignedIn,
    onSettled: settle,
    onRefused: (entry, error) => {
      outbox.settle(entry.number)
      setRefused({ entry, error })
    },
  })
  const isWaiting = outbox.current !== undefined && sending !== undefined && sending.error !== undefined

  const toSale = () => {
    setView({ name: 'sale' })
    setRefused(undefined)
    focusOn(places.customer)
  }
  const toReturn = (receipt?: string) => {
    setRefused(undefined)
    setView({ name: 'return', receipt })
  }
  const toggleCalls = () => setOpen((before) => (before === 'calls' ? undefined : 'calls'))
  const isSelling = view.name === 'sale' && !isWaiting
  // While a receipt is shown a card begins the next sale.
  const [scanned, setScanned] = useState<string>()
  // The number of a receipt ends in digits too: where it is asked for, it goes into its field.
  const isScanning = !isWaiting && view.name !== 'return'
  useScanner(
    isScanning
      ? (code) => {
          if (view.name === 'done') toSale()
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
    <DeskContext value={{ session, campaigns: campaigns.running, naming: campaigns.naming, say }}>
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
            ) : view.name === 'return' ? (
              <ReturnView
                receipt={view.receipt}
                refused={refused?.entry.kind === 'return' ? refused.error : undefined}
                onReturn={(given) => {
                  setRefused(undefined)
                  outbox.putReturn(given)
                }}
                onBack={toSale}
              />
            ) : view.name === 'done' ? (
              view.settled.kind === 'sale' ? (
                <Receipt
                  settled={view.settled}
                  onNext={toSale}
                  onReturn={() => toReturn(view.settled.entry.number)}
                />
              ) : (
                <ReturnResult settled={view.settled} onNext={toSale} />
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
      {open === 'settings' && (
        <Settings outbox={outbox} onClose={() => setOpen(undefined)} onSettled={settle} />
      )}
    </DeskContext>
  )
}
