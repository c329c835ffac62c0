import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { CopyField, ShownOnce } from '../../ui/shown-once.tsx'

interface SourceSecretProps {
  readonly secret: string
  readonly onClose: () => void
}

export function SourceSecret({ secret, onClose }: SourceSecretProps) {
  const { t } = useTranslation('sources')
  return (
    <ShownOnce
      title={t('secret.title')}
      warning={t('secret.once')}
      doneLabel={t('secret.done')}
      onClose={onClose}
    >
      <CopyField label={t('secret.label')} value={secret} />
      <Text size="sm">{t('secret.about')}</Text>
    </ShownOnce>
  )
}
