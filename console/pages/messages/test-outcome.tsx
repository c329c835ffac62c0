import { Alert, Loader, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from '../../ui/failure.tsx'
import { IconAlertTriangle, IconCheck } from '../../ui/icons.ts'
import { isOver, messageQuery, sendersQuery, troubleOf } from '../../ui/messages/message.ts'

/** What came of a test, as soon as it is known. */
export function TestOutcome({ message: id }: { readonly message: string }) {
  const { t } = useTranslation('messages')
  const queries = useQueryClient()
  const { data: message, error, refetch } = useQuery(messageQuery(id))
  const isKnown = message !== undefined && isOver(message)
  // A test also shows whether the sender fails.
  useEffect(() => {
    if (isKnown) queries.invalidateQueries({ queryKey: sendersQuery.queryKey })
  }, [isKnown, queries])
  if (error) return <Failure error={error} onRetry={refetch} />
  if (!isKnown) {
    return (
      <Alert role="status" color="gray" icon={<Loader size={18} aria-hidden />} title={t('test.sending')} />
    )
  }
  const isSent = message.status === 3
  return (
    <Alert
      role="status"
      color={isSent ? 'pine' : 'red'}
      icon={isSent ? <IconCheck /> : <IconAlertTriangle />}
      title={t(`test.outcome.${message.status}`)}
    >
      {isSent ? (
        t('test.sentAbout')
      ) : (
        <Text size="sm" dir="auto">
          {troubleOf(message)}
        </Text>
      )}
    </Alert>
  )
}
