/**
 * Sends the rows of a file in pieces, a few of them at a time. The same file is always cut in the same places, so that an
 * import that was interrupted resumes where it was.
 */
import { type ImportCounts, type ImportRow, maxRowsAtOnce } from '../domain/import.ts'

export interface Piece {
  /** The last row of the piece before it. */
  readonly after: number
  readonly rows: readonly ImportRow[]
}

/** The service takes 256 KB. */
const maxBytes = 150_000

export async function* cutPieces(rows: AsyncIterable<ImportRow>): AsyncGenerator<Piece> {
  let piece: ImportRow[] = []
  let [bytes, after] = [0, 0]
  for await (const row of rows) {
    // In UTF-16 units; a unit has at most three bytes, and most have one.
    const size = JSON.stringify(row).length
    if (piece.length === maxRowsAtOnce || (piece.length > 0 && bytes + size > maxBytes)) {
      yield { after, rows: piece }
      after = piece.at(-1)!.row
      piece = []
      bytes = 0
    }
    piece.push(row)
    bytes += size
  }
  if (piece.length > 0) yield { after, rows: piece }
}

export interface SendOptions {
  /** Every row up to this one is done. */
  readonly doneUntil: number
  /** How many pieces are under way at once. */
  readonly atOnce: number
  send(piece: Piece): Promise<ImportCounts>
  /** Called after each piece, with the number of rows. */
  onDone(rows: number, counts: ImportCounts | undefined): void
  /** True to stop after what is under way. */
  isStopped?(): boolean
}

/** Ends when all pieces are done; the first that fails ends it, after those that are under way. */
export async function sendPieces(pieces: AsyncIterable<Piece>, options: SendOptions): Promise<void> {
  const { doneUntil, atOnce, send, onDone, isStopped = () => false } = options
  const running = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined
  for await (const piece of pieces) {
    if (piece.rows.at(-1)!.row <= doneUntil) {
      onDone(piece.rows.length, undefined)
      continue
    }
    while (running.size >= atOnce) await Promise.race(running)
    if (failure || isStopped()) break
    const one: Promise<void> = send(piece)
      .then((counts) => onDone(piece.rows.length, counts))
      .catch((error: unknown) => {
        failure ??= { error }
      })
      .finally(() => running.delete(one))
    running.add(one)
  }
  await Promise.all(running)
  if (failure) throw failure.error
}
