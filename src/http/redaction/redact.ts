/**
 * What the request log and the audit log may keep of a call. Members with a telling name are blotted out, wherever
 * they stand, and so is whatever looks like a credential or an address in any text. Of a body or a query that a
 * client sent, only what its schema knows is believed to be what it is called: anything else might be a person.
 */
import { redacted, redactText, sensitiveNames } from './logger.ts'

export interface Redacted {
  readonly value: unknown
  /** Something was left out because it was too much. */
  readonly isTruncated: boolean
}

export interface RedactOptions {
  /** The pattern of the path: some members tell of a person only there. */
  readonly route: string
  /** Of what a client sent. Replies are of our own making and need none. */
  readonly schema?: unknown
}

type Schema = {
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
/** An e-mail address has at most 254 characters; a token that is longer is cut, but no whole one is left. */
const longestAddress = 300

const everywhere = sensitiveNames()
/** A customer is also known by the merchant's own id, and asked for by name; of those who work there the name is enough. */
const onCustomers = sensitiveNames('opaqueid', 'q')
const onPeople = sensitiveNames('name', 'q')

function tellingOn(route: string): Walk['isSensitive'] {
  if (route.startsWith('/v1/customers')) return onCustomers
  return /\/(?:people|users)(?:\/|$)/.test(route) ? onPeople : everywhere
}

/** A JSON value of at most 16 KB. */
export function redact(value: unknown, { route, schema }: RedactOptions): Redacted {
  const walk: Walk = { isSensitive: tellingOn(route), left: maxBytes, isTruncated: false }
  const kept = fits(schema as Schema | undefined, value)
    ? visit(walk, value, schema as Schema)
    : blotted(value)
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
      fits(items, item) ? visit(walk, item, items) : spend(walk, blotted(item)),
    )
  }
  const members = takeWhileRoom(walk, Object.entries(value), ([name, member]): [string, unknown] => {
    walk.left -= name.length + 4
    if (isPrivate(walk, name, value as Json)) return [nameOf(name), spend(walk, blotted(member))]
    const known = chosen?.properties
    if (!known) return [nameOf(name), visit(walk, member, undefined)]
    const own = Object.hasOwn(known, name) ? known[name] : undefined
    const isKnown = own !== undefined && fits(own, member)
    return [nameOf(name), isKnown ? visit(walk, member, own) : spend(walk, blotted(member))]
  })
  return Object.fromEntries(members)
}

function takeWhileRoom<T, R>(walk: Walk, all: readonly T[], take: (one: T) => R): R[] {
  const taken: R[] = []
  for (const one of all) {
    if (walk.left <= 0) {
      walk.isTruncated = true
      break
    }
    taken.push(take(one))
  }
  return taken
}

function visitText(walk: Walk, text: string): string {
  const room = Math.max(0, Math.min(maxTextLength, walk.left))
  const isLong = text.length > room
  // Blotted before it is cut: half an address is an address to a reader, and none to a pattern.
  const kept = redactText(text.slice(0, maxTextLength + longestAddress))
  if (isLong) walk.isTruncated = true
  return spend(walk, storable(isLong ? `${kept.slice(0, room)}…` : kept))
}

function spend<T>(walk: Walk, value: T): T {
  walk.left -= typeof value === 'string' ? Buffer.byteLength(JSON.stringify(value)) : 8
  return value
}

/** A query may have NUL in it, and what is cut half a character: PostgreSQL takes neither, nor the calls beside it. */
const storable = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd')

/** That something was taken away is worth seeing. */
const blotted = (value: unknown) => (value === null || value === undefined ? value : redacted)

/** A client can call a member anything. */
const nameOf = (name: string) => (/^[\w.-]{1,64}$/.test(name) ? redactText(name) : redacted)

function isPrivate({ isSensitive: isTelling }: Walk, name: string, siblings: Json): boolean {
  // Free text about a customer, which erasing the customer clears. A skipped rule has a reason as well: a word of ours.
  if (name === 'reason') return !('rule' in siblings)
  return isTelling(name)
}

const ourId = /^[a-z]+_[0-9a-f]{32}$/

/** Whether a value is of the kind its schema says; a schema that says nothing fits everything. */
function fits(schema: Schema | undefined, value: unknown): boolean {
  if (!schema) return true
  if (schema.anyOf) return schema.anyOf.some((one) => fits(one, value))
  if (schema.const !== undefined) return schema.const === value
  const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  if (
    schema.type !== undefined &&
    schema.type !== type &&
    !(schema.type === 'integer' && type === 'number')
  ) {
    return false
  }
  // Where an id of ours belongs, anything else may be somebody's number.
  const isIdPlace = type === 'string' && ourId.test(String(schema.examples?.[0]))
  return !isIdPlace || ourId.test(value as string)
}

/** Of several schemas the one that a list or an object is of. */
function choose(schema: Schema, value: object): Schema | undefined {
  if (schema.if) return schema.if.required?.every((name) => name in value) ? schema.then : schema.else
  if (!schema.anyOf) return schema
  const branch = schema.anyOf.find((one) => fits(one, value))
  return branch && choose(branch, value)
}

/** The path of a call, from its pattern. In an id's place stands an id or a barcode of ours, or nobody's business. */
export function redactPath(route: string, params: Record<string, string>): string {
  return route.replaceAll(/:(\w+)/g, (_place, name: string) => {
    const value = params[name] ?? ''
    return ourId.test(value) || /^\d{16}$/.test(value) ? value : redacted
  })
}
