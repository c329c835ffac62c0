/** Takes from a payload what may be stored. */
import { isObject, maxItems, storable } from './read-payload.ts'

/** The properties to keep: `true` keeps a single value, never a whole object. Lists are kept by the shape of entries. */
export interface Shape {
  readonly [property: string]: true | Shape
}

const longest = 500
const deepest = 32

export function pick(value: unknown, shape: Shape): unknown {
  // One more than a sale can have, so that it is still seen that there were too many.
  if (Array.isArray(value)) return value.slice(0, maxItems + 1).map((entry) => pick(entry, shape))
  if (!isObject(value)) return keepSingle(value)
  const kept: Record<string, unknown> = {}
  for (const [property, inner] of Object.entries(shape)) {
    if (!Object.hasOwn(value, property)) continue
    const found = inner === true ? keepSingle(value[property]) : pick(value[property], inner)
    if (found !== undefined) kept[property] = found
  }
  return kept
}

/** A payload as it was sent, except for what cannot be stored: some characters, and nesting that nobody needs. */
export function keepAll(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return storable(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= deepest) return null
  if (Array.isArray(value)) return value.map((entry) => keepAll(entry, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== '__proto__')
      .map(([name, inner]) => [storable(name), keepAll(inner, depth + 1)]),
  )
}

function keepSingle(value: unknown): unknown {
  if (typeof value === 'string') return storable(value).slice(0, longest).toWellFormed()
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? value : undefined
}

/** Without some properties of the outermost object. */
export function omit(value: unknown, ...properties: readonly string[]): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !properties.includes(name)))
}
