import { VisuallyHidden } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Session } from '../../api/session.ts'
import { useScanner } from '../hardware/scanner.ts'
import { keepTill } from '../offline/keep-till.ts'
import { OfflineBar } from '../offline/offline-bar.tsx'
import { useOutbox } from '../outbox/outbox.ts'
import { isEmpty } from '../sale/sale.ts'
import { useSale } from '../sale/use-sale.ts'
import { useAsksToLeave } from './back.ts'
import { lazyPanel, loadPanels } from './lazy-panel.tsx'
import { LeaveDialog } from './leave-dialog.tsx'
import { useShortcuts } from './shortcuts.ts'
import { Stage } from './stage.tsx'
import { focusOn, places, TillContext } from './till-context.ts'
import { TillHeader } from './till-header.tsx'
import { useProgram } from './use-program.ts'
import { useSettling } from './use-settling.ts'

const CallsPanel = lazyPanel(() => import('../outbox/calls-panel.tsx'))
const Help = lazyPanel(() => import('./help.tsx'))
const OutboxPanel = lazyPanel(() => import('../outbox/outbox-panel.tsx'))
const Settings = lazyPanel(() => import('./settings.tsx'))

interface TillDeskProps {
  readonly session: Session
  readonly isSignedIn: boolean
  readonly onSignOut: () => void
}

/** The first sale does not wait for files that only a till without a network needs. */
const keepAfterMs = 2_000

export function TillDesk({ session, isSignedIn, onSignOut }: TillDeskProps) {
  const { t } = useTranslation('till')
  const [open, setOpen] = useState<'calls' | 'help' | 'outbox' | 'settings' | 'leave'>()
  const close = () => setOpen(undefined)
  const [message, setMessage] = useState({ text: '', count: 0 })
  const announce = (text: string) => setMessage(({ count }) => ({ text, count: count + 1 }))
  const program = useProgram(session.organization.id)
  const outbox = useOutbox(session.organization.id)
  const selling = useSale(outbox, session, announce)
  const settling = useSettling({ outbox, selling, isSignedIn })
  const { view, isWaiting, toSale, toReturn } = settling
  useAsksToLeave(isEmpty(selling.sale) ? undefined : () => setOpen('leave'))

  useEffect(() => {
    const timer = setTimeout(() => keepTill(loadPanels).catch(() => {}), keepAfterMs)
    return () => clearTimeout(timer)
  }, [])
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
      if (open === 'calls') close()
      else if (!isSelling && !isWaiting) toSale()
    },
  })

  return (
    <TillContext value={{ session, ...program, announce }}>
      <VisuallyHidden role="status" aria-live="polite">
        <span key={message.count}>{message.text}</span>
      </VisuallyHidden>
      <div className="till">
        <a className="lw-skip" href="#till-main">
          {t('common:skip')}
        </a>
        <TillHeader
          outbox={outbox}
          onOutbox={() => setOpen('outbox')}
          isCallsOpen={open === 'calls'}
          onCalls={toggleCalls}
          onReturn={() => !isWaiting && toReturn()}
          onHelp={() => setOpen('help')}
          onSettings={() => setOpen('settings')}
          onSignOut={onSignOut}
        />
        <OfflineBar />
        <div className="till-body">
          <div className="till-stage">
            <Stage
              settling={settling}
              outbox={outbox}
              selling={selling}
              onLater={(done) => {
                settling.showDone(done)
                announce(t('offline.kept', { number: done.entry.number }))
              }}
              scanned={scanned}
              onScanned={() => setScanned(undefined)}
            />
          </div>
          {open === 'calls' && <CallsPanel onClose={close} />}
        </div>
      </div>
      {open === 'help' && <Help onClose={close} />}
      {open === 'leave' && <LeaveDialog onClose={close} />}
      {open === 'settings' && <Settings outbox={outbox} onClose={close} />}
      {open === 'outbox' && (
        <OutboxPanel
          outbox={outbox}
          settling={settling}
          canTakeBack={isEmpty(selling.sale)}
          onClose={close}
          onTakeBack={(entry) => {
            close()
            if (outbox.settle(entry.number)) selling.takeBack(entry, true)
            toSale()
          }}
        />
      )}
    </TillContext>
  )
}
