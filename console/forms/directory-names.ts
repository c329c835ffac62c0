/** What products and branches are called that are named by the merchant's own ids, all of them asked for at once. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'

/** The most that can be asked for by name; the rest is called by its id. */
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
