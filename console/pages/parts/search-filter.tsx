import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answerOf, api } from '../../api/client.ts'
import { useFilters } from '../../ui/filters.ts'
import { customerQuery, nameOf } from './customer-name.tsx'

interface Option {
  readonly value: string
  readonly label: string
}

interface SearchFilterProps {
  readonly name: string
  readonly label: string
  /** The one that is chosen, with its name. */
  readonly chosen?: Option
  readonly search: (q: string | undefined) => Promise<Option[]>
}

/** One of many: the service looks for what is typed. */
function SearchFilter({ name, label, chosen, search }: SearchFilterProps) {
  const { t } = useTranslation('common')
  const [filters, setFilters] = useFilters()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  // The name of the chosen one stands in the field and is not a question.
  const typed = text.trim() === chosen?.label ? '' : text.trim()
  const [asked] = useDebouncedValue(typed, 250)
  const { data = [] } = useQuery({
    queryKey: [name, 'options', asked],
    queryFn: () => search(asked || undefined),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  })
  const others = data.filter(({ value }) => value !== chosen?.value)
  return (
    <Select
      label={label}
      placeholder={t('list.all')}
      data={chosen ? [chosen, ...others] : others}
      value={chosen?.value ?? null}
      onChange={(value) => setFilters({ [name]: value ?? undefined })}
      searchable
      clearable
      searchValue={text}
      onSearchChange={setText}
      onDropdownOpen={() => setOpen(true)}
      // The service has filtered already.
      filter={({ options }) => options}
      nothingFoundMessage={filters[name] === undefined ? '–' : undefined}
      w={{ base: '100%', xs: 200 }}
    />
  )
}

export function CustomerFilter({ label }: { readonly label: string }) {
  const [{ customer }] = useFilters()
  const { data } = useQuery({ ...customerQuery(customer ?? ''), enabled: customer !== undefined })
  return (
    <SearchFilter
      name="customer"
      label={label}
      chosen={customer ? { value: customer, label: (data && nameOf(data)) ?? customer } : undefined}
      search={async (q) => {
        const { data } = await answerOf(api.GET('/v1/customers', { params: { query: { q, limit: 10 } } }))
        return data.map((one) => ({ value: one.id, label: nameOf(one) ?? one.id }))
      }}
    />
  )
}

const branchOptions = async (q: string | undefined): Promise<Option[]> => {
  const { data } = await answerOf(api.GET('/v1/till/branches', { params: { query: { q, limit: 100 } } }))
  return data.map(({ opaqueId, name }) => ({ value: opaqueId, label: name ?? opaqueId }))
}

const branchesQuery = {
  queryKey: ['branches', 'names'],
  queryFn: () => branchOptions(undefined),
  staleTime: 60_000,
}

/** The name of a branch by its opaque id. Beyond the first hundred branches the id itself stands for it. */
export function useBranchName(): (opaqueId: string | undefined) => string {
  const { data } = useQuery(branchesQuery)
  return (opaqueId) => data?.find(({ value }) => value === opaqueId)?.label ?? opaqueId ?? ''
}

export function BranchFilter({ label }: { readonly label: string }) {
  const [{ branch }] = useFilters()
  const nameOfBranch = useBranchName()
  return (
    <SearchFilter
      name="branch"
      label={label}
      chosen={branch ? { value: branch, label: nameOfBranch(branch) } : undefined}
      search={branchOptions}
    />
  )
}
