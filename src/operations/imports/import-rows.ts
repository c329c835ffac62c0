/**
 * Takes a piece of a file: all of its rows are checked, those without problems are written, and what came of each is
 * kept with them, in one transaction. Sent again, they get the response that they got. Rows of other pieces are written
 * side by side with them; where two collide, the later one is done again on what the first has left.
 */
import { isUniqueViolation } from '../../database/classify-error.ts'
import type { ImportId } from '../../domain/ids.ts'
import type { ImportRow } from '../../domain/import.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import { type ImportChunk, insertImportChunk, lockOpenImport, type OpenImport } from '../../store/imports.ts'
import { ask } from '../../store/question.ts'
import { setupState } from '../../store/setup.ts'
import { inTransaction } from '../../store/tenant.ts'
import { checkRemembered } from '../auth/check-remembered.ts'
import type { Caller, Deps } from '../deps.ts'
import { fingerprintOf } from '../fingerprint.ts'
import { timeOf } from '../organizations/time-of.ts'
import { importCustomers } from './import-customers.ts'
import { importDirectory } from './import-directory.ts'
import { ChangedMeanwhile, type ImportOfKind, type RowsOutcome } from './piece.ts'

const kinds: Record<OpenImport['kind'], ImportOfKind> = {
  customers: importCustomers,
  products: importDirectory,
  branches: importDirectory,
}

const maxAttempts = 4

export async function importRows(
  deps: Deps,
  caller: Caller,
  id: ImportId | undefined,
  { after, rows }: { readonly after: number; readonly rows: readonly ImportRow[] },
): Promise<RowsOutcome> {
  if (!id) throw notFound('import_not_found')
  checkOrder(after, rows)
  const fingerprint = fingerprintOf({ rows })
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(deps.pool, caller.organization.orgId, async (tenant) => {
        const opened = await lockOpenImport(tenant, id, after + 1)
        if (!opened) throw notFound('import_not_found')
        if (opened.earlier) return replay(opened.earlier, fingerprint)
        if (opened.isFinished) throw new Refused('import_finished')
        const now = timeOf(deps, caller.organization)
        const { version } = (await ask(tenant, { setup: setupState(tenant, []) })).setup
        const setup = await deps.setupCache.get(tenant, version)
        checkRemembered(setup, caller, now)
        const chunk = { firstRow: after + 1, lastRow: rows.at(-1)!.row, fingerprint: fingerprint.value }
        return kinds[opened.kind](tenant, { import: opened, rows, setup, now }, (outcome) =>
          insertImportChunk(tenant, id, { ...chunk, ...outcome }),
        )
      })
    } catch (error) {
      const isCollision = isUniqueViolation(error) || error instanceof ChangedMeanwhile
      if (!isCollision || attempt === maxAttempts) throw error
    }
  }
}

function checkOrder(after: number, rows: readonly ImportRow[]): void {
  let last = after
  for (const [i, { row }] of rows.entries()) {
    if (row <= last)
      throw new Refused('_invalid_payload', `rows[${i}].row: must be greater than the row before it.`)
    last = row
  }
}

function replay(
  { counts, rejected, fingerprint: stored }: ImportChunk,
  fingerprint: ReturnType<typeof fingerprintOf>,
): RowsOutcome {
  if (!fingerprint.matches(stored)) throw new Refused('import_rows_differ')
  return { counts, rejected }
}
