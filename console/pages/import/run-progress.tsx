import { Progress as Bar, Button, Group, Stack, Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../i18n/format.ts'
import type { Progress } from './use-import-run.ts'

interface RunProgressProps {
  readonly progress: Progress
  readonly isDryRun: boolean
  onStop(): void
}

/** How far it is, how fast, and how long it will take. */
export function RunProgress({ progress, isDryRun, onStop }: RunProgressProps) {
  const { t } = useTranslation('import')
  const { done, total, rowsPerSecond, secondsLeft } = progress
  const label = t(isDryRun ? 'run.checking' : 'run.importing')
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Text fw={600}>{label}</Text>
        <Button variant="default" size="compact-md" onClick={onStop}>
          {t('run.stop')}
        </Button>
      </Group>
      <Bar.Root size="lg">
        <Bar.Section value={(100 * done) / Math.max(1, total)} aria-label={label} animated />
      </Bar.Root>
      <Text size="sm" c="dimmed">
        {t('run.done', { done: formatNumber(done), total: formatNumber(total) })}
        {rowsPerSecond > 0 && ` · ${t('run.rate', { rate: formatNumber(rowsPerSecond) })}`}
        {secondsLeft !== undefined && secondsLeft > 0 && ` · ${leftWords(t, secondsLeft)}`}
      </Text>
      {!isDryRun && (
        <Text size="sm" c="dimmed">
          {t('run.stay')}
        </Text>
      )}
    </Stack>
  )
}

function leftWords(t: TFunction<'import'>, seconds: number): string {
  const count = seconds < 90 ? seconds : Math.ceil(seconds / 60)
  return t(seconds < 90 ? 'run.secondsLeft' : 'run.minutesLeft', { count, shown: formatNumber(count) })
}
