/** A piece of a file, and what comes of it. */
import type { ImportCounts, ImportRow } from '../../domain/import.ts'
import type { OpenImport, RejectedRow } from '../../store/imports.ts'
import type { Step } from '../../store/question.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { Setup } from '../organizations/setup-cache.ts'

export interface RowsOutcome {
  readonly counts: ImportCounts
  readonly rejected: readonly RejectedRow[]
}

/** A piece that is being written. */
export interface RowsToImport {
  readonly import: OpenImport
  readonly rows: readonly ImportRow[]
  readonly setup: Setup
  readonly now: Date
}

/** Decides, and unless it is a dry run writes; `alongside` is written with it in any case. */
export type ImportOfKind = (
  tenant: Tenant,
  piece: RowsToImport,
  alongside: (outcome: RowsOutcome) => Step,
) => Promise<RowsOutcome>

/** A wallet has changed after it was read; everything is read again. */
export class ChangedMeanwhile extends Error {
  override name = 'ChangedMeanwhile'
}
