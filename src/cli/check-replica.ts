/** The doctor's check of READ_DATABASE_URL. The service works without the replica, unless it refuses to. */
import type { Client } from 'pg'
import type { Config } from '../config.ts'
import { checkSession, SessionError } from '../database/check-session.ts'
import { createClient, type SessionOptions } from '../database/pool.ts'
import { readIdentity } from '../database/replica.ts'
import { nameDatabase } from './explain-failure.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Nothing to say where there is no replica. */
export async function checkReplica(
  config: Config,
  primary: Client,
  session: SessionOptions,
): Promise<Finding[]> {
  const { readDatabaseUrl } = config
  if (readDatabaseUrl === undefined) return []
  const name = nameDatabase({ ...config, databaseUrl: readDatabaseUrl })
  const client = createClient(readDatabaseUrl, { applicationName: 'loyalty-wallet doctor' })
  try {
    await client.connect()
    const [ours, found] = [await readIdentity(primary), await readIdentity(client)]
    if (ours.identity !== found.identity || !found.isReplica) {
      const what = found.isReplica ? 'a replica of another database' : 'not a replica'
      const advice =
        'Set READ_DATABASE_URL to a streaming replica of DATABASE_URL. Until then it is not used.'
      return [warning('replica', `${name} is ${what}`, advice)]
    }
    if (ours.migrations !== found.migrations) {
      const message = `${name} lacks ${ours.migrations - found.migrations} of ${ours.migrations} migrations`
      return [warning('replica', message, 'It is behind: see pg_stat_replication of the primary.')]
    }
    await checkSession(readDatabaseUrl, { ...session, isReadOnly: true })
    return [ok('replica', `${name} is a replica of this database`)]
  } catch (error) {
    const { message } = error as Error
    if (error instanceof SessionError)
      return [problem('replica', `the service would not start with ${name}`, message)]
    const advice = 'Reports and lists are read from the primary until it is back.'
    return [warning('replica', `${name} cannot be used (${message})`, advice)]
  } finally {
    await client.end().catch(() => {})
  }
}
