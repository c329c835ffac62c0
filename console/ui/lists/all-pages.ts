import type { DataPage } from './data-list.tsx'

const pageSize = 100

/** All rows of a list that is short by nature, such as campaigns; at most `most`. */
export async function allPages<T>(
  load: (page: { cursor?: string; limit: number }) => Promise<DataPage<T>>,
  most = 1_000,
): Promise<T[]> {
  const rows: T[] = []
  let cursor: string | undefined
  do {
    const page = await load({ cursor, limit: pageSize })
    rows.push(...page.data)
    cursor = page.nextCursor
  } while (cursor && rows.length < most)
  return rows
}
