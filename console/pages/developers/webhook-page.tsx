import { Badge, Button, Group, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { useEventWords } from '../../i18n/event-words.ts'
import { formatDate } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { IconHistory, IconSend } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Facts, IdText, Section } from '../../ui/section.tsx'
import { PageFailure } from '../../ui/shell/page-failure.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { AutoRefresh } from './auto-refresh.tsx'
import { Deliveries } from './deliveries.tsx'
import { ReplayForm } from './replay-form.tsx'
import { TestOutcome, useTest } from './test-outcome.tsx'
import { deliveriesOf, nameOf, type Webhook, webhookQuery } from './webhook.ts'
import { WebhookMenu } from './webhook-menu.tsx'
import { WebhookState, WebhookTrouble } from './webhook-state.tsx'

export function WebhookPage() {
  const { t } = useTranslation(['webhooks', 'developers'])
  const { id } = useParams({ strict: false }) as { id: string }
  const { data: webhook, error, refetch } = useQuery(webhookQuery(id))
  const navigate = useNavigate()
  const [isReplaying, setReplaying] = useState(false)
  const test = useTest(id)
  const parent = { to: paths.webhooks(), title: t('title') }
  if (error) return <PageFailure error={error} onRetry={refetch} title={t('one')} parent={parent} />
  if (!webhook) return <Waiting />
  const isPaused = webhook.status === 'paused'
  return (
    <Page
      title={nameOf(webhook)}
      parent={parent}
      about={webhook.description && <bdi>{webhook.url}</bdi>}
      actions={
        <>
          <Button
            leftSection={<IconSend size={16} />}
            onClick={() => test.send()}
            loading={test.isSending}
            disabled={isPaused}
          >
            {t('test.action')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconHistory size={16} />}
            onClick={() => setReplaying(true)}
            disabled={isPaused}
          >
            {t('range.action')}
          </Button>
          <WebhookMenu webhook={webhook} onDeleted={() => navigate({ to: paths.webhooks() })} isLarge />
        </>
      }
    >
      <WebhookTrouble webhook={webhook} />
      {test.delivery && <TestOutcome key={test.delivery} webhook={id} delivery={test.delivery} />}
      <WebhookFacts webhook={webhook} />
      <Stack gap="sm" component="section">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {t('deliveries.title')}
          </Title>
          <AutoRefresh list={deliveriesOf(id)} />
        </Group>
        <Deliveries webhook={id} />
      </Stack>
      <ReplayForm webhook={id} isOpen={isReplaying} onClose={() => setReplaying(false)} />
    </Page>
  )
}

function WebhookFacts({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useTranslation('webhooks')
  const { timezone } = useSession().organization
  const wordsOf = useEventWords()
  const types = webhook.types && (
    <Group gap={4} component="span">
      {webhook.types.map((type) => (
        <Badge key={type} variant="default" component="span">
          {wordsOf(type)}
        </Badge>
      ))}
    </Group>
  )
  return (
    <Section title={t('facts')}>
      <Facts
        facts={[
          { label: t('developers:status'), value: <WebhookState webhook={webhook} /> },
          { label: t('events'), value: types ?? t('allEvents') },
          { label: t('developers:created'), value: formatDate(webhook.createdAt, timezone) },
          { label: t('webhookId'), value: <IdText id={webhook.id} /> },
        ]}
      />
    </Section>
  )
}
