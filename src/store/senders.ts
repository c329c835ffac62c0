/** How an organization sends messages, which of them it sends by itself, and in which words. */
import {
  type Channel,
  type EmailSettings,
  isMessageKind,
  type MessageKind,
  type Sender,
  type SmsSettings,
} from '../domain/message.ts'
import type { TemplateText } from '../domain/message-text.ts'
import { onEveryNode } from './due-work.ts'
import { execute, many, maybeOne, type Tenant } from './tenant.ts'

interface SenderRow {
  channel: Channel
  settings: EmailSettings | SmsSettings
  sealed: Buffer | null
  per_hour: number
  failing_since: Date | null
  last_error: string | null
  created_at: Date
  updated_at: Date
}

/** With what only sending needs. */
export interface StoredSender extends Sender {
  readonly sealed?: Buffer
}

const senderColumns = 'channel, settings, sealed, per_hour, failing_since, last_error, created_at, updated_at'

const toSender = (row: SenderRow): StoredSender => ({
  channel: row.channel,
  settings: row.settings,
  sealed: row.sealed ?? undefined,
  hasSecret: row.sealed !== null,
  perHour: row.per_hour,
  failingSince: row.failing_since ?? undefined,
  lastError: row.last_error ?? undefined,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export async function listSenders(tenant: Tenant): Promise<StoredSender[]> {
  const rows = await many<SenderRow>(
    tenant.db,
    `SELECT ${senderColumns} FROM senders WHERE org_id = $1 ORDER BY channel`,
    [tenant.orgId],
  )
  return rows.map(toSender)
}

export async function findSender(tenant: Tenant, channel: Channel): Promise<StoredSender | undefined> {
  const row = await maybeOne<SenderRow>(
    tenant.db,
    `SELECT ${senderColumns} FROM senders WHERE org_id = $1 AND channel = $2`,
    [tenant.orgId, channel],
  )
  return row && toSender(row)
}

/** A change is a new beginning: what failed before does not count. */
export async function upsertSender(
  tenant: Tenant,
  { channel, settings, sealed, perHour }: Pick<StoredSender, 'channel' | 'settings' | 'sealed' | 'perHour'>,
  now: Date,
): Promise<void> {
  await tenant.db.query(
    `INSERT INTO senders (org_id, channel, settings, sealed, per_hour, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $6)
     ON CONFLICT (org_id, channel) DO UPDATE SET settings = EXCLUDED.settings, sealed = EXCLUDED.sealed,
       per_hour = EXCLUDED.per_hour, failing_since = NULL, last_error = NULL, updated_at = EXCLUDED.updated_at`,
    [tenant.orgId, channel, JSON.stringify(settings), sealed ?? null, perHour, now],
  )
}

export async function deleteSender(tenant: Tenant, channel: Channel): Promise<boolean> {
  const deleted = await execute(tenant.db, 'DELETE FROM senders WHERE org_id = $1 AND channel = $2', [
    tenant.orgId,
    channel,
  ])
  return deleted === 1
}

/** Unless it was changed meanwhile. */
export async function updateSenderHealth(
  tenant: Tenant,
  { channel, updatedAt }: Pick<Sender, 'channel' | 'updatedAt'>,
  health: { readonly failingSince?: Date; readonly lastError?: string },
): Promise<void> {
  await tenant.db.query(
    'UPDATE senders SET failing_since = $4, last_error = $5 WHERE org_id = $1 AND channel = $2 AND updated_at = $3',
    [tenant.orgId, channel, updatedAt, health.failingSince ?? null, health.lastError ?? null],
  )
}

// What is sent by itself ------------------------------------------------------------------------------------

export interface AutomaticMessage {
  readonly kind: MessageKind
  readonly channels: readonly Channel[]
  readonly days?: number
  /** Only of those about events. */
  readonly position?: number
}

export async function listAutomaticMessages(tenant: Tenant): Promise<AutomaticMessage[]> {
  const rows = await many<{
    kind: string
    channels: Channel[]
    days: number | null
    position: string | null
  }>(tenant.db, 'SELECT kind, channels, days, position FROM automatic_messages WHERE org_id = $1', [
    tenant.orgId,
  ])
  // During an upgrade, the next version may already have kinds of its own.
  return rows.flatMap(({ kind, channels, days, position }) =>
    isMessageKind(kind)
      ? [
          {
            kind,
            channels,
            days: days ?? undefined,
            position: position === null ? undefined : Number(position),
          },
        ]
      : [],
  )
}

/** A kind that was off and is about events begins with the next event. */
export async function upsertAutomaticMessage(
  tenant: Tenant,
  { kind, channels, days }: Omit<AutomaticMessage, 'position'>,
  isAboutEvents: boolean,
  now: Date,
): Promise<void> {
  await tenant.db.query(
    `INSERT INTO automatic_messages AS a (org_id, kind, channels, days, position, updated_at)
     SELECT org_id, $2, $3, $4, CASE WHEN $5 THEN last_position END, $6 FROM event_counters WHERE org_id = $1
     ON CONFLICT (org_id, kind) DO UPDATE SET channels = EXCLUDED.channels, days = EXCLUDED.days,
       position = CASE WHEN a.channels = '{}' THEN EXCLUDED.position ELSE a.position END,
       updated_at = EXCLUDED.updated_at`,
    [tenant.orgId, kind, [...channels], days ?? null, isAboutEvents, now],
  )
}

/** Whether nobody else has moved on meanwhile. */
export async function updateMessagePosition(
  tenant: Tenant,
  kind: MessageKind,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<boolean> {
  const updated = await execute(
    tenant.db,
    'UPDATE automatic_messages SET position = $4 WHERE org_id = $1 AND kind = $2 AND position = $3',
    [tenant.orgId, kind, from, to],
  )
  return updated === 1
}

/** Organizations with events that messages may be about and nobody has looked at. Runs as the platform. */
export async function listMessageReaders(platform: Tenant, limit: number): Promise<number[]> {
  const [, rows] = await platform.db.pipe([
    onEveryNode,
    {
      name: 'list-message-readers',
      text: `SELECT DISTINCT a.org_id FROM automatic_messages a JOIN event_counters c ON c.org_id = a.org_id
             WHERE a.channels <> '{}' AND a.position < c.last_position LIMIT $1::integer`,
      values: [String(limit)],
    },
  ])
  return rows!.map(([org]) => Number(org))
}

// Words -----------------------------------------------------------------------------------------------------

export interface TemplateKey {
  readonly kind: MessageKind
  readonly channel: Channel
  readonly language: string
}

export interface StoredTemplate extends TemplateKey, TemplateText {
  readonly updatedAt: Date
}

export async function listTemplates(tenant: Tenant, kind: MessageKind): Promise<StoredTemplate[]> {
  const rows = await many<{
    channel: Channel
    language: string
    subject: string | null
    body: string
    updated_at: Date
  }>(
    tenant.db,
    'SELECT channel, language, subject, body, updated_at FROM message_templates WHERE org_id = $1 AND kind = $2',
    [tenant.orgId, kind],
  )
  return rows.map(({ channel, language, subject, body, updated_at }) => ({
    kind,
    channel,
    language,
    subject: subject ?? undefined,
    body,
    updatedAt: updated_at,
  }))
}

export async function upsertTemplate(
  tenant: Tenant,
  { kind, channel, language }: TemplateKey,
  { subject, body }: TemplateText,
  now: Date,
): Promise<void> {
  await tenant.db.query(
    `INSERT INTO message_templates (org_id, kind, channel, language, subject, body, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (org_id, kind, channel, language) DO UPDATE SET subject = EXCLUDED.subject, body = EXCLUDED.body,
       updated_at = EXCLUDED.updated_at`,
    [tenant.orgId, kind, channel, language, subject ?? null, body, now],
  )
}

export async function deleteTemplate(
  tenant: Tenant,
  { kind, channel, language }: TemplateKey,
): Promise<void> {
  await tenant.db.query(
    'DELETE FROM message_templates WHERE org_id = $1 AND kind = $2 AND channel = $3 AND language = $4',
    [tenant.orgId, kind, channel, language],
  )
}
