import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type IdempotencyHeaders, idempotencyHeaders } from '../api/idempotency-key.ts'

interface ModalForm<V, R> {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** Initial values, computed each time the form is opened. */
  readonly initial: () => V
  readonly send: (values: V, headers: IdempotencyHeaders) => Promise<R>
  readonly onDone?: (result: R) => void
}

/**
 * State of a `FormModal`. Each opening has one idempotency key: pressing again after a lost response does not
 * run the request twice.
 */
export function useModalForm<V, R>({ isOpen, onClose, initial, send, onDone }: ModalForm<V, R>) {
  const [values, setValues] = useState(initial)
  const headers = useRef(idempotencyHeaders())
  // The second half of a double click arrives before the button is disabled, or while the form closes.
  const isSent = useRef(false)
  const queries = useQueryClient()
  const { mutate, reset, isPending, isSuccess, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () => send(values, headers.current),
    onSuccess: (result) => {
      onClose()
      onDone?.(result)
      // A change of a customer affects balances, coupons, the ledger and lists alike.
      return queries.invalidateQueries()
    },
    onError: () => {
      isSent.current = false
    },
  })
  // The form resets only when it opens, not while typing.
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
    /** Sent and not refused: the values belong to what is done or about to be. */
    isSent: isPending || isSuccess,
    modal: { isOpen, onClose, onSubmit: submit, isBusy: isPending, error },
  }
}
