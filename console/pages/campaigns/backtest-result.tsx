import { Alert, Group, Stack, Table, Tabs, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { type Definition, itemsOf, namesIn, type Shapes } from '../../forms/definition.ts'
import { useForm, useSchemaTexts } from '../../forms/form-context.ts'
import { ruleWords } from '../../forms/rule-words.ts'
import { formatDateTime, formatDayOfYear, formatDays, formatMoney, formatNumber } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { IconInfoCircle } from '../../ui/icons.ts'
import { PageLink } from '../../ui/page-link.tsx'

type Result = Schemas['BacktestResult']
type Figures = Schemas['BacktestFigures']
interface Both {
  readonly given: Figures
  readonly wouldGive: Figures
}

interface BacktestResultProps {
  readonly result: Result
  readonly definition: Definition
  readonly shapes: Shapes
}

export function BacktestResult({ result, definition, shapes }: BacktestResultProps) {
  const { t } = useTranslation('campaigns')
  const { currency } = useForm()
  const money = (value: number) => formatMoney(value, currency)
  if (result.sales === 0) {
    return (
      <Alert variant="default" icon={<IconInfoCircle />} title={t('backtest.noSales')}>
        {t('backtest.noSalesAbout', { days: formatDays(result.from, result.to) })}
      </Alert>
    )
  }
  return (
    <Stack gap="md">
      <div>
        <Text size="lg" fw={650}>
          {t('backtest.answer', { cost: money(result.wouldGive.cost), before: money(result.given.cost) })}
        </Text>
        <Text size="sm" c="dimmed">
          {t('backtest.basis', {
            days: formatDays(result.from, result.to),
            sales: formatNumber(result.sales, 0),
            customers: formatNumber(result.customers, 0),
            amount: money(result.payableAmount),
          })}
        </Text>
      </div>
      <Totals both={result} definition={definition} />
      <Tabs defaultValue="days" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="days">{t('backtest.byDay')}</Tabs.Tab>
          <Tabs.Tab value="groups">{t('backtest.byGroup')}</Tabs.Tab>
          <Tabs.Tab value="rows">{t('backtest.sales')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="days">
          <Comparisons
            first={t('backtest.day')}
            rows={result.days.map((of) => ({
              key: of.day,
              of,
              name: (
                <PageLink to={paths.transactions()} search={{ from: of.day, to: of.day }} size="sm">
                  {formatDayOfYear(of.day)}
                </PageLink>
              ),
            }))}
          />
        </Tabs.Panel>
        <Tabs.Panel value="groups">
          <Groups groups={result.groups} />
        </Tabs.Panel>
        <Tabs.Panel value="rows">
          <Sales rows={result.rows} definition={definition} shapes={shapes} />
        </Tabs.Panel>
      </Tabs>
      <Notes result={result} />
    </Stack>
  )
}

/** Every balance, the coupons and the cost: as it was, as it would have been. */
function Totals({ both, definition }: { readonly both: Both; readonly definition: Definition }) {
  const { t } = useTranslation('campaigns')
  const { currency } = useForm()
  const { given, wouldGive } = both
  const keys = [...new Set([...Object.keys(given.collected), ...Object.keys(wouldGive.collected)])]
  const rewards = [...new Set([...Object.keys(given.rewards), ...Object.keys(wouldGive.rewards)])]
  const lines: { key: string; name: string; of: (figures: Figures) => string }[] = [
    ...keys.map((key) => {
      const { name = key, decimals = 0 } =
        itemsOf(definition, 'balances').find((item) => item.key === key) ?? {}
      return {
        key: `balance ${key}`,
        name: String(name),
        of: ({ collected }: Figures) => formatNumber(collected[key] ?? 0, Number(decimals)),
      }
    }),
    ...rewards.map((key) => ({
      key: `reward ${key}`,
      name: namesIn(definition, 'rewards').find(({ value }) => value === key)?.label ?? key,
      of: (figures: Figures) => formatNumber(figures.rewards[key] ?? 0, 0),
    })),
    { key: 'cost', name: t('backtest.cost'), of: ({ cost }) => formatMoney(cost, currency) },
  ]
  return (
    <Table verticalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('backtest.figure')}</Table.Th>
          <Table.Th scope="col" ta="end">
            {t('backtest.given')}
          </Table.Th>
          <Table.Th scope="col" ta="end">
            {t('backtest.wouldGive')}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {lines.map(({ key, name, of }) => (
          <Table.Tr key={key}>
            <Table.Th scope="row" fw={400}>
              <bdi>{name}</bdi>
            </Table.Th>
            <Table.Td ta="end" className="lw-tabular">
              {of(given)}
            </Table.Td>
            <Table.Td ta="end" fw={600} className="lw-tabular">
              {of(wouldGive)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

interface ComparisonRow {
  readonly key: string
  readonly name: ReactNode
  readonly of: Both & { readonly sales: number }
}

function Comparisons({ first, rows }: { readonly first: string; readonly rows: readonly ComparisonRow[] }) {
  const { t } = useTranslation('campaigns')
  const { currency } = useForm()
  const numbers = (of: ComparisonRow['of']) => [
    formatNumber(of.sales, 0),
    formatNumber(of.wouldGive.coupons, 0),
    formatMoney(of.given.cost, currency),
    formatMoney(of.wouldGive.cost, currency),
  ]
  const heads = ['salesCount', 'coupons', 'costGiven', 'costWouldGive'] as const
  return (
    <Table.ScrollContainer minWidth={480}>
      <Table verticalSpacing={6} horizontalSpacing="xs" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{first}</Table.Th>
            {heads.map((head) => (
              <Table.Th key={head} scope="col" ta="end">
                {t(`backtest.${head}`)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, name, of }) => (
            <Table.Tr key={key}>
              <Table.Th scope="row" fw={400}>
                {name}
              </Table.Th>
              {numbers(of).map((text, i) => (
                <Table.Td key={heads[i]} ta="end" className="lw-tabular">
                  {text}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Groups({ groups }: { readonly groups: Result['groups'] }) {
  const { t } = useTranslation('campaigns')
  const nameOf = ({ by, name }: Result['groups'][number]) => {
    if (by === 'visits') return t(`backtest.group.${name === 'new' ? 'new' : 'returning'}`)
    return name === '' ? t('backtest.group.noTier') : name
  }
  const kinds = (['visits', 'tier', 'branch'] as const).map((by) => ({
    by,
    of: groups.filter((group) => group.by === by),
  }))
  return (
    <Stack gap="md">
      {kinds
        // A single group is the whole.
        .filter(({ of }, i) => i === 0 || of.length > 1)
        .map(({ by, of }) => (
          <Comparisons
            key={by}
            first={t(`backtest.groupBy.${by}`)}
            rows={of.map((group) => ({ key: group.name, name: <bdi>{nameOf(group)}</bdi>, of: group }))}
          />
        ))}
    </Stack>
  )
}

interface SalesProps {
  readonly rows: Result['rows']
  readonly definition: Definition
  readonly shapes: Shapes
}

/** The sales with the largest differences; each opens to what its rules gave. */
function Sales({ rows, definition, shapes }: SalesProps) {
  const { t } = useTranslation('campaigns')
  const { currency, timeZone } = useForm()
  const text = useSchemaTexts()
  const decimalsOf = (key: string) =>
    Number(itemsOf(definition, 'balances').find((item) => item.key === key)?.decimals ?? 0)
  if (rows.length === 0) return <Text size="sm">{t('backtest.same')}</Text>
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        {t('backtest.salesAbout')}
      </Text>
      {rows.map(({ transaction, occurredAt, payableAmount, given, wouldGive, rules }) => (
        <details key={transaction}>
          <summary style={{ cursor: 'pointer', paddingBlock: 4 }}>
            <Text span size="sm" className="lw-tabular">
              {t('backtest.sale', {
                at: formatDateTime(occurredAt, timeZone),
                amount: formatMoney(payableAmount, currency),
                before: formatMoney(given.cost, currency),
                cost: formatMoney(wouldGive.cost, currency),
              })}
            </Text>
          </summary>
          <Stack gap={2} ps="lg" pb="xs">
            {rules.map(({ rule, key, given: before, wouldGive: after }) => (
              <Text key={rule} size="sm">
                {t('backtest.rule', {
                  rule: ruleWords(definition, rule, shapes, text),
                  before: formatNumber(before, decimalsOf(key)),
                  after: formatNumber(after, decimalsOf(key)),
                })}
              </Text>
            ))}
            {(given.coupons > 0 || wouldGive.coupons > 0) && (
              <Text size="sm">
                {t('backtest.saleCoupons', { before: given.coupons, after: wouldGive.coupons })}
              </Text>
            )}
            <Group>
              <PageLink to={paths.transaction(transaction)} size="sm">
                {t('backtest.openSale')}
              </PageLink>
            </Group>
          </Stack>
        </details>
      ))}
    </Stack>
  )
}

/** What the figures do not include, and what they rest on. */
function Notes({ result }: { readonly result: Result }) {
  const { t } = useTranslation('campaigns')
  const { leftOut, salesShortOfPoints, couponsWithoutWorth } = result
  const notes = [
    t('backtest.note.estimate'),
    result.cards === 'all' && t('backtest.note.allCards'),
    leftOut.returned > 0 && t('backtest.note.returned', { count: leftOut.returned }),
    leftOut.otherCards > 0 && t('backtest.note.otherCards', { count: leftOut.otherCards }),
    leftOut.refused > 0 && t('backtest.note.refused', { count: leftOut.refused }),
    salesShortOfPoints > 0 && t('backtest.note.short', { count: salesShortOfPoints }),
    couponsWithoutWorth > 0 && t('backtest.note.withoutWorth', { count: couponsWithoutWorth }),
  ].filter((note) => note !== false)
  return (
    <Stack gap={2}>
      {notes.map((note) => (
        <Text key={note} size="sm" c="dimmed">
          {note}
        </Text>
      ))}
    </Stack>
  )
}
