/**
 * Products, branches and users: the client's own ids on one side, ours on the other. They are added when a
 * basket first names them, unless the organization takes only known ones.
 */
import type { BranchId, UserId } from '../domain/ids.ts'
import { newId } from './new-id.ts'
import { idFrom, many, type Scope, uuidOf } from './scope.ts'

export async function insertBranch(
  scope: Scope,
  branch: { id: BranchId; opaqueId: string; name?: string; now: Date },
): Promise<void> {
  await scope.db.query(
    'INSERT INTO branches (org_id, id, opaque_id, name, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $5)',
    [scope.org, uuidOf(branch.id), branch.opaqueId, branch.name ?? null, branch.now],
  )
}

export async function insertUser(
  scope: Scope,
  user: { id: UserId; opaqueId: string; name?: string; branch?: BranchId; now: Date },
): Promise<void> {
  await scope.db.query(
    `INSERT INTO users (org_id, id, opaque_id, name, branch_id, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $6)`,
    [
      scope.org,
      uuidOf(user.id),
      user.opaqueId,
      user.name ?? null,
      user.branch ? uuidOf(user.branch) : null,
      user.now,
    ],
  )
}

export async function findBranchByOpaqueId(scope: Scope, opaqueId: string): Promise<BranchId | undefined> {
  const rows = await many<{ id: string }>(
    scope.db,
    'SELECT id FROM branches WHERE org_id = $1 AND opaque_id = $2',
    [scope.org, opaqueId],
  )
  return rows[0] && idFrom('brn', rows[0].id)
}

const referenceTables = { products: 'prd', branches: 'brn', users: 'usr' } as const
type ReferenceTable = keyof typeof referenceTables

/**
 * Makes sure that the opaque ids are in the directory and returns their ids. Sorted, so that two baskets
 * naming the same new products cannot wait for each other in a circle; read again after the insert, since the
 * row may be another's.
 */
export async function ensureReferences(
  scope: Scope,
  table: ReferenceTable,
  opaqueIds: readonly string[],
  now: Date,
): Promise<Map<string, string>> {
  if (opaqueIds.length === 0) return new Map()
  const prefix = referenceTables[table]
  const sorted = [...new Set(opaqueIds)].sort()
  await scope.db.query(
    `INSERT INTO ${table} (org_id, id, opaque_id, created_at, updated_at)
     SELECT $1, id, opaque_id, $2, $2 FROM unnest($3::uuid[], $4::text[]) AS r (id, opaque_id)
     ON CONFLICT (org_id, opaque_id) DO NOTHING`,
    [scope.org, now, sorted.map(() => uuidOf(newId(prefix, now))), sorted],
  )
  const rows = await many<{ id: string; opaque_id: string }>(
    scope.db,
    `SELECT id, opaque_id FROM ${table} WHERE org_id = $1 AND opaque_id = ANY($2::text[])`,
    [scope.org, sorted],
  )
  return new Map(rows.map((row) => [row.opaque_id, idFrom(prefix, row.id)]))
}
