import { Table } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatDayOfYear, formatNumber } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { PageLink } from '../../ui/page-link.tsx'
import type { Balance } from './balances.ts'
import { allFigures } from './figures.ts'
import classes from './home.module.css'
import { allDays, type Reports } from './reports.ts'

/** The charts as numbers, newest first. */
export function DailyTable({ reports, balance }: { readonly reports: Reports; readonly balance: Balance }) {
  const { t } = useTranslation('home')
  const { today } = reports
  const days = allDays(reports).toReversed()
  const format = (value: number, isBalance = false) =>
    isBalance ? balance.number(value) : formatNumber(value, 0)
  return (
    <div className="lw-surface">
      <Table.ScrollContainer minWidth={900}>
        <Table horizontalSpacing="xs" verticalSpacing={6} highlightOnHover className={classes.days}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('day')}</Table.Th>
              {allFigures.map(({ key }) => (
                <Table.Th key={key} scope="col" ta="end" fw={550} c="dimmed">
                  {t(`figure.${key}`)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {days.map((ofDay) => (
              <Table.Tr key={ofDay.day}>
                <Table.Th scope="row" fw={400} style={{ whiteSpace: 'nowrap' }}>
                  <PageLink to={paths.transactions()} search={{ from: ofDay.day, to: ofDay.day }} size="sm">
                    {ofDay === today
                      ? t('soFar', { day: formatDayOfYear(ofDay.day) })
                      : formatDayOfYear(ofDay.day)}
                  </PageLink>
                </Table.Th>
                {allFigures.map(({ key, read, isBalance, listOf }) => (
                  <Table.Td key={key} ta="end" className="lw-tabular">
                    <PageLink
                      {...listOf({ from: ofDay.day, to: ofDay.day }, balance.key)}
                      size="sm"
                      c="inherit"
                    >
                      {format(read(ofDay, balance.key), isBalance)}
                    </PageLink>
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </div>
  )
}
