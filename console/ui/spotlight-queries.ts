/** What Ctrl-K finds beside the pages: asked of the service while one types. */
import { IconCashRegister, IconPlus, IconUserPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { ApiError, answerOf, api, type Schemas } from '../api/client.ts'
import { paths, till } from '../paths.ts'

/** What is often begun. Where it lies outside of the console, it is another page. */
export const actions = [
  { key: 'newCampaign', icon: IconPlus, to: paths.newCampaign() },
  { key: 'register', icon: IconUserPlus, to: paths.customers(), search: { register: '1' } },
  { key: 'openTill', icon: IconCashRegister, href: till },
] as const

const most = 6
/** One letter fits nearly everything. */
const isEnough = (text: string) => text.length > 1
const isId = (prefix: string, text: string) => new RegExp(`^${prefix}_[0-9a-f]{32}$`).test(text)

/** One by its id: an id that nobody has finds nothing, which is no failure. */
const oneOrNone = <T>(answer: Promise<T>): Promise<T[]> =>
  answer.then(
    (one) => [one],
    (error) => {
      if (error instanceof ApiError && error.status === 404) return []
      throw error
    },
  )

export function useFoundCustomers(asked: string) {
  return useQuery({
    queryKey: ['customers', 'spotlight', asked],
    enabled: isEnough(asked),
    queryFn: async ({ signal }): Promise<Schemas['Customer'][]> => {
      if (isId('cus', asked)) {
        const path = { id: asked }
        return oneOrNone(answerOf(api.GET('/v1/customers/{id}', { params: { path }, signal })))
      }
      const query = { q: asked, limit: most }
      return (await answerOf(api.GET('/v1/customers', { params: { query }, signal }))).data
    },
  })
}

/** There are few, so they are read once and looked through here, as fast as one types. */
export function useFoundCampaigns(text: string) {
  return useQuery({
    queryKey: ['campaigns', 'spotlight'],
    enabled: isEnough(text),
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET('/v1/campaigns', { params: { query: { limit: 100 } }, signal }))).data,
    // What was read before is there even while nothing is asked for.
    select: (all) =>
      isEnough(text)
        ? all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())).slice(0, most)
        : [],
  })
}

/** By our id or by the number on the receipt. A text without a digit is neither. */
export function useFoundTransactions(asked: string) {
  return useQuery({
    queryKey: ['transactions', 'spotlight', asked],
    enabled: isEnough(asked) && /\d/.test(asked),
    queryFn: async ({ signal }): Promise<Schemas['Transaction'][]> => {
      if (isId('txn', asked)) {
        const path = { id: asked }
        return oneOrNone(answerOf(api.GET('/v1/transactions/{id}', { params: { path }, signal })))
      }
      const query = { opaqueId: asked, limit: most }
      return (await answerOf(api.GET('/v1/transactions', { params: { query }, signal }))).data
    },
  })
}
