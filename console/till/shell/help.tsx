import { Group, Kbd, Modal, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useClosedByBack } from './back.ts'
import { shortcutKeys } from './shortcuts.ts'

export default function Help({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('till')
  useClosedByBack(onClose)
  return (
    <Modal opened onClose={onClose} title={t('help.title')}>
      <Stack gap="xs" component="dl" m={0}>
        {shortcutKeys.map((key) => (
          <Group key={key} gap="md" wrap="nowrap">
            <Text component="dt" miw={64}>
              <Kbd>{key === 'Escape' ? 'Esc' : key}</Kbd>
            </Text>
            <Text component="dd" m={0}>
              {t(`help.${key === '?' ? 'help' : key}`)}
            </Text>
          </Group>
        ))}
      </Stack>
      <Text mt="md" c="dimmed">
        {t('help.scanner')}
      </Text>
    </Modal>
  )
}
