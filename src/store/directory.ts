/**
 * Products, branches and users: maps the client's opaque ids to our ids. They are added when a basket first
 * names them, unless the organization only accepts known ones.
 */
import type { BranchId, Id, IdOf } from '../domain/ids.ts'
import { newId } from './new-id.ts'
import { updateSetupVersion } from './setup.ts'
import { idFrom, many, maybeOne, type Tenant, uuidOf } from './tenant.ts'

export async function findBranchByOpaqueId(tenant: Tenant, opaqueId: string): Promise<BranchId | undefined> {
  const rows = await many<{ id: string }>(
    tenant.db,
    'SELECT id FROM branches WHERE org_id = $1 AND opaque_id = $2',
    [tenant.orgId, opaqueId],
  )
  return rows[0] && idFrom('brn', rows[0].id)
}

/** Names of branches by id; only branches that have a name. */
export async function listBranchNames(
  tenant: Tenant,
  ids: readonly BranchId[],
): Promise<Map<BranchId, string>> {
  if (ids.length === 0) return new Map()
  const rows = await many<{ id: string; name: string }>(
    tenant.db,
    'SELECT id, name FROM branches WHERE org_id = $1 AND id = ANY($2::uuid[]) AND name IS NOT NULL',
    [tenant.orgId, [...new Set(ids)].map(uuidOf)],
  )
  return new Map(rows.map(({ id, name }) => [idFrom('brn', id), name]))
}

/** Names of products by opaque id; only products that have a name. */
export async function listProductNames(
  tenant: Tenant,
  products: readonly string[],
): Promise<Map<string, string>> {
  if (products.length === 0) return new Map()
  const rows = await many<{ opaque_id: string; name: string }>(
    tenant.db,
    'SELECT opaque_id, name FROM products WHERE org_id = $1 AND opaque_id = ANY($2::text[]) AND name IS NOT NULL',
    [tenant.orgId, [...new Set(products)]],
  )
  return new Map(rows.map((row) => [row.opaque_id, row.name]))
}

const referenceTables = { products: 'prd', branches: 'brn', users: 'usr' } as const
type ReferenceTable = keyof typeof referenceTables

/**
 * Makes sure that the opaque ids are in the directory and returns their ids. They are sorted, so that two
 * groups of baskets that name the same new products cannot deadlock, and read again after the insert, since
 * another transaction may have inserted the row. New branches and users change the setup; the caller updates
 * its version, once and last.
 */
export async function upsertReferences<T extends ReferenceTable>(
  tenant: Tenant,
  table: T,
  opaqueIds: readonly string[],
  now: Date,
): Promise<Map<string, IdOf<(typeof referenceTables)[T]>>> {
  if (opaqueIds.length === 0) return new Map()
  const prefix: (typeof referenceTables)[T] = referenceTables[table]
  const sorted = [...new Set(opaqueIds)].sort()
  await tenant.db.query(
    `INSERT INTO ${table} (org_id, id, opaque_id, created_at, updated_at)
     SELECT o.org_id, id, opaque_id, $2, $2 FROM setup_versions o, unnest($3::uuid[], $4::text[]) AS r (id, opaque_id)
     WHERE o.org_id = $1::integer
     ON CONFLICT (org_id, opaque_id) DO NOTHING`,
    [tenant.orgId, now, sorted.map(() => uuidOf(newId(prefix, now))), sorted],
  )
  const rows = await many<{ id: string; opaque_id: string }>(
    tenant.db,
    `SELECT id, opaque_id FROM ${table} WHERE org_id = $1 AND opaque_id = ANY($2::text[])`,
    [tenant.orgId, sorted],
  )
  return new Map(rows.map((row) => [row.opaque_id, idFrom(prefix, row.id)]))
}

/** Categories of products by opaque id; only products that have a category. */
export async function listCategories(
  tenant: Tenant,
  products: readonly string[],
): Promise<Map<string, string>> {
  if (products.length === 0) return new Map()
  const rows = await many<{ opaque_id: string; category: string }>(
    tenant.db,
    `SELECT opaque_id, category FROM products
     WHERE org_id = $1 AND opaque_id = ANY($2::text[]) AND category IS NOT NULL`,
    [tenant.orgId, products],
  )
  return new Map(rows.map((row) => [row.opaque_id, row.category]))
}

export type DirectoryKind = ReferenceTable

/** A product, branch or user as merchants manage it. */
export interface DirectoryEntry {
  readonly id: string
  readonly opaqueId: string
  readonly name?: string
  /** Products only. */
  readonly category?: string
  /** Products only: the usual price, as sent. */
  readonly price?: number
  /** Users only. */
  readonly branch?: BranchId
  readonly branchOpaqueId?: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

interface DirectoryRow {
  id: string
  opaque_id: string
  name: string | null
  category?: string | null
  price?: string | null
  branch_id?: string | null
  branch_opaque?: string | null
  created_at: Date
  updated_at: Date
}

const selectEntry: Record<DirectoryKind, string> = {
  products: 'SELECT e.* FROM products e',
  branches: 'SELECT e.* FROM branches e',
  users: `SELECT e.*, b.opaque_id AS branch_opaque FROM users e
    LEFT JOIN branches b ON b.org_id = e.org_id AND b.id = e.branch_id`,
}

const toEntry = (kind: DirectoryKind, row: DirectoryRow): DirectoryEntry => ({
  id: idFrom(referenceTables[kind], row.id),
  opaqueId: row.opaque_id,
  name: row.name ?? undefined,
  category: row.category ?? undefined,
  price: row.price ? Number(row.price) : undefined,
  branch: row.branch_id ? idFrom('brn', row.branch_id) : undefined,
  branchOpaqueId: row.branch_opaque ?? undefined,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export async function findDirectoryEntry(
  tenant: Tenant,
  kind: DirectoryKind,
  id: Id,
): Promise<DirectoryEntry | undefined> {
  const row = await maybeOne<DirectoryRow>(
    tenant.db,
    `${selectEntry[kind]} WHERE e.org_id = $1 AND e.id = $2`,
    [tenant.orgId, uuidOf(id)],
  )
  return row && toEntry(kind, row)
}

/**
 * Locks the entry against concurrent changes until the transaction ends: a patch keeps the fields it does not
 * name.
 */
export async function lockDirectoryEntry(
  tenant: Tenant,
  kind: DirectoryKind,
  id: Id,
): Promise<DirectoryEntry | undefined> {
  const row = await maybeOne<DirectoryRow>(
    tenant.db,
    `${selectEntry[kind]} WHERE e.org_id = $1 AND e.id = $2 FOR NO KEY UPDATE OF e`,
    [tenant.orgId, uuidOf(id)],
  )
  return row && toEntry(kind, row)
}

/** Entries, newest first; `text` is an opaque id or any part of the name. */
export async function listDirectoryEntries(
  tenant: Tenant,
  kind: DirectoryKind,
  page: { text?: string; limit: number; after?: Id },
): Promise<DirectoryEntry[]> {
  const rows = await many<DirectoryRow>(
    tenant.db,
    `${selectEntry[kind]} WHERE e.org_id = $1 AND ($2::uuid IS NULL OR e.id < $2)
       AND ($3::text IS NULL OR e.opaque_id = $3 OR strpos(lower(e.name), lower($3)) > 0)
     ORDER BY e.id DESC LIMIT $4`,
    [tenant.orgId, page.after ? uuidOf(page.after) : null, page.text ?? null, page.limit],
  )
  return rows.map((row) => toEntry(kind, row))
}

/** The columns that only one kind has. */
const ownColumns: Record<DirectoryKind, (entry: Partial<DirectoryEntry>) => Record<string, unknown>> = {
  products: ({ category, price }) => ({ category: category ?? null, price: price ?? null }),
  branches: () => ({}),
  users: ({ branch }) => ({ branch_id: branch ? uuidOf(branch) : null }),
}

export async function insertDirectoryEntry(
  tenant: Tenant,
  kind: DirectoryKind,
  entry: Omit<DirectoryEntry, 'branchOpaqueId' | 'updatedAt'>,
): Promise<void> {
  const own = ownColumns[kind](entry)
  const columns = Object.keys(own).map((column) => `, ${column}`)
  await tenant.db.query(
    `INSERT INTO ${kind} (org_id, id, opaque_id, name, created_at, updated_at${columns.join('')})
     VALUES ($1, $2, $3, $4, $5, $5${columns.map((_, i) => `, $${i + 6}`).join('')})`,
    [
      tenant.orgId,
      uuidOf(entry.id as Id),
      entry.opaqueId,
      entry.name ?? null,
      entry.createdAt,
      ...Object.values(own),
    ],
  )
  if (kind !== 'products') await updateSetupVersion(tenant)
}

/** Writes the fields that can change; the opaque id cannot, since transactions refer to it. */
export async function updateDirectoryEntry(
  tenant: Tenant,
  kind: DirectoryKind,
  entry: DirectoryEntry,
): Promise<void> {
  const own = ownColumns[kind](entry)
  const assignments = Object.keys(own).map((column, i) => `, ${column} = $${i + 5}`)
  await tenant.db.query(
    `UPDATE ${kind} SET name = $3, updated_at = $4${assignments.join('')} WHERE org_id = $1 AND id = $2`,
    [tenant.orgId, uuidOf(entry.id as Id), entry.name ?? null, entry.updatedAt, ...Object.values(own)],
  )
  if (kind !== 'products') await updateSetupVersion(tenant)
}
