import { Alert, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { formatDateTime } from '../../i18n/format.ts'
import { IconAlertTriangle } from '../../ui/icons.ts'
import type { Sender } from '../../ui/messages/message.ts'

interface SenderTroubleProps {
  readonly sender: Sender
  /** Where to go on. */
  readonly children?: ReactNode
}

/** Says why nothing can be sent, if so. */
export function SenderTrouble({ sender, children }: SenderTroubleProps) {
  const { t } = useTranslation('messages')
  const { timezone } = useSession().organization
  const { channel, failingSince, lastError } = sender
  if (failingSince === undefined) return null
  return (
    <Alert color="red" icon={<IconAlertTriangle />} title={t(`sender.failing.${channel}`)}>
      <Text size="sm" dir="auto">
        {lastError}
      </Text>
      <Text size="sm">{t('sender.failingAbout', { time: formatDateTime(failingSince, timezone) })}</Text>
      {children}
    </Alert>
  )
}
