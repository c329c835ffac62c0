import { Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDayOfYear, formatNumber, formatShare } from '../../i18n/format.ts'
import { IconArrowDownRight, IconArrowUpRight } from '../../ui/icons.ts'
import { PageLink } from '../../ui/page-link.tsx'
import type { Balance } from './balances.ts'
import type { Figure } from './figures.ts'
import classes from './home.module.css'
import type { DayRange } from './range.ts'
import type { Reports } from './reports.ts'
import { Worth } from './worth.tsx'

const FigureChart = lazy(() => import('./figure-chart.tsx'))

interface FigureCardProps {
  readonly figure: Figure
  readonly reports: Reports
  readonly balance: Balance
}

/** One figure: the number, its change, the days, and a link to what it counts. */
export function FigureCard({ figure, reports, balance }: FigureCardProps) {
  const { t } = useTranslation('home')
  const navigate = useNavigate()
  const format = (value: number) => (figure.isBalance ? balance.number(value) : formatNumber(value, 0))
  const value = figure.read(reports.sum, balance.key)
  const points = reports.days.map((ofDay, i) => {
    const ofDayBefore = reports.daysBefore[i]
    return {
      day: ofDay.day,
      value: figure.read(ofDay, balance.key),
      dayBefore: ofDayBefore?.day,
      valueBefore: ofDayBefore && figure.read(ofDayBefore, balance.key),
    }
  })
  const most = points.reduce((best, point) => (point.value > best.value ? point : best), points[0]!)
  const name = t(`figure.${figure.key}`)
  const listOf = (range: DayRange) => figure.listOf(range, balance.key)
  const openDay = (day: string) => navigate(listOf({ from: day, to: day }) as never)
  return (
    <Stack className="lw-surface" p="md" gap={4}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Title order={3} size="sm" fw={500}>
          <PageLink {...listOf(reports.range)} size="sm">
            {name}
          </PageLink>
        </Title>
        <Change value={value} before={figure.read(reports.sumBefore, balance.key)} format={format} />
      </Group>
      <Text className={`${classes.number} lw-tabular`}>{format(value)}</Text>
      {figure.key === 'outstanding' && <Worth balance={balance} value={value} />}
      {reports.today && (
        <PageLink {...listOf({ from: reports.today.day, to: reports.today.day })} size="sm" c="dimmed">
          {t(figure.key === 'outstanding' ? 'now' : 'today', {
            value: format(figure.read(reports.today, balance.key)),
          })}
        </PageLink>
      )}
      <div
        role="img"
        aria-label={t('chart.about', { name, day: formatDayOfYear(most.day), value: format(most.value) })}
        style={{ marginBlockStart: 'auto', paddingBlockStart: 'var(--mantine-spacing-sm)' }}
      >
        <Suspense fallback={<Skeleton h={120} />}>
          <FigureChart points={points} format={format} onDay={openDay} />
        </Suspense>
      </div>
      {most.value > 0 && (
        <Text size="xs" c="dimmed" ta="center" className="lw-tabular">
          {t('chart.most', { day: formatDayOfYear(most.day), value: format(most.value) })}
        </Text>
      )}
    </Stack>
  )
}

interface ChangeProps {
  readonly value: number
  readonly before: number
  readonly format: (value: number) => string
}

/** The change is gray, since whether more is better depends on the figure. */
function Change({ value, before, format }: ChangeProps) {
  const { t } = useTranslation('home')
  const title = t('change.before', { value: format(before) })
  // There is no percentage change from zero.
  if (before === 0) {
    return (
      <Text size="sm" c="dimmed" title={title}>
        {value === 0 ? t('change.same') : t('change.new')}
      </Text>
    )
  }
  const share = (value - before) / Math.abs(before)
  const Icon = share > 0 ? IconArrowUpRight : share < 0 ? IconArrowDownRight : undefined
  return (
    <Group gap={2} wrap="nowrap" title={title}>
      {Icon && <Icon size={15} color="var(--mantine-color-dimmed)" />}
      <Text size="sm" c="dimmed" className="lw-tabular">
        {formatShare(share)}
      </Text>
    </Group>
  )
}
