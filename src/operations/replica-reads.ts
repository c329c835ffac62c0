/**
 * What the callers of a replica can rely on: nothing is older than the configured bound, and nothing is missing that
 * the same caller wrote before through this process, or the same browser through any. Who is asking, and whether they
 * still may, is always read from the primary.
 */
import type { Pool } from 'pg'
import QuickLRU from 'quick-lru'
import type { UserId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { type Tenant, tenantOf } from '../store/tenant.ts'
import { idsForLog, type RequestRef } from './request-ref.ts'

/** See `src/database/replica.ts`. */
export interface WatchedReplica {
  readonly pool: Pool
  completeUntil(): number | undefined
  fail(): void
}

interface Reader {
  readonly user: UserId
  readonly organization: Organization
}

export interface ReplicaReads {
  /** The caller has written something: until the replica has it, the caller reads from the primary. */
  noteWrite(caller: Reader): void
  /**
   * The caller's organization on the replica, or undefined if the primary has to answer. `lastWriteMs` is when the
   * caller is known to have written last through another process, or 0.
   */
  find(
    request: RequestRef & { readonly caller: Reader; readonly lastWriteMs: number },
  ): { readonly tenant: Tenant; readonly ageMs: number } | undefined
  /** Counts a read for the metrics. */
  count(from: ReadSource): void
  readonly counts: Readonly<Record<ReadSource, number>>
  /** Undefined while the replica is not used. */
  ageMs(): number | undefined
  readonly maxAgeMs: number
}

interface ReplicaReadsOptions {
  readonly maxAgeMs: number
  readonly log: { warn(details: object, message: string): void }
}

export type ReadSource = 'replica' | 'primary'

const maxWriters = 50_000
/** How far the clocks of two computers with services may be apart. */
const skewMs = 1_000

export function createReplicaReads(
  primary: Pool,
  replica: WatchedReplica,
  { maxAgeMs, log }: ReplicaReadsOptions,
): ReplicaReads {
  // Older writes need not be known: a replica that might not have them is too old to be used.
  const writes = new QuickLRU<string, number>({ maxSize: maxWriters, maxAge: maxAgeMs })
  const counts = { replica: 0, primary: 0 }
  const ageMs = () => {
    const until = replica.completeUntil()
    return until === undefined ? undefined : performance.now() - until
  }
  return {
    noteWrite: ({ user }) => void writes.set(user, performance.now()),
    find(request) {
      const { user, organization } = request.caller
      const until = replica.completeUntil()
      if (until === undefined || until < (writes.get(user) ?? 0)) return undefined
      const ageMs = performance.now() - until
      if (Date.now() - ageMs < request.lastWriteMs + skewMs) return undefined
      const onFailure = (error: unknown) => {
        replica.fail()
        log.warn({ ...idsForLog(request), err: error }, 'the replica failed, and the primary answers')
      }
      const tenant = withFallback(
        tenantOf(replica.pool, organization.orgId),
        tenantOf(primary, organization.orgId),
        onFailure,
      )
      return { tenant, ageMs }
    },
    count(from) {
      counts[from]++
    },
    counts,
    ageMs,
    maxAgeMs,
  }
}

/** Reads from the replica, and after a failure of it from the primary, also in the middle of an export. */
function withFallback(replica: Tenant, primary: Tenant, onFailure: (error: unknown) => void): Tenant {
  let hasFailed = false
  const run = <T>(read: (db: Tenant['db']) => Promise<T>): Promise<T> => {
    if (hasFailed) return read(primary.db)
    return read(replica.db).catch((error) => {
      hasFailed = true
      onFailure(error)
      return read(primary.db)
    })
  }
  return {
    orgId: replica.orgId,
    as: (org) => withFallback(replica.as(org), primary.as(org), onFailure),
    db: {
      query: (text, values) => run((db) => db.query(text, values)),
      pipe: (steps) => run((db) => db.pipe(steps)),
      read: (steps) => run((db) => db.read(steps)),
      write: (steps) => primary.db.write(steps),
      pipeAtCommit: (steps) => primary.db.pipeAtCommit(steps),
      pipeAndCommit: (steps) => primary.db.pipeAndCommit(steps),
    },
  }
}
