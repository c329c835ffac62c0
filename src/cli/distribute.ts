import type { Command } from 'commander'
import {
  DistributeError,
  type DistributeOptions,
  type Distribution,
  distribute,
} from '../database/distribute.ts'
import { migrate } from '../database/migrate.ts'
import { createClient, type DatabaseConnection } from '../database/pool.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { nameDatabase } from './explain-failure.ts'
import { Failure, misused } from './failure.ts'
import { withDatabase } from './open-database.ts'
import { readDatabaseSettings } from './settings.ts'

export function distributeCommand(program: Command, context: Context): void {
  addCommand(program, 'distribute', 'Spread the tables over the nodes of a Citus cluster.', [
    'DATABASE_URL=postgres://user:password@coordinator/wallet loyalty-wallet distribute',
  ])
    .option('--shards <number>', 'into how many parts to split each table', '32')
    .action(async ({ shards }: { shards: string }) =>
      context.report(await spread(context, readShards(shards))),
    )
}

function readShards(text: string): number {
  const number = Number(text)
  if (/^\d{1,4}$/.test(text) && number >= 1 && number <= 1_024) return number
  throw misused(`--shards: "${text}" is not a number from 1 to 1024.`)
}

async function spread(context: Context, shardCount: number): Promise<CommandOutput> {
  const config = readDatabaseSettings(context.env)
  const { moved, nodes } = await withDatabase(config, async (connection) => {
    await migrate(connection)
    return run(connection, { shardCount, onProgress: context.progress })
  })
  const done =
    moved.length === 0 ? 'Nothing to do: all tables are' : `${moved.length} tables were moved and are now all`
  return {
    text: `${done} spread over the ${nodes} nodes of ${nameDatabase(config)}. Restart the service, so that it works with them.`,
    json: { moved, nodes },
  }
}

async function run(connection: DatabaseConnection, options: DistributeOptions): Promise<Distribution> {
  const client = createClient(connection, {
    applicationName: 'loyalty-wallet distribute',
    statementTimeoutMs: 0,
    queryTimeoutMs: 0,
    idleInTransactionTimeoutMs: 0,
    isDistributed: true,
  })
  await client.connect()
  try {
    return await distribute(client, options)
  } catch (error) {
    throw error instanceof DistributeError ? new Failure('cluster_not_ready', error.message) : error
  } finally {
    await client.end()
  }
}
