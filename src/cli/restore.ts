import type { Command } from 'commander'
import type { Client } from 'pg'
import { openBackupFile } from '../database/backup/backup-file.ts'
import { RestoreError, restoreBackup } from '../database/backup/restore-backup.ts'
import type { CopiedOrganization } from '../database/backup/tables.ts'
import { migrate } from '../database/migrate.ts'
import { createClient } from '../database/pool.ts'
import {
  isPepperOfRestored,
  type VerifiedOrganization,
  verifyRestored,
} from '../operations/wallets/verify-restored.ts'
import { type KeyOptions, keyFileText, readKey, unlimited } from './backup.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { explaining, nameDatabase } from './explain-failure.ts'
import { Failure } from './failure.ts'
import { findPepper } from './find-pepper.ts'
import { withDatabase } from './open-database.ts'
import { createPace, toDuration } from './pace.ts'
import { readDatabaseSettings } from './settings.ts'

interface Options extends KeyOptions {
  readonly organization?: string
  readonly acceptProblems?: boolean
}

export function restoreCommand(program: Command, context: Context): void {
  addCommand(program, 'restore', 'Bring a backup into an empty database, completely or not at all.', [
    'DATA_DIR=/var/lib/new loyalty-wallet restore /backup/wallet.lwb',
    'DATABASE_URL=postgres://user:password@host/wallet loyalty-wallet restore /backup/wallet.lwb',
    'loyalty-wallet restore /backup/wallet.lwb --organization "Corner Café"',
  ])
    .argument('<file>', 'the file of a backup')
    .option('--organization <id>', 'only the organization with this id or name (default: all)')
    .option('--key-file <file>', keyFileText('decrypt'))
    .option('--accept-problems', 'restore it even if the integrity check finds problems')
    .action(async (file: string, options: Options) => context.report(await restore(context, file, options)))
}

type PepperState = 'same' | 'other' | 'unknown' | 'none'

async function restore(context: Context, path: string, options: Options): Promise<CommandOutput> {
  const config = readDatabaseSettings(context.env)
  const passphrase = await readKey(context.env, options)
  const startedAt = Date.now()
  const reader = await explaining(config, () => openBackupFile(path, passphrase))
  let verified: VerifiedOrganization[] = []
  let pepper: PepperState = 'none'
  const seconds: Record<string, number> = {}
  const lap = (name: string, since: number) => {
    seconds[name] = (Date.now() - since) / 1000 - Object.values(seconds).reduce((sum, part) => sum + part, 0)
  }
  try {
    const restored = await withDatabase(config, async (connection) => {
      const client = createClient(connection, { applicationName: 'loyalty-wallet restore', ...unlimited })
      await client.connect()
      const prove = async () => {
        lap('indexes', startedAt)
        context.note('Checking that everything agrees.')
        verified = await verifyRestored(client, createPace(context, 'customers'))
        lap('check', startedAt)
        refuseProblems(verified, options)
        pepper = await readPepper(client, context)
      }
      const showPace = createPace(context, 'MB')
      const done = await restoreBackup(client, {
        path,
        reader,
        choose: (organizations) => chooseOrganization(organizations, options.organization),
        prove,
        progress: {
          rows(position, of, rows) {
            const rate = (passed: number) => `${Math.round(rows / passed).toLocaleString('en')} rows/s`
            showPace(Math.ceil(position / 1e6), Math.ceil(of / 1e6), rate)
          },
          indexes(number, of) {
            if (number === 1) lap('rows', startedAt)
            context.progress(number, of, 'indexes: ')
          },
        },
      }).finally(() => client.end())
      // The role of the service gets its rights; its next start would do so as well.
      await migrate(connection)
      return done
    })
    return toOutput(path, nameDatabase(config), {
      ...restored,
      verified,
      pepper,
      seconds: { ...seconds, all: (Date.now() - startedAt) / 1000 },
    })
  } finally {
    await reader.close()
  }
}

function chooseOrganization(
  organizations: readonly CopiedOrganization[],
  wanted: string | undefined,
): CopiedOrganization | undefined {
  if (wanted === undefined) return undefined
  const found = organizations.filter((one) => idOf(one) === wanted || one.name === wanted)
  if (found.length === 1) return found[0]
  const known = (found.length > 1 ? found : organizations).slice(0, 20)
  const list = known.map((one) => `${idOf(one)} (${one.name})`).join(', ')
  throw new RestoreError(
    found.length > 1
      ? `The backup has several organizations named "${wanted}". Choose one by its id: ${list}.`
      : `The backup has no organization "${wanted}". It has ${organizations.length}: ${list}${organizations.length > known.length ? ' …' : ''}.`,
  )
}

const idOf = ({ id }: CopiedOrganization) => `org_${id.replaceAll('-', '')}`

const listProblems = (verified: readonly VerifiedOrganization[]) =>
  verified.flatMap(({ organization, problems }) =>
    problems.map(({ description }) => `${organization.name}: ${description}`),
  )

function refuseProblems(verified: readonly VerifiedOrganization[], { acceptProblems }: Options): void {
  const problems = listProblems(verified)
  if (problems.length === 0 || acceptProblems) return
  throw new Failure(
    'integrity',
    'Nothing was restored: the file is as it was written, but the records in it do not agree, so they did not agree in the database that it is from. Use an older backup, or restore this one with --accept-problems.',
    { problems: problems.slice(0, 50) },
  )
}

async function readPepper(client: Client, { env }: Context): Promise<PepperState> {
  const own = await findPepper(env)
  const isSame = await isPepperOfRestored(client, own ?? '')
  if (isSame === undefined) return 'none'
  if (own === undefined) return 'unknown'
  return isSame ? 'same' : 'other'
}

const pepperAdvice: Partial<Record<PepperState, string>> = {
  other:
    'The keys and secrets in it were made with another CREDENTIAL_PEPPER than this installation has. Before you start the service, set CREDENTIAL_PEPPER to that of the former installation (its CREDENTIAL_PEPPER or JWT_SECRET, or jwtSecret in its secrets.json). If it is lost, run "loyalty-wallet adopt-pepper" and create new keys and secrets.',
  unknown:
    'Before you start the service, give it the secrets of the former installation: JWT_SECRET and CREDENTIAL_PEPPER, or its secrets.json in the data folder. If they are lost, run "loyalty-wallet adopt-pepper" and create new keys and secrets.',
}

function toOutput(
  path: string,
  database: string,
  restored: {
    rows: number
    organizations: number
    verified: readonly VerifiedOrganization[]
    pepper: PepperState
    seconds: Record<string, number>
  },
): CommandOutput {
  const { rows, organizations, verified, pepper, seconds } = restored
  const problems = listProblems(verified)
  const entries = verified.reduce((sum, { checked }) => sum + checked.entries, 0)
  const advice = pepperAdvice[pepper]
  return {
    text: [
      `Restored ${rows} rows of ${organizations} ${organizations === 1 ? 'organization' : 'organizations'} from ${path} into the database ${database}, in ${toDuration(seconds.all!)}.`,
      problems.length === 0
        ? `The integrity check of its ${entries} ledger entries found no problem.`
        : `The integrity check found ${problems.length} problems:`,
      ...problems.map((problem) => `  - ${problem}`),
      ...(advice ? [advice] : []),
    ].join('\n'),
    json: { ok: problems.length === 0, organizations, rows, entries, problems, pepper, seconds },
    exitCode: problems.length === 0 ? 0 : 1,
  }
}
