/**
 * Watches a read replica: how old its data is at most, and whether it may be used at all. Twice a second it asks the
 * primary where its log ends, and then the replica how far it has replayed. What the replica has replayed up to a
 * position that the primary had at some moment contains everything that was committed before that moment. This needs
 * no clock but ours, and holds on an idle database and with a replica that has lost its primary, where a replica that
 * is asked alone would seem to be up to date.
 */
import type { Client, Pool } from 'pg'
import type { DatabaseLog } from './database-log.ts'

export interface Replica {
  readonly pool: Pool
  /**
   * What was committed before this moment (`performance.now()`) is in the replica. Undefined while it must not be
   * used: it is away, too old, or not a replica of this database.
   */
  completeUntil(): number | undefined
  /** A statement failed there: it is not used until it has answered again. */
  fail(): void
  stop(): Promise<void>
}

export interface ReplicaOptions {
  readonly primary: Pool
  readonly pool: Pool
  /** The role that its connections must have, as those of the primary. */
  readonly role: string | undefined
  readonly maxAgeMs: number
  readonly log: DatabaseLog
  readonly everyMs?: number
}

/** A replica that takes longer to answer is not used. */
const answerTimeoutMs = 2_000

interface Position {
  readonly identity: string
  readonly position: string
}

/** The server and the database: a replica has them in common with its primary, and with nothing else. */
const identity = `(SELECT system_identifier FROM pg_control_system()) || ' ' ||
  (SELECT oid FROM pg_database WHERE datname = current_database())`

const askPrimary = `SELECT pg_current_wal_lsn() AS position, ${identity} AS identity`

const askReplica = `SELECT coalesce(pg_last_wal_replay_lsn()::text, '') AS position, ${identity} AS identity,
  pg_is_in_recovery() AS "isReplica", current_user AS role`

export function watchReplica(options: ReplicaOptions): Replica {
  const { primary, pool, role, maxAgeMs, log, everyMs = 500 } = options
  let samples: { readonly at: number; readonly position: bigint }[] = []
  let completeUntil: number | undefined
  let obstacle: string | undefined = 'not asked yet'
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  const isTooOld = () => completeUntil === undefined || performance.now() - completeUntil > maxAgeMs

  async function look(): Promise<string | undefined> {
    const at = performance.now()
    const ours = await ask<Position>(primary, askPrimary).catch(() => undefined)
    if (ours) samples.push({ at, position: toNumber(ours.position) })
    samples = samples.filter((sample) => at - sample.at <= maxAgeMs)
    const found = await ask<Position & { isReplica: boolean; role: string }>(pool, askReplica)
    if (!found.isReplica) return 'it is not a replica'
    if (ours && found.identity !== ours.identity) return 'it is a replica of another database'
    if (role !== undefined && found.role !== role) return `its connections work as ${found.role}`
    const replayed = toNumber(found.position)
    completeUntil = samples.findLast(({ position }) => position <= replayed)?.at ?? completeUntil
    return isTooOld() ? 'it is too old' : undefined
  }

  async function tick(): Promise<void> {
    const before = obstacle
    obstacle = await look().catch((error: Error) => `it cannot be asked: ${error.message}`)
    if (obstacle !== undefined && obstacle !== 'it is too old') completeUntil = undefined
    if (isStopped) return
    if (obstacle !== before) {
      if (obstacle === undefined) log.info({}, 'reports and lists are read from the replica')
      else log.warn({ reason: obstacle }, 'reports and lists are read from the primary')
    }
    timer = setTimeout(() => void tick(), everyMs).unref()
  }
  void tick()

  return {
    pool,
    completeUntil: () => (obstacle !== undefined || isTooOld() ? undefined : completeUntil),
    fail() {
      obstacle ??= 'a statement failed'
      completeUntil = undefined
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await pool.end()
    },
  }
}

/** What the doctor compares. */
export async function readIdentity(client: Client) {
  const { rows } = await client.query<{ identity: string; isReplica: boolean; migrations: number }>(
    `SELECT ${identity} AS identity, pg_is_in_recovery() AS "isReplica",
       (SELECT count(*)::int FROM schema_migrations) AS migrations`,
  )
  return rows[0]!
}

async function ask<R extends Position>(pool: Pool, text: string): Promise<R> {
  const { rows } = await pool.query<R>({ text, query_timeout: answerTimeoutMs } as { text: string })
  return rows[0]!
}

/** `16/B374D848` is a number of 64 bits in two halves. */
function toNumber(position: string): bigint {
  const [high = '0', low = '0'] = position.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}
