import { Badge, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'

const colors: Readonly<Record<string, string>> = {
  draft: 'gray',
  published: 'pine',
  paused: 'yellow',
  archived: 'gray',
}

/** A coloured dot beside plain text: the colours alone would be too pale to read. */
export function StatusBadge({ status }: { readonly status: string }) {
  const { t } = useTranslation('common')
  return (
    <Badge variant="dot" color={colors[status] ?? 'gray'} fw={550}>
      {t(`status.campaign.${status}`, { defaultValue: status })}
    </Badge>
  )
}

/** A draft that was never published is nothing but changes; only later ones wait for something. */
export const hasWaitingChanges = ({ version, hasChanges, status }: Schemas['Campaign']) =>
  version > 0 && hasChanges && status !== 'archived'

export function StatusBadges({ campaign }: { readonly campaign: Schemas['Campaign'] }) {
  const { t } = useTranslation('campaigns')
  return (
    <Group gap={6}>
      <StatusBadge status={campaign.status} />
      {campaign.version > 0 && (
        <Badge variant="default" fw={550}>
          {t('version', { number: campaign.version })}
        </Badge>
      )}
      {hasWaitingChanges(campaign) && (
        <Badge variant="dot" color="orange" fw={550}>
          {t('changesWaiting')}
        </Badge>
      )}
    </Group>
  )
}
