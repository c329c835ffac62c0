/**
 * Customers and the view of them that tills and merchants get: one query returns the profile, cards,
 * balances, redeemable coupons and upcoming expirations, so that a look-up costs one round trip however much
 * a customer holds.
 */
import type { ConsentChange, Consents } from '../domain/consents.ts'
import { type Coupon, couponStatus, type Reward } from '../domain/coupon.ts'
import {
  type Customer,
  type CustomerView,
  cardStatus,
  customerStatus,
  emailKey,
  type Profile,
} from '../domain/customer.ts'
import type { CustomerId } from '../domain/ids.ts'
import type { Language } from '../domain/language.ts'
import { neverExpires } from '../domain/lot.ts'
import { nameKey } from '../domain/name-key.ts'
import type { PublishedCampaign } from './campaigns.ts'
import { type CardRow, cardColumns, toCard } from './cards.ts'
import {
  activeWithin,
  contactCondition,
  holdsSome,
  isWaiting,
  searchCondition,
  wasActive,
} from './customer-search.ts'
import { idsWithin } from './new-id.ts'
import { texts, uuids } from './pg-arrays.ts'
import { type Question, question, type Step } from './question.ts'
import {
  idFrom,
  many,
  maybeOne,
  type PreparedStatement,
  prepared,
  type Tenant,
  uuidOf,
  whereAll,
} from './tenant.ts'

/**
 * The display name of a row's customer, as a column of a list; empty for an erased customer. A subquery
 * instead of a join: it runs only for the rows of the page, after sorting.
 */
export const customerNameOf = (alias: string) =>
  `(SELECT coalesce(c.fullname, c.phone, c.email) FROM customers c WHERE c.org_id = $1
     AND c.id = ${alias}.customer_id AND c.status <> ${customerStatus.erased}) AS customer_name`

export interface CustomerRow {
  id: string
  status: number
  phone: string | null
  email: string | null
  fullname: string | null
  meta_data: Record<string, unknown> | null
  consents: Consents | null
  consent_history: (Omit<ConsentChange, 'at'> & { at: string })[] | null
  opaque_id: string | null
  language: Language | null
  email_verified_at: Date | string | null
  phone_verified_at: Date | string | null
  email_bounced_at: Date | string | null
  phone_bounced_at: Date | string | null
  created_at: Date | string
  updated_at: Date | string
}

interface CustomerViewRow extends CustomerRow {
  cards: CardRow[] | null
  balances: { key: string; value: number; total: number; decimals: number }[] | null
  coupons:
    | { id: string; status: number; reward: Reward; campaign_id: string; expires_at: string | null }[]
    | null
  expiring: { key: string; amount: number; decimals: number; at: string }[] | null
  last_activity_at: Date | string | null
}

/** A view before the campaigns are applied to it. */
export interface LoadedView extends Omit<CustomerView, 'tiers'> {
  readonly lastActivityAt?: Date
}

interface ViewWithCampaignsRow extends CustomerViewRow {
  campaigns: [id: string, version: number, status: PublishedCampaign['status']][] | null
}

/** For readers that do not have the organization's setup. */
export interface ViewWithCampaigns extends LoadedView {
  /** Every campaign that was ever published, in its current version; the oldest first. */
  readonly campaigns: readonly Omit<PublishedCampaign, 'name'>[]
}

export function toCustomer(row: CustomerRow): Customer {
  return {
    id: idFrom('cus', row.id),
    status: row.status,
    phone: row.phone ?? undefined,
    email: row.email ?? undefined,
    fullname: row.fullname ?? undefined,
    metaData: row.meta_data ?? undefined,
    consents: row.consents ?? undefined,
    consentHistory: row.consent_history?.map((change) => ({ ...change, at: new Date(change.at) })),
    opaqueId: row.opaque_id ?? undefined,
    language: row.language ?? undefined,
    emailVerifiedAt: row.email_verified_at === null ? undefined : new Date(row.email_verified_at),
    phoneVerifiedAt: row.phone_verified_at === null ? undefined : new Date(row.phone_verified_at),
    emailBouncedAt: row.email_bounced_at === null ? undefined : new Date(row.email_bounced_at),
    phoneBouncedAt: row.phone_bounced_at === null ? undefined : new Date(row.phone_bounced_at),
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  }
}

function toCustomerView(row: CustomerViewRow): LoadedView {
  return {
    customer: toCustomer(row),
    cards: (row.cards ?? []).map(toCard),
    balances: row.balances ?? [],
    coupons: (row.coupons ?? []).map(
      (coupon): Coupon => ({
        id: idFrom('cpn', coupon.id),
        status: couponStatus.active,
        reward: coupon.reward,
        campaign: idFrom('cmp', coupon.campaign_id),
        expiresAt: coupon.expires_at ? new Date(coupon.expires_at) : undefined,
      }),
    ),
    expiring: (row.expiring ?? []).map((part) => ({ ...part, at: new Date(part.at) })),
    lastActivityAt: row.last_activity_at === null ? undefined : new Date(row.last_activity_at),
  }
}

function toViewWithCampaigns(row: ViewWithCampaignsRow): ViewWithCampaigns {
  const campaigns = (row.campaigns ?? []).map(([id, version, status]) => ({
    id: idFrom('cmp', id),
    version,
    status,
  }))
  return { campaigns, ...toCustomerView(row) }
}

/**
 * $1 organization, $2 now. An expired lot is hidden from readers, whether or not the job has booked it;
 * erased customers are hidden altogether.
 */
const viewOf = (condition: string, columns = '') => `
  SELECT c.id, c.status, c.phone, c.email, c.fullname, c.meta_data, c.consents, c.consent_history, c.opaque_id,
    c.language, c.email_verified_at, c.phone_verified_at, c.email_bounced_at, c.phone_bounced_at, c.created_at, c.updated_at,
    (SELECT json_agg(card ORDER BY least(card.status, ${cardStatus.replaced}), card.id) FROM (
       SELECT ${cardColumns} WHERE k.org_id = $1 AND k.customer_id = c.id) card) AS cards,
    (SELECT json_agg(json_build_object('key', b.key, 'value', b.value - coalesce(x.expired, 0), 'total', b.total, 'decimals', d.decimals) ORDER BY b.key)
       FROM balances b JOIN balance_definitions d ON d.org_id = $1 AND d.key = b.key
       LEFT JOIN LATERAL (SELECT sum(remaining)::bigint AS expired FROM lots l WHERE l.org_id = $1
         AND l.customer_id = b.customer_id AND l.key = b.key AND l.expires_at <= $2) x ON true
       WHERE b.org_id = $1 AND b.customer_id = c.id) AS balances,
    (SELECT json_agg(json_build_object('id', p.id, 'reward', p.reward, 'campaign_id', p.campaign_id, 'expires_at', p.expires_at)
       ORDER BY p.id)
       FROM coupons p WHERE p.org_id = $1 AND p.customer_id = c.id AND p.status = ${couponStatus.active}
         AND (p.expires_at IS NULL OR p.expires_at > $2)) AS coupons,
    (SELECT json_agg(json_build_object('key', l.key, 'amount', l.amount, 'decimals', d.decimals, 'at', l.expires_at)
       ORDER BY l.expires_at, l.key)
       FROM (SELECT key, expires_at, sum(remaining)::bigint AS amount FROM lots
             WHERE org_id = $1 AND customer_id = c.id AND remaining > 0 AND expires_at > $2
               AND expires_at < '${neverExpires.toISOString()}'
             GROUP BY key, expires_at) l
       JOIN balance_definitions d ON d.org_id = $1 AND d.key = l.key) AS expiring,
    (SELECT last_activity_at FROM wallets w WHERE w.org_id = $1 AND w.customer_id = c.id) AS last_activity_at${columns}
  FROM customers c
  WHERE c.org_id = $1 AND c.status <> ${customerStatus.erased} AND ${condition}`

const campaignsColumn = `,
    (SELECT json_agg(json_build_array(id, version, status) ORDER BY id) FROM campaigns WHERE org_id = $1 AND version > 0) AS campaigns`

const viewById: PreparedStatement = { name: 'customer-by-id', text: viewOf('c.id = $3', campaignsColumn) }

export async function findCustomerView(
  tenant: Tenant,
  id: CustomerId,
  now: Date,
): Promise<ViewWithCampaigns | undefined> {
  const [row] = await prepared<ViewWithCampaignsRow>(tenant.db, viewById, [tenant.orgId, now, uuidOf(id)])
  return row && toViewWithCampaigns(row)
}

export type CustomerKeyKind = 'id' | 'email' | 'barcode' | 'phone'

/** $3 are the keys. */
const conditions: Record<CustomerKeyKind, string> = {
  id: 'c.id = ANY($3::uuid[])',
  email: 'c.email_key = ANY($3::text[])',
  barcode:
    'c.id = ANY (ARRAY(SELECT customer_id FROM cards WHERE org_id = $1 AND barcode = ANY($3::text[])))',
  phone: 'c.phone = ANY($3::text[])',
}

/**
 * The customers with these IDs, emails, barcodes or phones, in the order requested; undefined where there is
 * none. They are queried together with other things, so a row comes as JSON.
 */
export function customersByKey(
  { orgId }: Tenant,
  kind: CustomerKeyKind,
  keys: readonly string[],
  now: Date,
): Question<(LoadedView | undefined)[]> {
  const wanted = kind === 'email' ? keys.map(emailKey) : keys
  const distinct = [...new Set(wanted)]
  return question(
    `customers-by-${kind}`,
    `SELECT row_to_json(v) FROM (${viewOf(conditions[kind])}) v`,
    [String(orgId), now.toISOString(), kind === 'id' ? uuids(distinct as CustomerId[]) : texts(distinct)],
    (rows) => {
      const found = new Map<string, LoadedView>()
      for (const [json] of rows) {
        const view = toCustomerView(JSON.parse(json!))
        for (const key of keysOf(view, kind)) found.set(key, view)
      }
      return wanted.map((key) => found.get(key))
    },
  )
}

function keysOf({ customer: { id, email, phone }, cards }: LoadedView, kind: CustomerKeyKind): string[] {
  if (kind === 'id') return [id]
  if (kind === 'barcode') return cards.map(({ barcode }) => barcode)
  const key = kind === 'email' ? email && emailKey(email) : phone
  return key === undefined ? [] : [key]
}

export interface CustomerFilter {
  /** A part of a name, email or phone, or exactly a barcode or an opaque id. */
  readonly text?: string
  /** The phone numbers in E.164 that the text may mean. */
  readonly phones?: readonly string[]
  readonly status?: number
  /** Range of the registration time. */
  readonly from?: Date
  readonly to?: Date
  /** Range in which the customer had a sale, as `getActiveCustomers` counts them. */
  readonly activeFrom?: Date
  readonly activeTo?: Date
  /** The key of a balance that is not zero. */
  readonly holds?: string
  /** A purpose that the customer agreed to. */
  readonly consent?: string
  readonly awaitsApproval?: true
}

/** Customers, newest first. If the text identifies one customer, only that one is returned. */
export async function listCustomerViews(
  tenant: Tenant,
  filter: CustomerFilter,
  page: { limit: number; after?: CustomerId },
  now: Date,
): Promise<ViewWithCampaigns[]> {
  const { text, phones = [] } = filter
  const { least, most } = idsWithin(filter)
  const where = (firstParameter: number) =>
    whereAll(
      [
        ['c.id < $', page.after && uuidOf(page.after)],
        ['c.status = $', filter.status],
        ['c.id >= $', least],
        ['c.created_at >= $', filter.from],
        ['c.id < $', most],
        ['c.created_at < $', filter.to],
        [wasActive, activeWithin(filter)],
        [holdsSome, filter.holds],
        ["c.consents ->> $::text = 'true'", filter.consent],
        [isWaiting, filter.awaitsApproval],
      ],
      firstParameter,
    )
  const list = async (condition: string, values: readonly unknown[]) => {
    const { text: others, values: otherValues } = where(4 + values.length)
    const rows = await many<ViewWithCampaignsRow>(
      tenant.db,
      `${viewOf(`${condition}${others}`, campaignsColumn)} ORDER BY c.id DESC LIMIT $3`,
      [tenant.orgId, now, page.limit, ...values, ...otherValues],
    )
    return rows.map(toViewWithCampaigns)
  }
  if (text === undefined) return list('true', [])
  const named = await list(contactCondition('$4', '$5', '$6'), [phones, emailKey(text), text])
  if (named.length > 0) return named
  const { condition, values } = searchCondition(text, 4)
  return list(condition, values)
}

/** The customer with its wallet: there is always a wallet row to lock. */
export function insertCustomer({ orgId }: Tenant, customer: Customer): Step[] {
  const [org, id] = [String(orgId), uuidOf(customer.id)]
  return [
    {
      name: 'write-customer',
      text: `INSERT INTO customers (org_id, id, status, phone, email, email_key, fullname, name_key, meta_data, consents,
               consent_history, opaque_id, language, email_verified_at, phone_verified_at, created_at, updated_at)
             VALUES ($1::integer, $2::uuid, $3::smallint, $4::text, $5::text, $6::text, $7::text, $8::text, $9::json,
               $10::json, $11::json, $12::text, $13::text, $14::timestamptz, $15::timestamptz, $16::timestamptz, $16::timestamptz)`,
      values: [
        org,
        id,
        String(customer.status),
        ...profileValues(customer),
        customer.createdAt.toISOString(),
      ],
    },
    {
      name: 'write-wallet',
      text: 'INSERT INTO wallets (org_id, customer_id) VALUES ($1::integer, $2::uuid)',
      values: [org, id],
    },
  ]
}

const profileValues = (profile: Profile) => [
  profile.phone ?? null,
  profile.email ?? null,
  profile.email ? emailKey(profile.email) : null,
  profile.fullname ?? null,
  profile.fullname ? nameKey(profile.fullname) : null,
  profile.metaData ? JSON.stringify(profile.metaData) : null,
  profile.consents ? JSON.stringify(profile.consents) : null,
  profile.consentHistory?.length ? JSON.stringify(profile.consentHistory) : null,
  profile.opaqueId ?? null,
  profile.language ?? null,
  profile.emailVerifiedAt?.toISOString() ?? null,
  profile.phoneVerifiedAt?.toISOString() ?? null,
]

/** Locks the customer's row against concurrent changes of the profile; an erased customer is not found. */
export async function lockCustomer(tenant: Tenant, id: CustomerId): Promise<Customer | undefined> {
  const row = await maybeOne<CustomerRow>(
    tenant.db,
    `SELECT * FROM customers WHERE org_id = $1 AND id = $2 AND status <> ${customerStatus.erased} FOR NO KEY UPDATE`,
    [tenant.orgId, uuidOf(id)],
  )
  return row && toCustomer(row)
}

export async function updateProfile(
  tenant: Tenant,
  id: CustomerId,
  profile: Profile,
  now: Date,
): Promise<void> {
  await tenant.db.query(
    `UPDATE customers SET phone = $3, email = $4, email_key = $5, fullname = $6, name_key = $7, meta_data = $8,
       consents = $9, consent_history = $10, opaque_id = $11, language = $12, email_verified_at = $13, phone_verified_at = $14, updated_at = $15,
       email_bounced_at = CASE WHEN email_key = $5 AND email_verified_at IS NOT DISTINCT FROM $13 THEN email_bounced_at END,
       phone_bounced_at = CASE WHEN phone = $3 AND phone_verified_at IS NOT DISTINCT FROM $14 THEN phone_bounced_at END WHERE org_id = $1 AND id = $2`,
    [tenant.orgId, uuidOf(id), ...profileValues(profile), now],
  )
}

/** Whether it had another status before. */
export async function updateCustomerStatus(
  tenant: Tenant,
  id: CustomerId,
  status: number,
  now: Date,
): Promise<boolean> {
  const row = await maybeOne<{ before: number }>(
    tenant.db,
    `UPDATE customers c SET status = $3, updated_at = $4 FROM customers b
     WHERE c.org_id = $1 AND c.id = $2 AND b.org_id = $1 AND b.id = $2 RETURNING b.status AS before`,
    [tenant.orgId, uuidOf(id), status, now],
  )
  return row !== undefined && row.before !== status
}

export async function hasCustomer(tenant: Tenant, id: CustomerId): Promise<boolean> {
  const row = await maybeOne(
    tenant.db,
    `SELECT 1 FROM customers WHERE org_id = $1 AND id = $2 AND status <> ${customerStatus.erased}`,
    [tenant.orgId, uuidOf(id)],
  )
  return row !== undefined
}
