import { ActionIcon, Group, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconX } from '../../ui/icons.ts'

interface KeptCardProps {
  /** Undefined for the card of a restored basket, of which only the id is known. */
  readonly ending: string | undefined
  readonly onLeave: () => void
}

/** The card of a sale without a network: whose it is, the service says later. */
export function KeptCard({ ending, onLeave }: KeptCardProps) {
  const { t } = useTranslation('till')
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <div className="till-wraps">
        <Title order={3} size="h3">
          {ending === undefined ? t('offline.someCard') : t('offline.card', { ending })}
        </Title>
        <Text c="dimmed" size="sm">
          {t('offline.cardAbout')}
        </Text>
      </div>
      <ActionIcon variant="subtle" color="gray" size={44} aria-label={t('customer.leave')} onClick={onLeave}>
        <IconX size={20} />
      </ActionIcon>
    </Group>
  )
}
