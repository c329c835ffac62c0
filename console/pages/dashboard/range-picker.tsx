import { Group, SegmentedControl } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { DayRangeFilter } from '../../ui/lists/filter-fields.tsx'
import { useFilters } from '../../ui/lists/filters.ts'
import { lengths, type readRange } from './range.ts'

export function RangePicker({ choice, range }: ReturnType<typeof readRange>) {
  const { t } = useTranslation('home')
  const [, setFilters] = useFilters()
  const choose = (next: string) =>
    // A custom range starts with the range that is currently shown.
    setFilters(
      next === 'custom' ? { ...range, days: undefined } : { days: next, from: undefined, to: undefined },
    )
  return (
    <Group gap="xs" align="flex-end">
      <SegmentedControl
        aria-label={t('range.label')}
        value={choice}
        onChange={choose}
        data={[
          ...lengths.map((length) => ({ value: length, label: t('range.days', { count: Number(length) }) })),
          { value: 'custom', label: t('range.custom') },
        ]}
      />
      {choice === 'custom' && <DayRangeFilter />}
    </Group>
  )
}
