import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { customerQuery, nameOf } from '../customer-name.tsx'
import { useFilters } from './filters.ts'
import { type Option, RemoteSelect } from './remote-select.tsx'

interface SearchFilterProps {
  /** Name of the filter in the URL. */
  readonly name: string
  readonly label: string
  readonly search: (q: string | undefined) => Promise<readonly Option[]>
  readonly find: (value: string) => Promise<Option>
}

/** Filter by one of many values, or none. */
function SearchFilter({ name, ...props }: SearchFilterProps) {
  const { t } = useTranslation('common')
  const [filters, setFilters] = useFilters()
  return (
    <RemoteSelect
      {...props}
      name={name}
      placeholder={t('list.all')}
      nothingFound="–"
      value={filters[name]}
      onChange={(value) => setFilters({ [name]: value })}
      w={{ base: '100%', xs: 200 }}
    />
  )
}

const toOption = (customer: Pick<Schemas['Customer'], 'id' | 'data'>): Option => ({
  value: customer.id,
  label: nameOf(customer) ?? customer.id,
})

export function CustomerFilter({ label }: { readonly label: string }) {
  const queries = useQueryClient()
  return (
    <SearchFilter
      name="customer"
      label={label}
      search={async (q) => {
        const { data } = await dataOf(api.GET('/v1/customers', { params: { query: { q, limit: 10 } } }))
        return data.map(toOption)
      }}
      find={async (id) => toOption(await queries.fetchQuery(customerQuery(id)))}
    />
  )
}

const branchOptions = async (q: string | undefined): Promise<Option[]> => {
  const { data } = await dataOf(api.GET('/v1/till/branches', { params: { query: { q, limit: 100 } } }))
  return data.map(({ opaqueId, name }) => ({ value: opaqueId, label: name ?? opaqueId }))
}

const branchesQuery = {
  queryKey: ['branches', 'names'],
  queryFn: () => branchOptions(undefined),
  staleTime: 60_000,
}

/** Name of a branch by its external ID. Beyond the first hundred branches, the ID is shown. */
export function useBranchName(): (opaqueId: string | undefined) => string {
  const { data } = useQuery(branchesQuery)
  return (opaqueId) => data?.find(({ value }) => value === opaqueId)?.label ?? opaqueId ?? ''
}

export function BranchFilter({ label }: { readonly label: string }) {
  const queries = useQueryClient()
  return (
    <SearchFilter
      name="branch"
      label={label}
      search={branchOptions}
      find={async (value) => {
        const known = await queries.fetchQuery(branchesQuery)
        return known.find((option) => option.value === value) ?? { value, label: value }
      }}
    />
  )
}
