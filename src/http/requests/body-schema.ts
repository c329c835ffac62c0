/** What the code that walks through a body looks at in its schema. */
export interface BodySchema {
  readonly type?: string
  readonly properties?: Record<string, BodySchema>
  readonly patternProperties?: Record<string, BodySchema>
  readonly items?: BodySchema
  readonly required?: readonly string[]
  readonly anyOf?: readonly BodySchema[]
  readonly if?: BodySchema
  readonly then?: BodySchema
  readonly else?: BodySchema
  /** Known, so that a response can be sent back, but not looked at. */
  readonly readOnly?: boolean
  /** Properties that are not listed are not unknown: nothing looks at them, but they are no mistake. */
  readonly 'x-free-form'?: boolean
  /** What a request means that leaves the property out. */
  readonly 'x-default'?: string | number | boolean
  /** The default is the position in the list that the object is in, starting at 1. */
  readonly 'x-default-position'?: boolean
}

/** The part of the schema that applies to the object or list. */
export function schemaFor(schema: BodySchema, value: object): BodySchema {
  if (schema.if) {
    const chosen = schema.if.required?.every((key) => key in value) ? schema.then : schema.else
    return chosen ? schemaFor(chosen, value) : {}
  }
  if (!schema.anyOf) return schema
  const type = Array.isArray(value) ? 'array' : 'object'
  const branch = schema.anyOf.find((option) => option.type === type)
  return branch ? schemaFor(branch, value) : {}
}

/** The schema of a property; undefined if it is unknown. */
export function propertySchema(schema: BodySchema, key: string): BodySchema | undefined {
  const { properties, patternProperties = {} } = schema
  if (properties && Object.hasOwn(properties, key)) return properties[key]
  return Object.entries(patternProperties).find(([pattern]) => new RegExp(pattern).test(key))?.[1]
}
