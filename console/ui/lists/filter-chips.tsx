import { Button, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatDays } from '../../i18n/format.ts'
import { IconX } from '../icons.ts'
import { useFilters } from './filters.ts'

interface Chip {
  /** Names of the URL filters that the chip represents. */
  readonly names: readonly string[]
  readonly text: string
}

/**
 * Filters of a list that have no field, such as those a chart links to, shown as chips that a click removes.
 */
export function FilterChips({ chips }: { readonly chips: readonly Chip[] }) {
  const { t } = useTranslation('common')
  const [filters, setFilters] = useFilters()
  const shown = chips.filter(({ names }) => names.some((name) => filters[name] !== undefined))
  if (shown.length === 0) return null
  return (
    <Group gap="xs">
      {shown.map(({ names, text }) => (
        <Button
          key={names[0]}
          variant="light"
          size="xs"
          radius="xl"
          h="auto"
          mih={30}
          py={4}
          lh={1.4}
          styles={{ label: { whiteSpace: 'normal', textAlign: 'start' } }}
          rightSection={<IconX size={14} />}
          title={t('list.removeFilter')}
          onClick={() => setFilters(Object.fromEntries(names.map((name) => [name, undefined])))}
        >
          {text}
        </Button>
      ))}
    </Group>
  )
}

/** "Mar 1 – 14, 2026"; either end may be open. */
export function useDaysText(): (from: string | undefined, to: string | undefined) => string {
  const { t } = useTranslation('common')
  return (from, to) => {
    if (from !== undefined && to !== undefined) return formatDays(from, to)
    if (from !== undefined) return t('list.since', { day: formatDays(from, from) })
    return to === undefined ? '' : t('list.until', { day: formatDays(to, to) })
  }
}
