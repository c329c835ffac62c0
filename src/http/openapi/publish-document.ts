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
    operation.parameters = operation.parameters?.map((item) => shareParameter(item, parameters) as never)
    for (const [status, codes] of Object.entries(operation['x-errors'] ?? {}))
      operation.responses[status] = errorResponse(status, codes)
    delete operation['x-errors']
    delete operation['x-limited']
    bringInOrder(operation)
  }
  for (const schema of Object.values(schemas)) delete schema['x-required']
  inlineSingleExamples(document.paths as Paths, examples)
  // The paths last: compressed, they are a hundredth smaller after what they repeat.
  const { paths, ...others } = document
  return {
    ...others,
    'x-unmatched': unmatched(),
    components: {
      ...components,
      schemas: sorted({ ...schemas, ...errors.schemas }),
      parameters: sorted(parameters),
      headers: headerComponents,
      responses: errors.responses,
      examples: sorted(examples),
    },
    paths,
  }
}

const operationsOf = (paths: Paths) => Object.values(paths).flatMap((path) => Object.values(path))

const sorted = (components: Json): Json =>
  Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)))

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
    ...(has('prefer') ? (['Ignored-Members'] as const) : []),
  ]
  for (const response of Object.values(responses)) response.headers = headerRefs(names)
}

/** IDs in a path are named after their kind, other parameters only if they are marked as shared. */
function shareParameter(parameter: Parameter, shared: Record<string, Json>): Json {
  const { 'x-parameter': mark, 'x-required': isRequired, ...schema } = parameter.schema ?? {}
  const { required, ...rest } = parameter
  const clean = { ...rest, schema, ...((required || isRequired === true) && { required: true }) }
  const name = parameter.in === 'path' ? pathParameterName(parameter) : (mark as string | undefined)
  if (name === undefined) return clean
  if (shared[name] && !isDeepStrictEqual(shared[name], clean))
    throw new Error(`Two different parameters are named ${name}. Rename one of them.`)
  shared[name] = clean
  return { $ref: `#/components/parameters/${name}` }
}

const nounsInPaths: Record<string, string> = {
  brn: 'Branch',
  card: 'Card',
  cmp: 'Campaign',
  con: 'Connection',
  cpn: 'Coupon',
  cus: 'Customer',
  int: 'Integration',
  org: 'Organization',
  prd: 'Product',
  psn: 'Person',
  req: 'LoggedRequest',
  txn: 'Transaction',
  usr: 'User',
}

function pathParameterName({ name, example }: Parameter): string {
  const noun = nounsInPaths[String(example).split('_', 1)[0]!]
  return name === 'id' && noun ? `${noun}Id` : `Wallet${toPascalCase(name)}`
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

/** An example that only one operation has stays with it: its name alone would take more than the reference. */
function inlineSingleExamples(paths: Paths, shared: Record<string, Json>): void {
  const media = operationsOf(paths)
    .flatMap(({ requestBody, responses }) => [requestBody, ...Object.values(responses)])
    .flatMap((item) => Object.values(item?.content ?? {}))
  const nameOf = ({ examples }: Media) => {
    const { example } = (examples ?? {}) as { example?: { $ref: string } }
    return example && refName(example.$ref)
  }
  const names = media.map(nameOf)
  for (const item of media) {
    const name = nameOf(item)
    if (name === undefined || names.indexOf(name) !== names.lastIndexOf(name)) continue
    item.example = shared[name]!.value
    delete item.examples
    delete shared[name]
  }
}
