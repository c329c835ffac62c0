/** Sends a file to the service, and gets what came of it. */

import type { Mapping, Surroundings } from '../../../src/files/columns.ts'
import { toCsvLine } from '../../../src/files/csv.ts'
import { createRowMapper } from '../../../src/files/map-row.ts'
import type { FileRecord } from '../../../src/files/read-file.ts'
import { cutPieces, type Piece, sendPieces } from '../../../src/files/send-rows.ts'
import { toHeader, toLine } from '../../../src/files/write-rows.ts'
import { api, dataOf, isUnanswered, type Schemas } from '../../api/client.ts'
import { idempotencyHeaders } from '../../api/idempotency-key.ts'
import { dateOrderOf, recordsOf, type ScannedFile } from './scan-file.ts'

export type Import = Schemas['Import']
export type RejectedRow = Schemas['RejectedRow']

export interface ImportChoice {
  readonly scanned: ScannedFile
  readonly around: Surroundings
  readonly mapping: Mapping
  readonly campaign?: string
  readonly updates: boolean
  readonly countsTowardTotal: boolean
  readonly isDryRun: boolean
  readonly country: string
}

export interface Running {
  /** Rows that are done now, and those that had been before. */
  onProgress(done: number, skipped: number): void
  isStopped(): boolean
}

const atOnce = 2
const attempts = 6

export async function runImport(choice: ImportChoice, running: Running): Promise<Import> {
  const { scanned, around, mapping } = choice
  const begun = await beginOrResume(choice)
  const toRow = createRowMapper({
    kind: around.kind,
    mapping,
    dateOrder: dateOrderOf(scanned, choice.country),
  })
  let [done, skipped] = [0, 0]
  await sendPieces(cutPieces(mapped(recordsOf(scanned.file, scanned.format), toRow)), {
    doneUntil: begun.lastRow,
    atOnce,
    send: (piece) => sendPiece(begun.id, piece),
    onDone(rows, counts) {
      if (counts) done += rows
      else skipped += rows
      running.onProgress(done, skipped)
    },
    isStopped: running.isStopped,
  })
  if (running.isStopped()) return dataOf(api.GET('/v1/imports/{id}', { params: { path: { id: begun.id } } }))
  return dataOf(
    api.POST('/v1/imports/{id}/finish', {
      params: { path: { id: begun.id }, header: idempotencyHeaders() },
      body: {},
    }),
  )
}

async function* mapped<T, R>(items: AsyncIterable<T>, map: (item: T) => R): AsyncGenerator<R> {
  for await (const item of items) yield map(item)
}

/** The same file with the same meaning resumes where it was interrupted. */
async function beginOrResume(choice: ImportChoice): Promise<Import> {
  const { scanned, around, mapping, campaign, isDryRun } = choice
  const existing = choice.updates ? ('update' as const) : ('keep' as const)
  const { data } = await dataOf(
    api.GET('/v1/imports', {
      params: {
        query: {
          kind: around.kind,
          fileHash: scanned.hash,
          status: 'open',
          dryRun: isDryRun ? 'true' : 'false',
        },
      },
    }),
  )
  const found = data.find(
    (one) =>
      one.campaign === campaign &&
      one.existing === existing &&
      one.countTowardTotal === choice.countsTowardTotal &&
      JSON.stringify(one.columns) === JSON.stringify(mapping),
  )
  if (found) return found
  return dataOf(
    api.POST('/v1/imports', {
      params: { header: idempotencyHeaders() },
      body: {
        kind: around.kind,
        campaign,
        dryRun: isDryRun,
        existing,
        countTowardTotal: choice.countsTowardTotal,
        fileName: scanned.file.name.slice(0, 255),
        fileHash: scanned.hash,
        columns: mapping,
      },
    }),
  )
}

/** Rows that were stored get the same response again, so a request without one is sent again. */
async function sendPiece(id: string, piece: Piece): Promise<Schemas['ImportedRows']> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await dataOf(
        api.POST('/v1/imports/{id}/rows', { params: { path: { id } }, body: piece as Schemas['ImportRows'] }),
      )
    } catch (error) {
      if (!isUnanswered(error) || attempt === attempts) throw error
      await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt))
    }
  }
}

export async function* readRejected(id: string): AsyncGenerator<RejectedRow> {
  for (let cursor: string | undefined; ; ) {
    const page = await dataOf(
      api.GET('/v1/imports/{id}/rejected', { params: { path: { id }, query: { cursor } } }),
    )
    yield* page.data
    if (page.nextCursor === undefined) return
    cursor = page.nextCursor
  }
}

/** The rows as they are in the file, with what is wrong with them. */
export async function rejectedFile({ file, format }: ScannedFile, id: string): Promise<string> {
  const records = recordsOf(file, format)
  const parts: string[] = []
  for await (const { row, problems } of readRejected(id)) {
    let record = await records.next()
    while (!record.done && record.value.row < row) record = await records.next()
    const found: Partial<FileRecord> = record.done ? {} : record.value
    const values = found.values ?? {}
    const reasons = problems.map(({ message }) => message).join(' ')
    if (format === 'ndjson') {
      parts.push(`${JSON.stringify({ ...values, row, reasons })}\n`)
      continue
    }
    const delimiter = found.hasDecimalComma ? ';' : ','
    if (parts.length === 0)
      parts.push(`\ufeff${toCsvLine([...Object.keys(values), 'row', 'reasons'], delimiter)}`)
    parts.push(toCsvLine([...Object.values(values).map(String), row, reasons], delimiter))
  }
  return parts.join('')
}

/** All customers, products or branches as a file. */
export async function exportAll(
  around: Surroundings,
  format: 'csv' | 'ndjson',
  onProgress: (count: number) => void,
): Promise<string> {
  const parts = [toHeader(format, around)]
  let count = 0
  for (let cursor: string | undefined; ; ) {
    const page = await readExported(around, cursor)
    for (const row of page.data) parts.push(toLine(format, around, row))
    count += page.data.length
    onProgress(count)
    if (page.nextCursor === undefined) return parts.join('')
    cursor = page.nextCursor
  }
}

function readExported({ kind }: Surroundings, cursor: string | undefined) {
  if (kind === 'customers') return dataOf(api.GET('/v1/exports/customers', { params: { query: { cursor } } }))
  const query = { cursor, limit: 100 }
  return kind === 'products'
    ? dataOf(api.GET('/v1/products', { params: { query } }))
    : dataOf(api.GET('/v1/branches', { params: { query } }))
}
