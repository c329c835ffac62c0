/** The words of the merchant's own campaigns: what the keys and ids in replies are called. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { answerOf, api } from '../../api/client.ts'
import { formatList, formatNumber } from '../../format.ts'
import { allPages } from './all-pages.ts'

export const campaignsQuery = {
  queryKey: ['campaigns', 'all'],
  staleTime: 60_000,
  queryFn: () => allPages((query) => answerOf(api.GET('/v1/campaigns', { params: { query } }))),
}

export type Program = ReturnType<typeof useProgram>

export function useProgram() {
  const { t } = useTranslation('common')
  const { data: campaigns, isPending } = useQuery(campaignsQuery)
  return useMemo(() => {
    const all = campaigns ?? []
    const balances = new Map(
      // The newest campaign comes first and has the last word.
      all.toReversed().flatMap(({ balances }) => balances.map((balance) => [balance.key, balance] as const)),
    )
    const campaignName = (id: string | undefined) =>
      all.find((campaign) => campaign.id === id)?.name ?? (isPending ? '…' : (id ?? ''))
    const balanceName = (key: string) => balances.get(key)?.name ?? key
    const number = (key: string, value: number) => formatNumber(value, balances.get(key)?.decimals)
    const amount = (key: string, value: number) => `${number(key, value)}\u00a0${balanceName(key)}`
    const signed = (key: string, value: number) => (value > 0 ? `+${number(key, value)}` : number(key, value))
    return {
      isPending,
      campaigns: all,
      balanceKeys: [...balances.keys()],
      campaignName,
      balanceName,
      /** As many decimals as the balance has. */
      number,
      /** "+35", "-100". */
      signed,
      /** "35 Points". */
      amount,
      /** "35 Points and 2 Stamps". */
      amounts: (values: Readonly<Record<string, number>>) =>
        formatList(Object.entries(values).map(([key, value]) => amount(key, value))),
      rewardName: (key: string, among?: readonly string[]) =>
        all
          .filter(({ id }) => among === undefined || among.includes(id))
          .flatMap(({ rewards }) => rewards ?? [])
          .find((reward) => reward.key === key)?.name ?? key,
      tierName: (campaign: string | undefined, key: string) =>
        all.find(({ id }) => id === campaign)?.tiers?.find((tier) => tier.key === key)?.name ?? key,
    }
    // `t` changes with the language, in which numbers are written.
  }, [campaigns, isPending, t])
}
