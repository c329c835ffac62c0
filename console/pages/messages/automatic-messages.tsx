import { Alert, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { paths } from '../../paths.ts'
import { Failure } from '../../ui/failure.tsx'
import { IconInfoCircle } from '../../ui/icons.ts'
import { sendersQuery } from '../../ui/messages/message.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { Section } from '../../ui/section.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { AutomaticKind } from './automatic-kind.tsx'
import { KindCounts } from './kind-counts.tsx'
import { isShown, type Kind, kindsQuery } from './kinds.ts'
import { SenderTrouble } from './sender-trouble.tsx'

/** Which messages are sent by themselves, and how those did that were sent. */
export function AutomaticMessages() {
  const { t } = useTranslation('messages')
  const { data: kinds, error, refetch } = useQuery(kindsQuery)
  const { data: senders } = useQuery(sendersQuery)
  if (error) return <Failure error={error} onRetry={refetch} />
  if (!kinds || !senders) return <Waiting />
  const shown = kinds.filter(isShown)
  return (
    <Stack gap="lg">
      {senders.length === 0 && (
        <Alert color="yellow" icon={<IconInfoCircle />} title={t('noSender.title')}>
          <Stack gap={4} align="flex-start">
            {t('noSender.about')}
            <PageLink
              to={paths.messages()}
              search={{ tab: 'senders' }}
              size="sm"
              c="inherit"
              underline="always"
            >
              {t('noSender.action')}
            </PageLink>
          </Stack>
        </Alert>
      )}
      {senders.map((sender) => (
        <SenderTrouble key={sender.channel} sender={sender}>
          <PageLink
            to={paths.messages()}
            search={{ tab: 'senders' }}
            size="sm"
            c="inherit"
            underline="always"
          >
            {t('toSenders')}
          </PageLink>
        </SenderTrouble>
      ))}
      <Section title={t('automatic.title')}>
        <Text size="sm" c="dimmed">
          {t('automatic.about')}
        </Text>
        {shown
          .filter(({ automatic }) => automatic)
          .map((kind) => (
            <AutomaticKind key={kind.kind} kind={kind} senders={senders} />
          ))}
      </Section>
      <Section title={t('requested.title')}>
        {shown
          .filter(({ automatic }) => !automatic)
          .map((kind) => (
            <RequestedKind key={kind.kind} kind={kind} />
          ))}
      </Section>
    </Stack>
  )
}

function RequestedKind({ kind }: { readonly kind: Kind }) {
  const { t } = useTranslation('messages')
  return (
    <Stack gap={4}>
      <Text size="sm" fw={550}>
        {t(`kind.${kind.kind}.when`)}
      </Text>
      <Text size="sm" c="dimmed">
        {t(`kind.${kind.kind}.about`)}
      </Text>
      <KindCounts kind={kind} />
    </Stack>
  )
}
