import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { useProgram } from '../../i18n/campaign-names.ts'
import { paths } from '../../paths.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconTicket } from '../../ui/icons.ts'
import { type Coupon, useCouponColumns } from '../../ui/lists/coupon-columns.tsx'
import { DataList } from '../../ui/lists/data-list.tsx'
import { FilterChips, useDaysText } from '../../ui/lists/filter-chips.tsx'
import { ChoiceFilter, DayRangeFilter } from '../../ui/lists/filter-fields.tsx'
import { useFilters } from '../../ui/lists/filters.ts'
import { CustomerFilter } from '../../ui/lists/search-filter.tsx'
import { Page } from '../../ui/page.tsx'
import { statusCode, useStatusOptions } from '../../ui/status-badge.tsx'

export function CouponsPage() {
  const { t } = useTranslation(['coupons', 'customers'])
  const [{ status, campaign, customer, from, to, endedFrom, endedTo }] = useFilters()
  const { campaigns } = useProgram()
  const statuses = useStatusOptions('coupon', [1, 3, 4, 5])
  const daysText = useDaysText()
  const columns = useCouponColumns({ hasCustomer: true })
  return (
    <Page title={t('title')} about={t('about')}>
      <FilterChips
        chips={[
          { names: ['endedFrom', 'endedTo'], text: t('ended', { days: daysText(endedFrom, endedTo) }) },
        ]}
      />
      <DataList<Coupon>
        name="coupons"
        columns={columns}
        keyOf={({ id }) => id ?? ''}
        filters={{ status, campaign, customer, from, to, endedFrom, endedTo }}
        load={(page) =>
          dataOf(
            api.GET('/v1/coupons', {
              params: {
                query: {
                  ...page,
                  campaign,
                  customer,
                  from,
                  to,
                  endedFrom,
                  endedTo,
                  status: statusCode<1 | 3 | 4 | 5>(status),
                },
              },
            }),
          )
        }
        controls={
          <>
            <ChoiceFilter name="status" label={t('status')} options={statuses} />
            <ChoiceFilter
              name="campaign"
              label={t('campaign')}
              options={campaigns.map(({ id, name }) => ({ value: id, label: name }))}
            />
            <CustomerFilter label={t('customer')} />
            <DayRangeFilter />
          </>
        }
        empty={
          <EmptyState
            title={t('empty.title')}
            icon={<IconTicket size={26} />}
            action={
              <Button renderRoot={(root) => <Link to={paths.campaigns()} {...root} />}>
                {t('shell:toList', { list: t('shell:pages.campaigns') })}
              </Button>
            }
          >
            {t('empty.about')}
          </EmptyState>
        }
      />
    </Page>
  )
}
