import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../../api/client.ts'
import { toShapes } from '../../forms/definition.ts'

export const campaignQuery = (id: string) =>
  queryOptions({
    queryKey: ['campaigns', 'one', id],
    queryFn: () => dataOf(api.GET('/v1/campaigns/{id}', { params: { path: { id } } })),
  })

/** The latest versions, to look up what a campaign defined when a sale ran on it. */
export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['campaigns', 'versions', id],
    queryFn: () =>
      dataOf(api.GET('/v1/campaigns/{id}/versions', { params: { path: { id }, query: { limit: 100 } } })),
  })

/** The schemas that forms are rendered from; they change only with the service. */
export const shapesQuery = queryOptions({
  queryKey: ['rule-schemas'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async () => toShapes(await dataOf(api.GET('/v1/rule-schemas'))),
})

export const useShapes = () => useQuery(shapesQuery)
