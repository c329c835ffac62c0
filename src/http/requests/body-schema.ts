/** What the code that walks through a body or a query looks at in its schema. */
export interface BodySchema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly examples?: readonly unknown[]
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
  const options = schema.anyOf.filter((option) => option.type === type)
  const branch = options.find((option) => hasItsConstants(option, value)) ?? options[0]
  return branch ? schemaFor(branch, value) : {}
}

/** Constants tell alternatives apart, such as the `kind` of a rule. */
function hasItsConstants({ properties = {} }: BodySchema, value: object): boolean {
  return Object.entries(properties).every(
    ([name, own]) => own.const === undefined || own.const === (value as Record<string, unknown>)[name],
  )
}

/** The schema of a property; undefined if it is unknown. */
export function propertySchema(schema: BodySchema, key: string): BodySchema | undefined {
  const { properties, patternProperties = {} } = schema
  if (properties && Object.hasOwn(properties, key)) return properties[key]
  return Object.entries(patternProperties).find(([pattern]) => new RegExp(pattern).test(key))?.[1]
}
