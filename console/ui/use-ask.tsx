import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { toast } from './toast.ts'

interface Question {
  readonly title: string
  /** Describes what will happen. */
  readonly about: string
  readonly confirm: string
  readonly isDangerous?: boolean
  readonly run: () => Promise<unknown>
  readonly done: string
}

/** Asks for confirmation, runs the action and shows a toast. A refusal is shown as a toast as well. */
export function useAsk(): (question: Question) => void {
  const { t } = useTranslation('common')
  const queries = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: ({ run }: Question) => run(),
    onSuccess: (_, { done }) => {
      toast.success(done)
      return queries.invalidateQueries()
    },
  })
  return (question) =>
    modals.openConfirmModal({
      title: question.title,
      children: <Text size="sm">{question.about}</Text>,
      labels: { confirm: question.confirm, cancel: t('cancel') },
      confirmProps: { color: question.isDangerous ? 'red' : undefined },
      onConfirm: () => mutate(question),
    })
}
