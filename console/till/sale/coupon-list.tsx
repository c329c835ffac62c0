import { Button, Stack, Text, Title } from '@mantine/core'
import type { Dispatch } from 'react'
import { useTranslation } from 'react-i18next'
import { useDirectoryNames } from '../../forms/directory-names.ts'
import { formatChoice, formatDate } from '../../i18n/format.ts'
import { IconCheck, IconTicket } from '../../ui/icons.ts'
import { useTillContext } from '../shell/till-context.ts'
import { type Coupon, couponsOf, type Sale, type SaleEvent } from './sale.ts'

interface CouponListProps {
  readonly sale: Sale
  /** The coupons that can be used now. */
  readonly coupons: readonly Coupon[]
  /** Coupons need the service: another till may redeem them meanwhile. */
  readonly isReached: boolean
  readonly dispatch: Dispatch<SaleEvent>
}

export function CouponList({ sale, coupons, isReached, dispatch }: CouponListProps) {
  const { t } = useTranslation('till')
  const { timezone } = useTillContext().session.organization
  const productName = useDirectoryNames(
    'products',
    coupons.flatMap(({ reward }) => reward.products ?? []),
  )
  if (coupons.length === 0) return null
  const used = couponsOf(sale)
  return (
    <Stack gap="xs">
      <Title order={4} size="h5">
        {t('customer.coupons')}
      </Title>
      {!isReached && <Text size="sm">{t('offline.noCoupons')}</Text>}
      {coupons.map((coupon) => {
        const isUsed = used.includes(coupon.id)
        return (
          <Button
            key={coupon.id}
            variant={isUsed ? 'filled' : 'default'}
            justify="space-between"
            aria-pressed={isUsed}
            disabled={!isReached && !isUsed}
            className="till-coupon"
            leftSection={isUsed ? <IconCheck size={18} /> : <IconTicket size={18} />}
            onClick={() =>
              dispatch(isUsed ? { type: 'no coupon', id: coupon.id } : { type: 'coupon', coupon })
            }
          >
            <bdi>{coupon.reward.name}</bdi>
            {coupon.expiresAt && (
              <Text span size="xs">
                {t('customer.until', { date: formatDate(coupon.expiresAt, timezone) })}
              </Text>
            )}
            {coupon.reward.products && (
              <Text span size="xs" w="100%">
                {t('customer.oneFree', { products: formatChoice(coupon.reward.products.map(productName)) })}
              </Text>
            )}
          </Button>
        )
      })}
    </Stack>
  )
}
