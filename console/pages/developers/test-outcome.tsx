import { Alert, Loader, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { idempotencyHeaders } from '../../api/idempotency-key.ts'
import { formatNumber, formatRelative } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { Failure } from '../../ui/failure.tsx'
import { IconAlertTriangle, IconCheck } from '../../ui/icons.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { type Delivery, deliveriesOf, deliveryQuery } from './webhook.ts'

/** Sends a test to a webhook, and knows the last one. */
export function useTest(webhook: string) {
  const queries = useQueryClient()
  const { mutate, data, isPending } = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/v1/webhooks/{id}/test', {
          params: { path: { id: webhook }, header: idempotencyHeaders() },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: [deliveriesOf(webhook)] }),
  })
  // Another webhook's test is not shown after a change of the page.
  return { send: mutate, isSending: isPending, delivery: data?.webhook === webhook ? data.id : undefined }
}

interface TestOutcomeProps {
  readonly webhook: string
  readonly delivery: string
}

/** What came of a test, as soon as it is known. */
export function TestOutcome({ webhook, delivery: id }: TestOutcomeProps) {
  const { t } = useTranslation('webhooks')
  const queries = useQueryClient()
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(id))
  const isTried = delivery !== undefined && delivery.attempts.length > 0
  useEffect(() => {
    if (!isTried) return
    queries.invalidateQueries({ queryKey: [deliveriesOf(webhook)] })
    queries.invalidateQueries({ queryKey: ['webhooks'] })
  }, [isTried, webhook, queries])
  if (error) return <Failure error={error} onRetry={refetch} />
  const isDelivered = delivery?.status === 2
  const icon = isDelivered ? <IconCheck /> : <IconAlertTriangle />
  return (
    <Alert
      role="status"
      color={isDelivered ? 'pine' : isTried ? 'red' : 'gray'}
      icon={isTried ? icon : <Loader size={18} aria-hidden />}
      title={t(isDelivered ? 'test.delivered' : isTried ? 'test.notDelivered' : 'test.sending')}
    >
      {isTried && (
        <Stack gap={4} align="flex-start">
          <Outcome delivery={delivery} />
          <PageLink to={paths.delivery(webhook, id)} size="sm" c="inherit" underline="always">
            {t('test.open')}
          </PageLink>
        </Stack>
      )}
    </Alert>
  )
}

/** The last attempt in a sentence, and whether there will be another. */
function Outcome({ delivery }: { readonly delivery: Delivery }) {
  const { t } = useTranslation('webhooks')
  const { status, error, durationMs } = delivery.attempts.at(-1)!
  return (
    <div>
      <Text size="sm">
        {status === undefined
          ? t('outcome.noResponse', { error })
          : t('outcome.responded', {
              status,
              duration: t('developers:ms', { value: formatNumber(durationMs) }),
            })}
      </Text>
      {delivery.status === 1 && delivery.nextAttemptAt && (
        <Text size="sm">{t('outcome.nextAttempt', { time: formatRelative(delivery.nextAttemptAt) })}</Text>
      )}
      {delivery.status === 3 && <Text size="sm">{t('outcome.gaveUp')}</Text>}
    </div>
  )
}
