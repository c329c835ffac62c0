import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { formatNumber } from '../../i18n/format.ts'
import { Failure } from '../../ui/failure.tsx'
import { type Channel, type Sender, sendersQuery } from '../../ui/messages/message.ts'
import { type Fact, Facts, Section } from '../../ui/section.tsx'
import { ShownSecret } from '../../ui/shown-once.tsx'
import { Status } from '../../ui/status.tsx'
import { useAsk } from '../../ui/use-ask.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { EmailForm } from './email-form.tsx'
import { SenderTrouble } from './sender-trouble.tsx'
import { NewSecretForm, SmsForm } from './sms-form.tsx'
import { TestForm } from './test-form.tsx'
import { TestOutcome } from './test-outcome.tsx'

/** What sends the messages: the merchant's own mail server and SMS provider. */
export function Senders() {
  const { data: senders, error, refetch } = useQuery(sendersQuery)
  if (error) return <Failure error={error} onRetry={refetch} />
  if (!senders) return <Waiting />
  const senderOf = (channel: Channel) => senders.find((sender) => sender.channel === channel)
  return (
    <Stack gap="lg" maw={860}>
      <SenderSection channel="email" sender={senderOf('email')} />
      <SenderSection channel="sms" sender={senderOf('sms')} />
    </Stack>
  )
}

interface SenderSectionProps {
  readonly channel: Channel
  /** Undefined as long as it is not set up. */
  readonly sender: Sender | undefined
}

type Dialog = 'edit' | 'test' | 'secret'

function SenderSection({ channel, sender }: SenderSectionProps) {
  const { t } = useTranslation('messages')
  const [open, setOpen] = useState<Dialog>()
  const [secret, setSecret] = useState<string>()
  const [test, setTest] = useState<string>()
  const close = () => setOpen(undefined)
  const dialog = (name: Dialog) => ({ isOpen: open === name, onClose: close })
  return (
    <Section
      title={t(`sender.${channel}`)}
      actions={sender && <SenderActions sender={sender} onOpen={setOpen} />}
    >
      {sender && <SenderTrouble sender={sender} />}
      {test && sender && <TestOutcome key={test} message={test} />}
      {sender ? (
        <SenderFacts sender={sender} />
      ) : (
        <Stack gap="sm" align="flex-start">
          <Text size="sm" c="dimmed">
            {t(`sender.about.${channel}`)}
          </Text>
          <Button onClick={() => setOpen('edit')}>{t(`sender.setUp.${channel}`)}</Button>
        </Stack>
      )}
      {channel === 'email' ? (
        <EmailForm sender={sender} {...dialog('edit')} />
      ) : (
        <SmsForm sender={sender} {...dialog('edit')} onSecret={setSecret} />
      )}
      <TestForm channel={channel} {...dialog('test')} onSent={({ id }) => setTest(id)} />
      {sender && channel === 'sms' && (
        <NewSecretForm sender={sender} {...dialog('secret')} onSecret={setSecret} />
      )}
      {secret && <ShownSecret namespace="messages" secret={secret} onClose={() => setSecret(undefined)} />}
    </Section>
  )
}

interface SenderActionsProps {
  readonly sender: Sender
  readonly onOpen: (dialog: Dialog) => void
}

function SenderActions({ sender: { channel }, onOpen }: SenderActionsProps) {
  const { t } = useTranslation('messages')
  const ask = useAsk()
  const remove = () =>
    ask({
      title: t(`sender.removeTitle.${channel}`),
      about: t('sender.removeAbout'),
      confirm: t('sender.remove'),
      isDangerous: true,
      run: () =>
        dataOf(channel === 'email' ? api.DELETE('/v1/senders/email') : api.DELETE('/v1/senders/sms')),
      done: t('sender.removed'),
    })
  const button = (label: string, onClick: () => void) => (
    <Button key={label} size="xs" variant="default" onClick={onClick}>
      {label}
    </Button>
  )
  return (
    <>
      {button(t('test.action'), () => onOpen('test'))}
      {button(t('sender.edit'), () => onOpen('edit'))}
      {channel === 'sms' && button(t('secret.new'), () => onOpen('secret'))}
      {button(t('sender.remove'), remove)}
    </>
  )
}

function SenderFacts({ sender }: { readonly sender: Sender }) {
  const { t } = useTranslation('messages')
  const { email, sms, perHour, failingSince } = sender
  const isFailing = failingSince !== undefined
  const facts: Fact[] = [
    {
      label: t('log.status'),
      value: (
        <Status tone={isFailing ? 'wrong' : 'good'}>
          {t(isFailing ? 'sender.isFailing' : 'sender.isReady')}
        </Status>
      ),
    },
    { label: t('form.from'), value: email && <bdi>{email.from}</bdi> },
    { label: t('form.replyTo'), value: email?.replyTo && <bdi>{email.replyTo}</bdi> },
    { label: t('sender.server'), value: email && <bdi>{`${email.host}:${email.port}`}</bdi> },
    { label: t('form.security'), value: email && t(`security.${email.security}`) },
    { label: t('form.user'), value: email?.user && <bdi>{email.user}</bdi> },
    { label: t('form.url'), value: sms && <bdi>{sms.url}</bdi> },
    { label: t('form.perHour'), value: formatNumber(perHour) },
  ]
  return <Facts facts={facts} />
}
