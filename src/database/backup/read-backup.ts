import { type BackupReader, damaged, type Piece, type PieceKind } from './backup-file.ts'
import { type Contents, type CopiedTable, countRows, type Summary } from './tables.ts'

export interface OpenBackup {
  readonly contents: Contents
  /** Each table in turn; its rows have to be read before the next one. */
  tables(): AsyncGenerator<{ readonly table: CopiedTable; readonly rows: AsyncGenerator<Buffer> }>
  /** Reads the end, after the tables. */
  finish(): Promise<Summary>
}

/** `onPosition` gets how much of the file has been read, and the number of rows in it. */
export async function openBackup(
  path: string,
  reader: BackupReader,
  onPosition: (position: number, rows: number) => void = () => {},
): Promise<OpenBackup> {
  const pieces = reader.pieces()
  const next = async (...expected: PieceKind[]): Promise<Piece> => {
    const { value } = await pieces.next()
    if (value && expected.includes(value.kind)) return value
    throw damaged(path, 'its parts are not in order')
  }
  const contents: Contents = parse(await next('contents'))
  const counted: Record<string, number> = {}
  let all = 0
  async function* readRows(name: string): AsyncGenerator<Buffer> {
    let count = 0
    for (;;) {
      const piece = await next('rows', 'table end')
      if (piece.kind === 'table end') {
        if (parse<{ rows: number }>(piece).rows !== count)
          throw damaged(path, `rows of ${name} are missing or were added`)
        counted[name] = count
        return
      }
      const rows = countRows(piece.content)
      count += rows
      all += rows
      onPosition(piece.position, all)
      yield piece.content
    }
  }
  return {
    contents,
    async *tables() {
      for (const table of contents.tables) {
        if (parse<{ name: string }>(await next('table')).name !== table.name)
          throw damaged(path, 'its parts are not in order')
        yield { table, rows: readRows(table.name) }
      }
    },
    async finish() {
      const summary: Summary = parse(await next('summary'))
      const isSame = contents.tables.every(({ name }) => summary.rows[name] === counted[name])
      if (!isSame || !(await pieces.next()).done) throw damaged(path, 'its parts are not in order')
      return summary
    },
  }
}

function parse<T>({ content }: Piece): T {
  return JSON.parse(content.toString())
}

/** Reads a whole file, and returns how many rows it has; fails if it is not as it was written. */
export async function verifyBackup(
  path: string,
  reader: BackupReader,
  onPosition?: (position: number, rows: number) => void,
): Promise<{ contents: Contents; rows: number }> {
  const backup = await openBackup(path, reader, onPosition)
  for await (const { rows } of backup.tables()) for await (const _ of rows);
  const summary = await backup.finish()
  return {
    contents: backup.contents,
    rows: Object.values(summary.rows).reduce((sum, count) => sum + count, 0),
  }
}
