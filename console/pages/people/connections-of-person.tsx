import { Alert, Checkbox, List, Loader, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { Failure } from '../../ui/failure.tsx'

interface ConnectionsOfPersonProps {
  readonly person: Schemas['Person']
  readonly isChecked: boolean
  readonly onChange: (isChecked: boolean) => void
}

/** Connections with a secret that the person knows, which go on working unless they are revoked as well. */
export function ConnectionsOfPerson({ person, isChecked, onChange }: ConnectionsOfPersonProps) {
  const { t } = useTranslation('people')
  const { data, error, isPending } = useQuery({
    queryKey: ['connections', 'of person', person.id],
    queryFn: () =>
      dataOf(api.GET('/v1/connections', { params: { query: { person: person.id, limit: 100 } } })),
  })
  if (isPending) return <Loader type="dots" size="sm" />
  if (error) return <Failure error={error} />
  if (data.data.length === 0) return null
  return (
    <Alert color="yellow" title={t('connections.title', { count: data.data.length })}>
      <Text size="sm">{t('connections.about')}</Text>
      <List size="sm" my="xs">
        {data.data.map(({ id, name }) => (
          <List.Item key={id}>{name ?? id}</List.Item>
        ))}
      </List>
      <Checkbox
        label={t('connections.revoke', { count: data.data.length })}
        description={t('connections.revokeAbout')}
        checked={isChecked}
        onChange={({ currentTarget: { checked } }) => onChange(checked)}
      />
    </Alert>
  )
}
