import { Button, Group, Paper, Progress, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { readProgress } from '../../api/read-progress.ts'
import type { Definition, Shapes } from '../../forms/definition.ts'
import { useForm } from '../../forms/form-context.ts'
import { dayIn, formatNumber } from '../../i18n/format.ts'
import { IconPlayerStop, IconReportMoney } from '../../ui/icons.ts'
import { type DayRange, shiftDay } from '../dashboard/range.ts'
import { BacktestResult } from './backtest-result.tsx'
import { PreviewFailure } from './preview.tsx'

interface BacktestProps {
  readonly campaign: string
  readonly definition: Definition
  readonly shapes: Shapes
}

const periods = ['month', '7', '30', '90'] as const
type Period = (typeof periods)[number]

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly done: number; readonly of: number }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'done'; readonly result: Schemas['BacktestResult']; readonly definition: Definition }

/** What the draft, saved or not, would have given and cost with the sales of a period. */
export function Backtest({ campaign, definition, shapes }: BacktestProps) {
  const { t } = useTranslation('campaigns')
  const { timeZone } = useForm()
  const [period, setPeriod] = useState<Period>('30')
  const { state, start, stop } = useBacktest(campaign)
  const run = () => start(definition, rangeOf(period, dayIn(timeZone)))
  const isOutdated = state.kind === 'done' && state.definition !== definition
  return (
    <Paper
      className="lw-surface"
      p={{ base: 'md', sm: 'lg' }}
      component="section"
      aria-labelledby="backtest-title"
    >
      <Stack gap="md">
        <div>
          <Title order={2} size="h4" id="backtest-title">
            {t('backtest.title')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('backtest.about')}
          </Text>
        </div>
        <Group gap="sm">
          <SegmentedControl
            aria-label={t('backtest.period')}
            value={period}
            onChange={(next) => setPeriod(next as Period)}
            data={periods.map((value) => ({
              value,
              label:
                value === 'month' ? t('backtest.lastMonth') : t('backtest.days', { count: Number(value) }),
            }))}
          />
          {state.kind === 'running' ? (
            <Button variant="default" leftSection={<IconPlayerStop size={16} />} onClick={stop}>
              {t('backtest.stop')}
            </Button>
          ) : (
            <Button leftSection={<IconReportMoney size={16} />} onClick={run}>
              {t('backtest.start')}
            </Button>
          )}
        </Group>
        <Stack gap="md" aria-live="polite" aria-busy={state.kind === 'running'}>
          {state.kind === 'running' && <Running {...state} />}
          {state.kind === 'failed' && <PreviewFailure error={state.error} shapes={shapes} onRetry={run} />}
          {isOutdated && (
            <Text size="sm" c="dimmed">
              {t('backtest.outdated')}
            </Text>
          )}
          {state.kind === 'done' && (
            <BacktestResult result={state.result} definition={state.definition} shapes={shapes} />
          )}
        </Stack>
      </Stack>
    </Paper>
  )
}

function Running({ done, of }: { readonly done: number; readonly of: number }) {
  const { t } = useTranslation('campaigns')
  const text = t('backtest.progress', { done: formatNumber(done, 0), of: formatNumber(of, 0) })
  return (
    <div>
      <Progress value={of > 0 ? (100 * done) / of : 0} aria-label={text} transitionDuration={200} />
      <Text size="sm" c="dimmed" mt={4} className="lw-tabular" aria-hidden>
        {text}
      </Text>
    </div>
  )
}

function rangeOf(period: Period, today: string): DayRange {
  if (period !== 'month') return { from: shiftDay(today, -Number(period)), to: shiftDay(today, -1) }
  const to = shiftDay(`${today.slice(0, 7)}-01`, -1)
  return { from: `${to.slice(0, 7)}-01`, to }
}

function useBacktest(campaign: string) {
  const [state, setState] = useState<State>({ kind: 'idle' })
  const running = useRef<AbortController>(undefined)
  const stop = () => {
    running.current?.abort()
    running.current = undefined
    setState({ kind: 'idle' })
  }
  useEffect(() => () => running.current?.abort(), [])

  async function start(definition: Definition, range: DayRange): Promise<void> {
    const control = new AbortController()
    running.current = control
    const show = (next: State) => {
      if (running.current === control) setState(next)
    }
    setState({ kind: 'running', done: 0, of: 0 })
    try {
      const stream = await dataOf(
        api.POST('/v1/campaigns/{id}/backtest', {
          params: { path: { id: campaign } },
          body: { ...range, definition },
          signal: control.signal,
          parseAs: 'stream',
        }),
      )
      const { result } = await readProgress<Schemas['Backtest']>(stream!, (done, of) =>
        show({ kind: 'running', done, of }),
      )
      show({ kind: 'done', result, definition })
    } catch (error) {
      show({ kind: 'failed', error })
    }
  }
  return { state, start, stop }
}
