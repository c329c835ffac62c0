/** Begins and ends imports. */
import type { ImportId } from '../../domain/ids.ts'
import type { ImportKind } from '../../domain/import.ts'
import { notFound } from '../../domain/refusal.ts'
import { insertEvents } from '../../store/events.ts'
import { findImport, type Import, insertImport, updateFinishedImport } from '../../store/imports.ts'
import { newId } from '../../store/new-id.ts'
import type { Tenant } from '../../store/tenant.ts'
import { byOf } from '../actor.ts'
import { openCampaign } from '../customers/register-customer.ts'
import type { Caller, Deps } from '../deps.ts'
import { timeOf } from '../organizations/time-of.ts'

export interface ImportInput {
  readonly kind: ImportKind
  readonly campaign?: string
  readonly dryRun?: boolean
  readonly existing?: 'keep' | 'update'
  readonly countTowardTotal?: boolean
  readonly fileName?: string
  readonly fileHash?: string
  readonly columns?: Record<string, string>
}

export async function beginImport(
  deps: Deps,
  tenant: Tenant,
  input: ImportInput,
  by: Caller,
): Promise<Import> {
  const now = timeOf(deps, by.organization)
  const setup = await deps.setupCache.get(tenant, undefined)
  const id = newId('imp', now)
  await insertImport(tenant, {
    id,
    kind: input.kind,
    campaign: input.campaign === undefined ? undefined : openCampaign(setup, input.campaign, now).id,
    isDryRun: input.dryRun ?? false,
    updatesExisting: input.existing === 'update',
    countsTowardTotal: input.countTowardTotal ?? true,
    fileName: input.fileName,
    fileHash: input.fileHash,
    columns: input.columns,
    user: by.user,
    createdAt: now,
  })
  return getImport(tenant, id)
}

export async function getImport(tenant: Tenant, id: ImportId | undefined): Promise<Import> {
  const found = id && (await findImport(tenant, id))
  if (!found) throw notFound('import_not_found')
  return found
}

/** Finishing again changes nothing. One event stands for all customers: a million of their own would bury the rest. */
export async function finishImport(
  deps: Deps,
  tenant: Tenant,
  id: ImportId | undefined,
  by: Caller,
): Promise<Import> {
  const now = timeOf(deps, by.organization)
  const isFirst = id && (await updateFinishedImport(tenant, id, now))
  const finished = await getImport(tenant, id)
  if (isFirst && !finished.isDryRun) {
    const data = { import: finished.id, kind: finished.kind, ...finished.counts, by: byOf(by) }
    await insertEvents(tenant, [{ type: 'import.finished', data }], now)
  }
  return finished
}
