import { useQuery } from '@tanstack/react-query'
import { useEffect, useReducer, useState } from 'react'
import { api, dataOf } from '../../api/client.ts'
import type { Session } from '../../api/session.ts'
import type { Outbox, Unsettled } from '../outbox/outbox.ts'
import { forget, takeKept, useKeeping } from './kept-basket.ts'
import { fromBasket, usePreview } from './preview.ts'
import { couponsOf, emptySale, isEmpty, reduceSale } from './sale.ts'

export type Selling = ReturnType<typeof useSale>

/** The sale on the screen, its preview, and how it is charged. It survives while a receipt is shown. */
export function useSale(outbox: Outbox, session: Session, announce: (text: string) => void) {
  const [sale, dispatch] = useReducer(reduceSale, session, (owner) => takeKept(owner) ?? emptySale)
  const preview = usePreview(sale, outbox.branch)
  const { current } = preview
  // The number under which this sale was sent; a sale that was set aside may be settled first.
  const [number, setNumber] = useState<string>()
  const isReady = current !== undefined && sale.lines.length > 0 && outbox.current === undefined
  useKeeping(session, sale, number !== undefined && outbox.current?.number === number)

  const awaited = sale.awaited?.customer
  const again = useQuery({
    queryKey: ['customer', awaited],
    queryFn: () => dataOf(api.GET('/v1/customers/{id}', { params: { path: { id: awaited! } } })),
    enabled: awaited !== undefined,
    gcTime: 0,
  })
  useEffect(() => {
    if (again.data) dispatch({ type: 'customer again', customer: again.data })
  }, [again.data])

  const charge = () => {
    if (!isReady) return
    const named = sale.customer!.coupons.map(({ id, reward }) => [id, reward.name])
    const sent = outbox.putSale({
      // The sale's time by the service's clock, so that it counts for this moment even if it arrives late.
      body: { ...current.body, occurredAt: new Date(Date.now() + current.clockOffset).toISOString() },
      couponNames: Object.fromEntries(named.filter(([id]) => couponsOf(sale).includes(id!))),
    })
    // The stored copy is dropped right away: after a crash, the sale would be charged twice.
    forget()
    setNumber(sent)
  }
  /** Starts the next sale if the one on the screen was settled under this number. */
  const finish = (settled: string) => {
    if (settled !== number) return
    setNumber(undefined)
    dispatch({ type: 'next' })
  }
  /** Brings back a refused sale that is no longer on the screen after a reload or after it was set aside. */
  const takeBack = (entry: Unsettled) => {
    if (entry.kind === 'sale' && isEmpty(sale)) dispatch({ type: 'take back', sale: fromBasket(entry.body) })
  }
  return { sale, dispatch, preview, isReady, again, charge, finish, takeBack, announce }
}
