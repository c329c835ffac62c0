import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { useProgram } from '../../i18n/campaign-names.ts'
import { formatDateTime } from '../../i18n/format.ts'
import { useRuleNames } from '../../i18n/rule-names.ts'
import { paths } from '../../paths.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconListNumbers } from '../../ui/icons.ts'
import { type Column, DataList } from '../../ui/lists/data-list.tsx'
import { Nowrap } from '../../ui/nowrap.tsx'
import { PageLink } from '../../ui/page-link.tsx'

type Entry = Schemas['LedgerEntry']

/** Each change of a balance with the value after it, as an auditor needs to see it. */
export function Ledger({ customer }: { readonly customer: string }) {
  const { t } = useTranslation('customers')
  const rules = useRuleNames()
  const columns = useColumns(rules.nameOf)
  return (
    <DataList<Entry>
      name={`ledger-${customer}`}
      columns={columns}
      keyOf={({ key, version }) => `${key} ${version}`}
      filters={{}}
      load={async (query) => {
        const page = await dataOf(
          api.GET('/v1/customers/{id}/ledger', { params: { path: { id: customer }, query } }),
        )
        await rules.load(page.data.flatMap(({ rule, campaign }) => (rule && campaign ? [campaign] : [])))
        return page
      }}
      empty={
        <EmptyState title={t('tab.ledger')} icon={<IconListNumbers size={26} />}>
          {t('ledger.empty')}
        </EmptyState>
      }
    />
  )
}

function useColumns(ruleName: ReturnType<typeof useRuleNames>['nameOf']): Column<Entry>[] {
  const { t } = useTranslation('customers')
  const { timezone } = useSession().organization
  const program = useProgram()
  const why = ({ rule, campaign, reason }: Entry) =>
    reason ??
    (rule && campaign
      ? t('ledger.rule', { rule: ruleName({ campaign, rule }), campaign: program.campaignName(campaign) })
      : '')
  const kindWords = ({ kind }: Entry) => t([`ledger.kinds.${kind}`, kind])
  return [
    {
      key: 'at',
      label: t('ledger.at'),
      cell: ({ createdAt }) => <Nowrap>{formatDateTime(createdAt, timezone)}</Nowrap>,
      csv: ({ createdAt }) => createdAt,
    },
    {
      key: 'kind',
      label: t('ledger.kind'),
      cell: (entry) => (
        <div>
          {entry.transaction ? (
            <PageLink to={paths.transaction(entry.transaction)} inherit>
              {kindWords(entry)}
            </PageLink>
          ) : (
            kindWords(entry)
          )}
          <Text size="xs" c="dimmed">
            {why(entry)}
          </Text>
        </div>
      ),
      csv: kindWords,
    },
    { key: 'why', label: t('ledger.why'), isOnlyCsv: true, cell: why },
    {
      key: 'transaction',
      label: t('ledger.transaction'),
      isOnlyCsv: true,
      cell: ({ transaction }) => transaction,
    },
    { key: 'balance', label: t('ledger.balance'), cell: ({ key }) => program.balanceName(key) },
    {
      key: 'amount',
      label: t('ledger.amount'),
      align: 'end',
      cell: ({ key, amount }) => (
        <Text inherit span fw={600}>
          <bdi>{program.signed(key, amount)}</bdi>
        </Text>
      ),
      csv: ({ amount }) => amount,
    },
    {
      key: 'value',
      label: t('ledger.value'),
      align: 'end',
      cell: ({ key, value }) => program.number(key, value),
      csv: ({ value }) => value,
    },
    {
      key: 'total',
      label: t('ledger.total'),
      isOnlyCsv: true,
      cell: ({ total }) => total,
    },
  ]
}
