/** Queries for the records that Ctrl-K finds besides the pages, sent while the user types. */
import { useQuery } from '@tanstack/react-query'
import { ApiError, api, dataOf, type Schemas } from '../../api/client.ts'
import { paths, till } from '../../paths.ts'
import { IconCashRegister, IconDeviceMobile, IconPlus, IconUserPlus } from '../icons.ts'

/** Frequent actions. Those outside the console open another page. */
export const actions = [
  { key: 'newCampaign', icon: IconPlus, to: paths.newCampaign() },
  { key: 'register', icon: IconUserPlus, to: paths.customers(), search: { register: '1' } },
  { key: 'walletPasses', icon: IconDeviceMobile, to: paths.walletPasses() },
  { key: 'openTill', icon: IconCashRegister, href: till },
] as const

const most = 6
/** A single letter matches nearly everything. */
const isEnough = (text: string) => text.length > 1
const isId = (prefix: string, text: string) => new RegExp(`^${prefix}_[0-9a-f]{32}$`).test(text)

/** Looks up one record by id; an unknown id is an empty result, not an error. */
const oneOrNone = <T>(answer: Promise<T>): Promise<T[]> =>
  answer.then(
    (item) => [item],
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
        return oneOrNone(dataOf(api.GET('/v1/customers/{id}', { params: { path }, signal })))
      }
      const query = { q: asked, limit: most }
      return (await dataOf(api.GET('/v1/customers', { params: { query }, signal }))).data
    },
  })
}

/** Campaigns are few, so they are read once and searched here, as fast as the user types. */
export function useFoundCampaigns(text: string) {
  return useQuery({
    queryKey: ['campaigns', 'spotlight'],
    enabled: isEnough(text),
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET('/v1/campaigns', { params: { query: { limit: 100 } }, signal }))).data,
    // Cached data is selected from even while the query is disabled.
    select: (all) =>
      isEnough(text)
        ? all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())).slice(0, most)
        : [],
  })
}

/** Finds a transaction by id or receipt number. A text without a digit is neither. */
export function useFoundTransactions(asked: string) {
  return useQuery({
    queryKey: ['transactions', 'spotlight', asked],
    enabled: isEnough(asked) && /\d/.test(asked),
    queryFn: async ({ signal }): Promise<Schemas['Transaction'][]> => {
      if (isId('txn', asked)) {
        const path = { id: asked }
        return oneOrNone(dataOf(api.GET('/v1/transactions/{id}', { params: { path }, signal })))
      }
      const query = { opaqueId: asked, limit: most }
      return (await dataOf(api.GET('/v1/transactions', { params: { query }, signal }))).data
    },
  })
}
