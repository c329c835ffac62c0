/**
 * Moves old sales of an organization to files, in small steps and while the service is running. A step reads
 * without locks, writes its file, and then deletes the rows in one transaction, if the wallets are still as
 * they were read. So a row is in the database, or in a complete file, or both, and a run can be ended at any
 * time and repeated.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { classifyError, isLockTimeout } from '../../database/classify-error.ts'
import type { Organization } from '../../domain/organization.ts'
import { findEventRange, oldestEventStep } from '../../store/events.ts'
import { updateSetupVersion } from '../../store/setup.ts'
import { inTransaction, type Tenant, tenantOf } from '../../store/tenant.ts'
import {
  type ArchivedRows,
  deleteArchivedRows,
  insertArchived,
  insertArchivedFile,
  listArchivedFiles,
  listArchivedRows,
  listOldEvents,
  lockNextFile,
  lockUnchanged,
  updateLockTimeout,
} from '../../store/wallets/archive.ts'
import { countOldSales, listCustomersWithOldSales, listHistories } from '../../store/wallets/old-sales.ts'
import {
  type ArchiveFolder,
  appendToManifest,
  type FileEntry,
  fileName,
  namePending,
  openArchiveFolder,
  sumOf,
  sumRows,
  writePending,
} from './archive-folder.ts'
import { type Choice, chooseSales, noneStaying, type ReasonToStay, type Staying } from './choose-sales.ts'

/** No younger sale is archived, so that a till's late return or retry still finds it. */
export const minArchiveDays = 400

export interface ArchiveOptions {
  readonly before: Date
  readonly now: Date
  /** Undefined to count only. */
  readonly directory: string | undefined
  /** How many sales are moved in one transaction. */
  readonly salesPerStep: number
  /** Called after each step with the number of old sales looked at so far. */
  onProgress(looked: number): void
  /** Asked between steps. */
  isStopped(): boolean
}

export interface ArchiveSummary {
  sales: number
  rows: number
  files: number
  bytes: number
  readonly staying: Staying
}

interface Run extends ArchiveOptions {
  readonly pool: Pool
  readonly tenant: Tenant
  readonly folder: ArchiveFolder | undefined
  /** Limits of a day before this one are neither asked for nor changed any more. */
  readonly daysBefore: Date
  readonly summary: ArchiveSummary
}

const dayMs = 86_400_000
const customersPerStep = 500
const eventsPerSale = 5

export function countArchivable(pool: Pool, { orgId }: Organization, before: Date): Promise<number> {
  return countOldSales(tenantOf(pool, orgId), before)
}

export async function archiveOrganization(
  pool: Pool,
  { orgId, id, maxBackdateDays }: Organization,
  options: ArchiveOptions,
): Promise<ArchiveSummary> {
  const { before, now, directory } = options
  const tenant = tenantOf(pool, orgId)
  const summary = { sales: 0, rows: 0, files: 0, bytes: 0, staying: noneStaying() }
  const folder = directory === undefined ? undefined : await openArchiveFolder(directory, id)
  if (folder) await completeManifest(tenant, folder)
  const daysBefore = new Date(Math.min(before.getTime(), now.getTime() - (maxBackdateDays + 2) * dayMs))
  const run: Run = { ...options, pool, tenant, folder, daysBefore, summary }
  await archiveSales(run)
  if (folder) await archiveEvents(run, folder)
  return summary
}

async function archiveSales(run: Run): Promise<void> {
  const { tenant, before, summary } = run
  let looked = 0
  let after: string | undefined
  while (!run.isStopped()) {
    const listed = await listCustomersWithOldSales(tenant, before, { after, limit: customersPerStep })
    if (listed.length === 0) return
    const batch = fitting(listed, run.salesPerStep)
    const { sales, staying, isCut } = await archiveCustomers(run, batch)
    summary.sales += sales.length
    for (const reason of Object.keys(staying) as ReasonToStay[]) summary.staying[reason] += staying[reason]
    if (isCut && run.folder) {
      run.onProgress(looked + sales.length)
      continue
    }
    looked += batch.reduce((sum, one) => sum + one.sales, 0)
    run.onProgress(looked)
    after = batch.at(-1)!.customer
  }
}

/** As many as fit into a step; a customer with more sales than that is alone in several. */
function fitting(listed: readonly { customer: string; sales: number }[], most: number) {
  let left = most
  const end = listed.findIndex(({ sales }) => {
    left -= sales
    return left < 0
  })
  return end === -1 ? listed : listed.slice(0, Math.max(1, end))
}

const maxAttempts = 5

async function archiveCustomers(
  run: Run,
  batch: readonly { customer: string; sales: number }[],
): Promise<Choice> {
  const { tenant, folder } = run
  for (let attempt = 1; ; attempt++) {
    const histories = await listHistories(
      tenant,
      batch.map(({ customer }) => customer),
      run,
    )
    const choice = chooseSales(histories, folder ? run.salesPerStep : Number.POSITIVE_INFINITY)
    if (!folder || choice.sales.length === 0) return choice
    if (await moveSales(run, folder, choice)) return choice
    if (attempt === maxAttempts)
      return {
        ...choice,
        sales: [],
        isCut: false,
        staying: { ...choice.staying, inUse: choice.sales.length },
      }
    await sleep(100 * attempt)
  }
}

/** Whether the sales were moved; otherwise a customer has changed meanwhile, and nothing was. */
async function moveSales(run: Run, folder: ArchiveFolder, choice: Choice): Promise<boolean> {
  const { tenant, before, daysBefore } = run
  const rows = await listArchivedRows(tenant, choice, { before, daysBefore })
  const coupons = (rows.coupons ?? []).map(({ key }) => key[0]!)
  const range = { from: timeOf(choice.sales[0]!), to: timeOf(choice.sales.at(-1)!) }
  return moveRows(run, folder, rows, range, {
    begin: (own) => lockUnchanged(own, choice.wallets),
    keep: (own, file) => insertArchived(own, choice, { file, coupons }),
  })
}

/** Ids carry the time at which they were created. */
const timeOf = (id: string) =>
  new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toISOString()

async function archiveEvents(run: Run, folder: ArchiveFolder): Promise<void> {
  const limit = eventsPerSale * run.salesPerStep
  let after = 0
  while (!run.isStopped()) {
    const events = await listOldEvents(run.tenant, run.before, { after, limit })
    if (events.length === 0) return
    const timeIn = ({ row }: { row: string }) => new Date(JSON.parse(row).created_at).toISOString()
    const range = { from: timeIn(events[0]!), to: timeIn(events.at(-1)!) }
    const [first, last] = [positionOf(events[0]!), positionOf(events.at(-1)!)]
    const isMoved = await moveRows(run, folder, { events }, range, {
      // The service deletes old events, too.
      begin: async (own) => (await findEventRange(own)).oldest <= first,
      keep: (own) => own.db.pipeAtCommit([oldestEventStep(String(own.orgId), last + 1)]),
    })
    // The index still has the deleted ones, until it is vacuumed.
    if (isMoved) after = last
  }
}

const positionOf = ({ key }: { readonly key: readonly string[] }) => Number(key[0])

interface Move {
  /** Locks what the rows belong to; whether it is unchanged. */
  begin(tenant: Tenant): Promise<boolean>
  /** Writes what is kept of the rows. */
  keep(tenant: Tenant, file: number): Promise<void>
}

async function moveRows(
  run: Run,
  folder: ArchiveFolder,
  rows: ArchivedRows,
  range: Pick<FileEntry, 'from' | 'to'>,
  move: Move,
): Promise<boolean> {
  const { pool, tenant, before, summary } = run
  const pending = await writePending(folder, rows, { ...range, before: before.toISOString().slice(0, 10) })
  const { entry } = pending
  const archivedAt = new Date()
  const work = async (own: Tenant) => {
    await updateLockTimeout(own)
    if (!(await move.begin(own))) return undefined
    const number = await lockNextFile(own)
    await namePending(folder, pending, number)
    await insertArchivedFile(own, { number, archivedAt, entry })
    // From now on, every basket looks for its receipt in the archive as well.
    if (number === 1) await updateSetupVersion(own)
    await move.keep(own, number)
    await deleteArchivedRows(own, rows)
    return number
  }
  try {
    const number = await inTransaction(pool, tenant.orgId, work, { maxAttempts: 1 })
    if (number === undefined) return false
    await appendToManifest(folder, number, toManifestLine(number, archivedAt, entry))
    summary.files++
    summary.bytes += entry.bytes
    summary.rows += sumRows(entry)
    return true
  } catch (error) {
    if (isLockTimeout(error) || classifyError(error) === 'retry') return false
    throw error
  }
}

const toManifestLine = (number: number, archivedAt: Date, entry: FileEntry) => ({
  file: fileName(number),
  ...entry,
  archivedAt: archivedAt.toISOString(),
})

/** A run that ended between its commit and its manifest has left out the last file, and only that. */
async function completeManifest(tenant: Tenant, folder: ArchiveFolder): Promise<void> {
  for (const { number, archivedAt, entry } of await listArchivedFiles(tenant, folder.last)) {
    const known = entry as FileEntry
    if ((await sumOf(folder, fileName(number))) !== known.sha256) continue
    await appendToManifest(folder, number, toManifestLine(number, archivedAt, known))
  }
}
