import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { useProgram } from '../../i18n/campaign-names.ts'
import { formatDateTime, formatMoney } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { CustomerName } from '../../ui/customer-name.tsx'
import { useBranchName } from '../../ui/lists/search-filter.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Facts, IdText, metaDataText, Section } from '../../ui/section.tsx'
import { Totals } from '../../ui/totals.tsx'
import type { Sale } from './lines.tsx'

export function Summary({ sale }: { readonly sale: Sale }) {
  const { t } = useTranslation('transactions')
  const { timezone } = useSession().organization
  const program = useProgram()
  const branchName = useBranchName()
  const user = useUserName(sale.user)
  const { occurredAt, createdAt } = sale
  return (
    <Section title={t('summary')}>
      <Facts
        facts={[
          { label: t('customer'), value: <CustomerName id={sale.customer} name={sale.customerName} /> },
          { label: t('branch'), value: branchName(sale.branchOpaqueId) },
          { label: t('user'), value: user ?? sale.userOpaqueId },
          { label: t('occurred'), value: formatDateTime(occurredAt, timezone) },
          {
            label: t('processed'),
            value: createdAt === occurredAt ? undefined : formatDateTime(createdAt, timezone),
          },
          {
            label: t('ranOn'),
            value: sale.campaigns.length > 0 && (
              <Stack gap={2} component="span">
                {sale.campaigns.map(({ id, version }) => (
                  <PageLink key={id} to={paths.campaignVersions(id)} size="sm">
                    {t('version', { campaign: program.campaignName(id), version })}
                  </PageLink>
                ))}
              </Stack>
            ),
          },
          { label: t('id'), value: <IdText id={sale.id} /> },
          { label: t('metaData'), value: metaDataText(sale.metaData) },
        ]}
      />
    </Section>
  )
}

/** From the price to what the till had to charge. */
export function SaleTotals({ sale: { totals } }: { readonly sale: Sale }) {
  const { t } = useTranslation('transactions')
  const { currency } = useSession().organization
  const money = (amount: number) => formatMoney(amount, currency)
  return (
    <Section title={t('totals')}>
      <Totals totals={totals} due={money(totals.due)} money={money} />
    </Section>
  )
}

function useUserName(id: string | undefined): string | undefined {
  const { data } = useQuery({
    queryKey: ['users', 'one', id],
    enabled: id !== undefined,
    staleTime: 5 * 60_000,
    queryFn: () => dataOf(api.GET('/v1/users/{id}', { params: { path: { id: id ?? '' } } })),
  })
  return data?.name
}
