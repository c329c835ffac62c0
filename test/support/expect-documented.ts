import Schema from 'typebox/schema'
import { expect } from 'vitest'
import {
  type Call,
  callsOf,
  type OpenApiDocument,
  refName,
  type Schema as SchemaNode,
} from '../../src/http/openapi/reference/document.ts'
import type { Reply } from './service.ts'

/**
 * Expects a response to match the OpenAPI document: valid against its schema, and without undocumented
 * fields. Schemas allow additional fields, so an undocumented one would otherwise go unnoticed.
 */
export function expectDocumented(document: OpenApiDocument, reply: Reply): void {
  const problems = findUndocumented(document, reply)
  expect(problems.length, problems.slice(0, 5).join('; ')).toBe(0)
}

/** Describes each difference between the response and the document in a sentence. */
export function findUndocumented(document: OpenApiDocument, reply: Reply): string[] {
  const path = reply.path.split('?')[0]!
  const call = matcherOf(document)(reply.method, path)
  const what = `${reply.method} ${path.slice(0, 100)} ${reply.status}`
  const said = () => reply.text.slice(0, 300)
  if (!call) return [`${what}: no such call in the document`]
  // A response without a body has no content type.
  if (reply.status === 204 && call.responses[204]) return reply.text === '' ? [] : [`${what}: ${said()}`]
  const media = mediaOf(document, call, reply)
  if (!media) return [`${what} is not in the document as ${reply.headers['content-type']}: ${said()}`]
  const { schema, isValid } = media
  if (!isValid(reply.body))
    return [`${what} is not of its schema: ${describe(schema, reply.body)}: ${said()}`]
  return listUndocumented(schema, reply.body, '').map((member) => `${what}: ${member} is not in the document`)
}

/** The operation of a route, such as `POST /v1/customers`. */
export function findCall(document: OpenApiDocument, route: string): Call {
  return callsByRoute(document).get(route)!
}

const routes = new WeakMap<OpenApiDocument, Map<string, Call>>()

/** Each of them once, since what is known of an operation is kept by it. */
function callsByRoute(document: OpenApiDocument): Map<string, Call> {
  const known =
    routes.get(document) ?? new Map(callsOf(document).map((call) => [`${call.method} ${call.path}`, call]))
  routes.set(document, known)
  return known
}

/** The schema of an operation's request body, with references resolved; undefined if it takes none. */
export function bodySchemaOf(document: OpenApiDocument, call: Call): SchemaNode | undefined {
  const schema = call.requestBody?.content['application/json']?.schema
  if (!schema) return undefined
  const whole = bodySchemas.get(call) ?? inlineReferences(document, schema)
  bodySchemas.set(call, whole)
  return whole
}

const bodySchemas = new WeakMap<Call, SchemaNode>()

/** Compiles a schema to a validator, once, because compiling takes far longer than validating. */
export function compileSchema(schema: SchemaNode): (value: unknown) => boolean {
  const compiled = compiledSchemas.get(schema) ?? Schema.Compile(schema as never)
  compiledSchemas.set(schema, compiled)
  return (value) => compiled.Check(value as never)
}

const compiledSchemas = new WeakMap<SchemaNode, ReturnType<typeof Schema.Compile>>()

function describe(schema: SchemaNode, value: unknown): string {
  const errors = Schema.Compile(schema as never).Errors(value as never)[1]
  return errors
    .slice(0, 5)
    .map((error) => JSON.stringify(error))
    .join('; ')
}

interface CompiledMedia {
  readonly schema: SchemaNode
  readonly isValid: (value: unknown) => boolean
}

const mediaByCall = new WeakMap<Call, Map<string, CompiledMedia | undefined>>()

function mediaOf(document: OpenApiDocument, call: Call, reply: Reply): CompiledMedia | undefined {
  const type = String(reply.headers['content-type']).split(';')[0]!
  const known = mediaByCall.get(call) ?? new Map<string, CompiledMedia | undefined>()
  mediaByCall.set(call, known)
  const key = `${reply.status} ${type}`
  if (!known.has(key)) {
    const schema = call.responses[reply.status]?.content?.[type]?.schema
    const whole = schema && inlineReferences(document, schema)
    known.set(key, whole && { schema: whole, isValid: compileSchema(whole) })
  }
  return known.get(key)
}

const matchers = new WeakMap<OpenApiDocument, (method: string, path: string) => Call | undefined>()

/** Finds the operation for a path; a literal path takes precedence over one with an id parameter. */
function matcherOf(document: OpenApiDocument): (method: string, path: string) => Call | undefined {
  const known = matchers.get(document)
  if (known) return known
  const calls = [...callsByRoute(document).values()]
    .map((call) => ({ call, pattern: toPattern(call.path), ids: call.path.split('{').length }))
    .sort((a, b) => a.ids - b.ids)
  const matcher = (method: string, path: string) =>
    calls.find(({ call, pattern }) => call.method === method && pattern.test(path))?.call
  matchers.set(document, matcher)
  return matcher
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

function inlineReferences(document: OpenApiDocument, schema: SchemaNode): SchemaNode {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as SchemaNode
    if (typeof $ref === 'string') return visit(document.components.schemas[refName($ref)])
    // A discriminator refers to schemas by their names, and the branches say the same.
    const entries = Object.entries(value).filter(([key]) => key !== 'discriminator')
    return Object.fromEntries(entries.map(([key, member]) => [key, visit(member)]))
  }
  return visit(schema) as SchemaNode
}

/** Fields of a value that its schema does not define, as `place.field`. */
function listUndocumented(schema: SchemaNode, value: unknown, place: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  const union = schema.anyOf ?? schema.oneOf
  if (union) {
    const branches = union.filter((branch) => compileSchema(branch)(value))
    const found = branches.map((branch) => listUndocumented(branch, value, place))
    return found.sort((a, b) => a.length - b.length)[0] ?? [place]
  }
  if (schema.allOf) {
    // A field that one part does not define may be defined by another.
    const found = schema.allOf.map((part) => listUndocumented(part, value, place))
    return found.reduce((left, right) => left.filter((field) => right.includes(field)))
  }
  if (Array.isArray(value)) {
    const { items } = schema
    return items ? value.flatMap((item, i) => listUndocumented(items, item, `${place}[${i}]`)) : []
  }
  return Object.entries(value).flatMap(([key, field]) => {
    const inner = place ? `${place}.${key}` : key
    const known =
      schema.properties && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined
    if (known) return listUndocumented(known, field, inner)
    const others = schema.additionalProperties
    if (typeof others === 'object') return listUndocumented(others, field, inner)
    // A schema without properties, or with free additional ones, leaves the fields to the client.
    return others === true || schema.properties === undefined ? [] : [inner]
  })
}
