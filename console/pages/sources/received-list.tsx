import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { formatMoment, formatRelative } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { CustomerName } from '../../ui/customer-name.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { type Column, DataList } from '../../ui/lists/data-list.tsx'
import { ChoiceFilter } from '../../ui/lists/filter-fields.tsx'
import { useFilters } from '../../ui/lists/filters.ts'
import { Nowrap } from '../../ui/nowrap.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { StatusBadge, statusCode, useStatusOptions } from '../../ui/status-badge.tsx'
import { useProblemWords } from './problem.tsx'
import { listReceived, type Received } from './requests.ts'
import { receivedOf } from './source.ts'

/** What a source has received, newest first. */
export function ReceivedList({ source }: { readonly source: string }) {
  const { t } = useTranslation('sources')
  const [{ status }] = useFilters()
  const statuses = useStatusOptions('received', [1, 2, 3, 4])
  return (
    <DataList
      name={receivedOf(source)}
      columns={useColumns()}
      keyOf={({ id }) => id}
      filters={{ status }}
      load={(page) => listReceived(source, { ...page, status: statusCode<Received['status']>(status) })}
      rowPath={({ id }) => paths.received(source, id)}
      controls={<ChoiceFilter name="status" label={t('developers:status')} options={statuses} />}
      empty={<EmptyState title={t('received.empty')}>{t('received.emptyAbout')}</EmptyState>}
    />
  )
}

function useColumns(): Column<Received>[] {
  const { t } = useTranslation('sources')
  const { timezone } = useSession().organization
  const wordsOf = useProblemWords()
  return [
    {
      key: 'receivedAt',
      label: t('developers:time'),
      cell: ({ id, source, receivedAt }) => (
        <PageLink to={paths.received(source, id)} size="sm">
          <Nowrap>{formatMoment(receivedAt, timezone)}</Nowrap>
        </PageLink>
      ),
      csv: ({ receivedAt }) => receivedAt,
    },
    {
      key: 'topic',
      label: t('received.topic'),
      cell: ({ topic }) => topic && <bdi>{topic}</bdi>,
      csv: ({ topic }) => topic,
    },
    {
      key: 'status',
      label: t('developers:status'),
      cell: ({ status }) => <StatusBadge of="received" status={status} />,
      csv: ({ status }) => t(`common:status.received.${status}`),
    },
    {
      key: 'outcome',
      label: t('received.outcome'),
      cell: (received) => <Outcome received={received} />,
      csv: ({ problem }) => problem && wordsOf(problem).what,
    },
    {
      key: 'transaction',
      label: t('received.saleId'),
      isOnlyCsv: true,
      cell: ({ transaction }) => transaction,
    },
    { key: 'customer', label: t('received.customerId'), isOnlyCsv: true, cell: ({ customer }) => customer },
    { key: 'eventId', label: t('received.eventId'), isOnlyCsv: true, cell: ({ eventId }) => eventId },
    { key: 'id', label: t('received.id'), isOnlyCsv: true, cell: ({ id }) => id },
  ]
}

/** The sale and the customer, or why there is none, and when it is tried again. */
function Outcome({ received }: { readonly received: Received }) {
  const { t } = useTranslation('sources')
  const wordsOf = useProblemWords()
  const { status, transaction, customer, problem, nextAttemptAt } = received
  if (!transaction && !customer && !problem) return null
  return (
    <Stack gap={0} align="flex-start">
      {transaction && (
        <PageLink to={paths.transaction(transaction)} size="sm">
          {t(received.return ? 'received.showReturn' : 'received.showSale')}
        </PageLink>
      )}
      {customer && <CustomerName id={customer} />}
      {problem && (
        <Text size="sm" dir="auto">
          {wordsOf(problem).what}
        </Text>
      )}
      {status === 1 && problem && nextAttemptAt && (
        <Text size="xs" c="dimmed">
          {t('received.nextAttempt', { time: formatRelative(nextAttemptAt) })}
        </Text>
      )}
    </Stack>
  )
}
