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
  addCounter(
    registry,
    'jobs_runs_total',
    'Runs of background work that succeeded, by kind.',
    'kind',
    counts.runs,
  )
  addCounter(
    registry,
    'jobs_failures_total',
    'Runs of background work that failed, by kind.',
    'kind',
    counts.failures,
  )
  collectWebhookMetrics(counts, registry)
  const aboutMessages = 'Attempts to send messages, by outcome.'
  addCounter(registry, 'message_attempts_total', aboutMessages, 'outcome', counts.messages)
  collectPassMetrics(counts, registry)
}

function collectPassMetrics({ passes }: WorkCounts, registry: Registry): void {
  const aboutSent = 'Updates of passes that phones or Google have taken, by wallet.'
  addCounter(registry, 'pass_updates_sent_total', aboutSent, 'wallet', passes.sent)
  const aboutFailed = 'Updates of passes that were refused, failed or have no keys, by wallet.'
  addCounter(registry, 'pass_updates_failed_total', aboutFailed, 'wallet', passes.failed)
}

function collectWebhookMetrics(counts: WorkCounts, registry: Registry): void {
  const gauge = (name: string, help: string, figure: keyof WebhookFigures) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      aggregator: 'max',
      collect() {
        this.set(counts.webhooks?.[figure] ?? 0)
      },
    })
  gauge('webhooks_failing', 'Webhooks whose attempts all fail.', 'failing')
  gauge('webhooks_paused', 'Webhooks that are paused, by hand or by themselves.', 'paused')
  gauge(
    'webhook_events_behind',
    'Events that active webhooks have still to look at, of all together.',
    'behind',
  )
  const about = 'Attempts to deliver to webhooks, by outcome.'
  addCounter(registry, 'webhook_attempts_total', about, 'outcome', counts.attempts)
}

function addCounter(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  counts: ReadonlyMap<string, number>,
): void {
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset()
      for (const [value, count] of counts) this.labels(value).inc(count)
    },
  })
}
