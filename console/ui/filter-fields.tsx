import { Group, Select, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useFilters } from './filters.ts'

interface ChoiceProps {
  readonly name: string
  readonly label: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

/** One of a few values, or all. */
export function ChoiceFilter({ name, label, options }: ChoiceProps) {
  const [filters, setFilters] = useFilters()
  const { t } = useTranslation('common')
  return (
    <Select
      label={label}
      data={[...options]}
      value={filters[name] ?? null}
      onChange={(value) => setFilters({ [name]: value ?? undefined })}
      placeholder={t('list.all')}
      clearable
      w={{ base: '100%', xs: 170 }}
    />
  )
}

/** Local days, both included, as `from` and `to` of the address. */
export function DayRangeFilter() {
  const [filters, setFilters] = useFilters()
  const { t } = useTranslation('common')
  return (
    <Group gap="xs" wrap="nowrap" w={{ base: '100%', xs: 'auto' }}>
      {(['from', 'to'] as const).map((name) => (
        <TextInput
          key={name}
          type="date"
          label={t(`list.${name}`)}
          value={filters[name] ?? ''}
          onChange={({ currentTarget: { value } }) => setFilters({ [name]: value || undefined })}
          w={{ base: '50%', xs: 150 }}
          miw={0}
        />
      ))}
    </Group>
  )
}
