import { Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ApiError, api, dataOf, type Schemas } from '../api/client.ts'
import { paths } from '../paths.ts'
import { PageLink } from './page-link.tsx'

export const customerQuery = (id: string) =>
  queryOptions({
    queryKey: ['customers', 'one', id],
    queryFn: () => dataOf(api.GET('/v1/customers/{id}', { params: { path: { id } } })),
  })

/** Name of a customer; undefined if nothing but the card is known. */
export function nameOf({ data }: Pick<Schemas['Customer'], 'data'>): string | undefined {
  return data.fullname ?? data.phone ?? data.email
}

interface CustomerNameProps {
  readonly id: string
  /** Name from the list. Without one, the customer is unnamed or erased, and is fetched to find out. */
  readonly name?: string
}

/** Name of a customer, linked to their page. */
export function CustomerName({ id, name }: CustomerNameProps) {
  const { t } = useTranslation('customers')
  const { data, error } = useQuery({
    ...customerQuery(id),
    staleTime: 5 * 60_000,
    enabled: name === undefined,
  })
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Text span size="sm" c="dimmed">
        {t('erased')}
      </Text>
    )
  }
  return (
    <PageLink to={paths.customer(id)} size="sm">
      <bdi>{name ?? (data ? (nameOf(data) ?? t('noName')) : '…')}</bdi>
    </PageLink>
  )
}
