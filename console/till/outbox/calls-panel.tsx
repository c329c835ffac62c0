import { Accordion, ActionIcon, Button, Code, CopyButton, Group, Text, Title } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { type Call, calls, toCurl } from '../../api/calls.ts'
import { formatNumber } from '../../i18n/format.ts'
import { IconCheck, IconTerminal2, IconX } from '../../ui/icons.ts'
import { HttpStatus, Status } from '../../ui/status.tsx'
import { useClosedByBack } from '../shell/back.ts'

/** The last requests of this page, newest first, for developers who build their own till. */
export default function CallsPanel({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('till')
  useClosedByBack(onClose)
  const made = useSyncExternalStore(calls.subscribe, calls.list)
  return (
    <aside className="till-calls" aria-label={t('calls.title')}>
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <Title order={2} size="h4">
          {t('calls.title')}
        </Title>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={44}
          aria-label={t('common:close')}
          onClick={onClose}
          autoFocus
        >
          <IconX size={20} />
        </ActionIcon>
      </Group>
      {made.length === 0 && <Text c="dimmed">{t('calls.none')}</Text>}
      <Accordion multiple variant="default" chevronPosition="left" order={3} keepMounted={false}>
        {[...made].reverse().map((call) => (
          <Accordion.Item key={call.number} value={String(call.number)}>
            <Accordion.Control>
              <Group gap="xs" wrap="nowrap" justify="space-between">
                <Text span size="sm" fw={600} ff="monospace">
                  {call.method}
                </Text>
                <Outcome call={call} />
              </Group>
              <Text size="sm" ff="monospace" className="till-wraps">
                <bdi>{call.path}</bdi>
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <Details call={call} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </aside>
  )
}

function Outcome({ call: { status, durationMs } }: { readonly call: Call }) {
  const { t } = useTranslation('till')
  if (status === undefined) return <Status tone="over">…</Status>
  return (
    <Group gap={6} wrap="nowrap" className="till-status">
      <Text span size="xs" c="dimmed" className="lw-tabular">
        {t('calls.ms', { duration: formatNumber(Math.round(durationMs ?? 0)) })}
      </Text>
      {status === 0 ? <Status tone="wrong">{t('calls.noAnswer')}</Status> : <HttpStatus status={status} />}
    </Group>
  )
}

function Details({ call }: { readonly call: Call }) {
  const { t } = useTranslation('till')
  return (
    <>
      <CopyButton value={toCurl(call)}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            onClick={copy}
            leftSection={copied ? <IconCheck size={16} /> : <IconTerminal2 size={16} />}
          >
            {copied ? t('common:copied') : t('common:copyCurl')}
          </Button>
        )}
      </CopyButton>
      <Body title={t('calls.request')} text={call.body} />
      <Body title={t('calls.reply')} text={call.reply} />
    </>
  )
}

function Body({ title, text }: { readonly title: string; readonly text: string | undefined }) {
  if (!text) return null
  return (
    <>
      <Text size="sm" fw={600} mt="sm" mb={4}>
        {title}
      </Text>
      {/* The block scrolls, so it must be reachable by keyboard. */}
      <Code block dir="ltr" tabIndex={0} aria-label={title} role="region" className="till-json">
        {pretty(text)}
      </Code>
    </>
  )
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
