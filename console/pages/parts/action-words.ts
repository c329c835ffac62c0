import type { TFunction } from 'i18next'
import type { Schemas } from '../../api/client.ts'
import { formatMoney } from '../../format.ts'
import type { Program } from './program.ts'

export type Action = Schemas['Action']
export type Skip = Schemas['ExecutedActions']['skipped'][number]

export interface Context {
  /** Of the namespace `transactions`. */
  readonly t: TFunction<'transactions'>
  readonly program: Program
  readonly currency: string
  /** What a coupon is called; its id when nothing is known of it. */
  readonly couponName: (id: string) => string
}

/** What happened, as a sentence. */
export function actionWords({ t, program, currency, couponName }: Context, action: Action): string {
  const { key = '', amount = 0, rule, item } = action
  const campaign = program.campaignName(action.campaign)
  const coupon = couponName(action.coupon ?? '')
  const discount = formatMoney(action.discount ?? 0, currency)
  switch (action.type) {
    case 'collect':
      return t('action.collect', { amount: program.amount(key, amount), rule, campaign })
    case 'spend_points':
      return t('action.spend_points', { amount: program.amount(key, amount), discount })
    case 'redeem_coupon':
      return item === undefined
        ? t('action.redeem_for_order', { coupon, discount })
        : t('action.redeem_for_line', { coupon, discount, line: item })
    case 'grant_coupon':
      return action.key === undefined
        ? t('action.grant_coupon', { coupon, campaign })
        : t('action.grant_for_balance', { coupon, campaign, amount: program.amount(key, amount) })
    case 'change_tier':
      return t('action.change_tier', {
        tier: program.tierName(action.campaign, action.tier ?? ''),
        campaign,
      })
    case 'return':
      return amount < 0
        ? t('action.return_taken', { amount: program.amount(key, -amount) })
        : t('action.return_given', { amount: program.amount(key, amount) })
    case 'expire':
      return t('action.expire', { amount: program.amount(key, Math.abs(amount)) })
    case 'revoke_coupon':
      return t('action.revoke_coupon', { coupon })
    case 'restore_coupon':
      return t('action.restore_coupon', { coupon })
    default:
      return t('action.other', { type: action.type })
  }
}

/** Why a rule gave nothing, as a sentence. */
export function skipWords({ t, program }: Context, { campaign, rule, reason }: Skip): string {
  return t([`skip.${reason}`, 'skip.other'], { rule, campaign: program.campaignName(campaign), reason })
}
