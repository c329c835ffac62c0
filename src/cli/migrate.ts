import type { Command } from 'commander'
import { migrate } from '../database/migrate.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { nameDatabase } from './explain-failure.ts'
import { withDatabase } from './open-database.ts'
import { type Environment, readDatabaseSettings } from './settings.ts'

export function migrateCommand(program: Command, context: Context): void {
  addCommand(program, 'migrate', 'Apply pending migrations to the database.', [
    'loyalty-wallet migrate',
    'DATABASE_URL=postgres://user:password@host/wallet loyalty-wallet migrate --json',
  ]).action(async () => context.report(await bringUpToDate(context.env)))
}

async function bringUpToDate(env: Environment): Promise<CommandOutput> {
  const config = readDatabaseSettings(env)
  const { applied, version, session } = await withDatabase(config, (connection) => migrate(connection))
  const done =
    applied.length === 0
      ? 'Nothing to do'
      : `Applied ${applied.length} ${applied.length === 1 ? 'migration' : 'migrations'}`
  const lines = [...applied.map((file) => `  ${file}`), `The schema is at version ${version}.`]
  if (session.role === undefined)
    lines.push('The service has no database role of its own; "loyalty-wallet doctor" says what to do.')
  return {
    text: [`${done} on the database ${nameDatabase(config)}.`, ...lines].join('\n'),
    json: { database: config.databaseUrl === undefined ? 'embedded' : 'external', applied, version },
  }
}
