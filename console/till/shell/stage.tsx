import type { Outbox } from '../outbox/outbox.ts'
import { UnsettledPanel } from '../outbox/unsettled-panel.tsx'
import { Receipt } from '../sale/receipt.tsx'
import { SaleView } from '../sale/sale-view.tsx'
import type { Selling } from '../sale/use-sale.ts'
import { lazyPanel } from './lazy-panel.tsx'
import type { Done, Settling } from './use-settling.ts'

const LaterReceipt = lazyPanel(() => import('../sale/later-receipt.tsx'))
const ReturnResult = lazyPanel(() => import('../return/return-result.tsx'))
const ReturnView = lazyPanel(() => import('../return/return-view.tsx'))

interface StageProps {
  readonly settling: Settling
  readonly outbox: Outbox
  readonly selling: Selling
  readonly onLater: (done: Extract<Done, { kind: 'later' }>) => void
  readonly scanned: string | undefined
  readonly onScanned: () => void
}

/** The one view that is open: the sale, a receipt, a return, or a missing response. */
export function Stage({ settling, outbox, selling, onLater, scanned, onScanned }: StageProps) {
  const { done, view, refused, sending, toSale, toReturn } = settling
  if (settling.isWaiting) {
    return (
      <UnsettledPanel
        entry={outbox.current!}
        sending={sending!}
        onSendNow={settling.sendNow}
        onSetAside={() => {
          selling.finish(outbox.current!.number)
          outbox.setAside(outbox.current!.number)
          toSale()
        }}
        onSettled={settling.settle}
      />
    )
  }
  if (view === 'return') {
    return (
      <ReturnView
        receipt={settling.number}
        refused={refused?.entry.kind === 'return' ? refused.error : undefined}
        onReturn={(given) => {
          settling.forgetRefusal()
          outbox.putReturn(given)
        }}
        onBack={toSale}
      />
    )
  }
  if (done?.kind === 'later') return <LaterReceipt {...done} onNext={toSale} />
  if (done?.kind === 'sale') {
    return <Receipt settled={done} onNext={toSale} onReturn={() => toReturn(done.entry.number)} />
  }
  if (done) return <ReturnResult settled={done} onNext={toSale} />
  return (
    <SaleView
      selling={selling}
      isSending={outbox.current !== undefined}
      refused={refused?.entry.kind === 'sale' ? refused.error : undefined}
      onCharge={(later) => {
        settling.forgetRefusal()
        if (later) onLater({ kind: 'later', entry: later })
      }}
      scanned={scanned}
      onScanned={onScanned}
    />
  )
}
