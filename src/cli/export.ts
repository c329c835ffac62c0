import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { Command } from 'commander'
import type { ImportKind } from '../domain/import.ts'
import { type FileFormat, formatOf } from '../files/read-file.ts'
import { toHeader, toLine } from '../files/write-rows.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { findCredentials } from './credentials.ts'
import { Failure, misused } from './failure.ts'
import { openFileService, readPages, readServiceSetup } from './file-service.ts'

interface ExportOptions {
  url?: string
  profile?: string
  format?: string
}

const paths: Record<ImportKind, string> = {
  customers: '/v1/exports/customers',
  products: '/v1/products?limit=100',
  branches: '/v1/branches?limit=100',
}

/** Adds `export` to the command of a kind: `customers export`. */
export function addExportCommand(parent: Command, context: Context, kind: ImportKind): void {
  addCommand(
    parent,
    'export',
    `Export all ${kind} to a file in CSV or NDJSON, which can be imported again.`,
    [`loyalty-wallet ${kind} export ${kind}.csv`, `loyalty-wallet ${kind} export ${kind}.ndjson`],
  )
    .argument('<file>', 'the file to write')
    .option('--format <format>', 'csv or ndjson (default: by the name of the file)')
    .option('--url <address>', 'URL of the service (default: that of the profile, or of the demo)')
    .option('--profile <name>', 'credentials stored by "login" under this name')
    .action(async (file: string, options: ExportOptions) =>
      context.report(await exportTo(context, kind, file, options)),
    )
}

async function exportTo(
  context: Context,
  kind: ImportKind,
  file: string,
  options: ExportOptions,
): Promise<CommandOutput> {
  const format = options.format ?? formatOf(file)
  if (format !== 'csv' && format !== 'ndjson')
    throw misused(`--format: "${format}" is neither csv nor ndjson.`)
  const service = openFileService(await findCredentials(context.env, options))
  try {
    const setup = await readServiceSetup(service, kind)
    const rows = readPages(service, paths[kind])
    const count = await writeFileOf(file, toTexts(format, setup, rows, context))
    return {
      text: `${count} ${kind} exported to ${file}.`,
      json: { kind, file, format, count },
    }
  } finally {
    service.close()
  }
}

async function* toTexts(
  format: FileFormat,
  setup: Parameters<typeof toHeader>[1],
  pages: AsyncIterable<object[]>,
  context: Context,
): AsyncGenerator<{ text: string; rows: number }> {
  yield { text: toHeader(format, setup), rows: 0 }
  let count = 0
  for await (const page of pages) {
    count += page.length
    yield { text: page.map((row) => toLine(format, setup, row)).join(''), rows: page.length }
    if (count % 100_000 < page.length && count > 0) context.note(`${count} rows`)
  }
}

async function writeFileOf(
  file: string,
  texts: AsyncIterable<{ text: string; rows: number }>,
): Promise<number> {
  const out = createWriteStream(file)
  let count = 0
  try {
    for await (const { text, rows } of texts) {
      count += rows
      if (!out.write(text)) await once(out, 'drain')
    }
    out.end()
    await finished(out)
  } catch (error) {
    out.destroy()
    if ((error as NodeJS.ErrnoException).syscall === 'open')
      throw new Failure('file_not_written', `${file} cannot be written (${(error as Error).message}).`)
    throw error
  }
  return count
}
