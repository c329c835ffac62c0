import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { useEventWords } from '../../i18n/event-words.ts'
import { formatMoment, formatNumber, formatRelative } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { type Column, DataList } from '../../ui/lists/data-list.tsx'
import { ChoiceFilter } from '../../ui/lists/filter-fields.tsx'
import { useFilters } from '../../ui/lists/filters.ts'
import { Nowrap } from '../../ui/nowrap.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { HttpStatus } from '../../ui/status.tsx'
import { StatusBadge, statusCode, useStatusOptions } from '../../ui/status-badge.tsx'
import { type Delivery, deliveriesOf } from './webhook.ts'

/** What was sent to a webhook, newest first. */
export function Deliveries({ webhook }: { readonly webhook: string }) {
  const { t } = useTranslation('webhooks')
  const [{ status }] = useFilters()
  const statuses = useStatusOptions('delivery', [1, 2, 3])
  return (
    <DataList
      name={deliveriesOf(webhook)}
      columns={useColumns()}
      keyOf={({ id }) => id}
      filters={{ status }}
      load={(page) =>
        dataOf(
          api.GET('/v1/webhooks/{id}/deliveries', {
            params: { path: { id: webhook }, query: { ...page, status: statusCode<1 | 2 | 3>(status) } },
          }),
        )
      }
      rowPath={({ id }) => paths.delivery(webhook, id)}
      controls={<ChoiceFilter name="status" label={t('developers:status')} options={statuses} />}
      empty={<EmptyState title={t('deliveries.empty')}>{t('deliveries.emptyAbout')}</EmptyState>}
    />
  )
}

function useColumns(): Column<Delivery>[] {
  const { t } = useTranslation('webhooks')
  const { timezone } = useSession().organization
  const wordsOf = useEventWords()
  return [
    {
      key: 'createdAt',
      label: t('developers:time'),
      cell: ({ createdAt }) => <Nowrap>{formatMoment(createdAt, timezone)}</Nowrap>,
      csv: ({ createdAt }) => createdAt,
    },
    {
      key: 'type',
      label: t('deliveries.event'),
      cell: ({ id, webhook, type }) => (
        <Stack gap={0} align="flex-start">
          <PageLink to={paths.delivery(webhook, id)} size="sm">
            {wordsOf(type)}
          </PageLink>
          <Text size="xs" c="dimmed" dir="ltr">
            {type}
          </Text>
        </Stack>
      ),
      csv: ({ type }) => type,
    },
    {
      key: 'status',
      label: t('developers:status'),
      cell: ({ status }) => <StatusBadge of="delivery" status={status} />,
      csv: ({ status }) => t(`common:status.delivery.${status}`),
    },
    {
      key: 'last',
      label: t('deliveries.last'),
      cell: ({ attempts }) => {
        const last = attempts.at(-1)
        if (last?.status !== undefined) return <HttpStatus status={last.status} />
        return last && t('deliveries.noResponse')
      },
      csv: ({ attempts }) => attempts.at(-1)?.status ?? attempts.at(-1)?.error,
    },
    {
      key: 'attempts',
      label: t('deliveries.attempts'),
      align: 'end',
      cell: ({ attempts }) => formatNumber(attempts.length),
      csv: ({ attempts }) => attempts.length,
    },
    {
      key: 'next',
      label: t('deliveries.next'),
      align: 'end',
      cell: ({ status, nextAttemptAt }) => status === 1 && nextAttemptAt && formatRelative(nextAttemptAt),
      csv: ({ status, nextAttemptAt }) => (status === 1 ? nextAttemptAt : undefined),
    },
    { key: 'event', label: t('delivery.eventId'), isOnlyCsv: true, cell: ({ event }) => event },
    { key: 'id', label: t('delivery.deliveryId'), isOnlyCsv: true, cell: ({ id }) => id },
  ]
}
