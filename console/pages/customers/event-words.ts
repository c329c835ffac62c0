import { useTranslation } from 'react-i18next'
import type { Action } from '../../api/action.ts'
import type { Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { returnActionWords } from '../../i18n/action-words.ts'
import { sumOf } from '../../i18n/amounts.ts'
import { inOneLine } from '../../i18n/balance-words.ts'
import { useProgram } from '../../i18n/campaign-names.ts'
import { formatList, formatMoney } from '../../i18n/format.ts'
import { useBranchName } from '../../ui/lists/search-filter.tsx'
import type { TimelineEvent } from './compose-timeline.ts'

type Transaction = Schemas['Transaction']

/** Describes the timeline of a customer in words. */
export function useEventWords() {
  const { t } = useTranslation('customers')
  const { t: transactions } = useTranslation('transactions')
  const { currency } = useSession().organization
  const program = useProgram()
  const branchName = useBranchName()

  function titleOf(event: TimelineEvent): string {
    switch (event.kind) {
      case 'visit': {
        const amount = formatMoney(event.sale.payableAmount, currency)
        const { branchOpaqueId } = event.sale
        return branchOpaqueId
          ? t('timeline.visitAt', { amount, branch: branchName(branchOpaqueId) })
          : t('timeline.visit', { amount })
      }
      case 'return':
        return t('timeline.return', { amount: formatMoney(event.done.refundAmount, currency) })
      case 'returnBooked':
        return t('timeline.returnBooked')
      case 'adjust':
        return t('timeline.adjusted', { change: program.change(event.entry.key, event.entry.amount) })
      case 'opening':
        return t('timeline.opening', { change: program.change(event.entry.key, event.entry.amount) })
      case 'expire':
        return t('timeline.expired', { change: program.change(event.entry.key, event.entry.amount) })
      case 'issued':
        return t('timeline.issued', { coupon: event.coupon.reward.name })
      case 'couponExpired':
      case 'couponRevoked':
        return t(`timeline.${event.kind}`, { coupon: event.coupon.reward.name })
      case 'card':
        return t('timeline.cardOpened', { campaign: event.card.campaignName })
      case 'registered':
        return t('timeline.registered')
    }
  }

  function detailsOf(event: TimelineEvent): string[] {
    if (event.kind === 'visit') return saleWords(event.sale)
    if (event.kind === 'adjust') return event.entry.reason ? [event.entry.reason] : []
    if (event.kind === 'return') return returnWords(event.done.reason, event.done.executedActions.actions)
    if (event.kind === 'returnBooked') {
      const actions = event.entries.map(({ kind, key, amount }) => ({ type: kind, key, amount }))
      return returnWords(event.entries[0]?.reason, actions)
    }
    return []
  }

  /** Coupon details are on the sale's page. */
  function returnWords(reason: string | undefined, actions: readonly Action[]): string[] {
    const context = {
      t: transactions,
      program,
      currency,
      couponName: (id: string) => id,
      ruleName: (_campaign: string, rule: string) => rule,
    }
    const shown = actions.filter(({ key, type }) => key !== undefined || type === 'change_tier')
    return [...(reason ? [reason] : []), ...shown.map((action) => returnActionWords(context, action))]
  }

  function saleWords({ opaqueId, executedActions: { actions, coupons } }: Transaction): string[] {
    const sums = (type: 'collect' | 'spend_points') => {
      const byKey: Record<string, number> = {}
      for (const action of actions) {
        if (action.type === type) byKey[action.key] = sumOf([byKey[action.key] ?? 0, action.amount])
      }
      return Object.entries(byKey)
    }
    const moved = (sums: [string, number][], sign: 1 | -1) =>
      inOneLine(sums.map(([key, amount]) => program.change(key, sign * amount)))
    const [collected, spent] = [sums('collect'), sums('spend_points')]
    const redeemed = actions.filter(({ type }) => type === 'redeem_coupon').length
    const tiers = actions.filter((action) => action.type === 'change_tier')
    return [
      ...(collected.length > 0 ? [t('timeline.collected', { changes: moved(collected, 1) })] : []),
      ...(spent.length > 0 ? [t('timeline.spent', { changes: moved(spent, -1) })] : []),
      ...(redeemed > 0 ? [t('timeline.redeemed', { count: redeemed })] : []),
      ...(coupons.length > 0
        ? [t('timeline.granted', { coupons: formatList(coupons.map(({ reward }) => reward.name)) })]
        : []),
      ...tiers.map(({ campaign, tier = '' }) =>
        t('timeline.tier', { tier: program.tierName(campaign, tier) }),
      ),
      ...(opaqueId ? [t('timeline.receipt', { number: opaqueId })] : []),
    ]
  }

  return { titleOf, detailsOf }
}
