import { Button, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { type Program, useProgram } from '../../i18n/campaign-names.ts'
import { formatDate } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconUserPlus, IconUsers } from '../../ui/icons.ts'
import { ImportLink } from '../../ui/import-link.tsx'
import { type Column, DataList } from '../../ui/lists/data-list.tsx'
import { FilterChips, useDaysText } from '../../ui/lists/filter-chips.tsx'
import { ChoiceFilter, DayRangeFilter } from '../../ui/lists/filter-fields.tsx'
import { useFilters } from '../../ui/lists/filters.ts'
import { SearchField } from '../../ui/lists/search-field.tsx'
import { Nowrap, Parts, Short } from '../../ui/nowrap.tsx'
import { Page } from '../../ui/page.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { StatusBadge, statusCode, useStatusOptions } from '../../ui/status-badge.tsx'
import { toast } from '../../ui/toast.ts'
import { WaitingHint } from './approval.tsx'
import { useConsentColumns } from './consent-columns.ts'
import { useLanguageColumn } from './language-column.ts'
import { RegisterForm } from './register-form.tsx'

type Customer = Schemas['Customer']

/** Up to this many balances get a column each; more share one, and are separate only in the CSV file. */
const mostBalanceColumns = 3

export function CustomersPage() {
  const { t } = useTranslation('customers')
  const [filters, setFilters] = useFilters()
  const { q, status, from, to, activeFrom, activeTo, holds, consent, awaitsApproval, register } = filters
  const statuses = useStatusOptions('customer', [1, 2])
  const purposes = [{ value: 'marketing', label: t('marketing') }]
  const program = useProgram()
  const columns = useColumns(program, holds)
  const navigate = useNavigate()
  const [isRegistering, setRegistering] = useState(false)
  // Ctrl-K opens the form through the URL; the parameter is removed once the form is open.
  useEffect(() => {
    if (register === undefined) return
    setRegistering(true)
    setFilters({ register: undefined })
  }, [register, setFilters])
  const canRegister = program.campaigns.some((campaign) => campaign.status === 'published')
  const registerButton = (
    <Button leftSection={<IconUserPlus size={16} />} onClick={() => setRegistering(true)}>
      {t('register.open')}
    </Button>
  )
  return (
    <Page title={t('title')} about={t('about')} actions={<Actions>{registerButton}</Actions>}>
      <WaitingHint />
      <Chips program={program} />
      <DataList<Customer>
        name="customers"
        columns={columns}
        keyOf={({ id }) => id}
        filters={{ q, status, from, to, activeFrom, activeTo, holds, consent, awaitsApproval }}
        load={(page) =>
          dataOf(
            api.GET('/v1/customers', {
              params: {
                query: {
                  ...page,
                  q,
                  from,
                  to,
                  activeFrom,
                  activeTo,
                  holds,
                  consent,
                  awaitsApproval: awaitsApproval === 'true' ? 'true' : undefined,
                  status: statusCode<1 | 2>(status),
                },
              },
            }),
          )
        }
        rowPath={({ id }) => paths.customer(id)}
        controls={
          <>
            <SearchField label={t('search')} placeholder={t('searchHint')} />
            <ChoiceFilter name="status" label={t('status')} options={statuses} />
            <ChoiceFilter name="consent" label={t('agreed')} options={purposes} />
            <DayRangeFilter />
          </>
        }
        empty={<NoCustomers canRegister={canRegister || program.isPending} register={registerButton} />}
      />
      <RegisterForm
        isOpen={isRegistering}
        onClose={() => setRegistering(false)}
        onDone={({ id }) => {
          toast.success(t('register.done'))
          navigate({ to: paths.customer(id) })
        }}
      />
    </Page>
  )
}

function Actions({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation('customers')
  return (
    <>
      <ImportLink kind="customers" label={t('importOrExport')} />
      {children}
    </>
  )
}

/** Filters that other pages lead here with. */
function Chips({ program }: { readonly program: Program }) {
  const { t } = useTranslation('customers')
  const [{ activeFrom, activeTo, holds }] = useFilters()
  const daysText = useDaysText()
  return (
    <FilterChips
      chips={[
        { names: ['awaitsApproval'], text: t('approval.filter') },
        {
          names: ['activeFrom', 'activeTo'],
          text: t('withSale', { days: daysText(activeFrom, activeTo) }),
        },
        { names: ['holds'], text: t('holds', { balance: program.balanceName(holds ?? '') }) },
      ]}
    />
  )
}

interface NoCustomersProps {
  readonly canRegister: boolean
  readonly register: ReactNode
}

/** What to do first. */
function NoCustomers({ canRegister, register }: NoCustomersProps) {
  const { t } = useTranslation('customers')
  return (
    <EmptyState
      title={t('empty.title')}
      icon={<IconUsers size={26} />}
      action={canRegister ? register : <PageLink to={paths.campaigns()}>{t('empty.toCampaigns')}</PageLink>}
    >
      {t(canRegister ? 'empty.about' : 'empty.campaignFirst')}
    </EmptyState>
  )
}

/** A balance that is filtered by gets its own column. */
function useBalanceColumns(program: Program, holds: string | undefined): Column<Customer>[] {
  const { t } = useTranslation('customers')
  const areFew = program.balanceKeys.length <= mostBalanceColumns
  const balances: Column<Customer>[] = program.balanceKeys.map((key) => ({
    key: `balance ${key}`,
    label: program.balanceName(key),
    align: 'end',
    isOnlyCsv: !areFew && key !== holds,
    cell: ({ collectables }) => {
      const balance = collectables[key]
      return balance === undefined ? '' : program.number(key, balance.value)
    },
    csv: ({ collectables }) => collectables[key]?.value,
  }))
  if (!areFew && holds === undefined) {
    balances.push({
      key: 'balances',
      label: t('balances'),
      // The CSV file has a column for each balance.
      isOnlyTable: true,
      cell: ({ collectables }) => (
        <Parts
          texts={program.amounts(
            Object.fromEntries(Object.entries(collectables).map(([key, { value }]) => [key, value])),
          )}
        />
      ),
    })
  }
  return balances
}

function useColumns(program: Program, holds: string | undefined): Column<Customer>[] {
  const { t } = useTranslation('customers')
  const { timezone } = useSession().organization
  return [
    {
      key: 'name',
      label: t('name'),
      cell: ({ id, data }) => (
        <PageLink to={paths.customer(id)} fw={550} c="inherit" inherit>
          {data.fullname ?? (
            <Text span c="dimmed" inherit>
              {t('noName')}
            </Text>
          )}
        </PageLink>
      ),
      csv: ({ data }) => data.fullname,
    },
    {
      key: 'contact',
      label: t('contact'),
      isOnlyTable: true,
      cell: ({ data }) => (
        <>
          {data.phone && (
            <Nowrap>
              <bdi>{data.phone}</bdi>
            </Nowrap>
          )}
          {data.email && <Short>{data.email}</Short>}
        </>
      ),
    },
    { key: 'phone', label: t('phone'), isOnlyCsv: true, cell: ({ data }) => data.phone },
    { key: 'email', label: t('email'), isOnlyCsv: true, cell: ({ data }) => data.email },
    ...useBalanceColumns(program, holds),
    ...useConsentColumns(),
    useLanguageColumn(),
    {
      key: 'status',
      label: t('status'),
      cell: ({ status }) => <StatusBadge of="customer" status={status} />,
      csv: ({ status }) => t(`common:status.customer.${status}`),
    },
    {
      key: 'createdAt',
      label: t('registered'),
      align: 'end',
      cell: ({ createdAt }) => <Nowrap>{formatDate(createdAt, timezone)}</Nowrap>,
      csv: ({ createdAt }) => createdAt,
    },
    {
      key: 'barcodes',
      label: t('barcodes'),
      isOnlyCsv: true,
      cell: ({ cards }) => cards.map(({ barcode }) => barcode).join(' '),
    },
    {
      key: 'opaqueId',
      label: t('profile.opaqueId'),
      isOnlyCsv: true,
      cell: ({ opaqueId }) => opaqueId ?? '',
    },
    { key: 'id', label: t('profile.id'), isOnlyCsv: true, cell: ({ id }) => id },
  ]
}
