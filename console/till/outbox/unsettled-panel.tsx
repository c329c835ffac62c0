import { Alert, Button, Group, Loader, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../i18n/format.ts'
import { Failure } from '../../ui/failure.tsx'
import { failureText } from '../../ui/failure-text.ts'
import { IconCloudOff } from '../../ui/icons.ts'
import { focusOn, places } from '../shell/till-context.ts'
import type { Unsettled } from './outbox.ts'
import { lookUp, type Sending, type Settled } from './send.ts'

interface UnsettledPanelProps {
  readonly entry: Unsettled
  readonly sending: Sending
  readonly onSendNow: () => void
  readonly onSetAside: () => void
  readonly onSettled: (settled: Settled) => void
}

/**
 * Shown while a response is missing. New sales wait until the entry is settled or the cashier sets it aside.
 */
export function UnsettledPanel({ entry, sending, onSendNow, onSetAside, onSettled }: UnsettledPanelProps) {
  const { t } = useTranslation('till')
  const { number, kind } = entry
  // The element that had the focus disappeared with the basket.
  useEffect(() => focusOn(places.main), [])
  return (
    <main className="till-alone" id="till-main" tabIndex={-1}>
      <Stack gap="lg" maw={560} w="100%" className="lw-surface till-sheet">
        <Alert
          color="yellow"
          variant="transparent"
          p={0}
          icon={<IconCloudOff />}
          role="alert"
          title={
            <Title order={1} size="h3">
              {t(`unsettled.${kind}`, { number })}
            </Title>
          }
        >
          <Text>{t('unsettled.about')}</Text>
          {sending.error !== undefined && (
            <Text c="dimmed" size="sm" mt="xs">
              {failureText(sending.error)}
            </Text>
          )}
        </Alert>
        <Countdown sending={sending} />
        <Group gap="xs">
          <Button onClick={onSendNow} disabled={sending.nextAt === undefined}>
            {t('unsettled.now')}
          </Button>
          <Button variant="default" onClick={onSetAside}>
            {t('unsettled.setAside')}
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          {t('unsettled.setAsideAbout')}
        </Text>
        <LookUp entry={entry} onSettled={onSettled} />
      </Stack>
    </main>
  )
}

function Countdown({ sending: { tries, nextAt } }: { readonly sending: Sending }) {
  const { t } = useTranslation('till')
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.ceil(((nextAt ?? now) - now) / 1000))
  return (
    <Group gap="sm" mih={28}>
      {nextAt === undefined && <Loader size="sm" />}
      <Text>
        {nextAt === undefined
          ? t('unsettled.sending', { count: tries })
          : t('unsettled.next', { count: seconds, seconds: formatNumber(seconds) })}
      </Text>
    </Group>
  )
}

interface LookUpProps {
  readonly entry: Unsettled
  readonly onSettled: (settled: Settled) => void
}

/** Looks up the outcome instead of sending the request again. */
export function LookUp({ entry, onSettled }: LookUpProps) {
  const { t } = useTranslation('till')
  const { mutate, isPending, isSuccess, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () => lookUp(entry),
    onSuccess: (settled) => settled && onSettled(settled),
  })
  return (
    <Stack gap="xs" align="flex-start">
      <Button variant="default" loading={isPending} onClick={() => mutate()}>
        {t('unsettled.lookUp')}
      </Button>
      {error && <Failure error={error} />}
      {isSuccess && <Text role="status">{t('unsettled.notKnown', { number: entry.number })}</Text>}
    </Stack>
  )
}
