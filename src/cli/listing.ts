import { Refused } from '../domain/refusal.ts'

const pageSize = 100

/** Reads all pages of a list. */
export async function listAll<I extends string, T extends { readonly id: I }>(
  readPage: (after: I | undefined, limit: number) => Promise<T[]>,
): Promise<T[]> {
  const all: T[] = []
  for (let page: T[] | undefined; page === undefined || page.length === pageSize; ) {
    page = await readPage(all.at(-1)?.id, pageSize)
    all.push(...page)
  }
  return all
}

/** A table whose columns are as wide as their widest value. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)))
  return [head, ...rows]
    .map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

const maxNameLength = 200

/** Checks a name, with the same limit as the platform endpoints. */
export function readName(text: string): string {
  const name = text.trim()
  if (name !== '' && name.length <= maxNameLength) return name
  throw new Refused('_invalid_payload', `name: must have 1 to ${maxNameLength} characters.`)
}
