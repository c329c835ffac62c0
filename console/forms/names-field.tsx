import { MultiSelect, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type KnownName, useNames } from './names.ts'
import type { NameChoice, NameList } from './schema.ts'

interface FieldProps {
  readonly id?: string
  readonly label: string
  readonly description?: string
  readonly error?: string
  readonly required?: boolean
  readonly placeholder?: string
  readonly list: NameList
}

/** Whether new values can be typed: the service may not know all of the merchant's own IDs. */
const isOpen = (list: NameList) => list === 'products' || list === 'categories' || list === 'branches'

/**
 * Options of the field: the known names, the selected values, and the typed text when new values are allowed.
 */
function useOptions(list: NameList, chosen: readonly string[], search: string) {
  const { t } = useTranslation('forms')
  const [asked] = useDebouncedValue(search.trim(), 250)
  const isSearched = list === 'products' || list === 'branches'
  const names = useNames(list, isSearched ? asked : '') as readonly KnownName[]
  // Found names are kept, so that a selected value keeps its label after the next search.
  const seen = useRef(new Map<string, string>())
  for (const { value, label } of names) seen.current.set(value, label)
  const options = new Map<string, string>(names.map(({ value, label }) => [value, label]))
  for (const value of chosen) options.set(value, seen.current.get(value) ?? value)
  const typed = search.trim()
  const isNew = isOpen(list) && typed !== '' && ![...options].some((pair) => pair.includes(typed))
  const data: NameChoice[] = [...options].map(([value, label]) => ({ value, label }))
  if (isNew) data.push({ value: typed, label: t('useTyped', { text: typed }) })
  return { data, names }
}

export function NamesField({
  list,
  value,
  onChange,
  ...props
}: FieldProps & { readonly value: readonly string[]; readonly onChange: (value: string[]) => void }) {
  const { t } = useTranslation('forms')
  const [search, setSearch] = useState('')
  const { data } = useOptions(list, value, search)
  return (
    <MultiSelect
      {...props}
      data={data}
      value={[...value]}
      onChange={(next) => {
        setSearch('')
        onChange(next)
      }}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      hidePickedOptions
      placeholder={value.length === 0 ? t(`choose.${list}`) : undefined}
      nothingFoundMessage={t('nothingToChoose')}
      maxDropdownHeight={260}
    />
  )
}

export function NameField({
  list,
  value,
  onChange,
  ...props
}: FieldProps & {
  readonly value: string | undefined
  readonly onChange: (value: string | undefined, known?: KnownName) => void
}) {
  const { t } = useTranslation('forms')
  const [search, setSearch] = useState('')
  const { data, names } = useOptions(list, value === undefined ? [] : [value], search)
  return (
    <Select
      {...props}
      data={data}
      value={value ?? null}
      onChange={(next) =>
        onChange(
          next ?? undefined,
          names.find((name) => name.value === next),
        )
      }
      searchable={isOpen(list)}
      searchValue={isOpen(list) ? search : undefined}
      onSearchChange={isOpen(list) ? setSearch : undefined}
      allowDeselect={false}
      clearable={!props.required}
      placeholder={props.placeholder ?? t(`choose.${list}`)}
      nothingFoundMessage={t('nothingToChoose')}
      maxDropdownHeight={260}
    />
  )
}
