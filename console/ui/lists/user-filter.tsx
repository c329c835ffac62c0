import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useFilters } from './filters.ts'
import { RemoteSelect } from './remote-select.tsx'

interface UserFilterProps {
  /** Name of the filter in the URL. */
  readonly name: string
  readonly label: string
  readonly fixed?: readonly { readonly value: string; readonly label: string }[]
}

const toOption = ({ id, name, opaqueId }: Schemas['DirectoryEntry']) => ({
  value: id,
  label: name ?? opaqueId,
})

/** Filter by the user that requests act as: every connection and every person has one in the directory. */
export function UserFilter({ name, label, fixed }: UserFilterProps) {
  const { t } = useTranslation('developers')
  const [filters, setFilters] = useFilters()
  return (
    <RemoteSelect
      label={label}
      name="users"
      placeholder={t('common:list.all')}
      nothingFound={t('noUser')}
      w={{ base: '100%', xs: 200 }}
      fixed={fixed}
      search={async (q) => {
        const { data } = await dataOf(api.GET('/v1/users', { params: { query: { q, limit: 50 } } }))
        return data.map(toOption)
      }}
      find={async (id) => toOption(await dataOf(api.GET('/v1/users/{id}', { params: { path: { id } } })))}
      value={filters[name]}
      onChange={(value) => setFilters({ [name]: value })}
    />
  )
}
