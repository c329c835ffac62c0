/**
 * Every store function takes a tenant first: a connection and the organization it works for. A query
 * therefore cannot forget its organization, and whether it runs inside a database transaction is the caller's
 * decision. The organization is also sent to the database, together with each statement (row level security).
 */
import pg, { type ClientBase, type Pool, type PoolClient, type QueryResultRow } from 'pg'
import { classifyError, isConnectionError } from '../database/classify-error.ts'
import { DirectPool } from '../database/direct-pool.ts'
import { runPipeline, type Step, type WireRow } from '../database/pipeline.ts'
import { isDistributed } from '../database/pool.ts'
import { beginWaitForConnection } from '../database/round-trip-span.ts'
import { createSharedMessages, type SharedOptions } from '../database/shared-messages.ts'
import {
  beginFor,
  beginWith,
  commit,
  lockTimeout,
  type Part,
  pipeFor,
  pipeForSeveral,
  queryFor,
  setTenant,
  tenantStep,
  traced,
} from '../database/tenant-query.ts'
import type { Id, IdOf, IdPrefix } from '../domain/ids.ts'
import { endWith } from '../tracing/spans.ts'
import { connectionsForWaiting } from './connections.ts'
import { countRetries, retryReasonOf } from './retry-counts.ts'

export interface Queryable {
  query<R extends QueryResultRow>(
    text: string | { name: string; text: string; values: unknown[] },
    values?: unknown[],
  ): Promise<{ rows: R[]; rowCount: number | null }>
}

export interface Database extends Queryable {
  /** Several statements in one round trip, all or nothing; returns the rows of each in wire format. */
  pipe(steps: readonly Step[]): Promise<WireRow[][]>
  /** `pipe` for statements that change nothing. Several organizations may share a message. */
  read(steps: readonly Step[]): Promise<WireRow[][]>
  /**
   * `pipe` for the first attempt of a group. Where organizations share messages, it may share a transaction with
   * others, and waits for locks briefly.
   */
  write(steps: readonly Step[]): Promise<WireRow[][]>
  /**
   * Statements that nothing in the transaction waits for: they are sent together with its COMMIT, which saves
   * their round trip and holds their locks for as short as possible. Outside a transaction they run at once.
   */
  pipeAtCommit(steps: readonly Step[]): Promise<void>
  /** The last statements of the transaction, in one message with its COMMIT. */
  pipeAndCommit(steps: readonly Step[]): Promise<void>
}

export interface Tenant {
  readonly db: Database
  readonly orgId: number
  /** The same connection or transaction, for another organization. */
  as(org: number): Tenant
}

/** The organization number for data that belongs to the platform itself. */
export const platformOrg = 0

/** A tenant whose statements each run in their own database transaction. */
export function tenantOf(pool: Pool, org: number): Tenant {
  const pipe = (steps: readonly Step[]) =>
    usingConnection(pool, org, (client) => pipeFor(client, org, newest(steps)))
  return {
    orgId: org,
    as: (other) => tenantOf(pool, other),
    db: {
      async query<R extends QueryResultRow>(text: Parameters<Queryable['query']>[0], values?: unknown[]) {
        const client = await connect(pool, org)
        try {
          const result = await queryFor<R>(client, org, typeof text === 'string' ? { text, values } : text)
          client.release()
          return result
        } catch (error) {
          client.release(true)
          throw error
        }
      },
      pipe,
      read: (steps) => (sharesMessages(pool) ? sharedOf(pool).read({ org, steps }) : pipe(steps)),
      write: (steps) => (sharesMessages(pool) ? sharedOf(pool).write({ org, steps }) : pipe(steps)),
      async pipeAtCommit(steps) {
        await pipe(steps)
      },
      async pipeAndCommit(steps) {
        await pipe(steps)
      },
    },
  }
}

/** Whether organizations share messages: on a cluster they are on several nodes. */
export const sharesMessages = (pool: Pool): boolean => !isDistributed(pool)

async function usingConnection<T>(
  pool: Pool,
  org: number,
  send: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connect(pool, org)
  try {
    const answer = await send(client)
    client.release()
    return answer
  } catch (error) {
    // Where the server refused a statement, the connection is still usable; after anything else it is in
    // doubt.
    if (error instanceof pg.DatabaseError) await rollBack(client, error)
    else client.release(true)
    throw error
  }
}

interface Shared {
  readonly read: (part: Part) => Promise<WireRow[][]>
  readonly write: (part: Part) => Promise<WireRow[][]>
}

const sharedMessages = new WeakMap<Pool, Shared>()

/** How long a change that keeps others waiting waits for a lock; most are held for as long as a commit takes. */
const briefLockMs = 100
/** The same if these others have waited already. */
const shortestLockMs = 10

function sharedOf(pool: Pool): Shared {
  let shared = sharedMessages.get(pool)
  if (!shared) {
    const send = (parts: readonly Part[], limits: readonly Step[]) =>
      usingConnection(pool, platformOrg, (client) => {
        const renewed = parts.map(({ org, steps }) => ({ org, steps: newest(steps) }))
        return pipeForSeveral(client, renewed, limits)
      })
    const maxApart = connectionsForWaiting(pool)
    const read: SharedOptions = { send: (parts) => send(parts, []), triesAlone: true, maxApart }
    const write: SharedOptions = {
      send: (parts, hasWaited) => send(parts, [lockTimeout(hasWaited ? shortestLockMs : briefLockMs)]),
      triesAlone: false,
      maxApart,
    }
    shared = { read: createSharedMessages(read), write: createSharedMessages(write) }
    sharedMessages.set(pool, shared)
  }
  return shared
}

/** On a cluster, what belongs to no organization is done where DATABASE_URL leads. */
function connect(pool: Pool, org: number): Promise<PoolClient> {
  const isDirect = pool instanceof DirectPool && org !== platformOrg
  const span = beginWaitForConnection(isDirect ? pool.poolOf(org) : pool)
  const connected = isDirect ? pool.connectFor(org) : pool.connect()
  return span ? endWith(span, connected) : connected
}

/** All pools with connections to the database: on a cluster there may be one for each server. */
export const listPools = (pool: Pool): Pool[] => (pool instanceof DirectPool ? pool.all() : [pool])

/** For data that belongs to no organization, or is looked up before one is known. */
export const platformTenant = (pool: Pool): Tenant => tenantOf(pool, platformOrg)

/** A connection for a transaction, which begins together with its first statement. */
interface Session {
  readonly client: ClientBase
  /** The organization that the transaction is set to; undefined before it has begun. */
  org?: number
  readonly atCommit: { readonly org: number; readonly step: Step }[]
  /** The driver may consider a statement prepared that is not: it counts the statements sent before it. */
  isDoubtful: boolean
  state: 'open' | 'ending' | 'ended'
  /** Waits for locks as long as the connection does. */
  readonly isPatient: boolean
}

/** A tenant inside a transaction that its caller has begun, and ends. */
export function tenantInside(client: ClientBase, org: number): Tenant {
  // No organization has this number, so that the first statement sets its own.
  return tenantWithin(
    { client, org: -1, atCommit: [], isDoubtful: false, state: 'open', isPatient: true },
    org,
  )
}

function tenantWithin(session: Session, org: number): Tenant {
  const { client } = session
  const mustBeOpen = () => {
    if (session.state !== 'open') throw new Error('The transaction has ended.')
  }
  async function pipe(steps: readonly Step[]): Promise<WireRow[][]> {
    mustBeOpen()
    const before = opening(session, org)
    const rows = await runPipeline(client, [...before, ...newest(steps)])
    return rows.slice(before.length)
  }
  return {
    orgId: org,
    as: (other) => tenantWithin(session, other),
    db: {
      async query<R extends QueryResultRow>(text: Parameters<Queryable['query']>[0], values?: unknown[]) {
        mustBeOpen()
        const statement = typeof text === 'string' ? { text, values } : text
        if (!session.isPatient && session.org === undefined) await runPipeline(client, opening(session, org))
        if (session.org !== undefined) {
          if (session.org !== org) await client.query(setTenant(org))
          session.org = org
          return traced(statement, client.query<R>(text, values))
        }
        session.org = org
        session.isDoubtful = typeof text !== 'string'
        const result = await beginWith<R>(client, org, statement)
        session.isDoubtful = false
        return result
      },
      pipe,
      read: pipe,
      write: pipe,
      async pipeAtCommit(steps) {
        mustBeOpen()
        session.atCommit.push(...steps.map((step) => ({ org, step })))
      },
      async pipeAndCommit(steps) {
        mustBeOpen()
        session.atCommit.unshift(...steps.map((step) => ({ org, step })))
        await end(session)
      },
    },
  }
}

/** What has to be sent before a statement for this organization. */
function opening(session: Session, org: number): Step[] {
  if (session.org === org) return []
  const limits = session.isPatient ? [] : [lockTimeout(briefLockMs)]
  const steps = session.org === undefined ? [...beginFor(org), ...limits] : [tenantStep(org)]
  session.org = org
  return steps
}

/** Sends what was left for the end, and COMMIT, in one message. */
async function end(session: Session): Promise<void> {
  const { client, atCommit } = session
  if (session.state !== 'open') return
  session.state = 'ending'
  const last = [...atCommit].sort((a, b) => Number(a.step.isLast ?? false) - Number(b.step.isLast ?? false))
  const steps = last.flatMap(({ org, step }) => [...opening(session, org), ...newest([step])])
  await runPipeline(client, [...steps, commit])
  session.state = 'ended'
}

/** The 16 bytes behind the prefix; PostgreSQL also reads a uuid without dashes. */
export function uuidOf(id: Id): string {
  return id.slice(id.indexOf('_') + 1)
}

export function idFrom<P extends IdPrefix>(prefix: P, uuid: string): IdOf<P> {
  return `${prefix}_${uuid.replaceAll('-', '')}` as IdOf<P>
}

export async function many<R extends QueryResultRow>(
  db: Queryable,
  text: string,
  values: unknown[],
): Promise<R[]> {
  return (await db.query<R>(text, values)).rows
}

export async function maybeOne<R extends QueryResultRow>(
  db: Queryable,
  text: string,
  values: unknown[],
): Promise<R | undefined> {
  return (await db.query<R>(text, values)).rows[0]
}

/**
 * The requested conditions, as the end of a WHERE clause: `$` stands for the value, and `$1` keeps its
 * meaning in the statement. Conditions without a value are left out, so that each query is planned for what
 * it asks.
 */
export function whereAll(
  conditions: readonly (readonly [condition: string, value: unknown])[],
  firstParameter: number,
): { text: string; values: unknown[] } {
  const asked = conditions.filter(([, value]) => value !== undefined)
  return {
    text: asked.map(([text], i) => ` AND ${text.replace(/\$(?!\d)/g, `$$${firstParameter + i}`)}`).join(''),
    values: asked.map(([, value]) => value),
  }
}

/** A named statement whose plan a connection reuses: for the few that run with every request. */
export interface PreparedStatement {
  readonly name: string
  readonly text: string
}

export async function prepared<R extends QueryResultRow>(
  db: Queryable,
  { name, text }: PreparedStatement,
  values: unknown[],
): Promise<R[]> {
  return (await db.query<R>({ name: `${name}-${generationOf(name)}`, text, values })).rows
}

function newest(steps: readonly Step[]): Step[] {
  return steps.map((step) => ({ ...step, name: `${step.name}-${generationOf(step.name)}` }))
}

const uses = new Map<string, number>()
const lastGeneration = 8

/**
 * Plans are renewed after 4, 16, 64 … uses, up to a point. A plan made while a table was empty scans all rows
 * of an organization, since that is as good as anything then; it would be kept until the next analyze, and a
 * new database that takes 3,000 baskets a second was down to 1,300 within half a minute.
 */
function generationOf(name: string): number {
  const count = (uses.get(name) ?? 0) + 1
  uses.set(name, count)
  return Math.min(lastGeneration, Math.floor(Math.log2(count) / 2))
}

/** Number of rows changed; for updates that require a state and must know whether they found it. */
export async function execute(db: Queryable, text: string, values: unknown[]): Promise<number> {
  return (await db.query(text, values)).rowCount ?? 0
}

/**
 * Runs `work` in one database transaction, all or nothing. It is retried, at most twice, only after a
 * deadlock, a serialization failure or a connection lost before COMMIT was sent: once COMMIT is on its way
 * the outcome is unknown, and running again could apply the work twice.
 */
export async function inTransaction<T>(
  pool: Pool,
  org: number,
  work: (tenant: Tenant) => Promise<T>,
  { maxAttempts = 3, needsCoordinator = false, isPatient = true } = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await connect(pool, needsCoordinator ? platformOrg : org)
    const session: Session = { client, atCommit: [], isDoubtful: false, state: 'open', isPatient }
    try {
      const result = await work(tenantWithin(session, org))
      // A connection that was lost while it was idle is noticed here, while the work can still be retried.
      if (session.org === undefined) await runPipeline(client, opening(session, org))
      await end(session)
      client.release()
      return result
    } catch (error) {
      if (session.org === undefined || session.isDoubtful) client.release(session.isDoubtful)
      else await rollBack(client, error)
      const mayRetry =
        classifyError(error) === 'retry' || (isConnectionError(error) && session.state === 'open')
      if (!mayRetry || attempt === maxAttempts) throw error
      countRetries(pool, retryReasonOf(error))
    }
  }
}

/** Returns the connection to the pool in a clean state, or destroys it when it cannot be cleaned. */
async function rollBack(client: PoolClient, error: unknown): Promise<void> {
  if (isConnectionError(error)) return client.release(true)
  try {
    await client.query('ROLLBACK')
    client.release()
  } catch {
    client.release(true)
  }
}
