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
      description: 'Page size (default 25).',
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

/** Expects one row more than `limit`, which tells whether there is a next page. */
export function toPage<T, R>(
  rows: readonly T[],
  limit: number,
  keyOf: (row: T) => string,
  render: (row: T) => R,
): { data: R[]; nextCursor?: string } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const nextCursor =
    rows.length > limit && last !== undefined ? Buffer.from(keyOf(last)).toString('base64url') : undefined
  return { data: shown.map(render), nextCursor }
}

/** A page of a list that is sorted by id. */
export async function listPage<P extends IdPrefix, T extends { readonly id: IdOf<P> }, R>(
  prefix: P,
  query: { readonly limit?: number; readonly cursor?: string },
  list: (page: { readonly limit: number; readonly after?: IdOf<P> }) => Promise<readonly T[]>,
  render: (row: T) => R,
): Promise<{ data: R[]; nextCursor?: string }> {
  const limit = limitOf(query)
  const rows = await list({ limit: limit + 1, after: idCursor(prefix, query.cursor) })
  return toPage(rows, limit, ({ id }) => id, render)
}

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
