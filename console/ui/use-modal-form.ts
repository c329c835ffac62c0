import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type IdempotencyHeaders, idempotencyHeaders } from '../api/idempotency-key.ts'

interface ModalForm<V, R> {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** Asked each time the form is opened. */
  readonly initial: () => V
  readonly send: (values: V, headers: IdempotencyHeaders) => Promise<R>
  readonly onDone?: (result: R) => void
}

/**
 * What a `FormModal` needs. One key for each opening: a second press after a lost answer repeats, not
 * doubles.
 */
export function useModalForm<V, R>({ isOpen, onClose, initial, send, onDone }: ModalForm<V, R>) {
  const [values, setValues] = useState(initial)
  const headers = useRef(idempotencyHeaders())
  // The second half of a double click arrives before the button is disabled, or while the form closes.
  const isSent = useRef(false)
  const queries = useQueryClient()
  const { mutate, reset, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () => send(values, headers.current),
    onSuccess: (result) => {
      onClose()
      onDone?.(result)
      // One change of a customer shows in balances, coupons, ledger and lists alike.
      return queries.invalidateQueries()
    },
    onError: () => {
      isSent.current = false
    },
  })
  // Only opening starts anew, not typing.
  useEffect(() => {
    if (!isOpen) return
    setValues(initial())
    reset()
    headers.current = idempotencyHeaders()
    isSent.current = false
  }, [isOpen])
  const submit = () => {
    if (isSent.current) return
    isSent.current = true
    mutate()
  }
  return {
    values,
    set: (changes: Partial<V>) => setValues((before) => ({ ...before, ...changes })),
    modal: { isOpen, onClose, onSubmit: submit, isBusy: isPending, error },
  }
}
