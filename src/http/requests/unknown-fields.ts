/**
 * Finds the properties of a body that its schema does not know. Old tills must keep working, so most requests
 * ignore them and report them in a header, where a typo can still be noticed.
 */
import { type BodySchema, propertySchema, schemaFor } from './body-schema.ts'

export function findUnknownFields(schema: unknown, value: unknown): string[] {
  const found: string[] = []
  collect(schema as BodySchema, value, '', found)
  return found
}

function collect(whole: BodySchema, value: unknown, path: string, found: string[]): void {
  if (typeof value !== 'object' || value === null) return
  const schema = schemaFor(whole, value)
  if (Array.isArray(value)) {
    if (schema.items)
      for (let i = 0; i < value.length; i++) collect(schema.items, value[i], `${path}[${i}]`, found)
  } else if (schema.properties && !schema['x-free-form']) {
    for (const [key, property] of Object.entries(value)) {
      const place = path ? `${path}.${key}` : key
      const known = propertySchema(schema, key)
      if (known) collect(known, property, place, found)
      else found.push(place)
    }
  }
}
