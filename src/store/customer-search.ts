/** How a text finds customers, and the key of a name that it is compared with. */
import { emailKey } from '../domain/customer.ts'
import type { CustomerId } from '../domain/ids.ts'
import { nameKey, spellingsOf } from '../domain/name-key.ts'
import { idFrom, many, maybeOne, type Scope, uuidOf } from './scope.ts'

/** What names one customer and is found by an index: a whole phone number, e-mail address, barcode or opaque id. */
export const isNamedBy = (phones: string, email: string, text: string) => `c.id = ANY(ARRAY(
    SELECT id FROM customers WHERE org_id = $1 AND phone = ANY(${phones}::text[])
    UNION ALL SELECT id FROM customers WHERE org_id = $1 AND email_key = ${email}
    UNION ALL SELECT customer_id FROM cards WHERE org_id = $1 AND barcode = ${text}))`

/**
 * A part of something, or an opaque id; of a name every word a part, in whatever order and any of its spellings. All of
 * an organization's customers are looked through, newest first, until a page is full: with row level security no index
 * of trigrams is taken, since what it serves is not leakproof. What a text cannot be a part of is not compared. A name
 * without a key is compared as it is written.
 */
export function findsIn(text: string, firstParameter: number): { condition: string; values: unknown[] } {
  const values: unknown[] = []
  const parameter = (value: unknown) => `$${firstParameter + values.push(value) - 1}`
  const patternsOf = (words: string) => patternsFor(words).map(parameter)
  // One by one and not LIKE ALL, of which the plan thinks that it finds nobody: then all would be sorted first.
  const like = (column: string, patterns: readonly string[]) =>
    `(${patterns.map((pattern) => `${column} LIKE ${pattern}`).join(' AND ')})`
  const written = patternsOf(emailKey(text))
  const spelled = spellingsOf(text).map((spelling) => patternsOf(spelling || text))
  const asWritten = [written, ...spelled].map((patterns) => like('lower(c.fullname)', patterns))
  const places = [
    ...spelled.map((patterns) => like('c.name_key', patterns)),
    `c.name_key IS NULL AND (${asWritten.join(' OR ')})`,
    ...(/\s/.test(text) ? [] : [like('c.email_key', written)]),
    ...(/^\+?\d+$/.test(text) ? [like('c.phone', written)] : []),
    `c.opaque_id = ${parameter(text)}`,
  ]
  return { condition: `(${places.join(' OR ')})`, values }
}

const patternsFor = (words: string) =>
  words
    .trim()
    .split(/\s+/)
    .map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`)

interface NameWithoutKey {
  readonly id: CustomerId
  readonly fullname: string
}

/** Ids from one that is left out to one that belongs to it; to the end without it. */
export interface IdRange {
  readonly after?: CustomerId
  readonly to?: CustomerId
}

const boundsOf = ({ after, to }: IdRange) => [
  after ? uuidOf(after) : '00000000-0000-0000-0000-000000000000',
  to ? uuidOf(to) : 'ffffffff-ffff-ffff-ffff-ffffffffffff',
]

/** The id that ends a step of so many customers; undefined when there are not so many left. */
export async function findIdFurtherOn(
  scope: Scope,
  after: CustomerId | undefined,
  count: number,
): Promise<CustomerId | undefined> {
  const row = await maybeOne<{ id: string }>(
    scope.db,
    'SELECT id FROM customers WHERE org_id = $1 AND id > $2 ORDER BY id OFFSET $3 LIMIT 1',
    [scope.org, boundsOf({ after })[0], count - 1],
  )
  return row && idFrom('cus', row.id)
}

/** A row that somebody else is writing is left out, so that two who fill keys in never wait. */
export async function lockNamesWithoutKey(scope: Scope, range: IdRange): Promise<NameWithoutKey[]> {
  const rows = await many<{ id: string; fullname: string }>(
    scope.db,
    `SELECT id, fullname FROM customers
     WHERE org_id = $1 AND id > $2 AND id <= $3 AND name_key IS NULL AND fullname IS NOT NULL
     ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`,
    [scope.org, ...boundsOf(range)],
  )
  return rows.map(({ id, fullname }) => ({ id: idFrom('cus', id), fullname }))
}

export async function updateNameKeys(scope: Scope, names: readonly NameWithoutKey[]): Promise<void> {
  await scope.db.query(
    `UPDATE customers c SET name_key = k.key FROM unnest($2::uuid[], $3::text[]) AS k (id, key)
     WHERE c.org_id = $1 AND c.id = k.id`,
    [scope.org, names.map(({ id }) => uuidOf(id)), names.map(({ fullname }) => nameKey(fullname))],
  )
}

/** What the version before leaves behind when it erases somebody after the first start of this one. */
export async function deleteKeysWithoutName(scope: Scope, range: IdRange): Promise<void> {
  await scope.db.query(
    `UPDATE customers SET name_key = NULL
     WHERE org_id = $1 AND id > $2 AND id <= $3 AND fullname IS NULL AND name_key IS NOT NULL`,
    [scope.org, ...boundsOf(range)],
  )
}
