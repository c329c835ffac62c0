import { readFile, stat } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Client } from 'pg'
import type { Config } from '../config.ts'
import { openBackupFile } from '../database/backup/backup-file.ts'
import { verifyBackup } from '../database/backup/read-backup.ts'
import { writeBackup } from '../database/backup/write-backup.ts'
import { readSchemaState } from '../database/migrate.ts'
import { createClient } from '../database/pool.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { explaining, nameDatabase } from './explain-failure.ts'
import { Failure, misused } from './failure.ts'
import { postgresFolder, withDatabase } from './open-database.ts'
import { createPace, toDuration, toSize } from './pace.ts'
import { type Environment, readDatabaseSettings } from './settings.ts'

export interface KeyOptions {
  readonly keyFile?: string
}

export function backupCommand(program: Command, context: Context): void {
  const backup = addCommand(
    program,
    'backup',
    'Write everything in the database to a file, while the service is running.',
    [
      'loyalty-wallet backup /backup/wallet.lwb',
      'loyalty-wallet backup /backup/wallet.lwb --key-file /etc/loyalty-wallet/backup.key',
      'loyalty-wallet backup verify /backup/wallet.lwb',
    ],
  )
    .argument('<file>', 'the file to write, which must not exist')
    .option('--key-file <file>', keyFileText('encrypt'))
    .action(async (file: string, options: KeyOptions) => context.report(await write(context, file, options)))
  addCommand(backup, 'verify', 'Read a backup to its end; exit with 1 if it is not as it was written.', [
    'loyalty-wallet backup verify /backup/wallet.lwb',
  ])
    .argument('<file>', 'the file of a backup')
    .option('--key-file <file>', keyFileText('decrypt'))
    .action(async (file: string, _: KeyOptions, command: Command) =>
      context.report(await verify(context, file, command.optsWithGlobals())),
    )
}

export const keyFileText = (verb: string) =>
  `${verb} it with the key in this file (default: that in BACKUP_KEY, if it is set)`

const minKeyLength = 16

/** Never from the command line, which every user of a computer can see. */
export async function readKey(env: Environment, { keyFile }: KeyOptions): Promise<string | undefined> {
  const text =
    keyFile === undefined
      ? env.BACKUP_KEY
      : await readFile(keyFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
          throw misused(`--key-file: ${keyFile} cannot be read (${error.code}).`)
        })
  if (text === undefined || (text === '' && keyFile === undefined)) return undefined
  const key = text.trim()
  if (key.length >= minKeyLength) return key
  throw misused(
    `The key of a backup needs at least ${minKeyLength} characters. Make one with: openssl rand -base64 32`,
  )
}

/** For statements that take as long as the tables are large. */
export const unlimited = { statementTimeoutMs: 0, queryTimeoutMs: 0, idleInTransactionTimeoutMs: 0 }

async function write(context: Context, path: string, options: KeyOptions): Promise<CommandOutput> {
  const config = readDatabaseSettings(context.env)
  const passphrase = await readKey(context.env, options)
  await refuseMissing(config)
  const startedAt = Date.now()
  const ending = new AbortController()
  const end = () => ending.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end)
  try {
    const written = await withDatabase(config, async (connection) => {
      const client = createClient(connection, { applicationName: 'loyalty-wallet backup', ...unlimited })
      await client.connect()
      const showPace = createPace(context, 'rows')
      try {
        await refuseNewer(client)
        return await writeBackup(client, {
          path,
          passphrase,
          now: new Date(),
          signal: ending.signal,
          onProgress: ({ rows, of, bytes }) =>
            showPace(rows, of, (seconds) => `${toSize(bytes / seconds)}/s`),
        })
      } finally {
        await client.end()
      }
    }).catch((error) => {
      throw ending.signal.aborted ? interrupted(path) : error
    })
    return toOutput(path, { ...written, isEncrypted: passphrase !== undefined, startedAt })
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end)
  }
}

/** One that is older than this version stays as it is; of a newer one, this version does not know all tables. */
async function refuseNewer(client: Client): Promise<void> {
  const { newer } = await readSchemaState(client)
  if (newer === 0) return
  throw new Failure(
    'schema_newer',
    'A newer version of Loyalty Wallet has migrated the database, and this one does not know everything that is in it. Make the backup with that version.',
  )
}

const interrupted = (path: string) =>
  new Failure('interrupted', `The backup was interrupted. ${path} was not written.`, { exitCode: 130 })

/** Starting the embedded server for a backup would otherwise create an empty one. */
async function refuseMissing(config: Config): Promise<void> {
  if (config.databaseUrl !== undefined) return
  if (await stat(postgresFolder(config)).catch(() => undefined)) return
  throw new Failure(
    'database_missing',
    `There is no database ${nameDatabase(config)}. Set DATA_DIR or DATABASE_URL to that of the service.`,
  )
}

function toOutput(
  path: string,
  written: Awaited<ReturnType<typeof writeBackup>> & { isEncrypted: boolean; startedAt: number },
): CommandOutput {
  const { tables, rows, organizations, bytes, textBytes, leftOut, isEncrypted } = written
  const seconds = (Date.now() - written.startedAt) / 1000
  return {
    text: [
      `Wrote ${path}: ${rows} rows of ${organizations} ${organizations === 1 ? 'organization' : 'organizations'}, ${toSize(bytes)} (${toSize(textBytes)} before compression), ${isEncrypted ? 'encrypted' : 'not encrypted'}, in ${toDuration(seconds)}.`,
      ...(leftOut.length > 0 ? [`Not in it, because they are not ours: ${leftOut.join(', ')}.`] : []),
      'The secrets of the service are not in it. Keep them in another place: JWT_SECRET and CREDENTIAL_PEPPER, or secrets.json in the data folder.',
    ].join('\n'),
    json: { file: path, organizations, tables, rows, bytes, textBytes, isEncrypted, leftOut, seconds },
  }
}

async function verify(context: Context, path: string, options: KeyOptions): Promise<CommandOutput> {
  const passphrase = await readKey(context.env, options)
  return explaining(readDatabaseSettings(context.env), async () => {
    const reader = await openBackupFile(path, passphrase)
    try {
      const showPace = createPace(context, 'MB')
      const { contents, rows } = await verifyBackup(path, reader, (position) =>
        showPace(Math.ceil(position / 1e6), Math.ceil(reader.size / 1e6)),
      )
      const { createdAt, serviceVersion, migrations } = reader.header
      const organizations = contents.organizations.length
      return {
        text: `${path} is complete: ${rows} rows of ${organizations} ${organizations === 1 ? 'organization' : 'organizations'}, written on ${createdAt} by version ${serviceVersion}, with schema version ${migrations.length}.`,
        json: { ok: true, organizations, rows, createdAt, serviceVersion, schema: migrations.length },
      }
    } finally {
      await reader.close()
    }
  })
}
