import { Badge, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { formatMoment, formatNumber } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { type Column, DataList } from '../../ui/lists/data-list.tsx'
import { ChoiceFilter, DayRangeFilter } from '../../ui/lists/filter-fields.tsx'
import { useFilters } from '../../ui/lists/filters.ts'
import { SearchField } from '../../ui/lists/search-field.tsx'
import { UserFilter } from '../../ui/lists/user-filter.tsx'
import { Nowrap } from '../../ui/nowrap.tsx'
import { Page } from '../../ui/page.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { HttpStatus } from '../../ui/status.tsx'
import { AutoRefresh } from './auto-refresh.tsx'

type Request = Schemas['LoggedRequest']
const statuses = ['ok', 'refused', 'failed'] as const

export function RequestsPage() {
  const { t } = useTranslation('developers')
  const [{ status, q, connection, from, to }] = useFilters()
  const filters = { status, q, connection, from, to }
  return (
    <Page title={t('requests.title')} about={t('requests.about')} actions={<AutoRefresh list="requests" />}>
      <DataList
        name="requests"
        columns={useColumns()}
        keyOf={({ id }) => id}
        filters={filters}
        load={(page) =>
          dataOf(
            api.GET('/v1/requests', {
              params: { query: { ...page, ...filters, status: status as (typeof statuses)[number] } },
            }),
          )
        }
        rowPath={({ id }) => paths.request(id)}
        controls={
          <>
            <SearchField label={t('search')} placeholder={t('requests.searchAbout')} />
            <ChoiceFilter
              name="status"
              label={t('status')}
              options={statuses.map((value) => ({ value, label: t(`requests.${value}`) }))}
            />
            <UserFilter name="connection" label={t('by')} />
            <DayRangeFilter />
          </>
        }
        empty={<EmptyState title={t('requests.empty')}>{t('requests.emptyAbout')}</EmptyState>}
      />
    </Page>
  )
}

function useColumns(): Column<Request>[] {
  const { t } = useTranslation('developers')
  const { timezone } = useSession().organization
  return [
    {
      key: 'at',
      label: t('time'),
      cell: ({ at }) => <Nowrap>{formatMoment(at, timezone)}</Nowrap>,
      csv: ({ at }) => at,
    },
    {
      key: 'call',
      label: t('requests.call'),
      cell: ({ id, method, path }) => (
        <Group gap="xs" wrap="nowrap" justify="flex-start" align="flex-start">
          <Badge variant="default" radius="sm" ff="monospace" miw={62} style={{ flexShrink: 0 }}>
            {method}
          </Badge>
          <PageLink to={paths.request(id)} size="sm" ta="start" style={{ overflowWrap: 'anywhere' }}>
            <bdi>{path}</bdi>
          </PageLink>
        </Group>
      ),
      csv: ({ method, path }) => `${method} ${path}`,
    },
    {
      key: 'status',
      label: t('status'),
      cell: ({ status, errorCode }) => (
        <Group gap="xs" wrap="nowrap">
          <HttpStatus status={status} />
          {errorCode && (
            <Text size="sm" c="dimmed" dir="ltr">
              {errorCode}
            </Text>
          )}
        </Group>
      ),
      csv: ({ status, errorCode }) => (errorCode ? `${status} ${errorCode}` : status),
    },
    {
      key: 'by',
      label: t('by'),
      cell: ({ by }) => <Nowrap>{by.name ?? by.id}</Nowrap>,
      csv: ({ by }) => by.name ?? by.id,
    },
    {
      key: 'durationMs',
      label: t('requests.duration'),
      align: 'end',
      cell: ({ durationMs }) => t('ms', { value: formatNumber(durationMs, 1) }),
      csv: ({ durationMs }) => durationMs,
    },
  ]
}
