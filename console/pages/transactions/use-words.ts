import { useQueries } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Action } from '../../api/action.ts'
import { api, dataOf } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import type { Context } from '../../i18n/action-words.ts'
import { useProgram } from '../../i18n/campaign-names.ts'
import { useRuleNamesOf } from '../../i18n/rule-names.ts'
import type { Sale } from './lines.tsx'

/**
 * Names for the sentences about a sale or one of its returns, whose actions are then given. Issued coupons are
 * in the sale's response; others have to be loaded.
 */
export function useWords(sale: Sale, actions: readonly Action[] = sale.executedActions.actions): Context {
  const { t } = useTranslation('transactions')
  const { currency } = useSession().organization
  const program = useProgram()
  const granted = sale.executedActions.coupons
  const others = actions.flatMap(({ coupon }) =>
    coupon && !granted.some(({ id }) => id === coupon) ? [coupon] : [],
  )
  const asked = useQueries({
    queries: others.map((id) => ({
      queryKey: ['coupons', 'one', id],
      staleTime: 60_000,
      queryFn: () => dataOf(api.GET('/v1/coupons/{id}', { params: { path: { id } } })),
    })),
  })
  const known = [...granted, ...asked.flatMap(({ data }) => (data ? [data] : []))]
  const couponName = (id: string) => known.find((coupon) => coupon.id === id)?.reward.name ?? id
  const ruleNameOf = useRuleNamesOf(sale.campaigns.map(({ id }) => id))
  const ruleName = (campaign: string, rule: string) =>
    ruleNameOf({ campaign, rule, version: sale.campaigns.find(({ id }) => id === campaign)?.version })
  return { t, program, currency, couponName, ruleName }
}
