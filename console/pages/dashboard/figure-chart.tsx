import '@mantine/charts/styles.css'
import { AreaChart } from '@mantine/charts'
import { Paper, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatDay, formatDayOfYear } from '../../i18n/format.ts'
import classes from './home.module.css'

export interface DayPoint {
  readonly day: string
  readonly value: number
  /** The day of the previous range that this day is compared with. */
  readonly dayBefore?: string
  readonly valueBefore?: number
}

interface FigureChartProps {
  readonly points: readonly DayPoint[]
  readonly format: (value: number) => string
  readonly onDay: (day: string) => void
}

/** Padding, so that the labels of the first and the last day are readable. */
const edge = 22
const lineColor = 'light-dark(var(--mantine-color-pine-7), var(--mantine-color-pine-4))'

/** Loaded separately, since the chart library is larger than the rest of the page. */
export default function FigureChart({ points, format, onDay }: FigureChartProps) {
  const { t } = useTranslation('home')
  const most = Math.max(...points.flatMap(({ value, valueBefore = 0 }) => [value, valueBefore]))
  return (
    // In the chart, time runs from left to right in every language.
    <div dir="ltr" className={classes.chart}>
      <AreaChart
        h={120}
        data={points as DayPoint[] as never}
        dataKey="day"
        series={[
          { name: 'valueBefore', color: 'gray.6', strokeDasharray: '3 3' },
          { name: 'value', color: lineColor },
        ]}
        curveType="linear"
        withDots={points.length === 1}
        withYAxis={false}
        gridAxis="none"
        strokeWidth={1.5}
        tickLine="none"
        fillOpacity={0.15}
        // With only zeros, the line is at the bottom and not in the middle.
        yAxisProps={{ domain: [0, most > 0 ? 'auto' : 1] }}
        xAxisProps={{
          tickFormatter: formatDay,
          ticks: [...new Set([0, Math.floor((points.length - 1) / 2), points.length - 1])].map(
            (at) => points[at]!.day,
          ),
          interval: 0,
          padding: { left: edge, right: edge },
        }}
        areaProps={({ name }) => ({
          isAnimationActive: false,
          ...(name === 'valueBefore' && { fillOpacity: 0, strokeOpacity: 0.7 }),
        })}
        areaChartProps={{
          accessibilityLayer: false,
          // Updates synchronously: on touch, the click arrives in the same frame as the move that locates it.
          throttledEvents: [],
          onClick: ({ activeLabel }) => {
            if (typeof activeLabel === 'string') onDay(activeLabel)
          },
        }}
        tooltipAnimationDuration={0}
        tooltipProps={{
          content: ({ payload }) => {
            const point = payload?.[0]?.payload as DayPoint | undefined
            if (!point) return null
            return (
              <Paper withBorder px="sm" py={6} shadow="md" dir="auto">
                <Text size="sm" fw={600} className="lw-tabular">
                  {t('chart.value', { day: formatDayOfYear(point.day), value: format(point.value) })}
                </Text>
                {point.dayBefore !== undefined && (
                  <Text size="sm" c="dimmed" className="lw-tabular">
                    {t('chart.value', {
                      day: formatDayOfYear(point.dayBefore),
                      value: format(point.valueBefore ?? 0),
                    })}
                  </Text>
                )}
              </Paper>
            )
          },
        }}
      />
    </div>
  )
}
