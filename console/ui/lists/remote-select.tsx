import { Select, type SelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { scrollingList } from './scrolling-list.ts'

export interface Option {
  readonly value: string
  readonly label: string
}

interface RemoteSelectProps {
  readonly label: string
  readonly description?: string
  readonly placeholder?: string
  readonly nothingFound: string
  /** Key of the cache entry. */
  readonly name: string
  /** Finds options that match the text; without one, the first few. */
  readonly search: (text: string | undefined) => Promise<readonly Option[]>
  /** Options that are always listed, before the found ones. */
  readonly fixed?: readonly Option[]
  readonly value: string | undefined
  /** Loads the option of a value that the search did not return. */
  readonly find?: (value: string) => Promise<Option>
  readonly onChange: (value: string | undefined) => void
  readonly w?: SelectProps['w']
}

/** Select for any number of options: the service searches, not the browser. */
export function RemoteSelect({
  name,
  search,
  fixed = [],
  value,
  find,
  onChange,
  nothingFound,
  ...props
}: RemoteSelectProps) {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [asked] = useDebouncedValue(text.trim(), 200)
  const { data: found = [] } = useQuery({
    queryKey: [name, 'choice', asked],
    queryFn: () => search(asked || undefined),
    // Options load when the list opens, since most visitors never open it.
    enabled: isOpen,
    placeholderData: keepPreviousData,
  })
  const known = [...fixed, ...found]
  const isKnown = value === undefined || known.some((option) => option.value === value)
  const { data: own } = useQuery({
    queryKey: [name, 'choice-of', value],
    enabled: !isKnown && find !== undefined,
    queryFn: () => find!(value!),
  })
  // The selected value stays an option, found or not.
  const options = isKnown ? known : [own ?? { value, label: value }, ...known]
  return (
    <Select
      {...props}
      data={options}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      searchable
      clearable
      // The field contains the label of the selected option, which is not a search text.
      onSearchChange={(next) => setText(options.some(({ label }) => label === next) ? '' : next)}
      onDropdownOpen={() => setOpen(true)}
      filter={({ options: all }) => all}
      nothingFoundMessage={nothingFound}
      {...scrollingList}
    />
  )
}
