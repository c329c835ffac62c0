import { Button, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { formatDateTime } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconPlus, IconSparkles } from '../../ui/icons.ts'
import { type Column, DataList } from '../../ui/lists/data-list.tsx'
import { ChoiceFilter } from '../../ui/lists/filter-fields.tsx'
import { useFilters } from '../../ui/lists/filters.ts'
import { Page } from '../../ui/page.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { hasWaitingChanges } from './status-badges.tsx'

type Campaign = Schemas['Campaign']
type Status = 'draft' | 'published' | 'paused' | 'archived'
const statuses: readonly Status[] = ['draft', 'published', 'paused', 'archived']

export function CampaignsPage() {
  const { t } = useTranslation(['campaigns', 'common'])
  const [filters] = useFilters()
  const { timezone } = useSession().organization
  const status = statuses.find((item) => item === filters.status)
  const balancesOf = ({ balances }: Campaign) => balances.map(({ key, name }) => name ?? key).join(', ')
  const statusOf = (campaign: Campaign) => t(`common:status.campaign.${campaign.status as Status}`)
  const columns: Column<Campaign>[] = [
    {
      key: 'name',
      label: t('columns.name'),
      cell: ({ id, name }) => (
        <PageLink to={paths.campaign(id)} fw={550} size="sm">
          {name}
        </PageLink>
      ),
      csv: ({ name }) => name,
    },
    {
      key: 'status',
      label: t('columns.status'),
      cell: (campaign) => <StatusBadge of="campaign" status={campaign.status} />,
      csv: statusOf,
    },
    { key: 'balances', label: t('columns.balances'), cell: balancesOf },
    {
      key: 'changes',
      label: t('columns.changes'),
      cell: (campaign) =>
        hasWaitingChanges(campaign) ? t('changesWaiting') : <Text c="dimmed">{t('none')}</Text>,
      csv: (campaign) => (hasWaitingChanges(campaign) ? t('changesWaiting') : ''),
    },
    {
      key: 'updatedAt',
      label: t('columns.updatedAt'),
      cell: ({ updatedAt }) => formatDateTime(updatedAt, timezone),
      csv: ({ updatedAt }) => updatedAt,
    },
    {
      key: 'version',
      label: t('columns.version'),
      align: 'end',
      cell: ({ version }) => (version === 0 ? <Text c="dimmed">{t('none')}</Text> : version),
      csv: ({ version }) => version,
    },
  ]
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        <Button
          renderRoot={(root) => <Link to={paths.newCampaign()} {...root} />}
          leftSection={<IconPlus size={16} />}
        >
          {t('new.open')}
        </Button>
      }
    >
      <DataList
        name="campaigns"
        columns={columns}
        keyOf={({ id }) => id}
        filters={{ status }}
        load={(page) => dataOf(api.GET('/v1/campaigns', { params: { query: { ...page, status } } }))}
        rowPath={({ id }) => paths.campaign(id)}
        controls={
          <ChoiceFilter
            name="status"
            label={t('columns.status')}
            options={statuses.map((value) => ({ value, label: t(`common:status.campaign.${value}`) }))}
          />
        }
        empty={
          <EmptyState
            title={t('empty.title')}
            icon={<IconSparkles size={26} />}
            action={
              <Button renderRoot={(root) => <Link to={paths.newCampaign()} {...root} />}>
                {t('empty.action')}
              </Button>
            }
          >
            {t('empty.about')}
          </EmptyState>
        }
      />
    </Page>
  )
}
