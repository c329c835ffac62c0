/** Metrics of background work. They are those of the process that does it. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { WorkCounts } from '../../operations/work-counts.ts'
import type { WebhookFigures } from '../../store/webhooks.ts'

export function collectWorkMetrics(counts: WorkCounts, registry: Registry): void {
  const registers = [registry]
  new Gauge({
    name: 'jobs_due',
    help: 'Pieces of background work that were due when the process last looked, by kind.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset()
      for (const { kind, count } of counts.due) this.labels(kind).set(count)
    },
  })
  new Gauge({
    name: 'jobs_overdue_seconds',
    help: 'How late the oldest of them was, by kind.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset()
      for (const { kind, oldest } of counts.due)
        this.labels(kind).set((counts.seenAt.getTime() - oldest.getTime()) / 1000)
    },
  })
  new Gauge({
    name: 'jobs_last_look_timestamp_seconds',
    help: 'When the process last looked for background work.',
    registers,
    aggregator: 'max',
    collect() {
      this.set(counts.seenAt.getTime() / 1000)
    },
  })
  const counter = (name: string, help: string, runs: ReadonlyMap<string, number>, label = 'kind') =>
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset()
        for (const [kind, count] of runs) this.labels(kind).inc(count)
      },
    })
  counter('jobs_runs_total', 'Runs of background work that succeeded, by kind.', counts.runs)
  counter('jobs_failures_total', 'Runs of background work that failed, by kind.', counts.failures)
  const webhooks = (name: string, help: string, figure: keyof WebhookFigures) =>
    new Gauge({
      name,
      help,
      registers,
      aggregator: 'max',
      collect() {
        this.set(counts.webhooks?.[figure] ?? 0)
      },
    })
  webhooks('webhooks_failing', 'Webhooks whose attempts all fail.', 'failing')
  webhooks('webhooks_paused', 'Webhooks that are paused, by hand or by themselves.', 'paused')
  webhooks(
    'webhook_events_behind',
    'Events that active webhooks have still to look at, of all of them together.',
    'behind',
  )
  counter(
    'webhook_attempts_total',
    'Attempts to deliver to webhooks, by outcome.',
    counts.attempts,
    'outcome',
  )
}
