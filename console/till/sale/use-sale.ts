import { useQuery } from '@tanstack/react-query'
import { type Dispatch, useEffect, useReducer, useState } from 'react'
import { api, dataOf } from '../../api/client.ts'
import type { Session } from '../../api/session.ts'
import { lineAmount, sumOf } from '../../i18n/amounts.ts'
import { currencyDecimals } from '../../i18n/format.ts'
import { useOnReturn, useReached } from '../offline/reach.ts'
import type { Outbox, Unsettled, UnsettledSale } from '../outbox/outbox.ts'
import { forget, takeKept, useKeeping } from './kept-basket.ts'
import { fromBasket, type Previewed, toBareBasket, usePreview } from './preview.ts'
import {
  buyerOf,
  couponsOf,
  emptySale,
  hasClaims,
  isEmpty,
  reduceSale,
  type Sale,
  type SaleEvent,
} from './sale.ts'

export type Selling = ReturnType<typeof useSale>

/** The sale on the screen, its preview, and how it is charged. It survives while a receipt is shown. */
export function useSale(outbox: Outbox, session: Session, announce: (text: string) => void) {
  const [sale, dispatch] = useReducer(reduceSale, session, (owner) => takeKept(owner) ?? emptySale)
  const preview = usePreview(sale, outbox.branch)
  const { current } = preview
  // The number under which this sale was sent; a sale that was set aside may be settled first.
  const [number, setNumber] = useState<string>()
  const isReached = useReached()
  const decimals = currencyDecimals(session.organization.currency)
  const sum = sumOf(sale.lines.map((line) => lineAmount(line, decimals)))
  const due = current?.preview.totals.due ?? sum
  const isBare = !isReached && current === undefined
  const isKnown = current !== undefined || (isBare && buyerOf(sale) !== undefined)
  const isReady = isKnown && sale.lines.length > 0 && outbox.current === undefined
  useKeeping(session, sale, number !== undefined && outbox.current?.number === number)
  const again = useAwaited(sale, dispatch)
  useEffect(() => {
    if (current) outbox.noteClock(current.clockOffset)
  }, [current])
  useOnReturn(() => preview.error && preview.retry())

  /** Stores the sale. What was charged without the service is returned, and sent when it is back. */
  const charge = (): UnsettledSale | undefined => {
    if (!isReady) return undefined
    const entry = outbox.putSale({ ...toEntry(sale, current, outbox), due, isAside: !isReached || undefined })
    // The stored copy is dropped right away: after a crash, the sale would be charged twice.
    forget()
    if (entry.isAside) dispatch({ type: 'next' })
    else setNumber(entry.number)
    return entry.isAside ? entry : undefined
  }
  /** Starts the next sale if the one on the screen was settled under this number. */
  const finish = (settled: string) => {
    if (settled !== number) return
    setNumber(undefined)
    dispatch({ type: 'next' })
  }
  /** Brings back a refused sale that is no longer on the screen after a reload or after it was set aside. */
  const takeBack = (entry: Unsettled, isPaid = false) => {
    if (entry.kind !== 'sale' || !isEmpty(sale)) return
    const paidAs = isPaid ? entry.number : undefined
    dispatch({ type: 'take back', sale: { ...fromBasket(entry.body), paidAs } })
  }
  return {
    sale,
    dispatch,
    preview,
    /** What is due: by the service, or else the sum of the lines. */
    due,
    isReached,
    /** Whether the sum leaves out coupons and points that were chosen before the network went. */
    leavesOutClaims: isBare && hasClaims(sale),
    isReady,
    again,
    charge,
    finish,
    takeBack,
    announce,
  }
}

function toEntry(sale: Sale, current: Previewed | undefined, { branch, clockOffset }: Outbox) {
  const named = (sale.customer?.coupons ?? []).map(({ id, reward }) => [id, reward.name])
  const offset = current?.clockOffset ?? clockOffset
  return {
    // The sale's time by the service's clock, so that it counts for this moment even if it arrives late.
    body: {
      ...(current?.body ?? toBareBasket(sale, branch)),
      occurredAt: new Date(Date.now() + offset).toISOString(),
    },
    at: Date.now(),
    ending: (sale.card?.barcode ?? sale.barcode)?.slice(-4),
    couponNames: Object.fromEntries(named.filter(([id]) => couponsOf(sale).includes(id!))),
  }
}

/** Reads the customer of a restored basket. */
function useAwaited(sale: Sale, dispatch: Dispatch<SaleEvent>) {
  const awaited = sale.awaited?.customer
  const again = useQuery({
    queryKey: ['customer', awaited],
    queryFn: () => dataOf(api.GET('/v1/customers/{id}', { params: { path: { id: awaited! } } })),
    enabled: awaited !== undefined,
    gcTime: 0,
  })
  useEffect(() => {
    if (again.data) dispatch({ type: 'customer again', customer: again.data })
  }, [again.data, dispatch])
  useOnReturn(() => again.error && again.refetch())
  return again
}
