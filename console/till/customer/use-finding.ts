import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api, dataOf, isUnanswered } from '../../api/client.ts'
import { type Card, type Customer, chooseCard } from '../sale/sale.ts'

/** Finds the customer and selects the scanned card or its replacement, or else the first usable one. */
export function useFinding(onFound: (customer: Customer, card: Card | undefined) => void) {
  const take = (customer: Customer) => onFound(customer, chooseCard(customer, customer.matchedCard))
  // The later of two searches wins, whichever response arrives first.
  const latest = useRef('')
  const { mutate, error, isPending, variables, reset } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: (q: string) => {
      latest.current = q
      return dataOf(api.GET('/v1/customers/find', { params: { query: { q } } }))
    },
    onSuccess: (customer, q) => q === latest.current && take(customer),
  })
  // A search that got no response is retried when the network is back.
  useEffect(() => {
    if (!isUnanswered(error) || variables === undefined) return
    const again = () => mutate(variables)
    window.addEventListener('online', again)
    return () => window.removeEventListener('online', again)
  }, [error, variables, mutate])
  return {
    find: mutate,
    take,
    error,
    isBusy: isPending,
    searched: variables,
    reset,
  }
}
