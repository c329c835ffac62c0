/** Names of products and branches by their external IDs, loaded in a single request. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'

/** Largest number of names per request; the rest are shown by their IDs. */
const limit = 100

export function useDirectoryNames(
  kind: 'products' | 'branches',
  ids: readonly string[],
): (id: string) => string {
  const opaqueId = [...new Set(ids)].sort().slice(0, limit)
  const { data = [] } = useQuery({
    queryKey: [kind, 'called', ...opaqueId],
    enabled: opaqueId.length > 0,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const params = { query: { opaqueId, limit } }
      const answer =
        kind === 'products'
          ? await dataOf(api.GET('/v1/till/products', { params, signal }))
          : await dataOf(api.GET('/v1/till/branches', { params, signal }))
      return answer.data
    },
  })
  return (id) => data.find(({ opaqueId }) => opaqueId === id)?.name ?? id
}
