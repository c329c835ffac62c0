/** Names that the values of a field can refer to: parts of the draft itself, or records of the service. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'
import { namesIn } from './definition.ts'
import { useForm } from './form-context.ts'
import type { NameChoice, NameList } from './schema.ts'

/** Page size; typing finds more. */
const limit = 100

export function useNames(list: NameList | undefined, search = ''): readonly NameChoice[] {
  const { definition, campaign } = useForm()
  const isInDraft = list === 'balances' || list === 'rewards' || list === 'tiers'
  const source = list === 'categories' ? 'products' : list
  const { data = [] } = useQuery({
    queryKey: [source, 'names', search],
    enabled: list !== undefined && !isInDraft,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => load(source as 'products' | 'branches' | 'campaigns', search, signal),
  })
  if (isInDraft) return namesIn(definition, list)
  if (list !== 'categories') return data.filter(({ value }) => value !== campaign)
  const categories = new Set(data.flatMap(({ category }) => category ?? []))
  return [...categories].sort().map((value) => ({ value, label: value }))
}

/** Names of campaigns by their ids. */
export function useCampaignNames(isWanted: boolean): (id: string) => string {
  const { data = [] } = useQuery({
    queryKey: ['campaigns', 'names', ''],
    enabled: isWanted,
    staleTime: 60_000,
    queryFn: ({ signal }) => load('campaigns', '', signal),
  })
  return (id) => data.find(({ value }) => value === id)?.label ?? id
}

export interface KnownName extends NameChoice {
  readonly category?: string
  readonly price?: number
}

async function load(
  source: 'products' | 'branches' | 'campaigns',
  search: string,
  signal: AbortSignal,
): Promise<KnownName[]> {
  if (source === 'campaigns') {
    const { data } = await dataOf(api.GET('/v1/campaigns', { params: { query: { limit } }, signal }))
    return data.map(({ id, name }) => ({ value: id, label: name }))
  }
  const query = { limit, ...(search && { q: search }) }
  const { data } =
    source === 'products'
      ? await dataOf(api.GET('/v1/products', { params: { query }, signal }))
      : await dataOf(api.GET('/v1/branches', { params: { query }, signal }))
  return data.map(({ opaqueId, name, category, price }) => ({
    value: opaqueId,
    label: name ?? opaqueId,
    category,
    price,
  }))
}
