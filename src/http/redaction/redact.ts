/**
 * What the request log and the audit log may store of a request. Properties with a sensitive name are
 * redacted at any depth, and so is whatever looks like a credential or contact data in any text. In a body or
 * a query from a client, only properties of the schema are trusted to be what their name says: anything else
 * might be personal data.
 */
import { redacted, redactText, sensitiveNames } from './logger.ts'

export interface Redacted {
  readonly value: unknown
  /** A part was left out because the value was too large. */
  readonly isTruncated: boolean
}

export interface RedactOptions {
  /** Route pattern: some properties are personal data only on certain routes. */
  readonly route: string
  /** Schema of data from a client. Responses are our own and need none. */
  readonly schema?: unknown
}

interface Schema {
  readonly type?: string
  readonly properties?: Record<string, Schema>
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly if?: Schema
  readonly then?: Schema
  readonly else?: Schema
  readonly const?: unknown
  readonly examples?: readonly unknown[]
}

type Json = Record<string, unknown>

interface Walk {
  readonly isSensitive: (name: string) => boolean
  /** Bytes that may still be written. */
  left: number
  isTruncated: boolean
}

const maxBytes = 16 * 1024
const maxTextLength = 500
/** An email address has at most 254 characters. A longer token may be cut, but never survives as a whole. */
const longestAddress = 300

const everywhere = sensitiveNames()
/**
 * The merchant's own ID of a customer and searches for customers are personal data; so are names of staff.
 */
const onCustomers = sensitiveNames('opaqueid', 'q')
const onPeople = sensitiveNames('name', 'q')

function sensitiveOn(route: string): Walk['isSensitive'] {
  if (route.startsWith('/v1/customers')) return onCustomers
  return /\/(?:people|users)(?:\/|$)/.test(route) ? onPeople : everywhere
}

/** Returns a JSON value of at most 16 KB that is safe to store. */
export function redact(value: unknown, { route, schema }: RedactOptions): Redacted {
  const walk: Walk = { isSensitive: sensitiveOn(route), left: maxBytes, isTruncated: false }
  const kept = fits(schema as Schema | undefined, value)
    ? visit(walk, value, schema as Schema)
    : redactedValue(value)
  return { value: kept, isTruncated: walk.isTruncated }
}

function visit(walk: Walk, value: unknown, schema: Schema | undefined): unknown {
  if (typeof value === 'string') return visitText(walk, value)
  if (typeof value !== 'object' || value === null) {
    walk.left -= 8
    return value
  }
  const chosen = schema && choose(schema, value)
  if (Array.isArray(value)) {
    const { items } = chosen ?? {}
    return takeWhileRoom(walk, value, (item) =>
      fits(items, item) ? visit(walk, item, items) : spend(walk, redactedValue(item)),
    )
  }
  const properties = takeWhileRoom(walk, Object.entries(value), ([name, property]): [string, unknown] => {
    walk.left -= name.length + 4
    if (isPrivate(walk, name, value as Json)) return [nameOf(name), spend(walk, redactedValue(property))]
    const known = chosen?.properties
    if (!known) return [nameOf(name), visit(walk, property, undefined)]
    const own = Object.hasOwn(known, name) ? known[name] : undefined
    const isKnown = own !== undefined && fits(own, property)
    return [nameOf(name), isKnown ? visit(walk, property, own) : spend(walk, redactedValue(property))]
  })
  return Object.fromEntries(properties)
}

function takeWhileRoom<T, R>(walk: Walk, all: readonly T[], take: (item: T) => R): R[] {
  const taken: R[] = []
  for (const item of all) {
    if (walk.left <= 0) {
      walk.isTruncated = true
      break
    }
    taken.push(take(item))
  }
  return taken
}

function visitText(walk: Walk, text: string): string {
  const room = Math.max(0, Math.min(maxTextLength, walk.left))
  const isLong = text.length > room
  // Redacted before it is cut: a reader recognizes half an address, a pattern does not.
  const kept = redactText(text.slice(0, maxTextLength + longestAddress))
  if (isLong) walk.isTruncated = true
  return spend(walk, storable(isLong ? `${kept.slice(0, room)}…` : kept))
}

function spend<T>(walk: Walk, value: T): T {
  walk.left -= typeof value === 'string' ? Buffer.byteLength(JSON.stringify(value)) : 8
  return value
}

/**
 * A query may contain NUL, and cutting may leave half a character. PostgreSQL would reject the whole batch.
 */
const storable = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd')

/** Shows that there was a value. */
const redactedValue = (value: unknown) => (value === null || value === undefined ? value : redacted)

/** Property names are chosen by the client, too. */
const nameOf = (name: string) => (/^[\w.-]{1,64}$/.test(name) ? redactText(name) : redacted)

function isPrivate({ isSensitive }: Walk, name: string, siblings: Json): boolean {
  // A reason is free text about a customer, cleared when the customer is erased. That of a skipped rule is
  // our own.
  if (name === 'reason') return !('rule' in siblings)
  return isSensitive(name)
}

const ourId = /^[a-z]+_[0-9a-f]{32}$/
const ourBarcode = /^\d{16}$/

/** Whether a value has the type of its schema; an empty schema fits everything. */
function fits(schema: Schema | undefined, value: unknown): boolean {
  if (!schema) return true
  if (schema.anyOf) return schema.anyOf.some((branch) => fits(branch, value))
  if (schema.const !== undefined) return schema.const === value
  const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  if (
    schema.type !== undefined &&
    schema.type !== type &&
    !(schema.type === 'integer' && type === 'number')
  ) {
    return false
  }
  if (type !== 'string') return true
  // Where one of our IDs or barcodes is expected, anything else may be a phone number.
  const example = String(schema.examples?.[0])
  return [ourId, ourBarcode].every((ours) => !ours.test(example) || ours.test(value as string))
}

/** Picks the union branch that matches the value. */
function choose(schema: Schema, value: object): Schema | undefined {
  if (schema.if) return schema.if.required?.every((name) => name in value) ? schema.then : schema.else
  if (!schema.anyOf) return schema
  const branch = schema.anyOf.find((option) => fits(option, value))
  return branch && choose(branch, value)
}

/**
 * Path of a request, built from its pattern. A parameter that is not one of our IDs or barcodes is redacted.
 */
export function redactPath(route: string, params: Record<string, string>): string {
  return route.replaceAll(/:(\w+)/g, (_place, name: string) => {
    const value = params[name] ?? ''
    return ourId.test(value) || ourBarcode.test(value) ? value : redacted
  })
}
