import { Button, Grid, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { formatMoment, formatNumber, formatRelative } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { JsonBlock } from '../../ui/code-block.tsx'
import { CustomerName } from '../../ui/customer-name.tsx'
import { IconBraces, IconRefresh } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Facts, IdText, Section } from '../../ui/section.tsx'
import { PageFailure } from '../../ui/shell/page-failure.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { toast } from '../../ui/toast.ts'
import { Waiting } from '../../ui/waiting.tsx'
import { MadeSummary } from './made-summary.tsx'
import { ProblemNote } from './problem.tsx'
import { type ReceivedDetail, retryReceived, type Source } from './requests.ts'
import { receivedOf, receivedQuery, sourceQuery } from './source.ts'

export function ReceivedPage() {
  const { t } = useTranslation(['sources', 'developers', 'customers'])
  const { id: source, received: id } = useParams({ strict: false }) as { id: string; received: string }
  const { data, error, refetch } = useQuery(receivedQuery(id))
  const { data: owner } = useQuery(sourceQuery(source))
  const parent = { to: paths.source(source), title: owner?.name ?? t('one') }
  if (error) return <PageFailure error={error} onRetry={refetch} title={t('received.one')} parent={parent} />
  if (!data) return <Waiting />
  return (
    <Page
      title={data.topic ?? t('received.one')}
      parent={parent}
      actions={<Actions received={data} kind={owner?.kind} />}
    >
      {data.problem && <ProblemNote problem={data.problem} status={data.status} />}
      <Section title={t('facts')}>
        <ReceivedFacts received={data} />
      </Section>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <CameIn received={data} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <WasMade received={data} />
        </Grid.Col>
      </Grid>
    </Page>
  )
}

interface ActionsProps {
  readonly received: ReceivedDetail
  readonly kind: Source['kind'] | undefined
}

/** A mapping is corrected while looking at what it failed on. */
function Actions({ received: { id, source, status, payload }, kind }: ActionsProps) {
  const { t } = useTranslation('sources')
  const queries = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () => retryReceived(id),
    onSuccess: async () => {
      toast.success(t('received.retried'))
      await queries.invalidateQueries({ queryKey: ['received'] })
      await queries.invalidateQueries({ queryKey: [receivedOf(source)] })
    },
  })
  return (
    <>
      {kind === 'json' && payload !== undefined && (
        <Button
          variant="default"
          leftSection={<IconBraces size={16} />}
          renderRoot={(root) => (
            <Link to={paths.sourceMapping(source)} search={{ received: id } as never} {...root} />
          )}
        >
          {t('received.toMapping')}
        </Button>
      )}
      {(status === 3 || status === 4) && (
        <Button leftSection={<IconRefresh size={16} />} onClick={() => mutate()} loading={isPending}>
          {t('received.retry')}
        </Button>
      )}
    </>
  )
}

function ReceivedFacts({ received }: { readonly received: ReceivedDetail }) {
  const { t } = useTranslation('sources')
  const { timezone } = useSession().organization
  const { id, status, receivedAt, attempts, nextAttemptAt, customer, transaction, eventId } = received
  return (
    <Facts
      facts={[
        { label: t('developers:status'), value: <StatusBadge of="received" status={status} /> },
        {
          label: t('received.outcome'),
          value: transaction && (
            <PageLink to={paths.transaction(transaction)} size="sm">
              {t(received.return ? 'received.showReturn' : 'received.showSale')}
            </PageLink>
          ),
        },
        { label: t('received.customer'), value: customer && <CustomerName id={customer} /> },
        { label: t('received.at'), value: formatMoment(receivedAt, timezone) },
        { label: t('received.attempts'), value: formatNumber(attempts) },
        {
          label: t('received.next'),
          value: status === 1 && nextAttemptAt && formatRelative(nextAttemptAt),
        },
        { label: t('received.eventId'), value: eventId && <IdText id={eventId} /> },
        { label: t('received.id'), value: <IdText id={id} /> },
      ]}
    />
  )
}

/** The service keeps only what it needs of a vendor's message, and that for a while. */
function CameIn({ received: { payload } }: { readonly received: ReceivedDetail }) {
  const { t } = useTranslation('sources')
  return (
    <Section title={t('received.cameIn')}>
      {payload === undefined ? (
        <Text size="sm" c="dimmed">
          {t('received.notKept')}
        </Text>
      ) : (
        <JsonBlock label={t('received.cameIn')} value={payload} />
      )}
    </Section>
  )
}

function WasMade({ received: { made } }: { readonly received: ReceivedDetail }) {
  const { t } = useTranslation('sources')
  return (
    <Section title={t('received.wasMade')}>
      {made === undefined || made.type === 'nothing' ? (
        <Text size="sm" c="dimmed">
          {t('received.nothingMade')}
        </Text>
      ) : (
        <Stack gap="md">
          <MadeSummary made={made} />
          <JsonBlock label={t('received.wasMade')} value={made} />
        </Stack>
      )}
    </Section>
  )
}
