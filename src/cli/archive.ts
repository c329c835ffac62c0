import type { Command } from 'commander'
import type { Organization } from '../domain/organization.ts'
import { verifyArchive } from '../operations/archive/archive-folder.ts'
import {
  type ArchiveSummary,
  archiveOrganization,
  countArchivable,
  minArchiveDays,
} from '../operations/archive/archive-organization.ts'
import { type ReasonToStay, reasonsToStay } from '../operations/archive/choose-sales.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { misused } from './failure.ts'
import { listChosenOrganizations } from './listing.ts'
import { withPool } from './open-database.ts'
import { createPace } from './pace.ts'
import { readDatabaseSettings } from './settings.ts'
import { toTable } from './table.ts'

interface Options {
  readonly before?: string
  readonly to?: string
  readonly organization?: string
  readonly step: string
  readonly dryRun?: boolean
}

export function archiveCommand(program: Command, context: Context): void {
  const archive = addCommand(
    program,
    'archive',
    'Move old sales and events to files, while the service is running.',
    [
      'loyalty-wallet archive --before 2025-01-01 --dry-run',
      'loyalty-wallet archive --before 2025-01-01 --to /backup/loyalty-wallet',
      'loyalty-wallet archive verify /backup/loyalty-wallet',
    ],
  )
    .option('--before <date>', `only what is older than this day (UTC), at least ${minArchiveDays} days ago`)
    .option('--to <directory>', 'where to write the files, in a folder for each organization')
    .option('--organization <id>', 'only this organization (default: all)')
    .option('--step <sales>', 'how many sales to move in one transaction', '2000')
    .option('--dry-run', 'only count what would be moved, and what would stay and why')
    .action(async (options: Options) => context.report(await archiveAll(context, options)))
  addCommand(
    archive,
    'verify',
    'Compare the files of an archive with its manifests; exit with 1 if they differ.',
    ['loyalty-wallet archive verify /backup/loyalty-wallet'],
  )
    .argument('<directory>', 'the directory that was given with --to')
    .action(async (directory: string) => context.report(await verify(directory)))
}

const dayMs = 86_400_000
const dayOf = (time: Date) => time.toISOString().slice(0, 10)

function readBefore(text: string | undefined, now: Date): Date {
  if (text === undefined) throw misused('Say how old sales must be: --before 2025-01-01.')
  const before = new Date(`${text}T00:00:00Z`)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(before.getTime()) || dayOf(before) !== text)
    throw misused(`--before: "${text}" is not a day such as 2025-01-01.`)
  const latest = new Date(now.getTime() - minArchiveDays * dayMs)
  if (before > latest)
    throw misused(
      `--before: the last ${minArchiveDays} days stay, because their sales may still be returned or sent again. Choose ${dayOf(latest)} or an earlier day.`,
    )
  return before
}

function readStep(text: string): number {
  const number = Number(text)
  if (/^\d{1,5}$/.test(text) && number >= 1) return number
  throw misused(`--step: "${text}" is not a number from 1 to 99999.`)
}

async function archiveAll(context: Context, options: Options): Promise<CommandOutput> {
  const now = new Date()
  const before = readBefore(options.before, now)
  const salesPerStep = readStep(options.step)
  const { to: directory, dryRun: isDryRun = false } = options
  if (directory === undefined && !isDryRun)
    throw misused('Say where to write the files: --to DIRECTORY. Or only count, with --dry-run.')
  let isStopped = false
  const stop = () => {
    if (!isStopped) context.note('\nEnding after this step. Run the command again to go on.')
    isStopped = true
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  try {
    const config = readDatabaseSettings(context.env)
    const results = await withPool(
      config,
      async (pool) => {
        const organizations = await listChosenOrganizations(pool, options.organization)
        const counts = new Map<Organization, number>()
        for (const one of organizations) counts.set(one, await countArchivable(pool, one, before))
        const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
        const showPace = createPace(context, 'sales')
        let earlier = 0
        const done: { organization: Organization; summary: ArchiveSummary }[] = []
        for (const [organization, count] of counts) {
          if (isStopped) break
          const summary = await archiveOrganization(pool, organization, {
            before,
            now,
            directory: isDryRun ? undefined : directory,
            salesPerStep,
            onProgress: (sales) => showPace(Math.min(total, earlier + sales), total),
            isStopped: () => isStopped,
          })
          earlier += count
          done.push({ organization, summary })
        }
        return done
      },
      { isOwner: true },
    )
    return toOutput(results, { isDryRun, isStopped })
  } finally {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
}

function toOutput(
  results: readonly { organization: Organization; summary: ArchiveSummary }[],
  { isDryRun, isStopped }: { readonly isDryRun: boolean; readonly isStopped: boolean },
): CommandOutput {
  const reasons = Object.entries(reasonsToStay) as [ReasonToStay, string][]
  const stayed = ({ staying }: ArchiveSummary) =>
    Object.values(staying).reduce((sum, count) => sum + count, 0)
  const why = reasons.flatMap(([reason, text]) => {
    const count = results.reduce((sum, { summary }) => sum + summary.staying[reason], 0)
    return count > 0 ? [`  - ${count} ${count === 1 ? 'sale' : 'sales'}: ${text}`] : []
  })
  const rows = results.map(({ organization, summary }) => [
    organization.id,
    organization.name,
    String(summary.sales),
    String(stayed(summary)),
    String(summary.rows),
    String(summary.files),
    `${(summary.bytes / 1_000_000).toFixed(1)} MB`,
  ])
  const head = ['organization', 'name', isDryRun ? 'would move' : 'moved', 'stay', 'rows', 'files', 'size']
  const used = isDryRun ? 4 : head.length
  return {
    text: [
      toTable(
        head.slice(0, used),
        rows.map((row) => row.slice(0, used)),
      ),
      ...(why.length > 0 ? ['Older sales that stay:', ...why] : []),
      isStopped ? 'Ended before everything was moved. Run the command again to go on.' : 'Done.',
    ].join('\n'),
    json: {
      isDryRun,
      isComplete: !isStopped,
      data: results.map(({ organization, summary }) => ({
        organization: organization.id,
        ...summary,
      })),
    },
    exitCode: isStopped ? 130 : 0,
  }
}

async function verify(directory: string): Promise<CommandOutput> {
  const { files, rows, problems } = await verifyArchive(directory)
  const isOk = problems.length === 0
  return {
    text: isOk
      ? `${files} files with ${rows} rows are as they were written.`
      : [
          'The archive is damaged. Restore these files from a copy:',
          ...problems.map((one) => `  - ${one}`),
        ].join('\n'),
    json: { ok: isOk, files, rows, problems },
    exitCode: isOk ? 0 : 1,
  }
}
