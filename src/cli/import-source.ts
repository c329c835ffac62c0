/** A file that is imported: it is read more than once, and never held as a whole. */
import { createReadStream } from 'node:fs'
import { decode, type Encoding, type FileFormat, type FileRecord, readRecords } from '../files/read-file.ts'

export interface Source {
  readonly path: string
  readonly format: FileFormat
  readonly encoding: Encoding
}

export function readSource({ path, format, encoding }: Source): AsyncGenerator<FileRecord> {
  return readRecords(decode(createReadStream(path), encoding), format)
}
