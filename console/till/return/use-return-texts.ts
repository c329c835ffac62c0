import { useQueries } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Action } from '../../api/action.ts'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { formatNumber } from '../../i18n/format.ts'
import { useNames } from '../shell/till-context.ts'

/** What a return restores and takes, in words. A preview and the return itself read the same. */
export function useReturnTexts(done: Schemas['ReturnPreview'] | undefined): string[] {
  const { t } = useTranslation('till')
  const names = useNames()
  const actions: readonly Action[] = done?.executedActions.actions ?? []
  const ids = actions.flatMap(({ coupon }) => coupon ?? [])
  // The response contains only the ids of coupons.
  const coupons = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['coupon', id],
      queryFn: () => dataOf(api.GET('/v1/coupons/{id}', { params: { path: { id } } })),
    })),
  })
  if (!done) return []
  const nameOf = (id: string) => coupons.find(({ data }) => data?.id === id)?.data?.reward.name ?? '…'
  const restored = done.pointsRestored
  const movedWords = (key: string, { amount = 0, settled = 0 }: Action) => {
    const change = names.change(key, amount)
    if (settled > 0) {
      return t('return.settled', { change, settled: formatNumber(settled, names.decimals(key)) })
    }
    // With points that come back as well, the balance moves by the difference.
    if (restored > 0) return t('return.moved', { change })
    return amount < 0 ? t('return.takenBack', { change }) : t('return.givenBack', { change })
  }
  const texts = actions.flatMap((action) => {
    const { type, key, amount = 0, coupon, campaign, tier } = action
    if (campaign && type === 'change_tier') {
      const named = { campaign: names.campaign(campaign) }
      return tier ? t('return.tierLeft', { ...named, name: names.tier(tier) }) : t('return.tierLost', named)
    }
    if (coupon && type === 'revoke_coupon') return t('return.revoked', { name: nameOf(coupon) })
    if (coupon && type === 'restore_coupon') return t('return.restored', { name: nameOf(coupon) })
    // What a revoked coupon gives back can be exactly what is taken.
    if (!key || (amount === 0 && !action.settled)) return []
    if (type === 'expire') return t('return.expired', { change: names.change(key, -Math.abs(amount)) })
    return movedWords(key, action)
  })
  return restored > 0 ? [t('return.pointsRestored', { amount: formatNumber(restored) }), ...texts] : texts
}
