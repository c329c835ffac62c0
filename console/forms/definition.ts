/** A campaign's definition as the form sees it: lists of items, each with a schema of the service. */
import type { Schemas } from '../api/client.ts'
import { type Item, type NameChoice, type NameList, type Schema, startOf, toKey } from './schema.ts'

export const listNames = ['balances', 'rules', 'rewards', 'thresholds', 'tiers'] as const
export type ListName = (typeof listNames)[number]

export type Definition = Item

export interface Kind {
  readonly kind: string
  readonly title: string
  readonly description: string
  readonly schema: Schema
}

/** The schemas by the place in a definition that they describe. */
export interface Shapes {
  readonly campaign: Schema
  readonly spend: Schema
  readonly lists: Readonly<Record<ListName, readonly Kind[]>>
}

export function toShapes(reply: Schemas['RuleSchemas']): Shapes {
  const only = (schema: Schema): Kind[] => [
    { kind: '', title: schema.title ?? '', description: schema.description ?? '', schema },
  ]
  // Rules of every kind also have these two fields.
  const forAllRules = { when: reply.when as Schema, limits: reply.limits as Schema }
  const rules = (reply.rules as Kind[]).map((rule) => ({
    ...rule,
    schema: { ...rule.schema, properties: { ...rule.schema.properties, ...forAllRules } },
  }))
  return {
    campaign: reply.campaign as Schema,
    spend: reply.spend as Schema,
    lists: {
      balances: only(reply.balance as Schema),
      rules,
      rewards: reply.reward as Kind[],
      thresholds: only(reply.threshold as Schema),
      tiers: only(reply.tier as Schema),
    },
  }
}

/** Undefined for a kind that this service does not have, which can only come from the JSON editor. */
export function kindOf(shapes: Shapes, list: ListName, item: Item | undefined): Kind | undefined {
  const kinds = shapes.lists[list]
  return kinds.length === 1 && kinds[0]!.kind === ''
    ? kinds[0]
    : kinds.find(({ kind }) => kind === item?.kind)
}

/** The items of a list. JSON allows values that are not items; they count as empty items. */
export function itemsOf(definition: Definition, list: string): Item[] {
  const items = definition[list]
  return Array.isArray(items) ? items.map((item) => (isItem(item) ? item : {})) : []
}

export const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The field by which other items refer to an item: the key of a balance, the id of a rule. */
const keyField: Readonly<Record<ListName, string | undefined>> = {
  balances: 'key',
  rules: 'id',
  rewards: 'key',
  thresholds: undefined,
  tiers: 'key',
}

export function changeList(definition: Definition, list: ListName, items: readonly Item[]): Definition {
  if (items.length > 0 || list === 'balances') return { ...definition, [list]: items }
  const { [list]: _, ...rest } = definition
  return rest
}

/** A new item of a kind. Its key is made from the kind until it has a name of its own. */
export function newItem(definition: Definition, list: ListName, { schema, title }: Kind): Item {
  const field = keyField[list]
  const start = startOf(schema, (names) => namesIn(definition, names))
  if (!field) return start
  const taken = itemsOf(definition, list).map((item) => item[field])
  return { [field]: toKey(title, taken), ...start }
}

/** Items of the definition that other items can refer to. */
export function namesIn(definition: Definition, list: string): NameChoice[] {
  return itemsOf(definition, list).flatMap(({ key, name }) =>
    typeof key === 'string' ? { value: key, label: typeof name === 'string' ? name : key } : [],
  )
}

/** Every string in the lists of this name, at any depth: what a definition refers to outside itself. */
export function valuesIn(value: unknown, field: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === field && Array.isArray(inner)
      ? inner.filter((item) => typeof item === 'string')
      : valuesIn(inner, field),
  )
}

interface ItemChange {
  readonly shapes: Shapes
  readonly list: ListName
  readonly index: number
  readonly next: Item
}

/**
 * Changes an item. Its key follows its name as long as it was made from the name (`newItem`) and nothing
 * relies on it yet (`canRename`); references to the key are updated.
 */
export function changeItem(definition: Definition, change: ItemChange, canRename: boolean): Definition {
  const { shapes, list, index } = change
  const items = itemsOf(definition, list)
  const before = items[index] ?? {}
  let { next } = change
  const others = items.filter((_, i) => i !== index).map((item) => item.key)
  if (canRename && 'key' in before && next.name !== before.name && next.key === before.key) {
    const title = kindOf(shapes, list, before)?.title ?? ''
    const made = (item: Item) => toKey(typeof item.name === 'string' ? item.name : title, others)
    if (before.key === made(before)) next = { ...next, key: made(next) }
  }
  const changed = changeList(
    definition,
    list,
    items.map((item, i) => (i === index ? next : item)),
  )
  const isMoved = typeof before.key === 'string' && typeof next.key === 'string' && before.key !== next.key
  return isMoved && !others.includes(before.key)
    ? renameReferences(changed, shapes, { list, from: before.key as string, to: next.key as string })
    : changed
}

interface Rename {
  readonly list: string
  readonly from: string
  readonly to: string
}

/** Replaces the old key of an item with the new one wherever the item is referred to. */
function renameReferences(definition: Definition, shapes: Shapes, rename: Rename): Definition {
  let changed = definition
  for (const list of listNames) {
    const items = itemsOf(changed, list)
    if (items.length === 0) continue
    const renamed = items.map((item) => renameIn(item, kindOf(shapes, list, item)?.schema, rename))
    if (renamed.some((item, i) => item !== items[i])) changed = { ...changed, [list]: renamed }
  }
  return isItem(changed.spend)
    ? { ...changed, spend: renameIn(changed.spend, shapes.spend, rename) }
    : changed
}

function renameIn(item: Item, schema: Schema | undefined, rename: Rename): Item {
  let changed = item
  for (const [name, field] of Object.entries(schema?.properties ?? {})) {
    const value = item[name]
    const next = renamedValue(value, field, rename)
    if (next !== value) changed = { ...changed, [name]: next }
  }
  return changed
}

function renamedValue(value: unknown, schema: Schema, rename: Rename): unknown {
  if (schema.type === 'object') return isItem(value) ? renameIn(value, schema, rename) : value
  if (schema['x-names'] !== (rename.list as NameList)) return value
  if (!Array.isArray(value)) return value === rename.from ? rename.to : value
  return value.includes(rename.from) ? value.map((item) => (item === rename.from ? rename.to : item)) : value
}

/** The JSON Merge Patch from one definition to the other: removed fields are null, lists are sent whole. */
export function mergePatchOf(before: Item, after: Item): Item {
  const patch: Record<string, unknown> = {}
  for (const name of Object.keys(before)) if (!(name in after)) patch[name] = null
  for (const [name, value] of Object.entries(after)) {
    const old = before[name]
    if (JSON.stringify(old) === JSON.stringify(value)) continue
    patch[name] = isItem(old) && isItem(value) ? mergePatchOf(old, value) : value
  }
  return patch
}

/** Fields of the campaign that are not part of its definition. */
const managed = ['id', 'status', 'version', 'hasChanges', 'createdAt', 'updatedAt']

export function definitionOf(campaign: object): Definition {
  return Object.fromEntries(Object.entries(campaign).filter(([name]) => !managed.includes(name)))
}
