/**
 * Names the schemas of the OpenAPI document: every schema marked with `x-name`, and every object with a
 * title, moves to the components and is replaced with a reference. With inline schemas the document was ten
 * times as large, and a generated client had forty types for one customer.
 */
type Json = Record<string, unknown>

/** Marks a schema with its name. The mark does not appear in the document. */
export const named = (name: string) => ({ 'x-name': name })

export function nameComponents(document: Json): Json {
  const schemas = new Map<string, unknown>()

  function visit(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(visit)
    if (typeof value !== 'object' || value === null) return value
    const name = nameOf(value as Json)
    if (name === undefined) return visitProperties(value as Json)
    // A response's own example has moved to the media type by now; that of a nested schema would be a
    // duplicate.
    const { 'x-name': _mark, examples: _examples, ...rest } = value as Json
    const schema = visitProperties(rest)
    const known = schemas.get(name)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`Two different API schemas are named ${name}. Rename one of them.`)
    }
    schemas.set(name, schema)
    return { $ref: `#/components/schemas/${name}` }
  }

  function visitProperties(value: Json): Json {
    return Object.fromEntries(
      Object.entries(value).map(([key, property]) => [key, isData(key) ? property : visit(property)]),
    )
  }

  const { components, ...rest } = document as { components?: Json }
  const visited = visitProperties(rest)
  const sorted = Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
  return { ...visited, components: { ...components, schemas: sorted } }
}

/** Properties that hold values, not schemas. */
function isData(key: string): boolean {
  return key === 'example' || key === 'examples' || key === 'enum' || key === 'const' || key === 'default'
}

function nameOf(value: Json): string | undefined {
  const { 'x-name': mark, title, type } = value
  if (typeof mark === 'string') return mark
  if (typeof title !== 'string' || type !== 'object') return undefined
  return title.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_match, letter: string) =>
    letter.toUpperCase(),
  )
}
