/** The table of operations in the SDK: what the client has to know about each at run time. */

interface Operation {
  readonly operationId: string
  readonly security?: readonly Record<string, unknown>[]
  readonly parameters?: readonly { readonly $ref?: string }[]
  readonly responses: Record<string, { readonly content?: Record<string, { schema?: { $ref?: string } }> }>
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

/** By operation: how it is sent, its method and its path. */
export function operationTable(documentText: string): Record<string, string> {
  const document = JSON.parse(documentText)
  const table: Record<string, string> = {}
  for (const [path, item] of Object.entries<Record<string, Operation>>(document.paths)) {
    for (const method of methods) {
      const operation = item[method]
      if (!operation?.security?.some((scheme) => 'bearer' in scheme)) continue
      const kind = kindOf(method, operation, document)
      table[operation.operationId] = `${kind} ${method.toUpperCase()} ${path}`
    }
  }
  return table
}

export function describeSdk(documentText: string): string {
  const lines = Object.entries(operationTable(documentText)).map(([name, sent]) => `  ${name}: '${sent}',`)
  return `// Written by \`npm run generate\` from openapi.json.
/**
 * L: a list. K: a write with an idempotency key. S: can be sent again as it is. O: likewise, and it takes only options.
 * -: must not be sent twice, since its response has a secret.
 */
export const operationTable = {
${lines.join('\n')}
} as const

export type OperationName = keyof typeof operationTable
`
}

function kindOf(
  method: string,
  { operationId, parameters, responses }: Operation,
  document: unknown,
): string {
  if (method !== 'get') {
    if (parameters?.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey'))) return 'K'
    if (method === 'delete') return 'O'
    return method === 'post' && !onlyComputes.test(operationId) ? '-' : 'S'
  }
  const schema = responses['200']?.content?.['application/json']?.schema?.$ref
  const name = schema?.split('/').at(-1)
  const { components } = document as { components: { schemas: Record<string, { properties?: object }> } }
  const properties = name === undefined ? undefined : components.schemas[name]?.properties
  if (properties && 'nextCursor' in properties) return 'L'
  return parameters?.some(({ $ref }) => isQuery($ref, document)) ? 'S' : 'O'
}

function isQuery($ref: string | undefined, document: unknown): boolean {
  const name = $ref?.split('/').at(-1)
  const { components } = document as { components: { parameters: Record<string, { in: string }> } }
  return name !== undefined && components.parameters[name]?.in === 'query'
}

/** A POST without a key that changes nothing. */
const onlyComputes = /^(?:validate|preview)/
