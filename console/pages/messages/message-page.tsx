import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { formatMoment, formatNumber, formatRelative } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { IconSend } from '../../ui/icons.ts'
import { failureOf, type Message, messageQuery } from '../../ui/messages/message.ts'
import { Recipient } from '../../ui/messages/message-list.tsx'
import { canRetry, useRetry } from '../../ui/messages/use-retry.ts'
import { Page } from '../../ui/page.tsx'
import { Facts, IdText, Section } from '../../ui/section.tsx'
import { PageFailure } from '../../ui/shell/page-failure.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { Waiting } from '../../ui/waiting.tsx'

/** What became of one message. */
export function MessagePage() {
  const { t } = useTranslation(['messages', 'customers'])
  const { id } = useParams({ strict: false }) as { id: string }
  const { data: message, error, refetch } = useQuery(messageQuery(id))
  const { retry, isRetrying } = useRetry()
  const parent = { to: paths.messages(), search: { tab: 'log' }, title: t('title') }
  if (error) return <PageFailure error={error} onRetry={refetch} title={t('log.message')} parent={parent} />
  if (!message) return <Waiting />
  return (
    <Page
      title={t(`kind.${message.kind}.name`)}
      parent={parent}
      actions={
        canRetry(message) && (
          <Button leftSection={<IconSend size={16} />} loading={isRetrying} onClick={() => retry(message)}>
            {t('retry.action')}
          </Button>
        )
      }
    >
      <Section title={t('log.details')}>
        <MessageFacts message={message} />
      </Section>
      <Stack gap="sm" component="section">
        <Title order={2} size="h4">
          {t('log.attempts')}
        </Title>
        {message.attempts.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('log.noAttempt')}
          </Text>
        )}
        {message.attempts
          .map((attempt, index) => <Attempt key={attempt.at} attempt={attempt} number={index + 1} />)
          .reverse()}
      </Stack>
    </Page>
  )
}

function MessageFacts({ message }: { readonly message: Message }) {
  const { t } = useTranslation('messages')
  const { timezone } = useSession().organization
  const { id, status, channel, createdAt, sentAt, clickedAt, nextAttemptAt } = message
  return (
    <Facts
      facts={[
        { label: t('log.status'), value: <StatusBadge of="message" status={status} /> },
        { label: t('log.meaning'), value: status === 5 && t('log.unclear') },
        { label: t('log.to'), value: <Recipient message={message} /> },
        { label: t('log.channel'), value: t(`channel.${channel}`) },
        { label: t('log.created'), value: formatMoment(createdAt, timezone) },
        { label: t('log.sent'), value: sentAt && formatMoment(sentAt, timezone) },
        { label: t('log.clicked'), value: clickedAt && formatMoment(clickedAt, timezone) },
        { label: t('log.next'), value: status === 1 && nextAttemptAt && formatRelative(nextAttemptAt) },
        { label: t('log.id'), value: <IdText id={id} /> },
      ]}
    />
  )
}

interface AttemptProps {
  readonly attempt: Message['attempts'][number]
  readonly number: number
}

function Attempt({ attempt, number }: AttemptProps) {
  const { t } = useTranslation('messages')
  const { timezone } = useSession().organization
  const { at, response } = attempt
  const failure = failureOf(attempt)
  return (
    <Stack gap={4} p="md" className="lw-surface">
      <Group gap="sm">
        <Title order={3} size="h5">
          {t('log.attempt', { number: formatNumber(number) })}
        </Title>
        <Text size="sm" c="dimmed" className="lw-tabular">
          {formatMoment(at, timezone)}
        </Text>
      </Group>
      {failure && (
        <Text size="sm" dir="auto">
          {failure}
        </Text>
      )}
      {response && (
        <Text size="sm" c="dimmed" dir="auto">
          {t('log.answered', { response })}
        </Text>
      )}
    </Stack>
  )
}
