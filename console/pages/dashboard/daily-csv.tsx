import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconDownload } from '../../ui/icons.ts'
import { toCsv } from '../../ui/lists/csv.ts'
import { download } from '../../ui/lists/download.ts'
import type { Balance } from './balances.ts'
import { allFigures } from './figures.ts'
import { allDays, type Reports } from './reports.ts'

interface DailyCsvProps {
  readonly reports: Reports
  readonly balances: readonly Balance[]
}

/** Downloads a row for each day, with the points of every balance. */
export function DailyCsv({ reports, balances }: DailyCsvProps) {
  const { t } = useTranslation('home')
  const save = () => {
    const columns = allFigures.flatMap(({ key, read, isBalance }) => {
      const label = t(`figure.${key}`)
      return (isBalance ? balances : [undefined]).map((balance) => ({
        label: balance ? t('csvColumn', { figure: label, balance: balance.name }) : label,
        read: (day: Reports['days'][number]) => read(day, balance?.key ?? ''),
      }))
    })
    const days = allDays(reports)
    const rows = days.map((day) => [day.day, ...columns.map(({ read }) => read(day))])
    const content = toCsv([[t('day'), ...columns.map(({ label }) => label)], ...rows])
    download(
      `figures-${reports.range.from}-${days.at(-1)?.day ?? reports.range.to}.csv`,
      content,
      'text/csv;charset=utf-8',
    )
  }
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} onClick={save}>
      {t('common:list.csv')}
    </Button>
  )
}
