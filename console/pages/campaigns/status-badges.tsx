import { Badge, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { Status } from '../../ui/status.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'

/** A draft that was never published consists only of changes, so the badge is for later changes. */
export const hasWaitingChanges = ({ version, hasChanges, status }: Schemas['Campaign']) =>
  version > 0 && hasChanges && status !== 'archived'

export function StatusBadges({ campaign }: { readonly campaign: Schemas['Campaign'] }) {
  const { t } = useTranslation('campaigns')
  return (
    <Group gap={6}>
      <StatusBadge of="campaign" status={campaign.status} />
      {campaign.version > 0 && (
        <Badge variant="default" fw={550}>
          {t('version', { number: campaign.version })}
        </Badge>
      )}
      {hasWaitingChanges(campaign) && <Status tone="waiting">{t('changesWaiting')}</Status>}
    </Group>
  )
}
