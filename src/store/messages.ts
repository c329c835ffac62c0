/** Messages: those that are to be sent, and the log of those that were. */
import type { CardId, CustomerId, MessageId, PersonId } from '../domain/ids.ts'
import {
  type Channel,
  type Message,
  type MessageAttempt,
  type MessageData,
  type MessageKind,
  messageStatus,
} from '../domain/message.ts'
import { firstIdAt, newId } from './new-id.ts'
import { byteas, jsons, numbers, texts, times, uuids } from './pg-arrays.ts'
import { execute, idFrom, many, maybeOne, type Tenant, uuidOf, whereAll } from './tenant.ts'
import { countChanges } from './wallets/change.ts'

export interface NewMessage {
  readonly id: MessageId
  readonly kind: MessageKind
  readonly channel: Channel
  readonly customer?: CustomerId
  readonly card?: CardId
  readonly person?: PersonId
  readonly data?: MessageData
  readonly sealed?: Buffer
  /** There is one message for a reason. */
  readonly reason?: string
}

/** Due at once. Those whose reason already has a message are left out. */
export async function insertMessages(
  tenant: Tenant,
  messages: readonly NewMessage[],
  now: Date,
): Promise<void> {
  if (messages.length === 0) return
  await tenant.db.pipe([
    {
      name: 'insert-messages',
      text: `INSERT INTO messages (org_id, id, kind, channel, customer_id, card_id, person_id, data, sealed, reason, status,
  next_attempt_at, created_at)
SELECT o.org_id, r.id, r.kind, r.channel, r.customer_id, r.card_id, r.person_id, r.data, r.sealed, r.reason,
  ${messageStatus.pending}, $2::timestamptz, $2::timestamptz
FROM setup_versions o, unnest($3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::uuid[], $8::uuid[], $9::json[],
  $10::bytea[], $11::text[]) AS r (id, kind, channel, customer_id, card_id, person_id, data, sealed, reason)
WHERE o.org_id = $1::integer
ON CONFLICT (org_id, reason) WHERE reason IS NOT NULL DO NOTHING`,
      values: [
        String(tenant.orgId),
        now.toISOString(),
        uuids(messages.map(({ id }) => id)),
        texts(messages.map(({ kind }) => kind)),
        texts(messages.map(({ channel }) => channel)),
        uuids(messages.map(({ customer }) => customer)),
        uuids(messages.map(({ card }) => card)),
        uuids(messages.map(({ person }) => person)),
        jsons(messages.map(({ data }) => data ?? {})),
        byteas(messages.map(({ sealed }) => sealed)),
        texts(messages.map(({ reason }) => reason)),
      ],
    },
  ])
}

interface MessageRow {
  id: string
  kind: MessageKind
  channel: Channel
  customer_id: string | null
  card_id: string | null
  person_id: string | null
  data: MessageData
  status: number
  attempts: (Omit<MessageAttempt, 'at'> & { at: string })[]
  next_attempt_at: Date | null
  sent_at: Date | null
  clicked_at: Date | null
  created_at: Date
}

const columns = `id, kind, channel, customer_id, card_id, person_id, data, status, attempts, next_attempt_at, sent_at,
  clicked_at, created_at`

const toMessage = (row: MessageRow): Message => ({
  id: idFrom('msg', row.id),
  kind: row.kind,
  channel: row.channel,
  customer: row.customer_id ? idFrom('cus', row.customer_id) : undefined,
  card: row.card_id ? idFrom('card', row.card_id) : undefined,
  person: row.person_id ? idFrom('psn', row.person_id) : undefined,
  data: row.data,
  status: row.status,
  attempts: row.attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at) })),
  nextAttemptAt: row.next_attempt_at ?? undefined,
  sentAt: row.sent_at ?? undefined,
  clickedAt: row.clicked_at ?? undefined,
  createdAt: row.created_at,
})

// Sending ---------------------------------------------------------------------------------------------------

export interface TakenMessage extends Message {
  readonly sealed?: Buffer
}

/** Takes the message that is due first. Nobody else can: from here on it is being sent. */
export async function takeDueMessage(
  tenant: Tenant,
  channel: Channel,
  now: Date,
): Promise<TakenMessage | undefined> {
  const row = await maybeOne<MessageRow & { sealed: Buffer | null }>(
    tenant.db,
    `UPDATE messages SET status = ${messageStatus.sending}, started_at = $3, next_attempt_at = NULL
     WHERE org_id = $1 AND id = ANY(ARRAY(
       SELECT id FROM messages WHERE org_id = $1 AND channel = $2 AND status = ${messageStatus.pending}
         AND next_attempt_at <= $3
       ORDER BY next_attempt_at, id LIMIT 1 FOR UPDATE SKIP LOCKED))
     RETURNING ${columns}, sealed`,
    [tenant.orgId, channel, now],
  )
  return row && { ...toMessage(row), sealed: row.sealed ?? undefined }
}

export interface MessageOutcome {
  readonly message: MessageId
  readonly status: number
  readonly retryAt?: Date
  readonly attempt: MessageAttempt
}

/** Ends attempts. What a code or a link was for is over once nothing is tried any more. */
export async function updateSentMessages(
  tenant: Tenant,
  outcomes: readonly MessageOutcome[],
  now: Date,
): Promise<void> {
  await tenant.db.pipe([
    {
      name: 'update-messages',
      text: countChanges(`UPDATE messages m SET status = r.status, next_attempt_at = r.retry_at,
  attempts = m.attempts || r.attempt::jsonb,
  sent_at = CASE WHEN r.status = ${messageStatus.sent} THEN $2::timestamptz END,
  sealed = CASE WHEN r.status = ${messageStatus.pending} THEN m.sealed END
FROM unnest($3::uuid[], $4::smallint[], $5::timestamptz[], $6::json[]) AS r (id, status, retry_at, attempt)
WHERE m.org_id = $1::integer AND m.id = r.id AND m.status = ${messageStatus.sending}`),
      values: [
        String(tenant.orgId),
        now.toISOString(),
        uuids(outcomes.map(({ message }) => message)),
        numbers(outcomes.map(({ status }) => status)),
        times(outcomes.map(({ retryAt }) => retryAt)),
        jsons(outcomes.map(({ attempt }) => attempt)),
      ],
    },
  ])
}

/** Attempts that nobody has ended for so long that their process must be gone. */
export async function listLostMessages(tenant: Tenant, before: Date): Promise<Message[]> {
  const rows = await many<MessageRow>(
    tenant.db,
    `SELECT ${columns} FROM messages WHERE org_id = $1 AND status = ${messageStatus.sending} AND started_at < $2
     ORDER BY started_at LIMIT 1000`,
    [tenant.orgId, before],
  )
  return rows.map(toMessage)
}

/** How many attempts began since then, and when the first of them did. */
export async function findAttemptsSince(
  tenant: Tenant,
  channel: Channel,
  since: Date,
): Promise<{ count: number; first?: Date }> {
  const row = await maybeOne<{ count: number; first: Date | null }>(
    tenant.db,
    'SELECT count(*)::int AS count, min(started_at) AS first FROM messages WHERE org_id = $1 AND channel = $2 AND started_at > $3',
    [tenant.orgId, channel, since],
  )
  return { count: row!.count, first: row!.first ?? undefined }
}

/** When there is something to do next: a message is due, or an attempt has to be given up. */
export async function findNextSending(
  tenant: Tenant,
  givenUpAfterMs: number,
): Promise<{ due?: Date; lost?: Date }> {
  const row = await maybeOne<{ due: Date | null; started: Date | null }>(
    tenant.db,
    `SELECT (SELECT min(next_attempt_at) FROM messages WHERE org_id = $1 AND status = ${messageStatus.pending}) AS due,
       (SELECT min(started_at) FROM messages WHERE org_id = $1 AND status = ${messageStatus.sending}) AS started`,
    [tenant.orgId],
  )
  const { due, started } = row!
  return { due: due ?? undefined, lost: started ? new Date(started.getTime() + givenUpAfterMs) : undefined }
}

/** For a channel whose sender was deleted. */
export async function failPendingMessages(
  tenant: Tenant,
  channel: Channel,
  attempt: MessageAttempt,
): Promise<void> {
  await tenant.db.query(
    `UPDATE messages SET status = ${messageStatus.failed}, next_attempt_at = NULL, sealed = NULL,
       attempts = attempts || $3::jsonb
     WHERE org_id = $1 AND channel = $2 AND status = ${messageStatus.pending}`,
    [tenant.orgId, channel, JSON.stringify(attempt)],
  )
}

// The log ---------------------------------------------------------------------------------------------------

export interface MessageFilter {
  readonly customer?: CustomerId
  readonly kind?: string
  readonly status?: number
}

/** Newest first. */
export async function listMessages(
  tenant: Tenant,
  { customer, kind, status }: MessageFilter,
  page: { limit: number; after?: MessageId },
): Promise<Message[]> {
  const where = whereAll(
    [
      ['customer_id = $', customer && uuidOf(customer)],
      ['kind = $', kind],
      ['status = $', status],
      ['id < $', page.after && uuidOf(page.after)],
    ],
    3,
  )
  const rows = await many<MessageRow>(
    tenant.db,
    `SELECT ${columns} FROM messages WHERE org_id = $1${where.text} ORDER BY id DESC LIMIT $2`,
    [tenant.orgId, page.limit, ...where.values],
  )
  return rows.map(toMessage)
}

export async function findMessage(tenant: Tenant, id: MessageId): Promise<Message | undefined> {
  const row = await maybeOne<MessageRow>(
    tenant.db,
    `SELECT ${columns} FROM messages WHERE org_id = $1 AND id = $2`,
    [tenant.orgId, uuidOf(id)],
  )
  return row && toMessage(row)
}

/** Whether it was one that nobody is sending, and that has not been sent. */
export async function updateToRetry(tenant: Tenant, id: MessageId, now: Date): Promise<boolean> {
  const updated = await execute(
    tenant.db,
    `UPDATE messages SET status = ${messageStatus.pending}, next_attempt_at = $3
     WHERE org_id = $1 AND id = $2 AND status IN (${messageStatus.failed}, ${messageStatus.unknown}, ${messageStatus.pending})`,
    [tenant.orgId, uuidOf(id), now],
  )
  return updated === 1
}

/** Whatever was known of it: what came back was sent, and is not sent again. Whether that is new. */
export async function updateToBounced(
  tenant: Tenant,
  id: MessageId,
  attempt: MessageAttempt,
): Promise<boolean> {
  const updated = await execute(
    tenant.db,
    `UPDATE messages SET status = ${messageStatus.bounced}, attempts = attempts || $3::jsonb, next_attempt_at = NULL,
       sealed = NULL
     WHERE org_id = $1 AND id = $2 AND status <> ${messageStatus.bounced}`,
    [tenant.orgId, uuidOf(id), JSON.stringify(attempt)],
  )
  return updated === 1
}

export async function hasMessageSince(
  tenant: Tenant,
  person: PersonId,
  kind: MessageKind,
  since: Date,
): Promise<boolean> {
  const row = await maybeOne(
    tenant.db,
    'SELECT 1 FROM messages WHERE org_id = $1 AND id >= $2 AND person_id = $3 AND kind = $4 LIMIT 1',
    [tenant.orgId, firstIdAt(since), uuidOf(person), kind],
  )
  return row !== undefined
}

/** How many of a kind were ordered for a customer since then, and when the last of them was. */
export async function findMessagesSince(
  tenant: Tenant,
  { customer, kind, channel }: { customer: CustomerId; kind: MessageKind; channel: Channel },
  since: Date,
): Promise<{ count: number; last?: Date }> {
  const row = await maybeOne<{ count: number; last: Date | null }>(
    tenant.db,
    `SELECT count(*)::int AS count, max(created_at) AS last FROM messages
     WHERE org_id = $1 AND customer_id = $2 AND id >= $3 AND kind = $4 AND channel = $5 AND created_at > $6`,
    [tenant.orgId, uuidOf(customer), firstIdAt(since), kind, channel, since],
  )
  return { count: row!.count, last: row!.last ?? undefined }
}

/** The first time only. */
export async function updateClicked(tenant: Tenant, id: MessageId, now: Date): Promise<void> {
  await tenant.db.query(
    'UPDATE messages SET clicked_at = $3 WHERE org_id = $1 AND id = $2 AND clicked_at IS NULL',
    [tenant.orgId, uuidOf(id), now],
  )
}

export interface MessageCounts {
  readonly pending: number
  readonly sent: number
  readonly failed: number
  readonly clicked: number
}

/** By kind, of the messages since then. */
export async function countMessages(tenant: Tenant, since: Date): Promise<Map<string, MessageCounts>> {
  const rows = await many<{ kind: string } & MessageCounts>(
    tenant.db,
    `SELECT kind, count(*) FILTER (WHERE status IN (${messageStatus.pending}, ${messageStatus.sending}))::int AS pending,
       count(*) FILTER (WHERE status = ${messageStatus.sent})::int AS sent,
       count(*) FILTER (WHERE status IN (${messageStatus.failed}, ${messageStatus.unknown}, ${messageStatus.bounced}))::int AS failed,
       count(clicked_at)::int AS clicked
     FROM messages WHERE org_id = $1 AND id >= $2 GROUP BY kind`,
    [tenant.orgId, firstIdAt(since)],
  )
  return new Map(rows.map(({ kind, ...counts }) => [kind, counts]))
}

export const messagesAtOnce = 1_000

/** Returns how many. What is still to be sent stays. */
export async function deleteOldMessages(tenant: Tenant, before: Date): Promise<number> {
  return execute(
    tenant.db,
    `DELETE FROM messages WHERE org_id = $1 AND id = ANY(ARRAY(
       SELECT id FROM messages WHERE org_id = $1 AND id < $2 AND created_at < $3
         AND status NOT IN (${messageStatus.pending}, ${messageStatus.sending})
       ORDER BY id LIMIT ${messagesAtOnce}))`,
    [tenant.orgId, firstIdAt(before), before],
  )
}

export const newMessageId = (now: Date): MessageId => newId('msg', now)
