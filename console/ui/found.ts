/** What Ctrl-K finds beside the pages: asked of the service while one types. */
import { IconCashRegister, IconPlus, IconUserPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { answerOf, api, type Schemas } from '../api/client.ts'
import { paths, till } from '../paths.ts'

/** What is often begun. Where it lies outside of the console, it is another page. */
export const actions = [
  { key: 'newCampaign', icon: IconPlus, to: paths.newCampaign() },
  { key: 'register', icon: IconUserPlus, to: paths.customers(), search: { register: '1' } },
  { key: 'openTill', icon: IconCashRegister, href: till },
] as const

const most = 6

export function useFoundCustomers(asked: string) {
  return useQuery({
    queryKey: ['customers', 'spotlight', asked],
    enabled: asked.length > 1,
    queryFn: async ({ signal }) => {
      const query = { q: asked, limit: most }
      return (await answerOf(api.GET('/v1/customers', { params: { query }, signal }))).data
    },
  })
}

/** There are few, so they are read once and looked through here. */
export function useFoundCampaigns(asked: string) {
  return useQuery({
    queryKey: ['campaigns', 'spotlight'],
    enabled: asked.length > 1,
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET('/v1/campaigns', { params: { query: { limit: 100 } }, signal }))).data,
    select: (all) =>
      all.filter(({ name }) => name.toLowerCase().includes(asked.toLowerCase())).slice(0, most),
  })
}

const isTransactionId = (text: string) => /^txn_[0-9a-f]{32}$/.test(text)

/** By our id or by the number on the receipt. A text without a digit is neither. */
export function useFoundTransactions(asked: string) {
  return useQuery({
    queryKey: ['transactions', 'spotlight', asked],
    enabled: asked.length > 1 && /\d/.test(asked),
    queryFn: async ({ signal }): Promise<Schemas['Transaction'][]> => {
      if (isTransactionId(asked)) {
        const path = { id: asked }
        return [await answerOf(api.GET('/v1/transactions/{id}', { params: { path }, signal }))]
      }
      const query = { opaqueId: asked, limit: most }
      return (await answerOf(api.GET('/v1/transactions', { params: { query }, signal }))).data
    },
  })
}
