import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { idempotencyHeaders } from '../../api/idempotency-key.ts'
import { toast } from '../toast.ts'
import { useAsk } from '../use-ask.tsx'
import type { Message } from './message.ts'

/** The address of a test is not kept, so it cannot be sent again. */
export const canRetry = ({ kind, status }: Message): boolean =>
  kind !== 'test' && (status === 4 || status === 5)

/** Sends a message again; asks first if it may have arrived. */
export function useRetry(): { retry: (message: Message) => void; isRetrying: boolean } {
  const { t } = useTranslation('messages')
  const ask = useAsk()
  const queries = useQueryClient()
  const send = ({ id }: Message) =>
    dataOf(
      api.POST('/v1/messages/{id}/retry', {
        params: { path: { id }, header: idempotencyHeaders() },
      }),
    )
  const { mutate, isPending } = useMutation({
    mutationFn: send,
    onSuccess: () => {
      toast.success(t('retry.done'))
      return queries.invalidateQueries()
    },
  })
  return {
    isRetrying: isPending,
    retry: (message) => {
      if (message.status !== 5) return mutate(message)
      ask({
        title: t('retry.title'),
        about: t('retry.about'),
        confirm: t('retry.action'),
        run: () => send(message),
        done: t('retry.done'),
      })
    },
  }
}
