/** Imports products or branches: those whose external ID is known are left alone, or changed if the import may. */
import type { ImportRow, ProblemCode, RowProblem } from '../../domain/import.ts'
import { decimalsOf, maxMoney, maxPriceDecimals } from '../../domain/money.ts'
import { listEntriesByOpaqueId, upsertDirectoryEntries } from '../../store/import-directory.ts'
import type { RejectedRow } from '../../store/imports.ts'
import type { Step } from '../../store/question.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { RowsOutcome, RowsToImport } from './piece.ts'

export async function importDirectory(
  tenant: Tenant,
  { import: opened, rows, now }: RowsToImport,
  alongside: (outcome: RowsOutcome) => Step,
): Promise<RowsOutcome> {
  const kind = opened.kind === 'branches' ? 'branches' : 'products'
  const rejected: RejectedRow[] = []
  const known = await listEntriesByOpaqueId(
    tenant,
    kind,
    rows.flatMap(({ opaqueId }) => opaqueId?.trim() || []),
  )
  const written = new Map<string, ImportRow>()
  const counts = { created: 0, updated: 0, unchanged: 0, rejected: 0 }
  for (const row of rows) {
    const found = problemsOf(row)
    const opaqueId = row.opaqueId?.trim() ?? ''
    const other = written.get(opaqueId)
    if (other) found.push({ field: 'opaqueId', code: 'duplicate', otherRow: other.row })
    if (found.length > 0) rejected.push({ row: row.row, problems: found })
    const before = known.get(opaqueId)
    if (found.length > 0) counts.rejected++
    else if (!before) counts.created++
    else if (opened.updatesExisting && isDifferent(row, before)) counts.updated++
    else counts.unchanged++
    const isWritten = found.length === 0 && (!before || (opened.updatesExisting && isDifferent(row, before)))
    if (isWritten) written.set(opaqueId, row)
  }
  const outcome = { counts, rejected }
  if (!opened.isDryRun && written.size > 0)
    await upsertDirectoryEntries(tenant, kind, [...written].map(toEntry), now)
  await tenant.db.pipeAtCommit([alongside(outcome)])
  return outcome
}

const toEntry = ([opaqueId, row]: [string, ImportRow]) => ({
  opaqueId,
  name: row.name?.trim() || undefined,
  category: row.category?.trim() || undefined,
  price: row.price,
})

function isDifferent(row: ImportRow, before: { name?: string; category?: string; price?: number }): boolean {
  const { name, category, price } = toEntry(['', row])
  return (
    (name !== undefined && name !== before.name) ||
    (category !== undefined && category !== before.category) ||
    (price !== undefined && price !== before.price)
  )
}

const longest = { opaqueId: 255, name: 200, category: 255 } as const

function problemsOf(row: ImportRow): RowProblem[] {
  const found: RowProblem[] = [...(row.problems ?? [])]
  const add = (field: string, code: ProblemCode) => found.push({ field, code })
  if (!row.opaqueId?.trim() && found.length === 0) add('opaqueId', 'missing')
  for (const [field, length] of Object.entries(longest))
    if ((row[field as keyof typeof longest]?.length ?? 0) > length) add(field, 'too_long')
  const { price } = row
  if (price !== undefined && !(price >= 0 && price <= maxMoney && decimalsOf(price) <= maxPriceDecimals))
    add('price', 'invalid')
  return found
}
