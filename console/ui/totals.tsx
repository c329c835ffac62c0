import { Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'

interface RowProps {
  readonly label: string
  readonly value: string
  readonly isLarge?: boolean
}

/** A row of a description list: what it is at the start, its amount at the end. */
export function Row({ label, value, isLarge }: RowProps) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="xs" align="baseline">
      <Text component="dt" fw={isLarge ? 650 : undefined} size={isLarge ? 'lg' : 'sm'}>
        {label}
      </Text>
      <Text
        component="dd"
        m={0}
        fw={isLarge ? 700 : undefined}
        fz={isLarge ? 26 : 'sm'}
        lh={1.25}
        className="lw-tabular"
      >
        {value}
      </Text>
    </Group>
  )
}

interface TotalsProps {
  /** The service's totals; undefined before it has priced the basket. */
  readonly totals: Schemas['Totals'] | undefined
  readonly due: string
  readonly money: (amount: number) => string
  /** Labels that say more than the default ones. */
  readonly labels?: Partial<Record<'coupons' | 'points' | 'due', string>>
}

/** From the price to what is due, as computed by the service. Rows that take nothing off are left out. */
export function Totals({ totals, due, money, labels }: TotalsProps) {
  const { t } = useTranslation('common')
  const { amount = 0, discounts = 0, coupons = 0, points = 0 } = totals ?? {}
  return (
    <Stack component="dl" gap={5} m={0}>
      {(discounts !== 0 || coupons > 0 || points > 0) && (
        <Row label={t('totals.amount')} value={money(amount)} />
      )}
      {discounts > 0 && <Row label={t('totals.discounts')} value={money(-discounts)} />}
      {discounts < 0 && <Row label={t('totals.surcharge')} value={money(-discounts)} />}
      {coupons > 0 && <Row label={labels?.coupons ?? t('totals.coupons')} value={money(-coupons)} />}
      {points > 0 && <Row label={labels?.points ?? t('totals.points')} value={money(-points)} />}
      <Row label={labels?.due ?? t('totals.due')} value={due} isLarge />
    </Stack>
  )
}
