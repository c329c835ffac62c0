import { Button, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { inOneLine } from '../../i18n/balance-words.ts'
import { type Program, useProgram } from '../../i18n/campaign-names.ts'
import { formatDateTime, formatMoney, formatNumber } from '../../i18n/format.ts'
import { paths, till } from '../../paths.ts'
import { CustomerName } from '../../ui/customer-name.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconReceipt } from '../../ui/icons.ts'
import { type Column, DataList } from '../../ui/lists/data-list.tsx'
import { FilterChips } from '../../ui/lists/filter-chips.tsx'
import { ChoiceFilter, DayRangeFilter } from '../../ui/lists/filter-fields.tsx'
import { useFilters } from '../../ui/lists/filters.ts'
import { SearchField } from '../../ui/lists/search-field.tsx'
import { BranchFilter, CustomerFilter, useBranchName } from '../../ui/lists/search-filter.tsx'
import { Nowrap, Parts } from '../../ui/nowrap.tsx'
import { Page } from '../../ui/page.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { StatusBadge, statusCode, useStatusOptions } from '../../ui/status-badge.tsx'

type Transaction = Schemas['Transaction']

export function TransactionsPage() {
  const { t } = useTranslation(['transactions', 'customers'])
  const [{ opaqueId, customer, card, branch, status, from, to, spent }] = useFilters()
  const statuses = useStatusOptions('transaction', [1, 2, 3])
  const program = useProgram()
  const columns = useColumns(program, spent)
  return (
    <Page title={t('title')} about={t('about')}>
      <FilterChips
        chips={[{ names: ['spent'], text: t('hasSpent', { balance: program.balanceName(spent ?? '') }) }]}
      />
      <DataList<Transaction>
        name="transactions"
        columns={columns}
        keyOf={({ id }) => id}
        filters={{ opaqueId, customer, card, branch, status, from, to, spent }}
        load={(page) =>
          dataOf(
            api.GET('/v1/transactions', {
              params: {
                query: {
                  ...page,
                  opaqueId,
                  customer,
                  card,
                  branch,
                  from,
                  to,
                  spent,
                  status: statusCode<1 | 2 | 3>(status),
                },
              },
            }),
          )
        }
        rowPath={({ id }) => paths.transaction(id)}
        controls={
          <>
            <SearchField name="opaqueId" label={t('receipt')} placeholder={t('receiptHint')} />
            <CustomerFilter label={t('customer')} />
            <BranchFilter label={t('branch')} />
            <ChoiceFilter name="status" label={t('status')} options={statuses} />
            <DayRangeFilter />
          </>
        }
        empty={
          <EmptyState
            title={t('empty.title')}
            icon={<IconReceipt size={26} />}
            action={
              <Button component="a" href={till}>
                {t('empty.toTill')}
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

function useColumns(program: Program, spent: string | undefined): Column<Transaction>[] {
  const { t } = useTranslation('transactions')
  const { timezone, currency } = useSession().organization
  const branchName = useBranchName()
  const collected = ({ executedActions: { actions } }: Transaction) => {
    const sums: Record<string, number> = {}
    for (const action of actions) {
      if (action.type === 'collect') sums[action.key] = (sums[action.key] ?? 0) + action.amount
    }
    return program.amounts(sums)
  }
  return [
    {
      key: 'at',
      label: t('processed'),
      cell: ({ id, createdAt }) => (
        <PageLink to={paths.transaction(id)} c="inherit" inherit>
          <Nowrap>{formatDateTime(createdAt, timezone)}</Nowrap>
        </PageLink>
      ),
      csv: ({ createdAt }) => createdAt,
    },
    {
      key: 'receipt',
      label: t('receipt'),
      cell: ({ opaqueId }) => opaqueId && <Nowrap>{opaqueId}</Nowrap>,
      csv: ({ opaqueId }) => opaqueId,
    },
    {
      key: 'customer',
      label: t('customer'),
      cell: ({ customer, customerName }) => <CustomerName id={customer} name={customerName} />,
      csv: ({ customerName }) => customerName,
    },
    {
      key: 'branch',
      label: t('branch'),
      // The column makes room for the spent points when they are shown.
      isOnlyCsv: spent !== undefined,
      cell: ({ branchOpaqueId }) => branchName(branchOpaqueId),
    },
    {
      key: 'collected',
      label: t('collected'),
      cell: (sale) => <Parts texts={collected(sale)} />,
      csv: (sale) => inOneLine(collected(sale)),
    },
    {
      key: 'spent',
      label: t('pointsSpent'),
      align: 'end',
      // Most sales spend no points, so the column is only for lists that are filtered by spending.
      isOnlyCsv: spent === undefined,
      cell: ({ pointsSpent }) => formatNumber(pointsSpent),
      csv: ({ pointsSpent }) => pointsSpent,
    },
    {
      key: 'amount',
      label: t('payable'),
      align: 'end',
      cell: ({ payableAmount }) => (
        <Text span size="sm" fw={550}>
          {formatMoney(payableAmount, currency)}
        </Text>
      ),
      csv: ({ payableAmount }) => payableAmount,
    },
    {
      key: 'status',
      label: t('status'),
      cell: ({ status }) => <StatusBadge of="transaction" status={status} />,
      csv: ({ status }) => t(`common:status.transaction.${status}`),
    },
    { key: 'customerId', label: t('customerId'), isOnlyCsv: true, cell: ({ customer }) => customer },
    { key: 'id', label: t('id'), isOnlyCsv: true, cell: ({ id }) => id },
  ]
}
