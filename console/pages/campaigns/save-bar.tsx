import { Button, Group, Paper, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { AskBeforeLeaving } from '../../ui/ask-before-leaving.tsx'

interface SaveBarProps {
  readonly isDirty: boolean
  /** Whether the JSON is invalid, so that there is nothing to save. */
  readonly isBlocked: boolean
  readonly isSaving: boolean
  readonly onSave: () => void
  readonly onDiscard: () => void
}

/** Bar that is visible while there are unsaved changes, and asks before the page is left without saving. */
export function SaveBar({ isDirty, isBlocked, isSaving, onSave, onDiscard }: SaveBarProps) {
  const { t } = useTranslation(['campaigns', 'common'])
  return (
    <>
      {isDirty && (
        <Paper
          withBorder
          shadow="md"
          p="sm"
          className="lw-surface"
          style={{ position: 'sticky', bottom: 12, zIndex: 5 }}
          role="region"
          aria-label={t('unsaved.title')}
        >
          <Group justify="space-between" gap="xs">
            <Text size="sm">{t(isBlocked ? 'unsaved.brokenJson' : 'unsaved.title')}</Text>
            <Group gap="xs">
              <Button variant="default" onClick={onDiscard} disabled={isSaving}>
                {t('unsaved.discard')}
              </Button>
              <Button onClick={onSave} loading={isSaving} disabled={isBlocked}>
                {t('common:save')}
              </Button>
            </Group>
          </Group>
        </Paper>
      )}
      <AskBeforeLeaving isDirty={isDirty} />
    </>
  )
}
