/** Reads a file as records with the numbers that people see: those of rows in a spreadsheet, or of lines. */
import { createCsvReader, guessDelimiter, restoreCell } from './csv.ts'

export type FileFormat = 'csv' | 'ndjson'
export type Encoding = 'utf-8' | 'windows-1252'

export interface FileRecord {
  readonly row: number
  /** By column; undefined if the row cannot be read. */
  readonly values: Readonly<Record<string, unknown>> | undefined
  /** Whether the file separates its cells by semicolons, as where decimals are written with a comma. */
  readonly hasDecimalComma?: boolean
}

/** Says what to do, in a sentence for people. */
export class FileError extends Error {
  override name = 'FileError'
  readonly code: 'not_utf8' | 'empty'
  constructor(code: FileError['code'], message: string) {
    super(message)
    this.code = code
  }
}

export async function* decode(
  chunks: AsyncIterable<Uint8Array>,
  encoding: Encoding = 'utf-8',
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  try {
    // Without its byte order mark, which the decoder removes.
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new FileError(
      'not_utf8',
      'The file is not UTF-8. Save it as "CSV UTF-8", or choose the encoding windows-1252 if it comes from an older spreadsheet.',
    )
  }
}

export const formatOf = (fileName: string): FileFormat =>
  /\.(?:ndjson|jsonl|json)$/i.test(fileName) ? 'ndjson' : 'csv'

export function readRecords(texts: AsyncIterable<string>, format: FileFormat): AsyncGenerator<FileRecord> {
  return format === 'csv' ? readCsv(texts) : readLines(texts)
}

async function* readCsv(texts: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  let reader: ReturnType<typeof createCsvReader> | undefined
  let start = ''
  let header: string[] | undefined
  let row = 0
  let hasDecimalComma = false
  const begin = () => {
    const delimiter = guessDelimiter(start)
    hasDecimalComma = delimiter === ';'
    return createCsvReader(delimiter)
  }
  const toRecords = function* (records: string[][]) {
    for (const cells of records) {
      row++
      if (cells.every((cell) => cell.trim() === '')) continue
      if (header) yield { row, values: byColumn(header, cells), hasDecimalComma }
      else header = toColumns(cells)
    }
  }
  for await (const text of texts) {
    if (reader) {
      yield* toRecords(reader.push(text))
      continue
    }
    // The whole header has to be there before it is known what separates its cells.
    start += text
    if (!/[\r\n]/.test(start)) continue
    reader = begin()
    yield* toRecords(reader.push(start))
  }
  reader ??= begin()
  if (row === 0) yield* toRecords(reader.push(start))
  yield* toRecords(reader.end())
}

/** A name that occurs twice gets a number. */
function toColumns(cells: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return cells.map((cell, i) => {
    const name = restoreCell(cell.trim()) || `Column ${i + 1}`
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return count === 1 ? name : `${name} (${count})`
  })
}

function byColumn(header: readonly string[], cells: readonly string[]): FileRecord['values'] {
  if (cells.slice(header.length).some((cell) => cell.trim() !== '')) return undefined
  return Object.fromEntries(header.map((name, i) => [name, restoreCell(cells[i] ?? '')]))
}

async function* readLines(texts: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  let rest = ''
  let row = 0
  const toRecord = (line: string): FileRecord[] => {
    row++
    return line.trim() === '' ? [] : [{ row, values: parseObject(line) }]
  }
  for await (const text of texts) {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield* toRecord(line)
  }
  if (rest !== '') yield* toRecord(rest)
}

/** What the service cannot store is not read either. */
const unstorable = /\\u0000|"__proto__"|"constructor"/

function parseObject(line: string): FileRecord['values'] {
  try {
    const value: unknown = JSON.parse(line)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    // Half a character is written as its escape.
    const isStorable = !unstorable.test(line) && !/\\ud[89a-f]/.test(JSON.stringify(value))
    return isObject && isStorable ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
