/** Looks through a file before its first row is sent: what its columns are called, and how long it is. */
import { guessMapping, isField, type Mapping, type Surroundings } from '../../../src/files/columns.ts'
import { createFileHash } from '../../../src/files/file-hash.ts'
import {
  decode,
  FileError,
  type FileFormat,
  type FileRecord,
  formatOf,
  readRecords,
} from '../../../src/files/read-file.ts'
import { type DateOrder, guessDateOrder } from '../../../src/files/read-values.ts'

export interface ScannedFile {
  readonly file: File
  readonly format: FileFormat
  readonly hash: string
  readonly rows: number
  readonly columns: readonly string[]
  readonly sample: readonly FileRecord[]
}

const sampleSize = 1_000

/** In pieces, so that a file may be larger than what fits into memory. */
async function* bytesOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

export const recordsOf = (file: File, format: FileFormat): AsyncGenerator<FileRecord> =>
  readRecords(decode(bytesOf(file)), format)

export async function scanFile(file: File): Promise<ScannedFile> {
  const format = formatOf(file.name)
  const hash = createFileHash()
  for await (const bytes of bytesOf(file)) hash.update(bytes)
  const sample: FileRecord[] = []
  const columns = new Set<string>()
  let rows = 0
  for await (const record of recordsOf(file, format)) {
    rows++
    if (sample.length >= sampleSize) continue
    sample.push(record)
    for (const name of Object.keys(record.values ?? {})) columns.add(name)
  }
  if (rows === 0) throw new FileError('empty', 'The file has no rows.')
  return { file, format, hash: hash.digest(), rows, columns: [...columns], sample }
}

/** A few values of a column that people recognize it by. */
export function examplesOf({ sample }: ScannedFile, column: string): string[] {
  const values = sample.flatMap(({ values: all }) => {
    const value = all?.[column]
    if (value === undefined || value === null || value === '') return []
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  })
  return [...new Set(values)].slice(0, 3)
}

export function dateOrderOf({ sample }: ScannedFile, country: string): DateOrder {
  const texts = sample.flatMap(({ values }) => Object.values(values ?? {}).map(String))
  return guessDateOrder(texts) ?? (country === 'US' ? 'mdy' : 'dmy')
}

const keptKey = (columns: readonly string[], { kind }: Surroundings) =>
  `lw-import-${kind}-${columns.join('\n')}`

/** The mapping that was used the last time for such columns, or else a guess. */
export function mappingFor(columns: readonly string[], around: Surroundings): Mapping {
  try {
    const kept = JSON.parse(localStorage.getItem(keptKey(columns, around)) ?? 'null') as Mapping | null
    if (kept && Object.values(kept).every((field) => isField(field, around))) return kept
  } catch {
    // What cannot be read is guessed.
  }
  return guessMapping(columns, around)
}

export function keepMapping(columns: readonly string[], around: Surroundings, mapping: Mapping): void {
  localStorage.setItem(keptKey(columns, around), JSON.stringify(mapping))
}
