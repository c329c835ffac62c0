import { Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFilters } from './filters.ts'

interface ChoiceProps {
  readonly name: string
  readonly label: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

/** Filter by one of a few values, or none. */
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

/** Filter by a range of local days, both inclusive, in the URL parameters `from` and `to`. */
export function DayRangeFilter() {
  return (
    <Group gap="xs" wrap="nowrap" w={{ base: '100%', xs: 'auto' }}>
      <DayFilter name="from" />
      <DayFilter name="to" />
    </Group>
  )
}

/** While 2026 is being typed, a date field reports the years 2, 20 and 202. */
const firstDay = '1970-01-01'

/** Applies the input only once it is a complete day: setting the field's value discards partial input. */
function DayFilter({ name }: { readonly name: 'from' | 'to' }) {
  const [filters, setFilters] = useFilters()
  const { t } = useTranslation('common')
  const given = filters[name] ?? ''
  const [text, setText] = useState(given)
  const applied = useRef(given)
  useEffect(() => {
    if (given === applied.current) return
    applied.current = given
    setText(given)
  }, [given])
  const apply = useDebouncedCallback((value: string, page: string) => {
    if (location.pathname !== page) return
    applied.current = value
    setFilters({ [name]: value || undefined })
  }, 350)
  return (
    <TextInput
      type="date"
      label={t(`list.${name}`)}
      max="9999-12-31"
      value={text}
      onChange={({ currentTarget: { value, validity } }) => {
        setText(value)
        apply.cancel()
        const isWhole = value === '' ? !validity.badInput : value >= firstDay
        if (isWhole) apply(value, location.pathname)
      }}
      onBlur={() => apply.flush()}
      onKeyDown={({ key }) => key === 'Enter' && apply.flush()}
      w={{ base: '50%', xs: 150 }}
      miw={0}
    />
  )
}
