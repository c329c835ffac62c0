/**
 * The directory as a till shows it, in the order in which people look for things: by category, then by name.
 */
import { many, type Tenant } from './tenant.ts'

export interface TillEntry {
  readonly opaqueId: string
  readonly name?: string
  /** Products only. */
  readonly category?: string
  /** Products only. */
  readonly price?: number
}

interface TillRow {
  opaque_id: string
  name: string | null
  category: string | null
  price: string | null
}

/** Entries without a category come last; one without a name is sorted by its opaque id. */
const orderOf = (opaqueId: string, name: string, category: string) =>
  `${category} IS NULL, lower(coalesce(${category}, '')), lower(coalesce(${name}, ${opaqueId})), ${opaqueId}`

const listEntries = (source: string) => `
  SELECT opaque_id, name, category, price FROM (${source}) e
  WHERE ($2::text IS NULL OR strpos(lower(opaque_id), lower($2)) > 0 OR strpos(lower(name), lower($2)) > 0
      OR strpos(lower(category), lower($2)) > 0)
    AND ($3::text IS NULL OR (${orderOf('opaque_id', 'name', 'category')}) > (${orderOf('$3', '$4::text', '$5::text')}))
  ORDER BY ${orderOf('opaque_id', 'name', 'category')} LIMIT $6`

const sources = {
  products: 'SELECT opaque_id, name, category, price FROM products WHERE org_id = $1',
  branches:
    'SELECT opaque_id, name, NULL::text AS category, NULL::numeric AS price FROM branches WHERE org_id = $1',
}

/**
 * `text` matches any part of opaque id, name or category; `after` is the last entry of the previous page.
 * Entries requested by id have their own statement, which finds them by their key.
 */
export async function listTillEntries(
  tenant: Tenant,
  kind: keyof typeof sources,
  page: { text?: string; opaqueIds?: readonly string[]; limit: number; after?: TillEntry },
): Promise<TillEntry[]> {
  const { text, opaqueIds, after, limit } = page
  const source = opaqueIds ? `${sources[kind]} AND opaque_id = ANY($7::text[])` : sources[kind]
  const rows = await many<TillRow>(tenant.db, listEntries(source), [
    tenant.orgId,
    text ?? null,
    after?.opaqueId ?? null,
    after?.name ?? null,
    after?.category ?? null,
    limit,
    ...(opaqueIds ? [opaqueIds] : []),
  ])
  return rows.map((row) => ({
    opaqueId: row.opaque_id,
    name: row.name ?? undefined,
    category: row.category ?? undefined,
    price: row.price ? Number(row.price) : undefined,
  }))
}
