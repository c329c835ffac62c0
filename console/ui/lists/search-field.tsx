import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { IconSearch } from '../icons.ts'
import { useFilters } from './filters.ts'

/** The filter that a search changes by default. */
export const searchName = 'q'

interface SearchFieldProps {
  readonly label: string
  readonly placeholder?: string
  /** Name of the filter in the URL. */
  readonly name?: string
}

/** Text filter that is applied while typing, or immediately with Enter. */
export function SearchField({ label, placeholder, name = searchName }: SearchFieldProps) {
  const [filters, setFilters] = useFilters()
  const given = filters[name] ?? ''
  const [text, setText] = useState(given)
  const applied = useRef(given)
  const change = (value: string) => {
    applied.current = value.trim()
    setFilters({ [name]: applied.current || undefined })
  }
  const apply = useDebouncedCallback((value: string, page: string) => {
    // The user may have left for another page that is still loading; the text is not a search there.
    if (location.pathname === page) change(value)
  }, 350)
  // The URL wins, except for values that this field wrote itself: more may have been typed since.
  useEffect(() => {
    if (given === applied.current) return
    apply.cancel()
    applied.current = given
    setText(given)
  }, [given])
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={16} />}
      value={text}
      w={{ base: '100%', xs: 280 }}
      onChange={({ currentTarget: { value } }) => {
        setText(value)
        apply(value, location.pathname)
      }}
      onKeyDown={({ key }) => key === 'Enter' && change(text)}
    />
  )
}
