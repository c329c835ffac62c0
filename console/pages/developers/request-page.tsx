import { Alert, Anchor, Code, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { toCurl } from '../../api/calls.ts'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { formatMoment, formatNumber } from '../../i18n/format.ts'
import { apiReference, paths } from '../../paths.ts'
import { JsonBlock } from '../../ui/code-block.tsx'
import { IconAlertTriangle } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Facts, IdText } from '../../ui/section.tsx'
import { PageFailure } from '../../ui/shell/page-failure.tsx'
import { CopyTextButton } from '../../ui/shown-once.tsx'
import { HttpStatus } from '../../ui/status.tsx'
import { Waiting } from '../../ui/waiting.tsx'

type Details = Schemas['LoggedRequestDetails']

export function RequestPage() {
  const { t } = useTranslation('developers')
  const { id } = useParams({ strict: false }) as { id: string }
  const { data, error, refetch } = useQuery({
    queryKey: ['requests', 'one', id],
    queryFn: () => dataOf(api.GET('/v1/requests/{id}', { params: { path: { id } } })),
  })
  const parent = { to: paths.requests(), title: t('requests.title') }
  if (error) return <PageFailure error={error} onRetry={refetch} title={t('requests.call')} parent={parent} />
  if (!data) return <Waiting />
  return (
    <Page
      title={`${data.method} ${data.path}`}
      parent={parent}
      actions={<CopyTextButton value={curlOf(data)} label={t('common:copyCurl')} />}
    >
      {data.error && <Explanation error={data.error} />}
      <div className="lw-surface" style={{ padding: 'var(--mantine-spacing-md)' }}>
        <CallFacts call={data} />
      </div>
      <Text size="sm" c="dimmed">
        {t('request.redacted')} {data.isTruncated && t('request.truncated')}
      </Text>
      <Part title={t('request.query')} value={data.query} />
      <Part title={t('request.sent')} value={data.requestBody} nothing={t('request.nothingSent')} />
      <Part title={t('request.answered')} value={data.replyBody} nothing={t('request.nothingAnswered')} />
    </Page>
  )
}

function curlOf({ method, path, query, requestBody }: Details): string {
  const search = new URLSearchParams(
    Object.entries((query ?? {}) as Record<string, unknown>).map(([key, value]) => [key, String(value)]),
  ).toString()
  return toCurl({
    method,
    path: search === '' ? path : `${path}?${search}`,
    body: requestBody === undefined ? undefined : JSON.stringify(requestBody, null, 2),
  })
}

/** Explains the error and how to fix it. */
function Explanation({ error }: { readonly error: NonNullable<Details['error']> }) {
  const { t } = useTranslation('developers')
  return (
    <Alert color="red" icon={<IconAlertTriangle />} title={error.description}>
      <Stack gap={6} align="flex-start">
        <Advice text={error.advice} />
        <Anchor href={`${apiReference}/errors#${error.code}`} size="sm" c="inherit" underline="always">
          {t('request.readOn', { code: error.code })}
        </Anchor>
      </Stack>
    </Alert>
  )
}

/** Shows text between backticks as code. */
function Advice({ text }: { readonly text: string }) {
  return (
    <Text size="sm">
      {text.split('`').map((part, i) => (i % 2 === 1 ? <Code key={i}>{part}</Code> : part))}
    </Text>
  )
}

function CallFacts({ call }: { readonly call: Details }) {
  const { t } = useTranslation('developers')
  const { timezone } = useSession().organization
  const by = call.by.name ?? call.by.id
  return (
    <Facts
      facts={[
        { label: t('status'), value: <HttpStatus status={call.status} /> },
        { label: t('time'), value: formatMoment(call.at, timezone) },
        { label: t('requests.duration'), value: t('ms', { value: formatNumber(call.durationMs, 1) }) },
        {
          label: t('by'),
          value: (
            <PageLink to={paths.requests()} search={{ connection: call.by.id }} size="sm">
              {call.by.kind === 'person' ? t('request.person', { name: by }) : by}
            </PageLink>
          ),
        },
        { label: t('request.route'), value: call.route && <bdi>{call.route}</bdi> },
        { label: t('request.requestId'), value: <IdText id={call.requestId} /> },
      ]}
    />
  )
}

interface PartProps {
  readonly title: string
  readonly value: unknown
  /** Placeholder for an empty body; without it nothing is shown. */
  readonly nothing?: string
}

function Part({ title, value, nothing }: PartProps) {
  if (value === undefined && nothing === undefined) return null
  return (
    <Stack gap="xs" component="section">
      <Title order={2} size="h4">
        {title}
      </Title>
      {value === undefined ? (
        <Text size="sm" c="dimmed">
          {nothing}
        </Text>
      ) : (
        <JsonBlock label={title} value={value} />
      )}
    </Stack>
  )
}
