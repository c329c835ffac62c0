import { Button, Group, Stack, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { useProgram } from '../../i18n/campaign-names.ts'
import { formatDate, formatDateTime } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { IconBraces } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Facts, IdText, Section } from '../../ui/section.tsx'
import { PageFailure } from '../../ui/shell/page-failure.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { AutoRefresh } from '../developers/auto-refresh.tsx'
import { ReceivedList } from './received-list.tsx'
import type { Source } from './requests.ts'
import { Setup } from './setup.tsx'
import { receivedOf, sourceQuery } from './source.ts'
import { SourceMenu } from './source-menu.tsx'
import { SourceState, SourceTrouble } from './source-state.tsx'

export function SourcePage() {
  const { t } = useTranslation(['sources', 'developers', 'customers'])
  const { id } = useParams({ strict: false }) as { id: string }
  const { data: source, error, refetch } = useQuery(sourceQuery(id))
  const navigate = useNavigate()
  useNews(source)
  const parent = { to: paths.sources(), title: t('title') }
  if (error) return <PageFailure error={error} onRetry={refetch} title={t('one')} parent={parent} />
  if (!source) return <Waiting />
  return (
    <Page
      title={source.name}
      parent={parent}
      about={t(`kind.${source.kind}`)}
      actions={
        <>
          {source.kind === 'json' && (
            <Button
              leftSection={<IconBraces size={16} />}
              renderRoot={(root) => <Link to={paths.sourceMapping(id)} {...root} />}
            >
              {t('mapping.title')}
            </Button>
          )}
          <SourceMenu source={source} onDeleted={() => navigate({ to: paths.sources() })} isLarge />
        </>
      }
    >
      <SourceTrouble source={source} />
      <Setup key={id} source={source} />
      <SourceFacts source={source} />
      <Stack gap="sm" component="section">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {t('received.title')}
          </Title>
          <AutoRefresh list={receivedOf(id)} />
        </Group>
        <ReceivedList source={id} />
      </Stack>
    </Page>
  )
}

/** Reloads the log when something has been received. */
function useNews(source: Source | undefined): void {
  const queries = useQueryClient()
  const { id, lastReceivedAt } = source ?? {}
  useEffect(() => {
    if (id && lastReceivedAt) queries.invalidateQueries({ queryKey: [receivedOf(id)] })
  }, [id, lastReceivedAt, queries])
}

function SourceFacts({ source }: { readonly source: Source }) {
  const { t } = useTranslation('sources')
  const { timezone } = useSession().organization
  const program = useProgram()
  const { campaign, registersCustomers, environment, signatureHeader } = source
  const time = (at: string | undefined) => (at === undefined ? undefined : formatDateTime(at, timezone))
  return (
    <Section title={t('facts')}>
      <Facts
        facts={[
          { label: t('developers:status'), value: <SourceState source={source} /> },
          {
            label: t('campaign'),
            value: campaign ? (
              <PageLink to={paths.campaign(campaign)} size="sm">
                <bdi>{program.campaignName(campaign)}</bdi>
              </PageLink>
            ) : (
              t('anyCampaign')
            ),
          },
          { label: t('unknown'), value: t(registersCustomers ? 'unknownRegistered' : 'unknownLeft') },
          { label: t('form.environment'), value: environment && t(`environment.${environment}`) },
          { label: t('form.signatureHeader'), value: signatureHeader && <bdi>{signatureHeader}</bdi> },
          { label: t('lastReceived'), value: time(source.lastReceivedAt) ?? t('developers:never') },
          { label: t('lastRejected'), value: time(source.lastRejectedAt) },
          { label: t('developers:created'), value: formatDate(source.createdAt, timezone) },
          { label: t('sourceId'), value: <IdText id={source.id} /> },
        ]}
      />
    </Section>
  )
}
