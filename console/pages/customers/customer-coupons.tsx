import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconTicket } from '../../ui/icons.ts'
import { allPages } from '../../ui/lists/all-pages.ts'
import { type Coupon, useCouponColumns } from '../../ui/lists/coupon-columns.tsx'
import { DataList } from '../../ui/lists/data-list.tsx'
import type { Customer } from './customer.ts'
import { IssueForm } from './issue-form.tsx'

/** All coupons of a customer, in any state: few enough to load in one go. */
export const allCoupons = (customer: string): Promise<Coupon[]> =>
  allPages((query) =>
    dataOf(api.GET('/v1/customers/{id}/coupons', { params: { path: { id: customer }, query } })),
  )

export function CustomerCoupons({ customer }: { readonly customer: Customer }) {
  const { t } = useTranslation('customers')
  const columns = useCouponColumns({ hasCustomer: false })
  const [isIssuing, setIssuing] = useState(false)
  return (
    <Stack>
      <DataList<Coupon>
        name={`coupons-${customer.id}`}
        columns={columns}
        keyOf={({ id }) => id ?? ''}
        filters={{}}
        load={async () => ({ data: activeFirst(await allCoupons(customer.id)) })}
        controls={
          <Button leftSection={<IconTicket size={16} />} onClick={() => setIssuing(true)}>
            {t('coupon.issue')}
          </Button>
        }
        empty={
          <EmptyState title={t('tab.coupons')} icon={<IconTicket size={26} />}>
            {t('coupon.empty')}
          </EmptyState>
        }
      />
      <IssueForm customer={customer.id} isOpen={isIssuing} onClose={() => setIssuing(false)} />
    </Stack>
  )
}

/** Active coupons first, then the others, each newest first. */
function activeFirst(coupons: readonly Coupon[]): Coupon[] {
  return [...coupons.filter(({ status }) => status === 1), ...coupons.filter(({ status }) => status !== 1)]
}
