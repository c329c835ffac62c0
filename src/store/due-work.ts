/**
 * What the background jobs have to do, and when: a row for each organization and kind of work. It is found by
 * its time across all organizations, and one process at a time takes it, for as long as its lease. A
 * transaction that makes something due earlier than the row says arms it (`armSteps`). The races are in
 * `docs/decisions/0018`.
 */
import { randomUUID } from 'node:crypto'
import type { Step } from '../database/pipeline.ts'
import type { OrganizationId } from '../domain/ids.ts'
import { texts } from './pg-arrays.ts'
import { shifted } from './shifted.ts'
import { execute, idFrom, maybeOne, type Tenant } from './tenant.ts'

export const workKinds = [
  'deliveries',
  'events',
  'expiry',
  'guesses',
  'inactivity',
  'messages',
  'names',
  'receiving',
  'reminders',
  'replies',
  'requests',
  'sending',
] as const

export type WorkKind = (typeof workKinds)[number]

/**
 * Kinds whose times are those of the organization's clock, in the order in which they are done at the same moment:
 * what expires is booked before anybody is told about it. `due_at` and `armed_for` are real times all the same, so that
 * what is due is found across all organizations; `ahead_ms` in the row is the difference, and moves with them. A test
 * organization has a row for each of these kinds from the start. The other kinds delete what is old by the real clock.
 */
export const kindsInOwnTime = ['expiry', 'inactivity', 'reminders', 'sending'] as const satisfies WorkKind[]

/** The real time at which the clock of the organization that has the row shows this one. */
const realTime = (time: string, row: string) => shifted(time, `- ${row}.ahead_ms * interval '1 ms'`)

export interface DueWork {
  readonly org: number
  readonly kind: WorkKind
  readonly dueAt: Date
}

/**
 * A statement that is meant to reach every node of a cluster says so, where the others are reported; one
 * server does not know the setting and ignores it.
 */
export const onEveryNode: Step = {
  name: 'on-every-node',
  text: "SET LOCAL citus.multi_task_query_log_level = 'off'",
  values: [],
}

const milliseconds = (column: string) => `(date_part('epoch', ${column}) * 1000)::bigint`

/** What is due and taken by nobody, the oldest first. Runs as the platform. */
export async function listDueWork(
  platform: Tenant,
  now: Date,
  limit: number,
  kinds: readonly WorkKind[] = workKinds,
): Promise<DueWork[]> {
  const [, rows] = await platform.db.pipe([
    onEveryNode,
    {
      name: 'list-due-work',
      text: `SELECT org_id, kind, ${milliseconds('due_at')} FROM due_work
             WHERE due_at <= $1::timestamptz AND (leased_until IS NULL OR leased_until <= now())
               AND kind = ANY($3::text[])
             ORDER BY due_at LIMIT $2::integer`,
      // During an upgrade, the next version may already have kinds of its own.
      values: [now.toISOString(), String(limit), texts(kinds)],
    },
  ])
  return rows!.map(([org, kind, dueAt]) => ({
    org: Number(org),
    kind: kind as WorkKind,
    dueAt: new Date(Number(dueAt)),
  }))
}

export interface DueCount {
  readonly kind: WorkKind
  readonly count: number
  readonly oldest: Date
}

/** How much is due, including what is being done. Runs as the platform. */
export async function countDueWork(platform: Tenant, now: Date): Promise<DueCount[]> {
  const [, rows] = await platform.db.pipe([
    onEveryNode,
    {
      name: 'count-due-work',
      text: `SELECT kind, count(*), ${milliseconds('min(due_at)')} FROM due_work
             WHERE due_at <= $1::timestamptz GROUP BY kind`,
      values: [now.toISOString()],
    },
  ])
  return rows!.map(([kind, count, oldest]) => ({
    kind: kind as WorkKind,
    count: Number(count),
    oldest: new Date(Number(oldest)),
  }))
}

export interface WorkOfKind {
  readonly kind: WorkKind
  /** Due and taken by nobody. */
  readonly due: number
  readonly running: number
  /** Whose last run failed. */
  readonly failing: number
  /** Since when the oldest of those that are due has been so. */
  readonly oldest?: Date
  /** When something is due that is not yet. */
  readonly next?: Date
}

const isLeased = 'leased_until > now()'

/** All work, by kind. Runs as the platform. */
export async function listWork(platform: Tenant, now: Date): Promise<WorkOfKind[]> {
  const isDue = `due_at <= $1::timestamptz AND (${isLeased}) IS NOT TRUE`
  const [, rows] = await platform.db.pipe([
    onEveryNode,
    {
      name: 'list-work',
      text: `SELECT kind, count(*) FILTER (WHERE ${isDue}), count(*) FILTER (WHERE ${isLeased}),
               count(*) FILTER (WHERE last_error IS NOT NULL), ${milliseconds(`min(due_at) FILTER (WHERE ${isDue})`)},
               ${milliseconds('min(due_at) FILTER (WHERE due_at > $1::timestamptz)')}
             FROM due_work GROUP BY kind ORDER BY kind`,
      values: [now.toISOString()],
    },
  ])
  return rows!.map(([kind, due, running, failing, oldest, next]) => ({
    kind: kind as WorkKind,
    due: Number(due),
    running: Number(running),
    failing: Number(failing),
    oldest: oldest ? new Date(Number(oldest)) : undefined,
    next: next ? new Date(Number(next)) : undefined,
  }))
}

export interface TroubledWork {
  /** Undefined for the platform's own work. */
  readonly organization?: OrganizationId
  readonly kind: WorkKind
  readonly attempts: number
  readonly lastError: string
  readonly dueAt?: Date
}

/** Work whose last run failed, the most attempts first. Runs as the platform. */
export async function listTroubledWork(platform: Tenant, limit: number): Promise<TroubledWork[]> {
  const [, rows] = await platform.db.pipe([
    onEveryNode,
    {
      name: 'list-troubled-work',
      text: `SELECT o.id, w.kind, w.attempts, w.last_error, ${milliseconds('w.due_at')}
             FROM due_work w LEFT JOIN organizations o ON o.org_id = w.org_id
             WHERE w.last_error IS NOT NULL ORDER BY w.attempts DESC, w.org_id LIMIT $1::integer`,
      values: [String(limit)],
    },
  ])
  return rows!.map(([organization, kind, attempts, lastError, dueAt]) => ({
    organization: organization ? idFrom('org', organization) : undefined,
    kind: kind as WorkKind,
    attempts: Number(attempts),
    lastError: lastError!,
    dueAt: dueAt ? new Date(Number(dueAt)) : undefined,
  }))
}

/** Makes it due at once, if there is such work and nobody is doing it. */
export async function updateWorkDue(tenant: Tenant, kind: WorkKind, now: Date): Promise<void> {
  await tenant.db.query(
    `UPDATE due_work SET due_at = least(due_at, $3) WHERE org_id = $1 AND kind = $2 AND (${isLeased}) IS NOT TRUE`,
    [tenant.orgId, kind, now],
  )
}

/** Work that was taken. */
export interface LeasedWork {
  readonly kind: WorkKind
  readonly lease: string
  /** Which attempt this is since the last that succeeded; one that ended with its process counts. */
  readonly attempt: number
  readonly progress: unknown
  /** How far the organization's clock is ahead of the real one. */
  readonly aheadMs: number
}

/**
 * Takes the work if it is still due and nobody else has it; undefined otherwise. The database's clock decides
 * when a lease ends: processes that share it agree. What was armed for a time that has passed is forgotten,
 * since this run sees what it was armed for.
 */
export async function lockDueWork(
  tenant: Tenant,
  kind: WorkKind,
  now: Date,
  leaseSeconds: number,
): Promise<LeasedWork | undefined> {
  const lease = randomUUID()
  const row = await maybeOne<{ attempts: number; progress: unknown; ahead_ms: number }>(
    tenant.db,
    `UPDATE due_work SET lease = $3, leased_until = now() + make_interval(secs => $5), attempts = attempts + 1,
       armed_for = CASE WHEN armed_for > $4 THEN armed_for END
     WHERE org_id = $1 AND kind = $2 AND due_at <= $4 AND (leased_until IS NULL OR leased_until <= now())
     RETURNING attempts, progress, ahead_ms`,
    [tenant.orgId, kind, lease, now, leaseSeconds],
  )
  if (!row) return undefined
  const { attempts, progress, ahead_ms } = row
  return { kind, lease, attempt: attempts, progress: progress ?? undefined, aheadMs: ahead_ms }
}

export interface WorkDone {
  /** When there is something to do next, by the organization's clock; undefined for nothing known. */
  readonly next?: Date
  /** Where the next run resumes. */
  readonly progress?: unknown
}

/**
 * Ends the lease after a run that succeeded. False if it was lost: then nothing has changed. Work that was
 * armed meanwhile, for a time that has come, begins again instead of resuming.
 */
export async function updateDoneWork(
  tenant: Tenant,
  { kind, lease }: LeasedWork,
  { next, progress }: WorkDone,
  now: Date,
): Promise<boolean> {
  const updated = await execute(
    tenant.db,
    `UPDATE due_work SET due_at = least(armed_for, ${realTime('$4::timestamptz', 'due_work')}),
       attempts = 0, last_error = NULL,
       progress = CASE WHEN armed_for <= $6::timestamptz THEN NULL ELSE $5::json END,
       lease = NULL, leased_until = NULL
     WHERE org_id = $1 AND kind = $2 AND lease = $3`,
    [tenant.orgId, kind, lease, next ?? null, progress === undefined ? null : JSON.stringify(progress), now],
  )
  return updated === 1
}

/** Ends the lease after a run that failed, to be tried again. False if it was lost. */
export async function updateFailedWork(
  tenant: Tenant,
  { kind, lease }: LeasedWork,
  { retryAt, error }: { readonly retryAt: Date; readonly error: string },
): Promise<boolean> {
  const updated = await execute(
    tenant.db,
    `UPDATE due_work SET due_at = $4, last_error = $5, lease = NULL, leased_until = NULL
     WHERE org_id = $1 AND kind = $2 AND lease = $3`,
    [tenant.orgId, kind, lease, retryAt, error],
  )
  return updated === 1
}

// Arming ----------------------------------------------------------------------------------------------------

/** When work is due by the organization's clock, as far as a row says. */
export type KnownDue = Partial<Record<WorkKind, Date>>

/** Something that becomes due, by the organization's clock. */
export interface Arming {
  readonly kind: WorkKind
  readonly at: Date
}

/**
 * How long before a due time nobody relies on it: a run that begins at that time, by a clock that is ahead,
 * does not see a transaction that has begun before and is not committed yet.
 */
const marginMs = 60_000

/** Whether a run at this time, or before it, is certain to see what is committed now. */
function isAhead(due: Date | undefined, now: Date): due is Date {
  return due !== undefined && due.getTime() > now.getTime() + marginMs
}

/**
 * The statements that make work due by then, for those that need one. They lock its row: they come after
 * everything but the events, by kind.
 */
export function armSteps(
  { orgId }: Pick<Tenant, 'orgId'>,
  armings: readonly Arming[],
  { known = {}, now }: { readonly known?: KnownDue; readonly now: Date },
): Step[] {
  return armings
    .filter(({ kind, at }) => !(isAhead(known[kind], now) && known[kind] <= at))
    .sort((a, b) => (a.kind < b.kind ? -1 : 1))
    .map(({ kind, at }) => armStep(orgId, kind, at, now))
}

/** Changes nothing, and locks nothing, if a run is already due in time. */
function armStep(org: number, kind: WorkKind, at: Date, now: Date): Step {
  return {
    name: 'arm-work',
    text: `INSERT INTO due_work (org_id, kind, due_at, armed_for)
SELECT o.org_id, $2::text, $3::timestamptz, $3::timestamptz FROM setup_versions o
WHERE o.org_id = $1::integer AND NOT EXISTS (
  SELECT 1 FROM due_work k WHERE k.org_id = $1::integer AND k.kind = $2::text
    AND (k.due_at > ${realTime('$4::timestamptz', 'k')} AND k.due_at <= ${realTime('$3::timestamptz', 'k')}
      OR k.armed_for > ${realTime('$4::timestamptz', 'k')} AND k.armed_for <= ${realTime('$3::timestamptz', 'k')}))
ON CONFLICT (org_id, kind) DO UPDATE SET due_at = least(due_work.due_at, ${realTime('EXCLUDED.due_at', 'due_work')}),
  armed_for = least(due_work.armed_for, ${realTime('EXCLUDED.armed_for', 'due_work')}),
  progress = CASE WHEN EXCLUDED.due_at > $4::timestamptz THEN due_work.progress END`,
    values: [String(org), kind, at.toISOString(), new Date(now.getTime() + marginMs).toISOString()],
  }
}

/** Arms work when the transaction commits. */
export async function upsertDueWork(tenant: Tenant, armings: readonly Arming[], now: Date): Promise<void> {
  await tenant.db.pipeAtCommit(armSteps(tenant, armings, { now }))
}
