import type { TFunction } from 'i18next'
import type { Schemas } from '../../api/client.ts'
import { formatList, formatMoney, formatNumber } from '../../format.ts'

/** What a reward is good for, such as "10% off, at most $20.00". `t` is of the namespace `coupons`. */
export function rewardWords(t: TFunction<'coupons'>, reward: Schemas['Reward'], currency: string): string {
  switch (reward.kind) {
    case 'free_product':
      return t('reward.free_product', { products: formatList(reward.products ?? []) })
    case 'amount_off':
      return t('reward.amount_off', { amount: formatMoney(reward.amount ?? 0, currency) })
    case 'percent_off': {
      const percent = formatNumber(reward.percent ?? 0)
      return reward.maxAmount === undefined
        ? t('reward.percent_off', { percent })
        : t('reward.percent_off_at_most', { percent, amount: formatMoney(reward.maxAmount, currency) })
    }
  }
}
