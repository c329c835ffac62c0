/**
 * Campaigns as files in git: one for each, always written in the same order, so that a change of a campaign is a
 * change of a few lines. `base` is a fingerprint of the draft that the service had when the file was last in step
 * with it; it tells whether somebody has changed the draft since.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Schemas } from '../../sdk/src/index.ts'
import { type Change, definitionChanges } from '../engine/definition/definition-changes.ts'
import { misused } from './failure.ts'

export type Definition = Schemas['CampaignDefinition']

export interface CampaignFile {
  readonly path: string
  /** Absent until it was applied once. */
  readonly id?: string
  readonly base?: string
  readonly definition: Definition
}

const fields = [
  'name',
  'startsAt',
  'endsAt',
  'runsOn',
  'balances',
  'rules',
  'rewards',
  'thresholds',
  'spend',
  'tiers',
  'onInsufficientBalance',
] as const satisfies readonly (keyof Definition)[]

/** What names a thing comes first. */
const first = ['id', 'key', 'name', 'kind', 'balance']
const rank = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length)

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, inOrder(inner)]))
}

/** Only what defines a campaign, in the order of files. A field that is not set and an empty one mean the same. */
export function toDefinition(campaign: object): Definition {
  const given = campaign as Record<string, unknown>
  const isSet = (value: unknown) =>
    value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
  const set = fields.filter((name) => isSet(given[name]))
  return Object.fromEntries(set.map((name) => [name, inOrder(given[name])])) as Definition
}

export const fingerprint = (definition: Definition): string =>
  createHash('sha256').update(JSON.stringify(definition)).digest('hex').slice(0, 16)

export function toFileText({ id, base, definition }: Omit<CampaignFile, 'path'>): string {
  const { name, ...rest } = definition
  return `${JSON.stringify({ id, base, name, ...rest }, undefined, 2)}\n`
}

/** What differs, at the places that a merchant would name. */
export function compareDefinitions(before: Definition, after: Definition): Change[] {
  const changes = definitionChanges(before, after)
  if (changes.length > 0 || fingerprint(before) === fingerprint(after)) return changes
  // Lists of named things are compared by name, so that what is left is their order.
  const names = fields.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return names.map((name) => ({ place: name, before: namesOf(before[name]), after: namesOf(after[name]) }))
}

function namesOf(list: unknown): unknown {
  if (!Array.isArray(list)) return list
  return list.map((item) => item?.id ?? item?.key ?? item?.grant ?? item)
}

export async function readCampaignFiles(path: string): Promise<CampaignFile[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw misused(
      `${path} cannot be read (${error.code}). Write the campaigns to files first: loyalty-wallet campaigns pull`,
    )
  })
  if (!found.isDirectory()) return [await readCampaignFile(path)]
  const names = (await readdir(path)).filter((name) => name.endsWith('.json')).sort()
  if (names.length === 0) throw misused(`There is no .json file in ${path}.`)
  const files = await Promise.all(names.map((name) => readCampaignFile(join(path, name))))
  for (const [i, { id, path: own }] of files.entries()) {
    const other = files.findIndex((file) => file.id === id)
    if (id !== undefined && other < i)
      throw misused(
        `${files[other]!.path} and ${own} are both of ${id}. Remove one, or the "id" of a copy that is to be a campaign of its own.`,
      )
  }
  return files
}

async function readCampaignFile(path: string): Promise<CampaignFile> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw misused(`${path} cannot be read (${error.code}).`)
  })
  const read = parse(path, text)
  const { id, base, ...rest } = read
  const unknown = Object.keys(rest).filter((name) => !(fields as readonly string[]).includes(name))
  // A misspelled field would otherwise be lost without a word.
  if (unknown.length > 0)
    throw misused(`${path}: "${unknown[0]}" is no field of a campaign. There are ${fields.join(', ')}.`)
  if (typeof rest.name !== 'string') throw misused(`${path}: "name" is missing.`)
  return {
    path,
    ...(typeof id === 'string' && { id }),
    ...(typeof base === 'string' && { base }),
    definition: toDefinition(rest),
  }
}

function parse(path: string, text: string): Record<string, unknown> {
  try {
    const read = JSON.parse(text)
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read
  } catch (error) {
    throw misused(`${path} is not JSON: ${(error as Error).message}`)
  }
  throw misused(`${path} is not the file of a campaign: it has to be one JSON object.`)
}

/** Writes only what differs, so that a file that is as it should be keeps its time. */
export async function writeCampaignFile(file: CampaignFile): Promise<boolean> {
  const text = toFileText(file)
  if ((await readFile(file.path, 'utf8').catch(() => undefined)) === text) return false
  await writeFile(file.path, text)
  return true
}

/** Readable, and the same on every computer. */
export function toFileName(name: string, taken: ReadonlySet<string>): string {
  const slug =
    name
      .normalize('NFKD')
      .replace(/\p{Mn}/gu, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60) || 'campaign'
  for (let n = 1; ; n++) {
    const candidate = `${slug}${n === 1 ? '' : `-${n}`}.json`
    if (!taken.has(candidate)) return candidate
  }
}
