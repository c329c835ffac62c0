import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { idempotencyHeaders } from '../../api/idempotency-key.ts'
import { useSession } from '../../api/session.ts'
import { useEventWords } from '../../i18n/event-words.ts'
import { formatMoment, formatNumber, formatRelative } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { IconSend } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Facts, IdText } from '../../ui/section.tsx'
import { PageFailure } from '../../ui/shell/page-failure.tsx'
import { HttpStatus, Status } from '../../ui/status.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { toast } from '../../ui/toast.ts'
import { Waiting } from '../../ui/waiting.tsx'
import { type Delivery, deliveriesOf, deliveryQuery, nameOf, webhookQuery } from './webhook.ts'

export function DeliveryPage() {
  const { t } = useTranslation(['webhooks', 'developers'])
  const { id: webhook, delivery: id } = useParams({ strict: false }) as { id: string; delivery: string }
  const { data, error, refetch } = useQuery(deliveryQuery(id))
  const { data: owner } = useQuery(webhookQuery(webhook))
  const wordsOf = useEventWords()
  const parent = { to: paths.webhook(webhook), title: owner ? nameOf(owner) : t('one') }
  if (error)
    return <PageFailure error={error} onRetry={refetch} title={t('deliveries.event')} parent={parent} />
  if (!data) return <Waiting />
  return (
    <Page title={wordsOf(data.type)} parent={parent} actions={<SendAgain delivery={data} />}>
      <div className="lw-surface" style={{ padding: 'var(--mantine-spacing-md)' }}>
        <DeliveryFacts delivery={data} />
      </div>
      <Stack gap="sm" component="section">
        <Title order={2} size="h4">
          {t('deliveries.attempts')}
        </Title>
        {data.attempts.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('delivery.attemptsNone')}
          </Text>
        )}
        {data.attempts
          .map((attempt, index) => <Attempt key={attempt.at} attempt={attempt} number={index + 1} />)
          .reverse()}
      </Stack>
    </Page>
  )
}

function SendAgain({ delivery }: { readonly delivery: Delivery }) {
  const { t } = useTranslation('webhooks')
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/v1/deliveries/{id}/replay', {
          params: { path: { id: delivery.id }, header: idempotencyHeaders() },
        }),
      ),
    onSuccess: async ({ id, webhook }) => {
      toast.success(t('delivery.sentAgain'))
      await navigate({ to: paths.delivery(webhook, id) })
      await queries.invalidateQueries({ queryKey: [deliveriesOf(webhook)] })
    },
  })
  return (
    <Button leftSection={<IconSend size={16} />} onClick={() => mutate()} loading={isPending}>
      {t('delivery.again')}
    </Button>
  )
}

function DeliveryFacts({ delivery }: { readonly delivery: Delivery }) {
  const { t } = useTranslation('webhooks')
  const { timezone } = useSession().organization
  const { id, type, event, status, createdAt, nextAttemptAt } = delivery
  return (
    <Facts
      facts={[
        { label: t('developers:status'), value: <StatusBadge of="delivery" status={status} /> },
        {
          label: t('deliveries.next'),
          value:
            status === 1 &&
            nextAttemptAt &&
            t('delivery.nextAt', {
              time: formatMoment(nextAttemptAt, timezone),
              relative: formatRelative(nextAttemptAt),
            }),
        },
        { label: t('developers:created'), value: formatMoment(createdAt, timezone) },
        { label: t('delivery.type'), value: <bdi>{type}</bdi> },
        { label: t('delivery.eventId'), value: <IdText id={event} /> },
        { label: t('delivery.deliveryId'), value: <IdText id={id} /> },
      ]}
    />
  )
}

interface AttemptProps {
  readonly attempt: Delivery['attempts'][number]
  readonly number: number
}

function Attempt({ attempt, number }: AttemptProps) {
  const { t } = useTranslation('webhooks')
  const { timezone } = useSession().organization
  const { at, durationMs, status, error, response } = attempt
  return (
    <Stack gap="xs" p="md" className="lw-surface">
      <Group gap="sm">
        <Title order={3} size="h5">
          {t('delivery.attempt', { number: formatNumber(number) })}
        </Title>
        {status === undefined ? (
          <Status tone="wrong">{t('deliveries.noResponse')}</Status>
        ) : (
          <HttpStatus status={status} />
        )}
        <Text size="sm" c="dimmed" className="lw-tabular">
          {formatMoment(at, timezone)} · {t('developers:ms', { value: formatNumber(durationMs) })}
        </Text>
      </Group>
      {error && (
        <Text size="sm" dir="auto">
          {error}
        </Text>
      )}
      {response ? (
        <CodeBlock label={t('delivery.response')}>{response}</CodeBlock>
      ) : (
        status !== undefined && (
          <Text size="sm" c="dimmed">
            {t('delivery.emptyResponse')}
          </Text>
        )
      )}
    </Stack>
  )
}
