/** Passes that are in the wallets of phones, the phones that have them, and which have to be told of a change. */
import type { CardId, CustomerId } from '../domain/ids.ts'
import type { WalletKind } from '../domain/wallet-pass.ts'
import { shifted } from './shifted.ts'
import { execute, idFrom, many, maybeOne, type Tenant, uuidOf } from './tenant.ts'

export interface PassOf {
  readonly card: CardId
  readonly customer: CustomerId
  readonly wallet: WalletKind
}

/** Begins to follow the events, and the pass if it is not followed yet. It is told at once of what it may have missed. */
export async function insertPass(
  tenant: Tenant,
  { card, customer, wallet }: PassOf,
  now: Date,
): Promise<void> {
  await tenant.db.query(
    `INSERT INTO pass_feeds (org_id, position, retry_at)
     SELECT org_id, last_position, $2::timestamptz FROM event_counters WHERE org_id = $1
     ON CONFLICT (org_id) DO UPDATE SET retry_at = least(pass_feeds.retry_at, EXCLUDED.retry_at)`,
    [tenant.orgId, now],
  )
  await tenant.db.query(
    `INSERT INTO passes (org_id, card_id, wallet, customer_id, changed_position, changed_at, due_at)
     SELECT org_id, $2, $3, $4, position, date_trunc('second', $5::timestamptz), $5 FROM pass_feeds WHERE org_id = $1
     ON CONFLICT (org_id, card_id, wallet) DO UPDATE SET due_at = $5`,
    [tenant.orgId, uuidOf(card), wallet, uuidOf(customer), now],
  )
}

export interface FollowedPass {
  readonly customer: CustomerId
  readonly changedAt: Date
}

export async function findPass(
  tenant: Tenant,
  card: CardId,
  wallet: WalletKind,
): Promise<FollowedPass | undefined> {
  const row = await maybeOne<{ changed_at: Date; customer_id: string }>(
    tenant.db,
    'SELECT changed_at, customer_id FROM passes WHERE org_id = $1 AND card_id = $2 AND wallet = $3',
    [tenant.orgId, uuidOf(card), wallet],
  )
  return row && { customer: idFrom('cus', row.customer_id), changedAt: row.changed_at }
}

export interface HeldPass {
  readonly card: CardId
  readonly wallet: WalletKind
  /** As far as the wallet has told. */
  readonly isHeld: boolean
  /** Of Apple: how many ask for changes. */
  readonly phones: number
  readonly changedAt: Date
}

/** A customer has few cards. */
export async function listPassesOf(tenant: Tenant, customer: CustomerId): Promise<HeldPass[]> {
  const rows = await many<{
    card_id: string
    wallet: WalletKind
    is_held: boolean
    phones: number
    changed_at: Date
  }>(
    tenant.db,
    `SELECT p.card_id, p.wallet, p.is_held, p.changed_at,
       (SELECT count(*)::int FROM pass_registrations r
        WHERE r.org_id = $1 AND r.card_id = p.card_id AND p.wallet = 'apple') AS phones
     FROM passes p WHERE p.org_id = $1 AND p.customer_id = $2 ORDER BY p.card_id, p.wallet`,
    [tenant.orgId, uuidOf(customer)],
  )
  return rows.map((row) => ({
    card: idFrom('card', row.card_id),
    wallet: row.wallet,
    isHeld: row.is_held,
    phones: row.phones,
    changedAt: row.changed_at,
  }))
}

/** Whether that is new. */
export async function updatePassHeld(
  tenant: Tenant,
  { card, wallet }: Omit<PassOf, 'customer'>,
  isHeld: boolean,
): Promise<boolean> {
  const updated = await execute(
    tenant.db,
    'UPDATE passes SET is_held = $4 WHERE org_id = $1 AND card_id = $2 AND wallet = $3 AND is_held <> $4',
    [tenant.orgId, uuidOf(card), wallet, isHeld],
  )
  return updated === 1
}

export async function deletePass(
  tenant: Tenant,
  { card, wallet }: Omit<PassOf, 'customer'>,
): Promise<boolean> {
  const sql = 'DELETE FROM passes WHERE org_id = $1 AND card_id = $2 AND wallet = $3'
  return (await execute(tenant.db, sql, [tenant.orgId, uuidOf(card), wallet])) === 1
}

// Phones ----------------------------------------------------------------------------------------------------

export interface Registration {
  readonly device: string
  readonly card: CardId
  readonly pushToken: string
}

/** Phones that one card is on: a customer has a few, and what is beyond is not a customer. */
export const maxRegistrations = 50

export async function countRegistrations(tenant: Tenant, card: CardId): Promise<number> {
  const row = await maybeOne<{ count: number }>(
    tenant.db,
    'SELECT count(*)::int AS count FROM pass_registrations WHERE org_id = $1 AND card_id = $2',
    [tenant.orgId, uuidOf(card)],
  )
  return row!.count
}

/** Whether the phone is new to the pass. */
export async function insertRegistration(
  tenant: Tenant,
  { device, card, pushToken }: Registration,
  now: Date,
): Promise<boolean> {
  const row = await maybeOne<{ isNew: boolean }>(
    tenant.db,
    `INSERT INTO pass_registrations (org_id, device, card_id, push_token, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (org_id, device, card_id) DO UPDATE SET push_token = EXCLUDED.push_token
     RETURNING created_at = $5 AS "isNew"`,
    [tenant.orgId, device, uuidOf(card), pushToken, now],
  )
  return row!.isNew
}

export async function deleteRegistration(tenant: Tenant, device: string, card: CardId): Promise<boolean> {
  const sql = 'DELETE FROM pass_registrations WHERE org_id = $1 AND device = $2 AND card_id = $3'
  return (await execute(tenant.db, sql, [tenant.orgId, device, uuidOf(card)])) === 1
}

/** The phone's passes that have changed since, and the number to ask with the next time. */
export async function listChangedPasses(
  tenant: Tenant,
  device: string,
  since: number,
): Promise<{ readonly cards: readonly CardId[]; readonly until: number }> {
  const rows = await many<{ card_id: string; position: number }>(
    tenant.db,
    `SELECT r.card_id, p.changed_position AS position FROM pass_registrations r
     JOIN passes p ON p.org_id = r.org_id AND p.card_id = r.card_id AND p.wallet = 'apple'
     WHERE r.org_id = $1 AND r.device = $2 AND p.changed_position > $3 ORDER BY r.card_id LIMIT 1000`,
    [tenant.orgId, device, since],
  )
  return {
    cards: rows.map((row) => idFrom('card', row.card_id)),
    until: Math.max(since, ...rows.map((row) => row.position)),
  }
}

/** Forgets the phones of these customers, and what is in Apple Wallet: nothing can be taken back from there. */
export async function deletePhonesOf(tenant: Tenant, customers: readonly CustomerId[]): Promise<void> {
  const values = [tenant.orgId, customers.map(uuidOf)]
  await tenant.db.query(
    `DELETE FROM pass_registrations r USING passes p
     WHERE r.org_id = $1 AND p.org_id = $1 AND p.customer_id = ANY($2::uuid[]) AND r.card_id = p.card_id`,
    values,
  )
  await tenant.db.query(
    `DELETE FROM passes WHERE org_id = $1 AND customer_id = ANY($2::uuid[]) AND wallet = 'apple'`,
    values,
  )
}

// Changes ---------------------------------------------------------------------------------------------------

/** Passes of these customers, or all of them, are to be updated. */
export async function updateChangedPasses(
  tenant: Tenant,
  customers: readonly CustomerId[] | 'all',
  position: number,
  now: Date,
): Promise<void> {
  const isAll = customers === 'all'
  // Rounded to seconds by the protocol, so that of two changes in one second the later one has to be later.
  await tenant.db.query(
    `UPDATE passes SET changed_position = $2, due_at = $3, attempts = 0,
       changed_at = greatest(date_trunc('second', $3::timestamptz), ${shifted('changed_at', "+ interval '1 second'")})
     WHERE org_id = $1 ${isAll ? '' : 'AND customer_id = ANY($4::uuid[])'}`,
    [tenant.orgId, position, now, ...(isAll ? [] : [customers.map(uuidOf)])],
  )
}

export interface DuePass extends PassOf {
  readonly attempts: number
  readonly dueAt: Date
  readonly isHeld: boolean
  /** Of Apple: the phones to tell. */
  readonly phones: readonly { readonly device: string; readonly pushToken: string }[]
}

export async function listDuePasses(tenant: Tenant, now: Date, limit: number): Promise<DuePass[]> {
  const rows = await many<{
    card_id: string
    customer_id: string
    wallet: WalletKind
    attempts: number
    due_at: Date
    is_held: boolean
    phones: { device: string; pushToken: string }[]
  }>(
    tenant.db,
    `SELECT p.card_id, p.customer_id, p.wallet, p.attempts, p.due_at, p.is_held, coalesce(
       (SELECT json_agg(json_build_object('device', r.device, 'pushToken', r.push_token)) FROM pass_registrations r
        WHERE r.org_id = $1 AND r.card_id = p.card_id AND p.wallet = 'apple'), '[]') AS phones
     FROM passes p WHERE p.org_id = $1 AND p.due_at <= $2 ORDER BY p.due_at LIMIT $3`,
    [tenant.orgId, now, limit],
  )
  return rows.map((row) => ({
    card: idFrom('card', row.card_id),
    customer: idFrom('cus', row.customer_id),
    wallet: row.wallet,
    attempts: row.attempts,
    dueAt: row.due_at,
    isHeld: row.is_held,
    phones: row.phones,
  }))
}

/** After an attempt: done, or to be tried again. A change that came meanwhile stays due. */
export async function updatePassAttempt(
  tenant: Tenant,
  { card, wallet, dueAt, attempts }: DuePass,
  retryAt: Date | undefined,
): Promise<void> {
  await tenant.db.query(
    `UPDATE passes SET due_at = $5, attempts = $6
     WHERE org_id = $1 AND card_id = $2 AND wallet = $3 AND due_at = $4`,
    [tenant.orgId, uuidOf(card), wallet, dueAt, retryAt ?? null, retryAt ? attempts + 1 : 0],
  )
}

/** Nothing can be sent to this wallet before. */
export async function updateDuePasses(
  tenant: Tenant,
  wallet: WalletKind,
  now: Date,
  until: Date,
): Promise<void> {
  await tenant.db.query('UPDATE passes SET due_at = $4 WHERE org_id = $1 AND wallet = $2 AND due_at <= $3', [
    tenant.orgId,
    wallet,
    now,
    until,
  ])
}
