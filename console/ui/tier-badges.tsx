import { Badge, Group, VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { IconMedal } from './icons.ts'

/** The tiers that a customer holds, by name. */
export function TierBadges({ tiers }: { readonly tiers: readonly Schemas['HeldTier'][] }) {
  const { t } = useTranslation('common')
  if (tiers.length === 0) return null
  return (
    <Group gap={6} component="span">
      {tiers.map(({ campaign, key, name }) => (
        <Badge key={`${campaign} ${key}`} variant="default" leftSection={<IconMedal size={14} />} tt="none">
          <VisuallyHidden component="span">{t('tier')} </VisuallyHidden>
          <bdi>{name}</bdi>
        </Badge>
      ))}
    </Group>
  )
}
