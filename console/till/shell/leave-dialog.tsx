import { Button, Group, Modal, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { leave } from './back.ts'

/** Confirms Back with a filled basket, since it is often pressed by mistake. */
export function LeaveDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('till')
  return (
    <Modal opened onClose={onClose} title={t('leave.title')}>
      <Text mb="md">{t('leave.about')}</Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={leave}>
          {t('leave.leave')}
        </Button>
        <Button onClick={onClose} data-autofocus>
          {t('leave.stay')}
        </Button>
      </Group>
    </Modal>
  )
}
