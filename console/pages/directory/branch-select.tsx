import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answerOf, api } from '../../api/client.ts'

interface BranchSelectProps {
  readonly label: string
  readonly description?: string
  /** The opaque id of a branch. */
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

/** A branch by name; the service searches, so there may be any number. */
export function BranchSelect({ label, description, value, onChange }: BranchSelectProps) {
  const { t } = useTranslation('directory')
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), 200)
  const { data } = useQuery({
    queryKey: ['branches', 'choice', asked],
    queryFn: () =>
      answerOf(api.GET('/v1/branches', { params: { query: { q: asked || undefined, limit: 50 } } })),
  })
  const found = (data?.data ?? []).map(({ opaqueId, name }) => ({ value: opaqueId, label: name ?? opaqueId }))
  // What is chosen stays a choice, found or not.
  const options =
    value === undefined || found.some((option) => option.value === value)
      ? found
      : [{ value, label: value }, ...found]
  return (
    <Select
      label={label}
      description={description}
      data={options}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      searchable
      clearable
      // The label of what is chosen stands in the field and is nothing to look for.
      onSearchChange={(next) => setText(options.some((option) => option.label === next) ? '' : next)}
      filter={({ options: all }) => all}
      nothingFoundMessage={t('noBranch')}
    />
  )
}
