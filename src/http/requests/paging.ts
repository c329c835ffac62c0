/** Pagination. A cursor is opaque to clients: the key of the last row, encoded as base64url. */
import { Type } from 'typebox'
import { type IdOf, type IdPrefix, parseId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import { parameter } from '../openapi/name-components.ts'

export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({
      ...parameter('Limit'),
      minimum: 1,
      maximum: 100,
      description: 'Page size (default 25). A page of large entries may be shorter.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      ...parameter('Cursor'),
      maxLength: 500,
      description: 'The `nextCursor` of the previous page.',
    }),
  ),
}

const defaultLimit = 25

export function limitOf(query: { limit?: number }): number {
  return query.limit ?? defaultLimit
}

/** A page ends when it has this many bytes: a row can be a thousand times as large as another. */
const maxPageBytes = 1024 * 1024
/** Rows of these may have hundreds of kilobytes: only so many are read at first, and as many as fit then. */
const largeRows: ReadonlySet<IdPrefix> = new Set<IdPrefix>(['txn', 'cmp', 'cpn'])
const firstPiece = 25

/** Holds a page that is JSON already, because its size had to be known. */
const pageText = Symbol('page as JSON')

/** Responses are plain objects; JSON.stringify omits undefined values and keeps the only null there is. */
export function serialize(reply: unknown): string {
  return (reply as { [pageText]?: string } | null)?.[pageText] ?? JSON.stringify(reply)
}

/** Collects rows until the page is full, in rows or in bytes. */
function createPage<T, R>(limit: number, keyOf: (row: T) => string, render: (row: T) => R) {
  const texts: string[] = []
  let last: T | undefined
  let bytes = 0
  let isFull = false
  return {
    /** Number of rows to read next; 0 if the page is full. */
    room(first: number): number {
      if (isFull) return 0
      const read = texts.length
      const fitting = read === 0 ? first : Math.ceil((maxPageBytes - bytes) / (bytes / read))
      return Math.min(limit - read, Math.max(1, fitting))
    },
    /** Takes rows as long as there is room, and returns the last one taken. */
    add(rows: readonly T[]): T | undefined {
      for (const row of rows) {
        if (isFull) break
        const text = JSON.stringify(render(row))
        const size = Buffer.byteLength(text)
        // The first row is always taken: the list would not get past it otherwise.
        isFull = texts.length > 0 && bytes + size > maxPageBytes
        if (isFull) break
        texts.push(text)
        bytes += size
        last = row
        isFull = texts.length === limit
      }
      return last
    },
    close(hasMore: boolean): { data: R[]; nextCursor?: string } {
      const cursor = hasMore && last !== undefined ? toCursor(keyOf(last)) : undefined
      const more = cursor === undefined ? '' : `,"nextCursor":"${cursor}"`
      const page = { [pageText]: `{"data":[${texts.join()}]${more}}` }
      return page as unknown as { data: R[]; nextCursor?: string }
    },
  }
}

/** Expects one row more than `limit`, which tells whether there is a next page. */
export function toPage<T, R>(
  rows: readonly T[],
  limit: number,
  keyOf: (row: T) => string,
  render: (row: T) => R,
): { data: R[]; nextCursor?: string } {
  const page = createPage(limit, keyOf, render)
  return page.close(page.add(rows) !== rows.at(-1))
}

/** A page of a list that is sorted by id. */
export async function listPage<P extends IdPrefix, T extends { readonly id: IdOf<P> }, R>(
  prefix: P,
  query: { readonly limit?: number; readonly cursor?: string },
  list: (page: { readonly limit: number; readonly after?: IdOf<P> }) => Promise<readonly T[]>,
  render: (row: T) => R,
): Promise<{ data: R[]; nextCursor?: string }> {
  const limit = limitOf(query)
  const page = createPage<T, R>(limit, ({ id }) => id, render)
  const first = largeRows.has(prefix) ? firstPiece : limit
  let after = idCursor(prefix, query.cursor)
  for (let room = page.room(first); ; room = page.room(first)) {
    // One more than is shown tells whether there is another.
    const rows = await list({ limit: room + 1, after })
    const last = page.add(rows.slice(0, room))
    const hasMore = rows.length > 0 && last !== rows.at(-1)
    if (!hasMore || page.room(first) === 0) return page.close(hasMore)
    after = last!.id
  }
}

export const toCursor = (key: string): string => Buffer.from(key).toString('base64url')

export function decodeCursor(cursor: string | undefined): string | undefined {
  return cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString('utf8')
}

export function idCursor<P extends IdPrefix>(prefix: P, cursor: string | undefined): IdOf<P> | undefined {
  const text = decodeCursor(cursor)
  if (text === undefined) return undefined
  return parseId(prefix, text) ?? refuseCursor()
}

export function refuseCursor(): never {
  throw new Refused('_invalid_payload', 'cursor: must be a `nextCursor` of this list.')
}
