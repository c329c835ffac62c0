/** Names from the merchant's campaigns for the keys and ids in responses. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../api/client.ts'
import { allPages } from '../ui/lists/all-pages.ts'
import { changeWords, holdingWords, progressWords, type Towards } from './balance-words.ts'
import { formatNumber, formatSigned } from './format.ts'

export const campaignsQuery = {
  queryKey: ['campaigns', 'all'],
  staleTime: 60_000,
  queryFn: () => allPages((query) => dataOf(api.GET('/v1/campaigns', { params: { query } }))),
}

type Campaign = Awaited<ReturnType<typeof campaignsQuery.queryFn>>[number]
type Balance = Campaign['balances'][number]

/** A draft was never published, so no customer can hold its balances. */
const isDraft = ({ version }: Campaign) => version === 0

/** The newest campaign comes first and wins over older ones; a draft never wins over the others. */
function balancesOf(campaigns: readonly Campaign[]): ReadonlyMap<string, Balance> {
  const oldestFirst = campaigns.toReversed()
  const known = new Map<string, Balance>()
  for (const { balances } of [
    ...oldestFirst.filter(isDraft),
    ...oldestFirst.filter((item) => !isDraft(item)),
  ]) {
    for (const balance of balances) known.set(balance.key, { ...known.get(balance.key), ...balance })
  }
  return known
}

export type Program = ReturnType<typeof useProgram>

export function useProgram() {
  const { t } = useTranslation('common')
  const { data: campaigns, isPending } = useQuery(campaignsQuery)
  return useMemo(() => {
    const all = campaigns ?? []
    const balances = balancesOf(all)
    const campaignName = (id: string | undefined) =>
      all.find((campaign) => campaign.id === id)?.name ?? (isPending ? '…' : (id ?? ''))
    const balanceName = (key: string) => balances.get(key)?.name ?? key
    const decimalsOf = (key: string) => balances.get(key)?.decimals
    const balanceOf = (key: string) => ({ name: balanceName(key), decimals: decimalsOf(key) })
    const amount = (key: string, value: number) => holdingWords(balanceOf(key), value)
    const change = (key: string, value: number) => changeWords(balanceOf(key), value)
    return {
      isPending,
      campaigns: all,
      /** Balances that customers can hold. */
      balanceKeys: [...balancesOf(all.filter((campaign) => !isDraft(campaign))).keys()],
      campaignName,
      balanceName,
      /** Formats an amount with the balance's decimals. */
      number: (key: string, value: number) => formatNumber(value, decimalsOf(key)),
      /** "+35", "−100". */
      signed: (key: string, value: number) => formatSigned(value, decimalsOf(key)),
      /** "Points: 35". */
      amount,
      /** "Points: 35", "Stamps: 2". */
      amounts: (values: Readonly<Record<string, number>>) =>
        Object.entries(values).map(([key, value]) => amount(key, value)),
      /** "Points +35". */
      change,
      /** "Free coffee · Stamps earned toward the next coupon: 7 of 10". */
      progress: (key: string, towards: Towards) => progressWords(balanceOf(key), towards),
      rewardName: (key: string, among?: readonly string[]) =>
        all
          .filter(({ id }) => among === undefined || among.includes(id))
          .flatMap(({ rewards }) => rewards ?? [])
          .find((reward) => reward.key === key)?.name ?? key,
      tierName: (campaign: string | undefined, key: string) =>
        all.find(({ id }) => id === campaign)?.tiers?.find((tier) => tier.key === key)?.name ?? key,
    }
    // `t` changes with the language, and so does the format of numbers.
  }, [campaigns, isPending, t])
}
