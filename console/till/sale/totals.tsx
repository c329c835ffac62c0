import { Button, Kbd, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { sumOf } from '../../i18n/amounts.ts'
import { formatNumber } from '../../i18n/format.ts'
import { Row, Totals } from '../../ui/totals.tsx'
import { places, useMoney, useNames } from '../shell/till-context.ts'
import type { Previewed } from './preview.ts'

/** Shown instead of a discount until the service has priced the current basket. */
const unknown = '—'

interface SaleTotalsProps {
  /** By the service, or else the sum of the lines: never unknown, since cash may be on the counter. */
  readonly due: number
  /** The last preview; its rows stay while the next response is pending. */
  readonly shown: Previewed | undefined
  readonly isCurrent: boolean
}

export function SaleTotals({ due, shown, isCurrent }: SaleTotalsProps) {
  const format = useMoney()
  const money = (amount: number) => (isCurrent ? format(amount) : unknown)
  return <Totals totals={shown?.preview.totals} due={format(due)} money={money} />
}

/** The customer's balances after the sale. */
export function BalancesAfter({ collectables }: Pick<Schemas['ExecutedActions'], 'collectables'>) {
  const { t } = useTranslation('till')
  const names = useNames()
  return (
    <section aria-label={t('receipt.balance')}>
      <Text size="sm" fw={600} aria-hidden>
        {t('receipt.balance')}
      </Text>
      <dl className="till-totals">
        {Object.entries(collectables).map(([key, { value }]) => (
          <Row key={key} label={names.balance(key)} value={formatNumber(value, names.decimals(key))} />
        ))}
      </dl>
    </section>
  )
}

/** The customer's gains in words. */
export function useGains() {
  const { t } = useTranslation('till')
  const names = useNames()
  return ({ executedActions }: Pick<Schemas['TransactionPreview'], 'executedActions'>): string[] => {
    const collected = new Map<string, number>()
    const granted = new Map<string, number>()
    const tiers: string[] = []
    for (const { reward } of executedActions.coupons) {
      granted.set(reward.name, (granted.get(reward.name) ?? 0) + 1)
    }
    for (const action of executedActions.actions) {
      if (action.type === 'collect') {
        collected.set(action.key, sumOf([collected.get(action.key) ?? 0, action.amount]))
      }
      if (action.type === 'change_tier' && action.tier) {
        tiers.push(t('gains.tier', { name: names.tier(action.tier) }))
      }
    }
    return [
      ...[...collected].map(([key, amount]) => names.change(key, amount)),
      ...[...granted].map(([name, count]) => t('gains.coupon', { count, name })),
      ...tiers,
    ]
  }
}

export function Gains({ shown }: { readonly shown: Previewed | undefined }) {
  const { t } = useTranslation('till')
  const gains = useGains()
  if (!shown) return null
  const texts = gains(shown.preview)
  if (texts.length === 0) return null
  return (
    <ul className="till-gains" aria-label={t('gains.title')}>
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  )
}

interface ChargeProps {
  readonly due: number
  /** Whether the sale is kept here and sent when the service is back. */
  readonly isLater: boolean
  readonly isReady: boolean
  readonly isBusy: boolean
  readonly onCharge: () => void
}

export function ChargeButton({ due, isLater, isReady, isBusy, onCharge }: ChargeProps) {
  const { t } = useTranslation('till')
  const money = useMoney()
  return (
    <Button
      id={places.charge}
      size="lg"
      fullWidth
      onClick={onCharge}
      disabled={!isReady}
      loading={isBusy}
      rightSection={
        <Kbd size="sm" visibleFrom="sm" aria-hidden>
          F9
        </Kbd>
      }
    >
      {t(isLater ? 'chargeLater' : 'charge', { amount: money(due) })}
    </Button>
  )
}
