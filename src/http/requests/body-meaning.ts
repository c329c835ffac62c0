/**
 * What a body means, to tell whether a retry means the same: without what is ignored, and without what says
 * no more than its absence. A till that was updated between a sale and its retry may send more, or less, of
 * both. Whatever else a schema declares counts.
 */
import { type BodySchema, propertySchema, schemaFor } from './body-schema.ts'

export function meaningOf(schema: unknown, body: unknown): unknown {
  return reduce(schema as BodySchema, body, undefined)
}

/** `position` is that of the object in its list, starting at 1. */
function reduce(whole: BodySchema, value: unknown, position: number | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value
  const schema = schemaFor(whole, value)
  if (Array.isArray(value)) return reduceList(whole, schema, value)
  // Without declared properties, the content is the client's own, such as metadata.
  if (!schema.properties) return value
  const reduced: Record<string, unknown> = {}
  for (const [key, property] of Object.entries(value)) {
    const known = propertySchema(schema, key)
    if (!known || known.readOnly) continue
    const meaning = reduce(known, property, undefined)
    const isRequired = schema.required?.includes(key) ?? false
    if (isRequired || !saysNothing(known, meaning, position)) reduced[key] = meaning
  }
  return reduced
}

function reduceList({ anyOf }: BodySchema, { items }: BodySchema, list: readonly unknown[]): unknown {
  const reduced = items ? list.map((item, i) => reduce(items, item, i + 1)) : list
  // Where one value or a list of them can be sent, a list of one is that value.
  const takesOne = anyOf?.some(({ type }) => type !== undefined && type === items?.type)
  return takesOne && reduced.length === 1 ? reduced[0] : reduced
}

function saysNothing(schema: BodySchema, value: unknown, position: number | undefined): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  if (schema['x-default-position']) return value === String(position)
  return value !== undefined && value === schema['x-default']
}
