import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'

interface AskBeforeLeavingProps {
  readonly isDirty: boolean
  /** Whether the page shows something else for another query, such as another text. */
  readonly isByQuery?: boolean
}

/** Asks before a page is left whose changes are not saved. */
export function AskBeforeLeaving({ isDirty, isByQuery = false }: AskBeforeLeavingProps) {
  const { t } = useTranslation('common')
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && (isByQuery || current.pathname !== next.pathname),
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  })
  return (
    <Modal title={t('unsaved.title')} opened={status === 'blocked'} onClose={() => reset?.()}>
      <Stack gap="md">
        <Text>{t('unsaved.about')}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => proceed?.()}>
            {t('unsaved.leave')}
          </Button>
          <Button onClick={() => reset?.()} data-autofocus>
            {t('unsaved.stay')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
