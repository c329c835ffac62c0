/**
 * Customers by the hundred: who has what a file names, and the statements that create those nobody has. Lookups are
 * planned anew each time: a plan from when the tables were empty would scan all customers for every piece of a file.
 */
import { type Card, type Customer, customerStatus, emailKey } from '../domain/customer.ts'
import type { CampaignId, CustomerId } from '../domain/ids.ts'
import { nameKey } from '../domain/name-key.ts'
import { type CustomerRow, toCustomer } from './customers.ts'
import { jsons, numbers, texts, times, uuids } from './pg-arrays.ts'
import type { Step } from './question.ts'
import { idFrom, many, type Tenant, uuidOf } from './tenant.ts'

export type MatchField = 'barcode' | 'opaqueId' | 'email' | 'phone'

export interface Match {
  readonly field: MatchField
  readonly key: string
  readonly customer: CustomerId
}

const selectMatches: Record<MatchField, string> = {
  barcode: `SELECT 'barcode' AS field, k.barcode AS key, k.customer_id AS customer FROM unnest($2::text[]) AS b (barcode)
    JOIN cards k ON k.org_id = $1 AND k.barcode = b.barcode`,
  opaqueId: `SELECT 'opaqueId', c.opaque_id, c.id FROM unnest($3::text[]) AS o (id)
    JOIN customers c ON c.org_id = $1 AND c.opaque_id = o.id`,
  email: `SELECT 'email', c.email_key, c.id FROM unnest($4::text[]) AS e (key)
    JOIN customers c ON c.org_id = $1 AND c.email_key = e.key`,
  phone: `SELECT 'phone', c.phone, c.id FROM unnest($5::text[]) AS p (phone)
    JOIN customers c ON c.org_id = $1 AND c.phone = p.phone`,
}

/** Whom these barcodes, IDs, emails (as keys) and phones belong to; also barcodes of erased customers. */
export async function listMatches(
  tenant: Tenant,
  keys: Readonly<Record<MatchField, readonly string[]>>,
): Promise<Match[]> {
  const rows = await many<{ field: MatchField; key: string; customer: string }>(
    tenant.db,
    Object.values(selectMatches).join('\n UNION ALL '),
    [tenant.orgId, keys.barcode, keys.opaqueId, keys.email, keys.phone],
  )
  return rows.map(({ customer, ...match }) => ({ ...match, customer: idFrom('cus', customer) }))
}

export interface HeldBalance {
  readonly key: string
  readonly value: number
  readonly total: number
  readonly version: number
  /** What an import has opened it with. */
  readonly opening?: number
}

/** A customer that a file names, under lock. */
export interface KnownCustomer {
  readonly customer: Customer
  readonly walletVersion: number
  /** The campaigns of the cards that can be used again. */
  readonly campaigns: readonly CampaignId[]
  readonly balances: readonly HeldBalance[]
}

/** Locks the wallets in their order, and reads only then: what the holder of a lock has changed counts. */
export async function lockKnownCustomers(
  tenant: Tenant,
  ids: readonly CustomerId[],
): Promise<Map<CustomerId, KnownCustomer>> {
  if (ids.length === 0) return new Map()
  const customers = [...new Set(ids)].sort().map(uuidOf)
  await tenant.db.query(
    `SELECT 1 FROM wallets WHERE org_id = $1 AND customer_id = ANY($2::uuid[])
     ORDER BY customer_id FOR UPDATE`,
    [tenant.orgId, customers],
  )
  const rows = await many<
    CustomerRow & {
      wallet_version: number
      campaigns: string[] | null
      balances: (Omit<HeldBalance, 'opening'> & { opening: number | null })[] | null
    }
  >(
    tenant.db,
    `SELECT c.*, w.version AS wallet_version,
       (SELECT json_agg(k.campaign_id) FROM cards k WHERE k.org_id = $1 AND k.customer_id = c.id AND k.status IN (1, 2)) AS campaigns,
       (SELECT json_agg(json_build_object('key', b.key, 'value', b.value, 'total', b.total, 'version', b.version,
          'opening', b.opening)) FROM balances b WHERE b.org_id = $1 AND b.customer_id = c.id) AS balances
     FROM customers c JOIN wallets w ON w.org_id = c.org_id AND w.customer_id = c.id
     WHERE c.org_id = $1 AND c.id = ANY($2::uuid[]) AND c.status <> ${customerStatus.erased}`,
    [tenant.orgId, customers],
  )
  return new Map(
    rows.map((row) => {
      const customer = toCustomer(row)
      const known: KnownCustomer = {
        customer,
        walletVersion: row.wallet_version,
        campaigns: (row.campaigns ?? []).map((id) => idFrom('cmp', id)),
        balances: (row.balances ?? []).map(({ opening, ...balance }) => ({
          ...balance,
          opening: opening ?? undefined,
        })),
      }
      return [customer.id, known]
    }),
  )
}

/** The customers with their wallets. */
export function insertCustomers({ orgId }: Tenant, customers: readonly Customer[], now: Date): Step[] {
  if (customers.length === 0) return []
  const org = String(orgId)
  const ids = uuids(customers.map(({ id }) => id))
  return [
    {
      name: 'write-customers',
      text: `INSERT INTO customers (org_id, created_at, updated_at, id, status, phone, email, email_key, fullname, name_key,
               meta_data, consents, consent_history, opaque_id, language)
             SELECT o.org_id, $2::timestamptz, $2::timestamptz, r.* FROM setup_versions o, unnest($3::uuid[], $4::smallint[], $5::text[],
               $6::text[], $7::text[], $8::text[], $9::text[], $10::json[], $11::json[], $12::json[], $13::text[], $14::text[]) AS r
             WHERE o.org_id = $1::integer`,
      values: [
        org,
        now.toISOString(),
        ids,
        numbers(customers.map(({ status }) => status)),
        texts(customers.map(({ phone }) => phone)),
        texts(customers.map(({ email }) => email)),
        texts(customers.map(({ email }) => email && emailKey(email))),
        texts(customers.map(({ fullname }) => fullname)),
        texts(customers.map(({ fullname }) => fullname && nameKey(fullname))),
        jsons(customers.map(({ metaData }) => metaData)),
        jsons(customers.map(({ consents }) => consents)),
        jsons(customers.map(({ consentHistory }) => (consentHistory?.length ? consentHistory : undefined))),
        texts(customers.map(({ opaqueId }) => opaqueId)),
        texts(customers.map(({ language }) => language)),
      ],
    },
    {
      name: 'write-wallets-of',
      text: `INSERT INTO wallets (org_id, customer_id)
             SELECT o.org_id, r.id FROM setup_versions o, unnest($2::uuid[]) AS r (id) WHERE o.org_id = $1::integer`,
      values: [org, ids],
    },
  ]
}

export function insertCards({ orgId }: Tenant, cards: readonly Card[]): Step[] {
  if (cards.length === 0) return []
  return [
    {
      name: 'write-cards',
      text: `INSERT INTO cards (org_id, id, customer_id, campaign_id, barcode, status, wallet_version, created_at, updated_at)
             SELECT o.org_id, r.*, r.created_at FROM setup_versions o, unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::smallint[],
               $7::integer[], $8::timestamptz[]) AS r (id, customer_id, campaign_id, barcode, status, wallet_version, created_at)
             WHERE o.org_id = $1::integer`,
      values: [
        String(orgId),
        uuids(cards.map(({ id }) => id)),
        uuids(cards.map(({ customer }) => customer)),
        uuids(cards.map(({ campaign }) => campaign)),
        texts(cards.map(({ barcode }) => barcode)),
        numbers(cards.map(({ status }) => status)),
        numbers(cards.map(({ walletVersion }) => walletVersion)),
        times(cards.map(({ createdAt }) => createdAt)),
      ],
    },
  ]
}
