import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../api/client.ts'
import { formatDateTime } from '../../i18n/format.ts'
import { failureText } from '../../ui/failure-text.ts'
import { IconAlertTriangle } from '../../ui/icons.ts'
import { useClosedByBack } from '../shell/back.ts'
import { useMoney, useTillContext } from '../shell/till-context.ts'
import type { Settling } from '../shell/use-settling.ts'
import type { Outbox, Unsettled } from './outbox.ts'
import { LookUp } from './unsettled-panel.tsx'

interface OutboxPanelProps {
  readonly outbox: Outbox
  readonly settling: Pick<Settling, 'sending' | 'sendNow' | 'settle'>
  /** Whether the screen has no sale that one from here would replace. */
  readonly canTakeBack: boolean
  readonly onClose: () => void
  /** Puts a refused sale into the basket. */
  readonly onTakeBack: (entry: Unsettled) => void
}

/** What the service has not recorded yet: what is still on its way, and what it refused. */
export default function OutboxPanel(props: OutboxPanelProps) {
  const { outbox, settling, onClose } = props
  const { t } = useTranslation('till')
  useClosedByBack(onClose)
  const refused = outbox.aside.filter((entry) => entry.refused)
  const waiting = outbox.aside.filter((entry) => !entry.refused)
  return (
    <Modal opened onClose={onClose} title={t('aside.title')} size="lg">
      <Stack gap="md">
        {outbox.aside.length === 0 && <Text role="status">{t('aside.none')}</Text>}
        {refused.map((entry) => (
          <Entry key={entry.number} {...props} entry={entry} />
        ))}
        {waiting.length > 0 && (
          <Group justify="space-between">
            <Text c="dimmed" size="sm" flex={1} miw={200}>
              {t('aside.about')}
            </Text>
            <Button
              variant="default"
              onClick={settling.sendNow}
              disabled={settling.sending?.nextAt === undefined}
            >
              {t('unsettled.now')}
            </Button>
          </Group>
        )}
        {waiting.map((entry) => (
          <Entry key={entry.number} {...props} entry={entry} />
        ))}
      </Stack>
    </Modal>
  )
}

interface EntryProps extends OutboxPanelProps {
  readonly entry: Unsettled
}

function Entry({ entry, outbox, canTakeBack, settling, onTakeBack }: EntryProps) {
  const { t } = useTranslation('till')
  const [isDiscarding, setDiscarding] = useState(false)
  const canFix = entry.refused && entry.kind === 'sale'
  return (
    <Stack gap="xs" className="till-sheet lw-surface" component="section" aria-label={entry.number}>
      <EntryFacts entry={entry} />
      {entry.refused && <Refused entry={entry} refused={entry.refused} />}
      {canFix && !canTakeBack && <Text size="sm">{t('aside.basketFirst')}</Text>}
      {isDiscarding ? (
        <Stack gap="xs" role="alert">
          <Text>{t('aside.discardAbout')}</Text>
          <Group gap="xs">
            <Button variant="default" onClick={() => setDiscarding(false)} autoFocus>
              {t('aside.keep')}
            </Button>
            <Button color="red" onClick={() => outbox.settle(entry.number)}>
              {t('aside.discard')}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Group gap="xs" align="flex-start">
          {canFix && canTakeBack && <Button onClick={() => onTakeBack(entry)}>{t('aside.fix')}</Button>}
          {!entry.refused && <LookUp entry={entry} onSettled={settling.settle} />}
          <Button variant="subtle" color="gray" ms="auto" onClick={() => setDiscarding(true)}>
            {t('aside.discard')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function EntryFacts({ entry }: { readonly entry: Unsettled }) {
  const { t } = useTranslation('till')
  const money = useMoney()
  const { timezone } = useTillContext().session.organization
  const { number, at, due } = entry
  const ending = entry.kind === 'sale' ? entry.ending : undefined
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <div className="till-wraps">
        <Text fw={600}>
          {ending ? t('offline.card', { ending }) : t(entry.kind === 'sale' ? 'aside.sale' : 'return.title')}
        </Text>
        <Text size="sm" c="dimmed">
          <bdi>{number}</bdi>
          {at !== undefined && <> · {formatDateTime(new Date(at).toISOString(), timezone)}</>}
        </Text>
      </div>
      {due !== undefined && (
        <Text fw={650} className="lw-tabular">
          {money(due)}
        </Text>
      )}
    </Group>
  )
}

interface RefusedProps {
  readonly entry: Unsettled
  readonly refused: NonNullable<Unsettled['refused']>
}

function Refused({ entry, refused: { status, code, message } }: RefusedProps) {
  const { t } = useTranslation('till')
  return (
    <Alert
      color="red"
      role="alert"
      icon={<IconAlertTriangle />}
      title={<span dir="auto">{failureText(new ApiError(status, code, message))}</span>}
    >
      {entry.kind === 'sale' ? t('aside.refusedAbout') : t('aside.returnRefusedAbout')}
    </Alert>
  )
}
