/** The part of the SDK for Python that follows from the API document: types, and a method for each operation. */

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Record<string, Schema>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Record<string, { schema: Schema }> }
  readonly responses: Record<string, { readonly content?: Record<string, { schema: Schema }> }>
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> }
}

const begin = '# Written by `npm run generate` from openapi.json.\n'
const end = '# End of what is generated.\n'

/** `table` says which operations there are, and how they are sent. */
export function describePython(file: string, documentText: string, table: Record<string, string>): string {
  const document: Document = JSON.parse(documentText)
  const operations = new Map<string, Operation>()
  for (const item of Object.values(document.paths))
    for (const operation of Object.values(item)) operations.set(operation.operationId, operation)
  const methods = Object.entries(table).map(([name, sent]) => methodOf(operations.get(name)!, sent, document))
  const [before, , after] = file.split(new RegExp(`${begin}|${end}`))
  return `${before}${begin}if TYPE_CHECKING:
    from typing import Literal

    from typing_extensions import NotRequired, TypedDict

${typesOf(document)}


class LoyaltyWallet(_Client):
    """The service, by the operations of its API reference: IDs first, then the body, and queries by name."""

${methods.join('\n')}
${end}${after}`
}

function typesOf({ components }: Document): string {
  return Object.entries(components.schemas)
    .map(([name, schema]) => `    ${name} = ${isRecord(schema) ? recordOf(name, schema) : typeOf(schema)}`)
    .join('\n')
}

const isRecord = ({ type, properties }: Schema) => type === 'object' && properties !== undefined

function recordOf(name: string, { properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(([key, schema]) => {
    const type = typeOf(schema)
    return `"${key}": ${JSON.stringify(required.includes(key) ? type : `NotRequired[${type}]`)}`
  })
  return `TypedDict("${name}", {${fields.join(', ')}})`
}

function typeOf(schema: Schema): string {
  const { $ref, type, anyOf, oneOf, allOf, items, additionalProperties } = schema
  if ($ref) return $ref.split('/').at(-1)!
  const values = schema.const === undefined ? schema.enum : [schema.const]
  if (values) return `Literal[${values.map(literal).join(', ')}]`
  const choices = anyOf ?? oneOf
  if (choices) return unionOf(choices.map(typeOf))
  // The last part is the most precise one.
  if (allOf) return typeOf(allOf.at(-1)!)
  if (Array.isArray(type)) return unionOf(type.map((one: string) => typeOf({ ...schema, type: one })))
  if (type === 'array') return `list[${items ? typeOf(items) : 'Any'}]`
  if (type === 'object') {
    const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'Any'
    return `dict[str, ${values}]`
  }
  return (
    { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' }[type as string] ?? 'Any'
  )
}

const literal = (value: unknown) =>
  value === null ? 'None' : typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value)

const unionOf = (types: readonly string[]) => {
  const distinct = [...new Set(types)]
  return distinct.length === 1 ? distinct[0]! : `Union[${distinct.join(', ')}]`
}

const toSnake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
/** `from` is a keyword of Python, so its parameter has an underscore. */
const toArgument = (name: string) => (name === 'from' ? 'from_' : toSnake(name))

function methodOf(operation: Operation, sent: string, document: Document): string {
  const { operationId: name, summary, requestBody } = operation
  const [kind, method, path] = sent.split(' ') as [string, string, string]
  const parameters = (operation.parameters ?? []).map((each) =>
    each.$ref ? document.components.parameters[each.$ref.split('/').at(-1)!]! : each,
  )
  const inPath = parameters.filter((each) => each.in === 'path').map((each) => each.name)
  const inQuery = parameters.filter((each) => each.in === 'query')
  const body = requestBody?.content['application/json']?.schema
  const args = ['self', ...inPath.map((each) => `${toArgument(each)}: str`)]
  if (body)
    args.push(requestBody.required ? `body: ${typeOf(body)}` : `body: Optional[${typeOf(body)}] = None`)
  const named = inQuery.map((each) => {
    const type = typeOf(each.schema)
    return `${toArgument(each.name)}: ${each.required ? type : `Optional[${type}] = None`}`
  })
  if (kind === 'K') named.push('idempotency_key: Optional[str] = None')
  if (named.length > 0) args.push('*', ...named)
  const filled = path.replace(/\{(\w+)\}/g, (_, each) => `{_in_path(${toArgument(each)})}`)
  const shown = inPath.length > 0 ? `f"${filled}"` : `"${filled}"`
  const query = `{${inQuery.map((each) => `"${each.name}": ${toArgument(each.name)}`).join(', ')}}`
  const result = resultOf(operation, kind, document)
  return `    def ${toSnake(name)}(${args.join(', ')}) -> ${result}:
        """${summary}."""
        result: ${result} = ${callOf({ kind, name, method, shown, query, hasQuery: inQuery.length > 0, hasBody: body !== undefined })}
        return result
`
}

interface Call {
  readonly kind: string
  readonly name: string
  readonly method: string
  readonly shown: string
  readonly query: string
  readonly hasQuery: boolean
  readonly hasBody: boolean
}

function callOf({ kind, name, method, shown, query, hasQuery, hasBody }: Call): string {
  if (kind === 'L') return `self._pages("${name}", ${shown}, ${query})`
  if (method === 'GET') return `self._read("${name}", ${shown}, ${query})`
  const path = hasQuery ? `${shown} + _query(${query})` : shown
  const body = hasBody ? 'body or {}' : method === 'DELETE' ? 'None' : '{}'
  if (kind === 'K') return `self._write("${name}", ${path}, ${body}, idempotency_key)`
  return `self._send("${name}", "${method}", ${path}, ${body}, ${kind === '-' ? 'False' : 'True'})`
}

function resultOf({ responses }: Operation, kind: string, { components }: Document): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))![1]
  const schema = success.content?.['application/json']?.schema
  if (!schema) return success.content ? 'str' : 'None'
  if (kind !== 'L') return typeOf(schema)
  const page = components.schemas[schema.$ref!.split('/').at(-1)!]!
  return `Pages[${typeOf(page.properties!.data!.items!)}]`
}
