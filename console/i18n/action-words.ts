import type { TFunction } from 'i18next'
import type { Action } from '../api/action.ts'
import type { Program } from './campaign-names.ts'
import { formatMoney } from './format.ts'

export interface Context {
  /** Translates keys of the namespace `transactions`. */
  readonly t: TFunction<'transactions'>
  readonly program: Program
  readonly currency: string
  /** Name of a coupon, or its id if the coupon is unknown. */
  readonly couponName: (id: string) => string
  /** Name of a rule of a campaign. */
  readonly ruleName: (campaign: string, rule: string) => string
}

/** Describes an action as a sentence. */
export function actionWords({ t, program, currency, couponName, ruleName }: Context, action: Action): string {
  const { key = '', amount = 0, rule = '', item } = action
  const campaign = program.campaignName(action.campaign)
  const coupon = couponName(action.coupon ?? '')
  const discount = formatMoney(action.discount ?? 0, currency)
  switch (action.type) {
    case 'collect':
      return t('action.collect', {
        change: program.change(key, amount),
        rule: ruleName(action.campaign ?? '', rule),
        campaign,
      })
    case 'spend_points':
      return t('action.spend_points', { change: program.change(key, -amount), discount })
    case 'redeem_coupon':
      return item === undefined
        ? t('action.redeem_for_order', { coupon, discount })
        : t('action.redeem_for_line', { coupon, discount, line: item })
    case 'grant_coupon':
      return action.key === undefined
        ? t('action.grant_coupon', { coupon, campaign })
        : t('action.grant_for_balance', { coupon, campaign, change: program.change(key, -amount) })
    case 'change_tier':
      return t('action.change_tier', {
        tier: program.tierName(action.campaign, action.tier ?? ''),
        campaign,
      })
    case 'return':
      return action.settled === undefined
        ? t('action.return', { change: program.change(key, amount) })
        : t('action.return_settled', {
            change: program.change(key, amount),
            settled: program.number(key, action.settled),
          })
    case 'expire':
      return t('action.expire', { change: program.change(key, -Math.abs(amount)) })
    case 'revoke_coupon':
      return t('action.revoke_coupon', { coupon })
    case 'restore_coupon':
      return t('action.restore_coupon', { coupon })
    default:
      return t('action.other', { type: action.type })
  }
}

/** Describes an action of a return, which never raises a tier. */
export function returnActionWords(context: Context, action: Action): string {
  if (action.type !== 'change_tier') return actionWords(context, action)
  const { t, program } = context
  const campaign = program.campaignName(action.campaign)
  return action.tier === undefined
    ? t('action.tier_lost', { campaign })
    : t('action.tier_left', { tier: program.tierName(action.campaign, action.tier), campaign })
}

/** Describes as a sentence why a rule gave nothing. `t` translates keys of the namespace `transactions`. */
export function skipWords(t: TFunction<'transactions'>, reason: string): string {
  return t([`skip.${reason}`, 'skip.other'], { reason })
}
