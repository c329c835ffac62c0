import { useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../../api/client.ts'
import { readOrRecall } from '../offline/remembered.ts'

async function readCampaigns() {
  const query = { limit: 100, status: 'published' as const }
  return (await dataOf(api.GET('/v1/campaigns', { params: { query } }))).data
}

async function readBalances() {
  return (await dataOf(api.GET('/v1/till/balances', { params: { query: { limit: 100 } } }))).data
}

/** The names that the till needs, kept for the day. */
export function useProgram(organization: string) {
  const { data: campaigns = [] } = useQuery({
    queryKey: ['campaigns'],
    queryFn: () => readOrRecall(organization, 'campaigns', readCampaigns),
  })
  const { data: balances = [] } = useQuery({
    queryKey: ['balances'],
    queryFn: () => readOrRecall(organization, 'balances', readBalances),
  })
  return { campaigns, balances }
}
