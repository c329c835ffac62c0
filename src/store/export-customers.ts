/** All customers as files hold them, by pages: each with what can be imported again. */
import type { Consents } from '../domain/consents.ts'
import { cardStatus, customerStatus } from '../domain/customer.ts'
import type { CustomerId } from '../domain/ids.ts'
import { neverExpires } from '../domain/lot.ts'
import { idFrom, many, type Tenant, uuidOf } from './tenant.ts'

export interface ExportedCustomer {
  readonly id: CustomerId
  readonly opaqueId?: string
  readonly fullname?: string
  readonly email?: string
  readonly phone?: string
  readonly language?: string
  readonly consents?: Consents
  readonly metaData?: Record<string, unknown>
  readonly cards: readonly { readonly campaign: string; readonly barcode: string }[]
  /** In units. What is in no lot that expires is what is left of the value. */
  readonly balances: readonly {
    readonly key: string
    readonly value: number
    readonly total: number
    readonly decimals: number
    readonly lots: readonly { readonly amount: number; readonly expiresAt: string }[]
  }[]
}

interface ExportedRow {
  id: string
  opaque_id: string | null
  fullname: string | null
  email: string | null
  phone: string | null
  language: string | null
  consents: Consents | null
  meta_data: Record<string, unknown> | null
  cards: ExportedCustomer['cards'] | null
  balances:
    | (Omit<ExportedCustomer['balances'][number], 'lots'> & {
        lots: ExportedCustomer['balances'][number]['lots'] | null
      })[]
    | null
}

/** The oldest first, so that a file has the same order however long it is written. */
export async function listExportedCustomers(
  tenant: Tenant,
  page: { limit: number; after?: CustomerId },
  now: Date,
): Promise<ExportedCustomer[]> {
  const rows = await many<ExportedRow>(
    tenant.db,
    `SELECT c.id, c.opaque_id, c.fullname, c.email, c.phone, c.language, c.consents, c.meta_data,
       (SELECT json_agg(json_build_object('campaign', m.name, 'barcode', k.barcode) ORDER BY k.id) FROM cards k
          JOIN campaigns m ON m.org_id = k.org_id AND m.id = k.campaign_id
          WHERE k.org_id = $1 AND k.customer_id = c.id AND k.status = ${cardStatus.active}) AS cards,
       (SELECT json_agg(json_build_object('key', b.key, 'value', b.value - coalesce(l.expired, 0), 'total', b.total,
            'decimals', d.decimals, 'lots', l.lots) ORDER BY b.key)
          FROM balances b JOIN balance_definitions d ON d.org_id = $1 AND d.key = b.key
          LEFT JOIN LATERAL (
            SELECT sum(x.amount) FILTER (WHERE x.expires_at <= $3)::bigint AS expired,
              json_agg(json_build_object('amount', x.amount, 'expiresAt', x.expires_at) ORDER BY x.expires_at)
                FILTER (WHERE x.expires_at > $3) AS lots
            FROM (SELECT expires_at, sum(remaining)::bigint AS amount FROM lots
                  WHERE org_id = $1 AND customer_id = c.id AND key = b.key AND remaining > 0
                    AND expires_at < '${neverExpires.toISOString()}' GROUP BY expires_at) x) l ON true
          WHERE b.org_id = $1 AND b.customer_id = c.id) AS balances
     FROM customers c
     WHERE c.org_id = $1 AND c.status <> ${customerStatus.erased} AND ($4::uuid IS NULL OR c.id > $4)
     ORDER BY c.id LIMIT $2`,
    [tenant.orgId, page.limit, now, page.after ? uuidOf(page.after) : null],
  )
  return rows.map((row) => ({
    id: idFrom('cus', row.id),
    opaqueId: row.opaque_id ?? undefined,
    fullname: row.fullname ?? undefined,
    email: row.email ?? undefined,
    phone: row.phone ?? undefined,
    language: row.language ?? undefined,
    consents: row.consents ?? undefined,
    metaData: row.meta_data ?? undefined,
    cards: row.cards ?? [],
    balances: (row.balances ?? []).map((balance) => ({ ...balance, lots: balance.lots ?? [] })),
  }))
}
