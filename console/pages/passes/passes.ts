import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from '../../api/client.ts'

export type WalletPasses = Schemas['WalletPasses']
export type Wallet = 'apple' | 'google'

export const passesQuery = queryOptions({
  queryKey: ['wallet-passes'],
  queryFn: () => dataOf(api.GET('/v1/wallet-passes')),
})

export const patchPasses = (body: Schemas['PatchWalletPasses']): Promise<WalletPasses> =>
  dataOf(api.PATCH('/v1/wallet-passes', { body }))
