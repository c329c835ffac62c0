/**
 * Finds the properties of a body that its schema does not know. Old tills must keep working, so most requests
 * ignore them and report them in a header, where a typo can still be noticed.
 */
interface Schema {
  readonly type?: string
  readonly properties?: Record<string, Schema>
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly if?: Schema
  readonly then?: Schema
  readonly else?: Schema
  readonly [freeForm]?: boolean
}

const freeForm = 'x-free-form'

export function findUnknownFields(schema: unknown, value: unknown): string[] {
  const found: string[] = []
  collect(schema as Schema, value, '', found)
  return found
}

function collect(schema: Schema, value: unknown, path: string, found: string[]): void {
  if (typeof value !== 'object' || value === null) return
  if (schema.if) {
    const chosen = schema.if.required?.every((key) => key in value) ? schema.then : schema.else
    if (chosen) collect(chosen, value, path, found)
  } else if (schema.anyOf) {
    const branch = schema.anyOf.find(({ type }) => type === (Array.isArray(value) ? 'array' : 'object'))
    if (branch) collect(branch, value, path, found)
  } else if (Array.isArray(value)) {
    if (schema.items)
      for (let i = 0; i < value.length; i++) collect(schema.items, value[i], `${path}[${i}]`, found)
  } else if (schema.properties && !schema[freeForm]) {
    for (const [key, property] of Object.entries(value)) {
      const place = path ? `${path}.${key}` : key
      const known = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined
      if (known) collect(known, property, place, found)
      else found.push(place)
    }
  }
}
