/** Places in a definition as the service names them, such as `rules[1].when.days` or `rules[base].points`. */
import { ApiError } from '../api/client.ts'
import { type Definition, itemsOf, kindOf, type ListName, listNames, type Shapes } from './definition.ts'
import { withId } from './rule-words.ts'
import type { Item, Schema } from './schema.ts'

export interface Problem {
  readonly place: string
  readonly message: string
}

/** The problem in the definition, if the service named a place. */
export function toProblem(error: unknown): Problem | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.code !== 'invalid_campaign_definition' && error.code !== '_invalid_payload') return undefined
  const match = /^([a-zA-Z][\w.[\]…-]*): (.+)$/s.exec(error.message)
  return match ? { place: match[1]!, message: match[2]! } : undefined
}

/** Whether the problem is at the place itself or at one of its values, which have no field of their own. */
export function isAt(problem: Problem | undefined, place: string): problem is Problem {
  return problem !== undefined && (problem.place === place || problem.place.startsWith(`${place}[`))
}

export function isWithin(problem: Problem | undefined, place: string): problem is Problem {
  if (problem === undefined || !problem.place.startsWith(place)) return false
  return ['', '.', '['].includes(problem.place.charAt(place.length))
}

export const fieldId = (place: string) => `field-${place}`

export interface Found {
  /** Titles of the enclosing places and of the place itself, outermost first. */
  readonly titles: readonly string[]
  readonly schema?: Schema
}

interface Words {
  /** Title of a list or of the spending section. */
  readonly section: (name: string) => string
  /** The title of a schema in the reader's language. */
  readonly text: (title: string | undefined) => string
}

/** Titles of a place in the words of the form. Items are looked up in the definitions, in their order. */
export function describePlace(
  place: string,
  shapes: Shapes,
  definitions: readonly Definition[],
  { section, text }: Words,
): Found {
  const steps = [...place.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)]
  const [first, ...rest] = steps.map(([, inBrackets, name]) => inBrackets ?? name!)
  if (first === undefined) return { titles: [] }
  if (!isList(first)) {
    const schema = first === 'spend' ? shapes.spend : shapes.campaign.properties?.[first]
    const title = first === 'spend' ? section('spend') : text(schema?.title) || first
    return walk(rest, schema, [title], text)
  }
  const [key, ...fields] = rest
  if (key === undefined) return { titles: [section(first)] }
  const item = definitions
    .map((definition) => findItem(itemsOf(definition, first), key))
    .find((found) => found !== undefined)
  const kind = kindOf(shapes, first, item)
  return walk(fields, kind?.schema, [section(first), nameOf(item, text(kind?.title), key)], text)
}

const isList = (name: string): name is ListName => listNames.some((list) => list === name)

/** Refusals name items by position, changes by id or key. */
function findItem(items: readonly Item[], key: string): Item | undefined {
  const named = items.find((item) => (item.id ?? item.key) === key)
  return named ?? (/^\d+$/.test(key) ? items[Number(key)] : undefined)
}

/** The item's name, or else its kind with its id or position. */
function nameOf(item: Item | undefined, kindTitle: string, key: string): string {
  if (typeof item?.name === 'string' && item.name !== '') return item.name
  if (!item || !kindTitle) return key
  if (typeof item.id === 'string') return withId(kindTitle, item.id)
  return /^\d+$/.test(key) ? `${kindTitle} ${Number(key) + 1}` : kindTitle
}

function walk(
  names: readonly string[],
  schema: Schema | undefined,
  titles: readonly string[],
  text: Words['text'],
): Found {
  let inner = schema
  const found = [...titles]
  for (const name of names) {
    inner = inner?.properties?.[name] ?? inner?.items
    // A value in a list has no title.
    if (!/^\d+$/.test(name)) found.push(text(inner?.title) || name)
  }
  return { titles: found, schema: inner }
}
