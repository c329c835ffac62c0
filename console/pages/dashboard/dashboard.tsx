import { Button, Group, Select, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { campaignsQuery, useProgram } from '../../i18n/campaign-names.ts'
import { dayIn, formatDays, formatNumber } from '../../i18n/format.ts'
import { Failure } from '../../ui/failure.tsx'
import { IconChartLine, IconTable } from '../../ui/icons.ts'
import { useFilters } from '../../ui/lists/filters.ts'
import { Page } from '../../ui/page.tsx'
import { type Balance, balancesOf } from './balances.ts'
import { DailyCsv } from './daily-csv.tsx'
import { DailyTable } from './daily-table.tsx'
import { FigureCard } from './figure-card.tsx'
import { allFigures, figureGroups } from './figures.ts'
import { rangeBefore, readRange } from './range.ts'
import { RangePicker } from './range-picker.tsx'
import { type Reports, useReports } from './reports.ts'

/** The figures of a range of days, compared with the range before it. */
export function Dashboard() {
  const { t } = useTranslation('home')
  const { timezone } = useSession().organization
  const [filters, setFilters] = useFilters()
  const { choice, range } = readRange(filters, timezone)
  const today = dayIn(timezone)
  const reports = useReports(range, today)
  const campaigns = useQuery(campaignsQuery)
  const program = useProgram()
  const before = rangeBefore(range)
  const isTable = filters.view === 'table'
  const error = reports.error ?? campaigns.error
  const balances = reports.data && campaigns.data ? balancesOf(program, reports.data.sum) : undefined
  return (
    <Page
      title={t('title')}
      about={t(range.from <= today && today <= range.to ? 'aboutSoFar' : 'about', {
        days: formatDays(range.from, range.to),
        before: formatDays(before.from, before.to),
      })}
    >
      <Group justify="space-between" align="flex-end" gap="sm">
        <RangePicker choice={choice} range={range} />
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={isTable ? <IconChartLine size={16} /> : <IconTable size={16} />}
            onClick={() => setFilters({ view: isTable ? undefined : 'table' })}
          >
            {isTable ? t('showCharts') : t('showTable')}
          </Button>
          {reports.data && balances && <DailyCsv reports={reports.data} balances={balances} />}
        </Group>
      </Group>
      {error ? (
        <Failure error={error} onRetry={() => Promise.all([reports.refetch(), campaigns.refetch()])} />
      ) : reports.data && balances ? (
        <div style={{ opacity: reports.isPlaceholderData ? 0.5 : 1 }} aria-busy={reports.isPlaceholderData}>
          <Figures reports={reports.data} balances={balances} isTable={isTable} />
        </div>
      ) : (
        <SimpleGrid cols={{ base: 1, md: 3 }}>
          {allFigures.map(({ key }) => (
            <Skeleton key={key} h={210} />
          ))}
        </SimpleGrid>
      )}
    </Page>
  )
}

interface FiguresProps {
  readonly reports: Reports
  readonly balances: readonly Balance[]
  readonly isTable: boolean
}

/** Placeholder for an organization without balances. */
const noBalance: Balance = { key: '', name: '', number: (value) => formatNumber(value, 0) }

function Figures({ reports, balances, isTable }: FiguresProps) {
  const { t } = useTranslation('home')
  const [filters, setFilters] = useFilters()
  const balance = balances.find(({ key }) => key === filters.balance) ?? balances[0] ?? noBalance
  const choice = balances.length > 1 && (
    <Select
      aria-label={t('balance')}
      data={balances.map(({ key, name }) => ({ value: key, label: name }))}
      value={balance.key}
      onChange={(key) => setFilters({ balance: key ?? undefined })}
      allowDeselect={false}
      size="xs"
      w={180}
    />
  )
  if (isTable) {
    return (
      <Stack gap="sm">
        {choice}
        <DailyTable reports={reports} balance={balance} />
      </Stack>
    )
  }
  return (
    <Stack gap="xl">
      {figureGroups.map(({ key, figures }) => (
        <Stack key={key} gap="sm" component="section">
          <Group gap="sm" mih={30}>
            <Title order={2} size="h4">
              {key === 'balance' && balances.length === 1 ? balance.name : t(`group.${key}`)}
            </Title>
            {key === 'balance' && choice}
          </Group>
          <SimpleGrid cols={{ base: 1, md: 3 }}>
            {figures.map((figure) => (
              <FigureCard key={figure.key} figure={figure} reports={reports} balance={balance} />
            ))}
          </SimpleGrid>
        </Stack>
      ))}
    </Stack>
  )
}
