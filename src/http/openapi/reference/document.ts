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
  readonly allOf?: readonly Schema[]
  readonly then?: Schema
  readonly if?: Schema
  readonly else?: Schema
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
  readonly example?: unknown
}

export interface Reply {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Record<string, Media>
}

export interface Parameter {
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
    readonly responses: Record<string, Reply>
  }
}

export interface Call extends Operation {
  readonly method: string
  readonly path: string
}

export function callsOf(document: OpenApiDocument): Call[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
}

/** Name that a reference ends with: `Customer` for `#/components/schemas/Customer`. */
export function refName($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}
