import { Button, Group, NumberInput, Slider, Text } from '@mantine/core'
import type { Dispatch } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../i18n/format.ts'
import { places, useMoney, useNames, useTillContext } from '../shell/till-context.ts'
import type { Previewed, Spendable } from './preview.ts'
import type { Sale, SaleEvent } from './sale.ts'

interface PointsProps {
  readonly sale: Sale
  readonly shown: Previewed | undefined
  /** The points that may be used, according to the service; undefined until it has responded. */
  readonly spendable: Spendable | undefined
  /** Whether `spendable` was computed for the current basket and not for an earlier one. */
  readonly isCurrent: boolean
  readonly dispatch: Dispatch<SaleEvent>
}

/** Points that pay for a part of the sale. The service decides their worth and how many may be used. */
export function Points({ sale, shown, spendable, isCurrent, dispatch }: PointsProps) {
  const { t } = useTranslation('till')
  const { campaigns } = useTillContext()
  const names = useNames()
  const money = useMoney()
  const spend = campaigns.find(({ id }) => id === sale.card?.campaign)?.spend
  const balance = spendable?.balance ?? spend?.balance
  const has = balance ? (sale.customer?.collectables[balance]?.value ?? 0) : 0
  if (!balance || has <= 0 || sale.lines.length === 0) return null
  const most = spendable?.most ?? has
  const decimals = names.decimals(balance) ?? 0
  // A cashier may type faster than the preview updates; an older result does not limit the input.
  const limit = isCurrent ? most : has
  const change = (points: number | string) =>
    dispatch({ type: 'points', points: Math.min(limit, Math.max(0, Number(points) || 0)) })
  // If the basket shrinks below the selected points, the button selects the new maximum.
  const isTaken = sale.pointsToSpend > 0 && (most === 0 || sale.pointsToSpend <= most)
  const worth = sale.pointsToSpend > 0 ? shown?.preview.pointsDiscount : undefined
  return (
    <div>
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <NumberInput
          id={places.points}
          label={t('points.label', { name: names.balance(balance) })}
          flex={1}
          value={sale.pointsToSpend}
          onChange={change}
          min={0}
          max={limit}
          decimalScale={decimals}
          allowNegative={false}
          inputMode="decimal"
          hideControls
        />
        <Button
          variant="default"
          disabled={most === 0 && !isTaken}
          onClick={() => change(isTaken ? 0 : most)}
        >
          {isTaken ? t('points.none') : t('points.all')}
        </Button>
      </Group>
      <Slider
        value={sale.pointsToSpend}
        onChange={change}
        min={0}
        max={most}
        disabled={most === 0}
        step={10 ** -decimals}
        label={null}
        size="lg"
        thumbSize={28}
        mt="sm"
        mb={6}
        thumbLabel={t('points.label', { name: names.balance(balance) })}
      />
      <Text size="sm" c="dimmed">
        {worth
          ? t('points.worth', { amount: money(worth) })
          : most < has
            ? t('points.most', { most: formatNumber(most, decimals), has: formatNumber(has, decimals) })
            : spend?.min
              ? t('points.from', { min: formatNumber(spend.min, decimals), has: formatNumber(has, decimals) })
              : t('points.has', { has: formatNumber(has, decimals) })}
      </Text>
    </div>
  )
}

/** Points need the service: another till may spend them meanwhile. */
export function PointsOffline({ sale }: Pick<PointsProps, 'sale'>) {
  const { t } = useTranslation('till')
  const { campaigns } = useTillContext()
  const balance = campaigns.find(({ id }) => id === sale.card?.campaign)?.spend?.balance
  if (!balance || !sale.customer?.collectables[balance]?.value || sale.lines.length === 0) return null
  return (
    <Text size="sm" c="dimmed">
      {t('offline.noPoints')}
    </Text>
  )
}
