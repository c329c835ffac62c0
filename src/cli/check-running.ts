/** The doctor's checks of what happens beside requests: background work, webhooks, traces. */
import type { Pool } from 'pg'
import { readWork } from '../app/background-work.ts'
import type { Config } from '../config.ts'
import { type Finding, ok, warning } from './finding.ts'

const lateMs = 15 * 60_000

/** Only on a schema that this program knows. */
export async function checkWork(pool: Pool): Promise<Finding[]> {
  const now = new Date()
  const { kinds, troubles, webhooks } = await readWork(pool, now)
  return [describeWork(kinds, troubles.length, now), describeWebhooks(webhooks)]
}

type Work = Awaited<ReturnType<typeof readWork>>

function describeWork(kinds: Work['kinds'], failing: number, now: Date): Finding {
  const check = 'background work'
  if (failing > 0) {
    const what = kinds.flatMap(({ kind, failing: count }) => (count > 0 ? [`${kind} (${count})`] : []))
    return warning(
      check,
      `fails and is retried: ${what.join(', ')}`,
      'See loyalty-wallet jobs for the errors, and the log for their causes.',
    )
  }
  const late = kinds.filter(({ oldest }) => oldest && now.getTime() - oldest.getTime() > lateMs)
  if (late.length > 0) {
    return warning(
      check,
      `has been due for more than 15 minutes: ${late.map(({ kind, due }) => `${kind} (${due})`).join(', ')}`,
      'Is a service running? After an upgrade it is worked off; otherwise see "background jobs failed" in the log. loyalty-wallet jobs run does it now.',
    )
  }
  return ok(check, 'nothing is late and nothing fails')
}

function describeWebhooks({ active, failing, paused, waiting, behind }: Work['webhooks']): Finding {
  if (active + paused === 0) return ok('webhooks', 'there are none')
  const figures = `${active} active, ${waiting} with something to send, ${behind} events to look at`
  if (failing + paused === 0) return ok('webhooks', figures)
  return warning(
    'webhooks',
    `${failing} failing, ${paused} paused; ${figures}`,
    'Their merchants see the responses of the receivers under Developers, and resume them there. What waits is kept for as long as events are (EVENT_RETENTION).',
  )
}

const patienceMs = 3_000

/** Sends an empty list of spans, as the service would send its own. */
export async function checkTracing({ tracing }: Config): Promise<Finding> {
  if (!tracing) return ok('tracing', 'off, because OTEL_EXPORTER_OTLP_ENDPOINT is not set')
  const { endpoint, headers } = tracing
  const advice = 'Start the collector, or correct OTEL_EXPORTER_OTLP_ENDPOINT. The service works without it.'
  try {
    const { status } = await fetch(`${endpoint}/v1/traces`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"resourceSpans":[]}',
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
    })
    if (status >= 200 && status < 300) return ok('tracing', `the collector at ${endpoint} accepts traces`)
    const isDenied = status === 401 || status === 403
    return warning(
      'tracing',
      `the collector at ${endpoint} refuses traces (${status})`,
      isDenied ? 'Correct OTEL_EXPORTER_OTLP_HEADERS. The service works without it.' : advice,
    )
  } catch (error) {
    const { code, name } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
    return warning('tracing', `the collector at ${endpoint} cannot be reached (${code ?? name})`, advice)
  }
}
