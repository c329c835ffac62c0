import type { Command } from 'commander'
import {
  isWorkKind,
  kindsOfWork,
  readWork,
  runWork,
  type TroubledWork,
  type WebhookFigures,
} from '../app/background-work.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { misused } from './failure.ts'
import { listChosenOrganizations } from './listing.ts'
import { withPool } from './open-database.ts'
import { readCredentialSettings, readDatabaseSettings } from './settings.ts'
import { toTable } from './table.ts'

export function jobsCommand(program: Command, context: Context): void {
  const group = addCommand(
    program,
    'jobs',
    'Show the background work: what runs, what is late and what fails; exit with 1 if something fails.',
    ['loyalty-wallet jobs', 'loyalty-wallet jobs --json', 'loyalty-wallet jobs run --kind expiry'],
  ).action(async () => context.report(await show(context)))

  addCommand(group, 'run', 'Do the background work that is due now, here, beside a running service.', [
    'loyalty-wallet jobs run',
    'loyalty-wallet jobs run --kind expiry --organization org_019a83f2c1d27b3a9e5f6d7c8b9a0f1e',
  ])
    .option('--kind <kind>', `make this kind of work due first: ${kindsOfWork.join(', ')}`)
    .option('--organization <id>', 'with --kind: only of this organization (default: all)')
    .action(async (options: RunOptions) => context.report(await run(context, options)))
}

interface RunOptions {
  readonly kind?: string
  readonly organization?: string
}

async function show({ env }: Context): Promise<CommandOutput> {
  const now = new Date()
  const { kinds, troubles, webhooks } = await withPool(readDatabaseSettings(env), (pool) =>
    readWork(pool, now),
  )
  const rows = kinds.map(({ kind, due, running, failing, oldest, next }) => [
    kind,
    String(due),
    String(running),
    String(failing),
    oldest ? inWords(now.getTime() - oldest.getTime()) : '',
    next?.toISOString() ?? '',
  ])
  return {
    text: [
      toTable(['kind', 'due', 'running', 'failing', 'late by', 'next'], rows),
      `webhooks: ${sayWebhooks(webhooks)}`,
      ...troubles.map(sayTrouble),
    ].join('\n'),
    json: { data: kinds, webhooks, failing: troubles },
    exitCode: troubles.length === 0 ? 0 : 1,
  }
}

const sayWebhooks = ({ active, waiting, failing, paused, behind }: WebhookFigures) =>
  `${active} active, ${waiting} with something to send, ${failing} failing, ${paused} paused; ${behind} events to look at`

const sayTrouble = ({ organization, kind, attempts, lastError, dueAt }: TroubledWork) =>
  `  - ${kind} of ${organization ?? 'the platform'}: failed ${attempts} times (${lastError}), ` +
  `next at ${dueAt?.toISOString() ?? 'no time'}`

function inWords(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}

async function run({ env, note }: Context, { kind, organization }: RunOptions): Promise<CommandOutput> {
  if (organization !== undefined && kind === undefined) throw misused('--organization requires --kind.')
  if (kind !== undefined && !isWorkKind(kind)) {
    throw misused(`--kind must be one of ${kindsOfWork.join(', ')}, not "${kind}".`)
  }
  const log = {
    info: (details: object, message: string) => note(`${message}: ${JSON.stringify(details)}`),
    warn: (_details: object, message: string) => note(message),
    error: (details: object, message: string) =>
      note(`${message}: ${String((details as { err?: Error }).err ?? '')}`),
  }
  const config = readCredentialSettings(env)
  const done = await withPool(config, async (pool) => {
    const first = kind && { kind, organizations: await listChosenOrganizations(pool, organization) }
    return runWork(pool, config, log, first)
  })
  const failed = done.failures > 0 ? `; ${done.failures} failed, see "loyalty-wallet jobs"` : ''
  return {
    text: `Did ${done.runs} pieces of work${failed}.`,
    json: done,
    exitCode: done.failures === 0 ? 0 : 1,
  }
}
