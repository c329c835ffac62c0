/**
 * The last step of the OpenAPI document: everything that several operations share moves to the components, and
 * what the routes' schemas cannot express is added, such as headers that are checked by hand.
 */
import { isDeepStrictEqual } from 'node:util'
import type { RefusalCode } from '../../domain/refusal.ts'
import { errorComponents, errorResponse, unmatched } from './error-responses.ts'
import { type HeaderName, headerComponents, headerRefs } from './headers.ts'
import { type Json, nameComponents, toPascalCase } from './name-components.ts'
import { refName } from './reference/document.ts'

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  example?: unknown
  schema?: Json
}

interface Media {
  schema?: Json & { $ref?: string }
  example?: unknown
  examples?: Json
}

interface Operation {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { description?: string; required?: boolean; content: Record<string, Media> }
  responses: Record<string, { headers?: Json; content?: Record<string, Media> }>
  'x-errors'?: Record<string, RefusalCode[]>
  'x-limited'?: boolean
  'x-lagging'?: boolean
}

type Paths = Record<string, Record<string, Operation>>

export function publishDocument({ openapiObject }: { openapiObject?: object }): Json {
  const given = openapiObject as Json & { paths: Paths }
  for (const operation of operationsOf(given.paths)) operation.parameters?.forEach(restoreDescription)
  const document = nameComponents(given)
  const { schemas, ...components } = document.components as { schemas: Record<string, Json> }
  const errors = errorComponents()
  const parameters: Record<string, Json> = {}
  const examples: Record<string, Json> = { ...(errors.examples as Record<string, Json>) }
  for (const operation of operationsOf(document.paths as Paths)) {
    addBody(operation, schemas)
    addHeaders(operation)
    shareExamples(operation, examples)
    operation.parameters = operation.parameters?.map(
      (item) => shareParameter(item, operation, parameters) as never,
    )
    for (const [status, codes] of Object.entries(operation['x-errors'] ?? {}))
      operation.responses[status] = errorResponse(status, codes)
    delete operation['x-errors']
    delete operation['x-limited']
    delete operation['x-lagging']
    bringInOrder(operation)
  }
  for (const schema of Object.values(schemas)) delete schema['x-required']
  // The paths last: compressed, they are a hundredth smaller after what they repeat.
  const { paths, ...others } = document
  return {
    ...others,
    'x-unmatched': unmatched(),
    components: {
      ...components,
      schemas: { ...schemas, ...errors.schemas },
      parameters,
      headers: headerComponents,
      responses: errors.responses,
      examples,
    },
    paths,
  }
}

const operationsOf = (paths: Paths) => Object.values(paths).flatMap((path) => Object.values(path))

const about = ['operationId', 'summary', 'description', 'tags', 'security', 'parameters']

/** What the operation is about comes first, and its responses last, each with its content last. */
function bringInOrder(operation: Operation): void {
  const { responses } = operation
  for (const response of Object.values(responses)) moveToEnd(response, ['headers', 'content'])
  moveToEnd(operation, [...about, 'requestBody', 'responses'])
}

function moveToEnd(target: object, keys: readonly string[]): void {
  const properties = target as Json
  for (const key of keys) {
    if (!(key in properties)) continue
    const value = properties[key]
    delete properties[key]
    properties[key] = value
  }
}

/** Swagger moves the description to the parameter, but a schema with a name needs its own. */
function restoreDescription({ schema, description }: Parameter): void {
  if (schema?.['x-name'] !== undefined) schema.description = description
}

/** An empty body counts as {}, so a body is required only if one of its properties is. */
function addBody({ requestBody }: Operation, schemas: Record<string, Json>): void {
  if (!requestBody) return
  // Swagger copies it from the schema.
  delete requestBody.description
  requestBody.required = Object.values(requestBody.content).some(({ schema = {} }) => {
    const target = schema.$ref ? schemas[refName(schema.$ref)]! : schema
    const { required = [], 'x-required': isRequired } = target as { required?: unknown[] } & Json
    return isRequired === true || required.length > 0
  })
}

function addHeaders({ responses, parameters = [], requestBody, ...operation }: Operation): void {
  const has = (name: string) => parameters.some((item) => item.name === name)
  const names: HeaderName[] = [
    'X-Request-Id',
    ...(operation['x-limited'] ? (['RateLimit', 'RateLimit-Policy'] as const) : []),
    ...(has('idempotency-key') ? (['Idempotent-Replayed'] as const) : []),
    ...(operation['x-lagging'] ? (['Data-Age'] as const) : []),
    ...(has('prefer') ? (['Ignored-Members'] as const) : []),
  ]
  for (const response of Object.values(responses)) response.headers = headerRefs(names)
}

/** A parameter that several operations have is marked with its name; any other is named after its operation. */
function shareParameter(parameter: Parameter, operation: Operation, shared: Record<string, Json>): Json {
  const { 'x-parameter': mark, 'x-required': isRequired, ...schema } = parameter.schema ?? {}
  const { required, ...rest } = parameter
  const clean = { ...rest, schema, ...((required || isRequired === true) && { required: true }) }
  moveToEnd(clean, ['name', 'required', 'schema', 'example', 'description'])
  const name = (mark as string | undefined) ?? parameterName(parameter, operation)
  const known = Object.keys(shared).find((other) => other === name || isDeepStrictEqual(shared[other], clean))
  if (known !== undefined && (known !== name || !isDeepStrictEqual(shared[name], clean)))
    throw new Error(`The parameters ${known} and ${name}: name equal ones alike, and others not.`)
  shared[name] = clean
  return { $ref: `#/components/parameters/${name}` }
}

/** `TransactionsFrom` for the parameter `from` of `listTransactions`, and `ApiKey` for the header `x-api-key`. */
function parameterName(parameter: Parameter, { operationId }: Operation): string {
  if (parameter.in === 'path') return pathParameterName(parameter)
  if (parameter.in === 'header') return toPascalCase(parameter.name.replace(/^x-/, ''))
  const noun = operationId.replace(/^[a-z]+/, '')
  return noun + (wordsInQueries[parameter.name] ?? toPascalCase(parameter.name))
}

const wordsInQueries: Record<string, string> = { q: 'Search', status: 'StatusFilter' }

const nounsInPaths: Record<string, string> = {
  brn: 'Branch',
  card: 'Card',
  cmp: 'Campaign',
  con: 'Connection',
  cpn: 'Coupon',
  cus: 'Customer',
  dlv: 'Delivery',
  imp: 'Import',
  int: 'Integration',
  msg: 'Message',
  org: 'Organization',
  prd: 'Product',
  psn: 'Person',
  rcv: 'ReceivedMessage',
  req: 'LoggedRequest',
  src: 'Source',
  txn: 'Transaction',
  usr: 'User',
  whk: 'Webhook',
}

function pathParameterName({ name, example }: Parameter): string {
  const noun = nounsInPaths[String(example).split('_', 1)[0]!]
  if (name === 'id' && noun) return `${noun}Id`
  return name === 'token' ? 'WalletToken' : `${toPascalCase(name)}InPath`
}

function shareExamples(
  { operationId, requestBody, responses }: Operation,
  shared: Record<string, Json>,
): void {
  const whole = toPascalCase(operationId)
  for (const media of Object.values(requestBody?.content ?? {}))
    shareExample(media, `${whole}Request`, shared)
  for (const { content = {} } of Object.values(responses))
    for (const media of Object.values(content)) shareExample(media, `${whole}Response`, shared)
}

/** An example is called like the schema it is of, unless another one is. */
function shareExample(media: Media, ownName: string, shared: Record<string, Json>): void {
  const value = media.example ?? (media.schema?.examples as unknown[] | undefined)?.[0]
  if (value === undefined) return
  const candidates = [...(media.schema?.$ref ? [refName(media.schema.$ref)] : []), ownName]
  const known = Object.keys(shared).find((name) => isDeepStrictEqual(shared[name]!.value, value))
  const name = known ?? candidates.find((candidate) => shared[candidate] === undefined)
  if (name === undefined) throw new Error(`Two different examples are named ${ownName}.`)
  shared[name] = { value }
  delete media.example
  if (media.schema && !media.schema.$ref) delete media.schema.examples
  media.examples = { example: { $ref: `#/components/examples/${name}` } }
}
