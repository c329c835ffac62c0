import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useProgram } from '../../i18n/campaign-names.ts'
import { formatRelative } from '../../i18n/format.ts'
import { guide, paths } from '../../paths.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconTransferIn } from '../../ui/icons.ts'
import { type Column, DataList } from '../../ui/lists/data-list.tsx'
import { Page } from '../../ui/page.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ShownSecret } from '../../ui/shown-once.tsx'
import { AddSource, KindCards, KindIcon } from './kinds.tsx'
import { listSources, type Source, type SourceKind } from './requests.ts'
import { stateOf } from './source.ts'
import { SourceForm } from './source-form.tsx'
import { SourceMenu } from './source-menu.tsx'
import { ResumeButton, SourceState } from './source-state.tsx'

interface Added {
  readonly id: string
  readonly secret?: string
}

export function SourcesPage() {
  const { t } = useTranslation(['sources', 'developers'])
  const navigate = useNavigate()
  const [adding, setAdding] = useState<SourceKind>()
  const [added, setAdded] = useState<Added>()
  const open = ({ id }: Added) => navigate({ to: paths.source(id) })
  return (
    <Page
      title={t('title')}
      about={
        <>
          {t('about')}{' '}
          <Anchor href={guide('sources')} target="_blank" size="sm" underline="always">
            {t('guide')}
          </Anchor>
        </>
      }
      actions={<AddSource onChoose={setAdding} />}
    >
      <DataList
        name="sources"
        columns={useColumns()}
        keyOf={({ id }) => id}
        filters={{}}
        load={listSources}
        rowPath={({ id }) => paths.source(id)}
        empty={
          <EmptyState
            title={t('empty')}
            icon={<IconTransferIn size={26} />}
            action={<KindCards onChoose={setAdding} />}
          >
            {t('emptyAbout')}
          </EmptyState>
        }
      />
      {adding && (
        <SourceForm
          kind={adding}
          onClose={() => setAdding(undefined)}
          // A secret that is shown once comes before anything else.
          onAdded={(source) => (source.secret === undefined ? open(source) : setAdded(source))}
        />
      )}
      {added?.secret && <ShownSecret namespace="sources" secret={added.secret} onClose={() => open(added)} />}
    </Page>
  )
}

function SourceName({ source: { id, name, kind } }: { readonly source: Source }) {
  const { t } = useTranslation('sources')
  return (
    <Stack gap={0} align="flex-start">
      <PageLink to={paths.source(id)} size="sm" fw={550}>
        <bdi>{name}</bdi>
      </PageLink>
      <Group gap={4} wrap="nowrap" c="dimmed" component="span">
        <KindIcon kind={kind} size={14} />
        <Text size="sm" span>
          {t(`kind.${kind}`)}
        </Text>
      </Group>
    </Stack>
  )
}

function useColumns(): Column<Source>[] {
  const { t } = useTranslation('sources')
  const program = useProgram()
  return [
    {
      key: 'name',
      label: t('developers:name'),
      cell: (source) => <SourceName source={source} />,
      csv: ({ name }) => name,
    },
    { key: 'kind', label: t('kindLabel'), isOnlyCsv: true, cell: ({ kind }) => t(`kind.${kind}`) },
    {
      key: 'status',
      label: t('developers:status'),
      cell: (source) => <SourceState source={source} />,
      csv: (source) => t(`state.${stateOf(source)}`),
    },
    {
      key: 'campaign',
      label: t('campaign'),
      cell: ({ campaign }) => (campaign ? <bdi>{program.campaignName(campaign)}</bdi> : t('anyCampaign')),
      csv: ({ campaign }) => (campaign ? program.campaignName(campaign) : t('anyCampaign')),
    },
    {
      key: 'lastReceivedAt',
      label: t('lastReceived'),
      align: 'end',
      cell: ({ lastReceivedAt }) => (lastReceivedAt ? formatRelative(lastReceivedAt) : t('developers:never')),
      csv: ({ lastReceivedAt }) => lastReceivedAt,
    },
    {
      key: 'lastRejectedAt',
      label: t('lastRejected'),
      isOnlyCsv: true,
      cell: ({ lastRejectedAt }) => lastRejectedAt,
    },
    {
      key: 'actions',
      label: t('developers:actions'),
      align: 'end',
      isOnlyTable: true,
      cell: (source) => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          {stateOf(source) === 'paused' && (
            <ResumeButton source={source} label={t('resumeFor', { name: source.name })} />
          )}
          <SourceMenu source={source} />
        </Group>
      ),
    },
  ]
}
