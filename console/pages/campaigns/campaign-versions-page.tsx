import { Code, Group, Paper, SegmentedControl, Select, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { type Definition, definitionOf, type Shapes } from '../../forms/definition.ts'
import { formatDateTime } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { useFilters } from '../../ui/lists/filters.ts'
import { Page } from '../../ui/page.tsx'
import { PageFailure } from '../../ui/shell/page-failure.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { ChangeList } from './change-list.tsx'
import { DefinitionView } from './definition-view.tsx'
import { campaignQuery, useShapes, versionsQuery } from './queries.ts'

type Version = Schemas['CampaignVersion']

/** Compares two versions, or a version and the draft. The selection is part of the URL. */
export function CampaignVersionsPage() {
  const { t } = useTranslation(['campaigns', 'forms', 'schema-texts'])
  const { id } = useParams({ strict: false }) as { id: string }
  const campaign = useQuery(campaignQuery(id))
  const shapes = useShapes()
  const versions = useQuery(versionsQuery(id))
  const error = campaign.error ?? shapes.error ?? versions.error
  const retry = () => Promise.all([campaign.refetch(), shapes.refetch(), versions.refetch()])
  const list = { to: paths.campaigns(), title: t('title') }
  if (error) return <PageFailure error={error} onRetry={retry} title={t('versions.title')} parent={list} />
  if (!campaign.data || !shapes.data || !versions.data) return <Waiting />
  return (
    <Page
      title={t('versions.title')}
      about={t('versions.about')}
      parent={{ to: paths.campaign(id), title: campaign.data.name }}
    >
      {versions.data.data.length === 0 ? (
        <div className="lw-surface">
          <EmptyState title={t('versions.emptyTitle')}>{t('versions.emptyAbout')}</EmptyState>
        </div>
      ) : (
        <Comparison campaign={campaign.data} versions={versions.data.data} shapes={shapes.data} />
      )}
    </Page>
  )
}

interface ComparisonProps {
  readonly campaign: Schemas['Campaign']
  readonly versions: readonly Version[]
  readonly shapes: Shapes
}

function Comparison({ campaign, versions, shapes }: ComparisonProps) {
  const { t } = useTranslation('campaigns')
  const { timezone } = useSession().organization
  const [filters, setFilters] = useFilters()
  const [newest, second] = versions
  // Defaults to the unpublished changes, or else to the changes of the latest version.
  const isWaiting = campaign.hasChanges && campaign.status !== 'archived'
  const to = filters.to ?? (isWaiting ? 'draft' : String(newest!.version))
  const from = filters.from ?? String((isWaiting ? newest : (second ?? newest))!.version)
  const options = [
    ...(isWaiting ? [{ value: 'draft', label: t('versions.draft') }] : []),
    ...versions.map(({ version, publishedAt }) => ({
      value: String(version),
      label: t('versions.option', { number: version, at: formatDateTime(publishedAt, timezone) }),
    })),
  ]
  const definitionAt = (name: string): Definition | undefined =>
    name === 'draft'
      ? definitionOf(campaign)
      : (versions.find(({ version }) => String(version) === name)?.definition as Definition | undefined)
  const before = definitionAt(from)
  const after = definitionAt(to)
  return (
    <Stack gap="lg">
      <Group gap="sm" align="flex-end">
        {(['from', 'to'] as const).map((name) => (
          <Select
            key={name}
            label={t(`versions.${name}`)}
            data={name === 'from' ? options.filter(({ value }) => value !== 'draft') : options}
            value={name === 'from' ? from : to}
            onChange={(value) => setFilters({ from, to, [name]: value ?? undefined })}
            allowDeselect={false}
            w={{ base: '100%', xs: 300 }}
          />
        ))}
      </Group>
      {before && after ? (
        <>
          <Differences
            id={campaign.id}
            from={from}
            to={to}
            updatedAt={campaign.updatedAt}
            shapes={shapes}
            before={before}
            after={after}
          />
          <SideBySide
            shapes={shapes}
            sides={[
              { title: nameOf(options, from), definition: before },
              { title: nameOf(options, to), definition: after },
            ]}
          />
        </>
      ) : (
        <Text c="dimmed">{t('versions.unknown')}</Text>
      )}
    </Stack>
  )
}

const nameOf = (options: readonly { value: string; label: string }[], wanted: string) =>
  options.find(({ value }) => value === wanted)?.label ?? wanted

interface DifferencesProps {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly updatedAt: string
  readonly shapes: Shapes
  readonly before: Definition
  readonly after: Definition
}

function Differences({ id, from, to, updatedAt, shapes, before, after }: DifferencesProps) {
  const { t } = useTranslation('campaigns')
  const { data, error, refetch } = useQuery({
    queryKey: ['campaigns', 'changes', id, from, to, to === 'draft' ? updatedAt : ''],
    queryFn: () => {
      const query = { from: Number(from), to: to === 'draft' ? undefined : Number(to) }
      return dataOf(api.GET('/v1/campaigns/{id}/changes', { params: { path: { id }, query } }))
    },
  })
  return (
    <Paper className="lw-surface" p={{ base: 'md', sm: 'lg' }} component="section">
      <Title order={2} size="h4" mb="xs">
        {t('versions.differences')}
      </Title>
      {error ? (
        <Failure error={error} onRetry={refetch} />
      ) : !data ? (
        <Waiting />
      ) : data.changes.length === 0 ? (
        <Text c="dimmed">{t('versions.same')}</Text>
      ) : (
        <ChangeList changes={data.changes} shapes={shapes} before={before} after={after} />
      )}
    </Paper>
  )
}

interface SideBySideProps {
  readonly shapes: Shapes
  readonly sides: readonly { readonly title: string; readonly definition: Definition }[]
}

function SideBySide({ shapes, sides }: SideBySideProps) {
  const { t } = useTranslation('campaigns')
  const { currency, timezone } = useSession().organization
  const [view, setView] = useState('words')
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t('versions.sideBySide')}
        </Title>
        <SegmentedControl
          value={view}
          onChange={setView}
          aria-label={t('versions.view')}
          data={[
            { value: 'words', label: t('versions.inWords') },
            { value: 'json', label: t('tabs.json') },
          ]}
        />
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        {sides.map(({ title, definition }, i) => (
          <Paper key={i} className="lw-surface" p={{ base: 'md', sm: 'lg' }} component="section" miw={0}>
            <Text fw={600} mb="sm">
              {title}
            </Text>
            {view === 'json' ? (
              <Code block dir="ltr" tabIndex={0}>
                {JSON.stringify(definition, null, 2)}
              </Code>
            ) : (
              <DefinitionView
                definition={definition}
                beside={sides[1 - i]!.definition}
                shapes={shapes}
                currency={currency}
                timeZone={timezone}
              />
            )}
          </Paper>
        ))}
      </SimpleGrid>
    </Stack>
  )
}
