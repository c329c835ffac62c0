/** Writes the rows that an import has rejected, as they are in the file, with what is wrong with them. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { toCsvLine } from '../files/csv.ts'
import { type FileService, readPages } from './file-service.ts'
import { readSource, type Source } from './import-source.ts'

interface Rejected {
  readonly row: number
  readonly problems: readonly { readonly message: string }[]
}

const shown = 50

export function toProblemLines(problems: readonly Rejected[], count: number): string {
  const lines = problems
    .slice(0, shown)
    .map(({ row, problems: found }) => `  row ${row}: ${found.map(({ message }) => message).join(' ')}`)
  return [...lines, ...(count > shown ? [`  … and ${count - shown} more rows`] : [])].join('\n')
}

/** Both are in the order of the file, so that neither has to be kept. The first of them are returned. */
export async function writeRejected(
  service: FileService,
  source: Source,
  id: string,
  file: string,
): Promise<Rejected[]> {
  const out = createWriteStream(file)
  const first: Rejected[] = []
  const records = readSource(source)
  let hasHeader = false
  try {
    for await (const page of readPages(service, `/v1/imports/${id}/rejected`)) {
      for (const rejected of page as unknown as Rejected[]) {
        if (first.length < 1_000) first.push(rejected)
        let record = await records.next()
        while (!record.done && record.value.row < rejected.row) record = await records.next()
        const values = record.done ? {} : (record.value.values ?? {})
        const reasons = rejected.problems.map(({ message }) => message).join(' ')
        let text = `${JSON.stringify({ ...values, row: rejected.row, reasons })}\n`
        if (source.format === 'csv') {
          // Cells are separated as they were, since that also says how decimals are written.
          const delimiter = !record.done && record.value.hasDecimalComma ? ';' : ','
          const names = toCsvLine([...Object.keys(values), 'row', 'reasons'], delimiter)
          const cells = [...Object.values(values).map(String), rejected.row, reasons]
          text = (hasHeader ? '' : `\ufeff${names}`) + toCsvLine(cells, delimiter)
          hasHeader = true
        }
        if (!out.write(text)) await once(out, 'drain')
      }
    }
  } finally {
    await records.return(undefined)
    out.end()
    await finished(out)
  }
  return first
}
