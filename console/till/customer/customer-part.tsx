import { Waiting } from '../../ui/waiting.tsx'
import type { Card, Customer } from '../sale/sale.ts'
import type { Selling } from '../sale/use-sale.ts'
import { CustomerPanel } from './customer-panel.tsx'
import { FindCustomer } from './find-customer.tsx'
import { KeptCard } from './kept-card.tsx'
import type { useFinding } from './use-finding.ts'

interface CustomerPartProps {
  readonly selling: Selling
  readonly finding: ReturnType<typeof useFinding>
  readonly find: (text: string) => void
  /** Whether the customer of a restored basket is being read. */
  readonly isReading: boolean
  readonly onLeave: () => void
  readonly onCustomer: (customer: Customer) => void
  readonly onShowCard: (card: Card) => void
}

/** Who buys: the customer, the card that was scanned without a network, or the search for one. */
export function CustomerPart(props: CustomerPartProps) {
  const { selling, finding, find, isReading, onLeave, onCustomer, onShowCard } = props
  const { sale, dispatch, preview, again, isReached } = selling
  const notRead = sale.awaited && again.error
  if (sale.customer) {
    return (
      <CustomerPanel
        sale={sale}
        customer={sale.customer}
        isReached={isReached}
        progress={preview.shown?.preview.executedActions.progress ?? []}
        dispatch={dispatch}
        onLeave={onLeave}
        onCustomer={onCustomer}
        onShowCard={onShowCard}
      />
    )
  }
  if (isReading) return <Waiting />
  if (sale.barcode !== undefined || (sale.awaited && !isReached)) {
    return <KeptCard ending={sale.barcode?.slice(-4)} onLeave={onLeave} />
  }
  return (
    <FindCustomer
      find={find}
      isReached={isReached}
      isBusy={finding.isBusy}
      error={finding.error ?? notRead}
      searched={finding.searched}
      onRetry={notRead ? again.refetch : undefined}
      onRegistered={onCustomer}
    />
  )
}
