import Schema from 'typebox/schema'
import { expect } from 'vitest'
import {
  callsOf,
  type OpenApiDocument,
  refName,
  type Schema as SchemaNode,
} from '../../src/http/reference/document.ts'
import type { Reply } from '../support/service.ts'

/**
 * The reply is what the OpenAPI document says of it: of the schema, and without a member that the document does not
 * name. Schemas leave room for more, so a member that nobody documented would otherwise never be noticed.
 */
export function expectDocumented(document: OpenApiDocument, reply: Reply): void {
  const path = reply.path.split('?')[0]!
  const fitting = callsOf(document)
    .filter((call) => call.method === reply.method && toPattern(call.path).test(path))
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
  const schema = fitting[0]?.responses[reply.status]?.content?.['application/json']?.schema
  const what = `${reply.method} ${path} ${reply.status}`
  expect(schema, `${what} is not in the document`).toBeDefined()
  const whole = inlineReferences(document, schema!)
  const compiled = Schema.Compile(whole as never)
  const errors = compiled.Check(reply.body as never) ? [] : compiled.Errors(reply.body as never)[1]
  const problems = [
    ...errors.map((error) => JSON.stringify(error)),
    ...listUndocumented(whole, reply.body, '').map((member) => `${member} is not in the document`),
  ]
  expect(problems.length, `${what}: ${problems.slice(0, 5).join('; ')}`).toBe(0)
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
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, visit(member)]))
  }
  return visit(schema) as SchemaNode
}

/** Members of a value that its schema does not name, as `place.member`. */
function listUndocumented(schema: SchemaNode, value: unknown, place: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (schema.anyOf) {
    const branches = schema.anyOf.filter((one) => Schema.Compile(one as never).Check(value as never))
    const found = branches.map((one) => listUndocumented(one, value, place))
    return found.sort((a, b) => a.length - b.length)[0] ?? [place]
  }
  if (Array.isArray(value)) {
    const { items } = schema
    return items ? value.flatMap((item, i) => listUndocumented(items, item, `${place}[${i}]`)) : []
  }
  return Object.entries(value).flatMap(([key, member]) => {
    const inner = place ? `${place}.${key}` : key
    const known = schema.properties?.[key]
    if (known) return listUndocumented(known, member, inner)
    const others = schema.additionalProperties
    if (typeof others === 'object') return listUndocumented(others, member, inner)
    // A schema that says nothing of members, or names the rest as free, leaves them to the client.
    return others === true || schema.properties === undefined ? [] : [inner]
  })
}
