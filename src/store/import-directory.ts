/** Products and branches by the hundred, for imports. */
import type { DirectoryEntry } from './directory.ts'
import { newId } from './new-id.ts'
import { texts, uuids } from './pg-arrays.ts'
import { updateSetupVersion } from './setup.ts'
import { many, type Tenant } from './tenant.ts'

type ImportedKind = 'products' | 'branches'
type ImportedEntry = Pick<DirectoryEntry, 'opaqueId' | 'name' | 'category' | 'price'>

/** Those that there are, by their external ID. */
export async function listEntriesByOpaqueId(
  tenant: Tenant,
  kind: ImportedKind,
  opaqueIds: readonly string[],
): Promise<Map<string, Omit<ImportedEntry, 'opaqueId'>>> {
  const rows = await many<{
    opaque_id: string
    name: string | null
    category?: string | null
    price?: string | null
  }>(tenant.db, `SELECT e.* FROM ${kind} e WHERE e.org_id = $1 AND e.opaque_id = ANY($2::text[])`, [
    tenant.orgId,
    opaqueIds,
  ])
  return new Map(
    rows.map((row) => [
      row.opaque_id,
      {
        name: row.name ?? undefined,
        category: row.category ?? undefined,
        price: row.price ? Number(row.price) : undefined,
      },
    ]),
  )
}

/** In the order of their external IDs, as everything that adds to the directory. An absent value stays as it is. */
export async function upsertDirectoryEntries(
  tenant: Tenant,
  kind: ImportedKind,
  entries: readonly ImportedEntry[],
  now: Date,
): Promise<void> {
  const sorted = [...entries].sort((a, b) => (a.opaqueId < b.opaqueId ? -1 : 1))
  const prefix = kind === 'products' ? 'prd' : 'brn'
  const ids = uuids(sorted.map(() => newId(prefix, now)))
  const common = [String(tenant.orgId), now.toISOString(), ids, texts(sorted.map(({ opaqueId }) => opaqueId))]
  const names = texts(sorted.map(({ name }) => name))
  await tenant.db.pipe([
    kind === 'branches'
      ? {
          name: 'upsert-branches',
          text: `INSERT INTO branches (org_id, created_at, updated_at, id, opaque_id, name)
            SELECT o.org_id, $2::timestamptz, $2::timestamptz, r.* FROM setup_versions o, unnest($3::uuid[], $4::text[], $5::text[]) AS r
            WHERE o.org_id = $1::integer
            ON CONFLICT (org_id, opaque_id) DO UPDATE SET name = coalesce(EXCLUDED.name, branches.name), updated_at = $2::timestamptz`,
          values: [...common, names],
        }
      : {
          name: 'upsert-products',
          text: `INSERT INTO products (org_id, created_at, updated_at, id, opaque_id, name, category, price)
            SELECT o.org_id, $2::timestamptz, $2::timestamptz, r.* FROM setup_versions o, unnest($3::uuid[], $4::text[], $5::text[],
              $6::text[], $7::numeric[]) AS r
            WHERE o.org_id = $1::integer
            ON CONFLICT (org_id, opaque_id) DO UPDATE SET name = coalesce(EXCLUDED.name, products.name),
              category = coalesce(EXCLUDED.category, products.category), price = coalesce(EXCLUDED.price, products.price),
              updated_at = $2::timestamptz`,
          values: [
            ...common,
            names,
            texts(sorted.map(({ category }) => category)),
            `{${sorted.map(({ price }) => price ?? 'NULL').join()}}`,
          ],
        },
  ])
  if (kind === 'branches') await updateSetupVersion(tenant)
}
