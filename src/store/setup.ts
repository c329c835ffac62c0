/**
 * What an organization has set up, as far as every basket needs it: the organization itself, its campaigns,
 * balances, branches, users, and the credentials of its connections. `setup_versions` counts its changes, so
 * that a process can cache it and only has to read the number. Every statement that changes any of this is
 * followed by `updateSetupVersion`.
 */
import type { BranchId, IntegrationId, UserId } from '../domain/ids.ts'
import type { KnownDue, WorkKind } from './due-work.ts'
import { texts, uuids } from './pg-arrays.ts'
import { askTogether, type Question, question, type Step } from './question.ts'
import { idFrom, many, type Tenant, uuidOf } from './tenant.ts'

export async function updateSetupVersion(tenant: Tenant): Promise<void> {
  await tenant.db.pipe([nextVersion(tenant)])
}

/**
 * Counts a change for every organization that is connected to the integration, in the order of their numbers.
 * Runs as the platform.
 */
export async function updateSetupVersions(platform: Tenant, integration: IntegrationId): Promise<void> {
  const rows = await many<{ org_id: number }>(
    platform.db,
    'SELECT DISTINCT org_id FROM connections WHERE integration_id = $1 AND revoked_at IS NULL ORDER BY org_id',
    [uuidOf(integration)],
  )
  for (const { org_id } of rows) {
    const connected = platform.as(org_id)
    await connected.db.pipeAtCommit([nextVersion(connected)])
  }
}

const nextVersion = ({ orgId }: Tenant): Step => ({
  name: 'next-setup-version',
  text: 'UPDATE setup_versions SET version = version + 1 WHERE org_id = $1::integer',
  values: [String(orgId)],
})

export interface SetupState {
  /** Undefined if the organization does not exist. */
  readonly version: number | undefined
  /** When the organization's background work is due, of the kinds that were asked for. */
  readonly due: KnownDue
}

/**
 * The version and due times, for changes of wallets: in one statement, since a second one would cost a basket
 * more than what it asks for.
 */
export function setupState({ orgId }: Tenant, kinds: readonly WorkKind[]): Question<SetupState> {
  const dueTimes = kinds.map(
    (kind) => `, (SELECT (date_part('epoch', due_at) * 1000)::bigint + ahead_ms FROM due_work
       WHERE org_id = $1::integer AND kind = '${kind}')`,
  )
  return question(
    ['setup', ...kinds].join('-'),
    `SELECT version${dueTimes.join('')} FROM setup_versions WHERE org_id = $1::integer`,
    [String(orgId)],
    ([row]) => ({
      version: row && Number(row[0]),
      due: Object.fromEntries(
        kinds.flatMap((kind, i) => {
          const at = row?.[i + 1]
          return at ? [[kind, new Date(Number(at))]] : []
        }),
      ),
    }),
  )
}

export async function findSetupVersion(tenant: Tenant): Promise<number | undefined> {
  return (await askTogether(tenant, { setup: setupState(tenant, []) })).setup.version
}

export interface LoadedUser {
  readonly id: UserId
  readonly opaqueId: string
  readonly branch?: BranchId
}

export interface LoadedBranch {
  readonly id: BranchId
  readonly opaqueId: string
}

/** Users by our id or by the client's. */
export async function listUsers(
  tenant: Tenant,
  ids: readonly UserId[],
  opaqueIds: readonly string[],
): Promise<LoadedUser[]> {
  const [rows] = await tenant.db.read([
    {
      name: 'setup-users',
      text: `SELECT id, opaque_id, branch_id FROM users
        WHERE org_id = $1::integer AND (id = ANY($2::uuid[]) OR opaque_id = ANY($3::text[]))`,
      values: [String(tenant.orgId), uuids(ids), texts(opaqueIds)],
    },
  ])
  return rows!.map(([id, opaqueId, branch]) => ({
    id: idFrom('usr', id!),
    opaqueId: opaqueId!,
    branch: branch ? idFrom('brn', branch) : undefined,
  }))
}

export async function listBranches(tenant: Tenant): Promise<LoadedBranch[]> {
  const rows = await many<{ id: string; opaque_id: string }>(
    tenant.db,
    'SELECT id, opaque_id FROM branches WHERE org_id = $1',
    [tenant.orgId],
  )
  return rows.map((row) => ({ id: idFrom('brn', row.id), opaqueId: row.opaque_id }))
}
