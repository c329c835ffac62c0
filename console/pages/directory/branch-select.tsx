import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { RemoteSelect } from '../../ui/lists/remote-select.tsx'

interface BranchSelectProps {
  readonly label: string
  readonly description?: string
  /** External ID of a branch. */
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

export function BranchSelect(props: BranchSelectProps) {
  const { t } = useTranslation('directory')
  return (
    <RemoteSelect
      {...props}
      name="branches"
      nothingFound={t('noBranch')}
      search={async (q) => {
        const { data } = await dataOf(api.GET('/v1/branches', { params: { query: { q, limit: 50 } } }))
        return data.map(({ opaqueId, name }) => ({ value: opaqueId, label: name ?? opaqueId }))
      }}
    />
  )
}
