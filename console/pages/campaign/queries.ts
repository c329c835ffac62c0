import { queryOptions, useQuery } from '@tanstack/react-query'
import { answerOf, api } from '../../api/client.ts'
import { toShapes } from '../../forms/definition.ts'

export const campaignQuery = (id: string) =>
  queryOptions({
    queryKey: ['campaigns', 'one', id],
    queryFn: () => answerOf(api.GET('/v1/campaigns/{id}', { params: { path: { id } } })),
  })

/** What forms are drawn from; it changes only with the service. */
export function useShapes() {
  return useQuery({
    queryKey: ['rule-schemas'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => toShapes(await answerOf(api.GET('/v1/rule-schemas'))),
  })
}
