import type { TFunction } from 'i18next'
import type { Schemas } from '../api/client.ts'
import { formatChoice, formatMoney, formatPercent } from './format.ts'

interface Words {
  /** Translates keys of the namespace `coupons`. */
  readonly t: TFunction<'coupons'>
  readonly currency: string
  readonly productName: (id: string) => string
}

/** Describes a reward, such as "10% off, at most $20.00". */
export function rewardWords({ t, currency, productName }: Words, reward: Schemas['Reward']): string {
  switch (reward.kind) {
    case 'free_product':
      return t('reward.free_product', { products: formatChoice((reward.products ?? []).map(productName)) })
    case 'amount_off':
      return t('reward.amount_off', { amount: formatMoney(reward.amount ?? 0, currency) })
    case 'percent_off': {
      const percent = formatPercent((reward.percent ?? 0) / 100)
      return reward.maxAmount === undefined
        ? t('reward.percent_off', { percent })
        : t('reward.percent_off_at_most', { percent, amount: formatMoney(reward.maxAmount, currency) })
    }
  }
}
