import { ActionIcon, Button, Group, Text, VisuallyHidden } from '@mantine/core'
import type { Dispatch } from 'react'
import { useTranslation } from 'react-i18next'
import { lineAmount } from '../../i18n/amounts.ts'
import { currencyDecimals } from '../../i18n/format.ts'
import { IconTicket, IconTrash, IconX } from '../../ui/icons.ts'
import { focusOn, places, useMoney, useTillContext } from '../shell/till-context.ts'
import { type Previewed, worthOfCoupons } from './preview.ts'
import type { Line, Sale, SaleEvent } from './sale.ts'
import { Stepper } from './stepper.tsx'

interface BasketProps {
  readonly sale: Sale
  readonly shown: Previewed | undefined
  readonly dispatch: Dispatch<SaleEvent>
}

export function Basket({ sale, shown, dispatch }: BasketProps) {
  const { t } = useTranslation('till')
  const coupons = useCoupons(sale, shown, dispatch)
  if (sale.lines.length === 0 && sale.coupons.length === 0) {
    return (
      <Text c="dimmed" py="md" id={places.basket} tabIndex={-1}>
        {t('basket.empty')}
      </Text>
    )
  }
  return (
    <ul className="till-lines" id={places.basket} tabIndex={-1} aria-label={t('basket.title')}>
      {sale.lines.map((line) => (
        <li key={line.id}>
          <LineRow line={line} dispatch={dispatch} />
          {line.coupons.map(coupons)}
        </li>
      ))}
      {sale.coupons.length > 0 && <li>{sale.coupons.map(coupons)}</li>}
    </ul>
  )
}

function LineRow({ line, dispatch }: { readonly line: Line; readonly dispatch: Dispatch<SaleEvent> }) {
  const { t } = useTranslation('till')
  const money = useMoney()
  const { currency } = useTillContext().session.organization
  const { id, name, quantity, unitPrice } = line
  const change = (to: number) => dispatch({ type: 'quantity', id, quantity: to })
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="xs" align="baseline">
        <Text fw={500} className="till-wraps">
          {name}
        </Text>
        <Text fw={600} className="lw-tabular">
          {money(lineAmount(line, currencyDecimals(currency)))}
        </Text>
      </Group>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" c="dimmed" className="lw-tabular">
          {t('basket.each', { price: money(unitPrice) })}
        </Text>
        <Group gap={4} wrap="nowrap">
          <Stepper name={name} value={quantity} min={1} onChange={change} />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={44}
            aria-label={t('basket.remove', { name })}
            onClick={() => {
              change(0)
              focusOn(places.basket)
            }}
          >
            <IconTrash size={18} />
          </ActionIcon>
        </Group>
      </Group>
    </>
  )
}

/** A redeemed coupon below its line, with its worth according to the service. */
function useCoupons(sale: Sale, shown: Previewed | undefined, dispatch: Dispatch<SaleEvent>) {
  const { t } = useTranslation('till')
  const money = useMoney()
  const worth = shown ? worthOfCoupons(shown.preview) : {}
  return (id: string) => {
    const name = sale.customer?.coupons.find((coupon) => coupon.id === id)?.reward.name ?? t('basket.coupon')
    const discount = worth[id]
    return (
      <Button
        key={id}
        variant="light"
        fullWidth
        justify="space-between"
        mt={4}
        leftSection={<IconTicket size={18} />}
        rightSection={<IconX size={16} />}
        className="till-coupon"
        onClick={() => {
          dispatch({ type: 'no coupon', id })
          focusOn(places.basket)
        }}
      >
        <bdi>{name}</bdi>
        <span className="lw-tabular">{discount === undefined ? '' : money(-discount)}</span>
        <VisuallyHidden>{t('basket.leaveCoupon')}</VisuallyHidden>
      </Button>
    )
  }
}
