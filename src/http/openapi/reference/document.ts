/** The parts of our own OpenAPI document that the reference page reads. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly format?: string
  readonly properties?: Record<string, Schema>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export interface Media {
  readonly schema?: Schema
  /** The first of the examples; the document itself only refers to it. */
  readonly example?: unknown
  readonly examples?: Record<string, { readonly $ref: string }>
}

export interface Reply {
  readonly $ref?: string
  readonly description?: string
  readonly headers?: Record<string, { readonly $ref: string }>
  readonly content?: Record<string, Media>
}

export interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
  readonly example?: unknown
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Record<string, Media> }
  readonly responses: Record<string, Reply>
  readonly security?: readonly Record<string, readonly string[]>[]
}

export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly schemas: Record<string, Schema>
    readonly parameters: Record<string, Parameter>
    readonly headers: Record<string, { readonly description: string; readonly required?: boolean }>
    readonly responses: Record<string, Reply>
    readonly examples: Record<string, { readonly value: unknown }>
  }
}

export interface Call extends Operation {
  readonly method: string
  readonly path: string
}

/** The operations, with the parameters, responses and examples that they refer to. */
export function callsOf(document: OpenApiDocument): Call[] {
  const { components } = document
  const withExample = (media: Media): Media => {
    const [example] = Object.values(media.examples ?? {})
    return example ? { ...media, example: components.examples[refName(example.$ref)]?.value } : media
  }
  const withContent = <T extends { readonly content?: Record<string, Media> }>(item: T): T =>
    item.content ? { ...item, content: mapValues(item.content, withExample) } : item
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      parameters: operation.parameters?.map((item) =>
        item.$ref ? components.parameters[refName(item.$ref)]! : item,
      ),
      requestBody: operation.requestBody && withContent(operation.requestBody),
      responses: mapValues(operation.responses, (reply) =>
        withContent(reply.$ref ? components.responses[refName(reply.$ref)]! : reply),
      ),
      method: method.toUpperCase(),
      path,
    })),
  )
}

function mapValues<T, R>(values: Record<string, T>, map: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
}

/** Name that a reference ends with: `Customer` for `#/components/schemas/Customer`. */
export function refName($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}
