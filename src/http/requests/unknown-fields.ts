/**
 * What a request contains that its schema does not know, and what becomes of it. Old tills must keep working,
 * so most of their requests ignore it and report it in a header, where a typo can still be noticed. A list
 * refuses unknown query parameters from everyone: without the filter that was meant, it would return the data
 * of other customers.
 */
import type { FastifyRequest } from 'fastify'
import { Refused } from '../../domain/refusal.ts'
import { sayRule, toSentence } from '../../domain/validation-error.ts'
import type { Access } from '../route-config.ts'
import { type BodySchema, propertySchema, schemaFor } from './body-schema.ts'

/** The names of what is ignored, query parameters first and as `?name`, or the refusal that names one of them. */
export function findIgnored(request: FastifyRequest): string[] | Refused {
  const { schema = {}, config } = request.routeOptions
  const { access } = config
  // What is not part of the API has no schema to compare with, and the query of a page is read in the browser.
  if (access === undefined || (schema as { hide?: boolean }).hide) return []
  const isStrict = !isLenient(access) || asksForStrictHandling(request.headers.prefer)
  const parameters = findUnknownParameters(schema.querystring, request.query)
  if (parameters.length > 0 && (isStrict || isList(schema.querystring))) {
    return refusal(parameters[0]!, 'unknown query parameter')
  }
  const fields = schema.body && !config.skipsBodySchema ? findUnknownFields(schema.body, request.body) : []
  if (fields.length > 0 && isStrict) {
    return refusal(fields[0]!, sayRule({ keyword: 'additionalProperties', params: {} }))
  }
  return [...parameters.map((name) => `?${name}`), ...fields]
}

const maxNameLength = 200

/** The name is truncated: it is text from the client, and ends up in logs. */
function refusal(name: string, message: string): Refused {
  const place = name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name
  return new Refused('_invalid_payload', toSentence({ place, message }))
}

/** Whether requests with this access ignore what is unknown unless they ask for strict handling. */
export function isLenient(access: Access): boolean {
  return access === 'public' || (Array.isArray(access) && access.includes('pos'))
}

/** RFC 7240. */
function asksForStrictHandling(prefer: string | string[] | undefined): boolean {
  return /(?:^|[,;])\s*handling\s*=\s*"?strict"?\s*(?:$|[,;])/i.test(String(prefer ?? ''))
}

function findUnknownParameters(schema: unknown, query: unknown): string[] {
  const known = (schema ?? {}) as BodySchema
  const unknown = Object.keys((query ?? {}) as object).filter((name) => !propertySchema(known, name))
  // `?=1` has a parameter with an empty name.
  return unknown.map((name) => name || '""')
}

/** Every list has pages. */
function isList(schema: unknown): boolean {
  return propertySchema((schema ?? {}) as BodySchema, 'cursor') !== undefined
}

function findUnknownFields(schema: unknown, value: unknown): string[] {
  const found: string[] = []
  collect(schema as BodySchema, value, '', found)
  return found
}

function collect(whole: BodySchema, value: unknown, path: string, found: string[]): void {
  if (typeof value !== 'object' || value === null) return
  const schema = schemaFor(whole, value)
  if (Array.isArray(value)) {
    if (schema.items)
      for (let i = 0; i < value.length; i++) collect(schema.items, value[i], `${path}[${i}]`, found)
  } else if (schema.properties && !schema['x-free-form']) {
    for (const [key, property] of Object.entries(value)) {
      const place = path ? `${path}.${key}` : key
      const known = propertySchema(schema, key)
      if (known) collect(known, property, place, found)
      else found.push(place)
    }
  }
}
