/** What other systems have sent: what is still to be recorded, and the log of the rest. */

import { customerStatus } from '../domain/customer.ts'
import type { CustomerId, ReceivedId, ReturnId, SourceId, TransactionId } from '../domain/ids.ts'
import { type Received, type ReceivedProblem, receivedStatus, sourceStatus } from '../domain/source.ts'
import { armSteps } from './due-work.ts'
import { firstIdAt } from './new-id.ts'
import { execute, idFrom, many, maybeOne, type Tenant, uuidOf } from './tenant.ts'

interface ReceivedRow {
  id: string
  source_id: string
  event_id: string | null
  topic: string | null
  status: number
  attempts: number
  next_attempt_at: Date | null
  customer_id: string | null
  transaction_id: string | null
  return_id: string | null
  problem_code: string | null
  problem_text: string | null
  received_at: Date
}

const columns = `id, source_id, event_id, topic, status, attempts, next_attempt_at, customer_id, transaction_id, return_id,
  problem_code, problem_text, received_at`

const toReceived = (row: ReceivedRow): Received => ({
  id: idFrom('rcv', row.id),
  source: idFrom('src', row.source_id),
  eventId: row.event_id ?? undefined,
  topic: row.topic ?? undefined,
  status: row.status,
  attempts: row.attempts,
  nextAttemptAt: row.next_attempt_at ?? undefined,
  customer: row.customer_id === null ? undefined : idFrom('cus', row.customer_id),
  transaction: row.transaction_id === null ? undefined : idFrom('txn', row.transaction_id),
  return: row.return_id === null ? undefined : idFrom('ret', row.return_id),
  problem: row.problem_code === null ? undefined : { code: row.problem_code, text: row.problem_text ?? '' },
  receivedAt: row.received_at,
})

export interface NewReceived {
  readonly id: ReceivedId
  readonly source: SourceId
  readonly eventId?: string
  readonly topic?: string
  readonly payload: unknown
  readonly receivedAt: Date
}

/** Messages of an organization that may wait to be recorded. */
const maxPending = 10_000

/**
 * In one round trip, with what leads the background work to it. False if too many are waiting. A message that is there
 * already changes nothing, unless its buyer was not known: nothing of that is left to try again.
 */
export async function insertReceived(tenant: Tenant, received: NewReceived): Promise<boolean> {
  const { id, source, eventId, topic, payload, receivedAt } = received
  const key = [String(tenant.orgId), uuidOf(source)]
  const [pending] = await tenant.db.pipe([
    {
      name: 'count-pending-received',
      text: `SELECT count(*) FROM (SELECT 1 FROM received_messages
               WHERE org_id = $1::integer AND status = ${receivedStatus.pending} LIMIT ${maxPending}) waiting`,
      values: [String(tenant.orgId)],
    },
  ])
  if (Number(pending![0]![0]) >= maxPending) return false
  await tenant.db.pipe([
    {
      name: 'insert-received',
      text: `INSERT INTO received_messages AS m (org_id, id, source_id, event_id, topic, status, next_attempt_at, payload,
               received_at)
             VALUES ($1::integer, $3::uuid, $2::uuid, $4::text, $5::text, ${receivedStatus.pending}, $7::timestamptz, $6::json,
               $7::timestamptz)
             ON CONFLICT (org_id, source_id, event_id) WHERE event_id IS NOT NULL DO UPDATE
             SET status = EXCLUDED.status, next_attempt_at = EXCLUDED.next_attempt_at, payload = EXCLUDED.payload,
               attempts = 0, made = NULL, problem_code = NULL, problem_text = NULL
             WHERE m.problem_code IN ('no_customer', 'not_a_customer')`,
      values: [
        ...key,
        uuidOf(id),
        eventId ?? null,
        topic ?? null,
        JSON.stringify(payload),
        receivedAt.toISOString(),
      ],
    },
    {
      name: 'note-received',
      text: `UPDATE sources SET last_received_at = $3::timestamptz WHERE org_id = $1::integer AND id = $2::uuid
               AND (last_received_at IS NULL OR last_received_at < $3::timestamptz - interval '1 minute')`,
      values: [...key, receivedAt.toISOString()],
    },
    ...armSteps(tenant, [{ kind: 'receiving', at: receivedAt }], { now: receivedAt }),
  ])
  return true
}

export interface ReceivedFilter {
  readonly source: SourceId
  readonly status?: number
}

/** Newest first. */
export async function listReceived(
  tenant: Tenant,
  { source, status }: ReceivedFilter,
  page: { readonly limit: number; readonly after?: ReceivedId },
): Promise<Received[]> {
  const rows = await many<ReceivedRow>(
    tenant.db,
    `SELECT ${columns} FROM received_messages
     WHERE org_id = $1 AND source_id = $2 AND ($3::smallint IS NULL OR status = $3) AND ($4::uuid IS NULL OR id < $4)
     ORDER BY id DESC LIMIT $5`,
    [tenant.orgId, uuidOf(source), status ?? null, page.after ? uuidOf(page.after) : null, page.limit],
  )
  return rows.map(toReceived)
}

/** With what came in and what was made of it. */
export interface ReceivedWithContent extends Received {
  readonly payload?: unknown
  readonly made?: unknown
}

const withContent = `${columns}, payload, made`
type ContentRow = ReceivedRow & { payload: unknown; made: unknown }

const toReceivedWithContent = (row: ContentRow): ReceivedWithContent => ({
  ...toReceived(row),
  payload: row.payload ?? undefined,
  made: row.made ?? undefined,
})

export async function findReceived(tenant: Tenant, id: ReceivedId): Promise<ReceivedWithContent | undefined> {
  const row = await maybeOne<ContentRow>(
    tenant.db,
    `SELECT ${withContent} FROM received_messages WHERE org_id = $1 AND id = $2`,
    [tenant.orgId, uuidOf(id)],
  )
  return row && toReceivedWithContent(row)
}

/** Those that a customer is known of, newest first. */
export async function listReceivedOf(
  tenant: Tenant,
  customer: CustomerId,
  page: { readonly limit: number; readonly after?: ReceivedId },
): Promise<ReceivedWithContent[]> {
  const rows = await many<ContentRow>(
    tenant.db,
    `SELECT ${withContent} FROM received_messages
     WHERE org_id = $1 AND customer_id = $2 AND ($3::uuid IS NULL OR id < $3)
     ORDER BY id DESC LIMIT $4`,
    [tenant.orgId, uuidOf(customer), page.after ? uuidOf(page.after) : null, page.limit],
  )
  return rows.map(toReceivedWithContent)
}

/** What a paused source sends waits until it is resumed. */
const ofActiveSources = `received_messages m
  JOIN sources s ON s.org_id = m.org_id AND s.id = m.source_id AND s.status = ${sourceStatus.active}
  WHERE m.org_id = $1 AND m.status = ${receivedStatus.pending}`

/**
 * Takes the next message that is due and counts the attempt, so that one that ends the process is not tried forever.
 * `retryAt` is when it is due again should nothing be noted.
 */
export async function takeDueReceived(
  tenant: Tenant,
  now: Date,
  retryAt: Date,
): Promise<ReceivedWithContent | undefined> {
  const due = await maybeOne<{ id: string }>(
    tenant.db,
    `SELECT m.id FROM ${ofActiveSources} AND m.next_attempt_at <= $2 ORDER BY m.next_attempt_at, m.id LIMIT 1`,
    [tenant.orgId, now],
  )
  if (!due) return undefined
  const row = await maybeOne<ContentRow>(
    tenant.db,
    `UPDATE received_messages SET attempts = attempts + 1, next_attempt_at = $3
     WHERE org_id = $1 AND id = $2 AND status = ${receivedStatus.pending} RETURNING ${withContent}`,
    [tenant.orgId, due.id, retryAt],
  )
  return row && toReceivedWithContent(row)
}

export interface ReceivedOutcome {
  readonly status: number
  readonly nextAttemptAt?: Date
  /** Undefined keeps what is there, `null` removes it. */
  readonly payload?: unknown
  readonly made?: unknown
  readonly customer?: CustomerId
  readonly transaction?: TransactionId
  readonly return?: ReturnId
  readonly problem?: ReceivedProblem
}

/** PostgreSQL stores every character but this one, and halves of others. */
const storable = (text: string) => text.replaceAll('\0', '\ufffd').toWellFormed().slice(0, 1_000)

/** Nothing is kept of a customer who was erased meanwhile. */
export async function updateReceived(
  tenant: Tenant,
  id: ReceivedId,
  { status, nextAttemptAt, payload, made, customer, transaction, return: returned, problem }: ReceivedOutcome,
): Promise<void> {
  const isErased = `EXISTS (SELECT 1 FROM customers WHERE org_id = $1 AND id = $7 AND status = ${customerStatus.erased})`
  await tenant.db.query(
    `UPDATE received_messages SET status = $3, next_attempt_at = $4,
       payload = CASE WHEN ${isErased} OR json_typeof($5::json) = 'null' THEN NULL ELSE coalesce($5::json, payload) END,
       made = CASE WHEN ${isErased} THEN NULL ELSE $6::json END, customer_id = $7, transaction_id = $8, return_id = $9,
       problem_code = $10, problem_text = $11
     WHERE org_id = $1 AND id = $2`,
    [
      ...[tenant.orgId, uuidOf(id), status, nextAttemptAt ?? null],
      ...[payload === undefined ? null : JSON.stringify(payload)],
      ...[made === undefined ? null : JSON.stringify(made)],
      ...[customer ? uuidOf(customer) : null, transaction ? uuidOf(transaction) : null],
      ...[returned ? uuidOf(returned) : null, problem?.code ?? null, problem ? storable(problem.text) : null],
    ],
  )
}

/** Returns that came before this sale of the same source are due now. */
export async function wakeReturnsOf(
  tenant: Tenant,
  source: SourceId,
  sale: string,
  now: Date,
): Promise<void> {
  await tenant.db.query(
    `UPDATE received_messages SET status = ${receivedStatus.pending}, attempts = 0, next_attempt_at = $4
     WHERE org_id = $1 AND source_id = $2 AND problem_code = 'sale_unknown' AND made ->> 'sale' = $3
       AND payload IS NOT NULL`,
    [tenant.orgId, uuidOf(source), sale, now],
  )
}

/** Makes it due again, from the beginning. */
export async function retryReceived(tenant: Tenant, id: ReceivedId, now: Date): Promise<void> {
  await tenant.db.pipe([
    {
      name: 'retry-received',
      text: `UPDATE received_messages SET status = ${receivedStatus.pending}, attempts = 0, next_attempt_at = $3::timestamptz,
               problem_code = NULL, problem_text = NULL WHERE org_id = $1::integer AND id = $2::uuid`,
      values: [String(tenant.orgId), uuidOf(id), now.toISOString()],
    },
    ...armSteps(tenant, [{ kind: 'receiving', at: now }], { now }),
  ])
}

/** What a deleted source has sent is not recorded any more. */
export async function deletePendingReceived(tenant: Tenant, source: SourceId): Promise<void> {
  await tenant.db.query(
    `DELETE FROM received_messages WHERE org_id = $1 AND source_id = $2 AND status = ${receivedStatus.pending}`,
    [tenant.orgId, uuidOf(source)],
  )
}

/** When the next one is due. */
export async function findNextReceived(tenant: Tenant): Promise<Date | undefined> {
  const row = await maybeOne<{ next: Date | null }>(
    tenant.db,
    `SELECT min(m.next_attempt_at) AS next FROM ${ofActiveSources}`,
    [tenant.orgId],
  )
  return row?.next ?? undefined
}

export const receivedAtOnce = 1_000

/** At most `receivedAtOnce` of those that came before; returns how many. */
export async function deleteOldReceived(tenant: Tenant, before: Date): Promise<number> {
  return execute(
    tenant.db,
    `DELETE FROM received_messages WHERE org_id = $1 AND id IN (
       SELECT id FROM received_messages WHERE org_id = $1 AND id < $2 ORDER BY id LIMIT ${receivedAtOnce})`,
    [tenant.orgId, firstIdAt(before)],
  )
}

export async function hasReceived(tenant: Tenant): Promise<boolean> {
  return (
    (await maybeOne(tenant.db, 'SELECT 1 FROM received_messages WHERE org_id = $1 LIMIT 1', [
      tenant.orgId,
    ])) !== undefined
  )
}
