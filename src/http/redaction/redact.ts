/**
 * What the request log and the audit log may store of a request. Properties with a sensitive name are
 * redacted at any depth, and so is whatever looks like a credential or contact data in any text. In a body or
 * a query from a client, only properties of the schema are trusted to be what their name says, and only while
 * they look like it: anything else might be personal data.
 */
import { isBarcode } from '../../domain/barcode.ts'
import { isId } from '../../domain/ids.ts'
import { keyPattern } from '../../domain/validation-error.ts'
import { type BodySchema, propertySchema, schemaFor } from '../requests/body-schema.ts'
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
  /** The request was accepted: the keys in its body are those of something that exists. */
  readonly isAccepted?: boolean
  /** The place that the request was refused for, such as `items[0].product`. */
  readonly fault?: string
  /** Collects the texts that were redacted, so that they can be found where the response quotes them. */
  readonly hidden?: Set<string>
}

type Json = Record<string, unknown>

interface Walk {
  readonly isSensitive: (name: string) => boolean
  readonly isAccepted: boolean
  /** The object that contains the value at fault, and its name there. */
  readonly fault: { readonly holder: unknown; readonly name: string } | undefined
  readonly hidden: Set<string> | undefined
  /** Bytes that may still be written. */
  left: number
  isTruncated: boolean
}

const maxBytes = 16 * 1024
const maxTextLength = 500
/** An email address has at most 254 characters. A longer token may be cut, but never survives as a whole. */
const longestAddress = 300

/** A search is for whatever the client has in mind, and a cursor is ours only if the client says so. */
const everywhere = sensitiveNames('q', 'cursor')
/** The merchant's own ID of a customer is personal data; so are names of staff. */
const onCustomers = sensitiveNames('q', 'cursor', 'opaqueid')
/** Rows of a file are customers, and what their owner calls the file may name one. */
const onFiles = sensitiveNames('q', 'cursor', 'rows', 'data', 'filename', 'filehash', 'columns')
/** What another system has sent is about its customers, in names of its own. */
const onSources = sensitiveNames('q', 'cursor', 'payload', 'made', 'transaction')
const onPeople = sensitiveNames('q', 'cursor', 'name')

function sensitiveOn(route: string): Walk['isSensitive'] {
  if (route.startsWith('/v1/customers')) return onCustomers
  if (/^\/v1\/(?:imports|exports)\b/.test(route)) return onFiles
  if (/^\/v1\/(?:sources|received)\b/.test(route)) return onSources
  return /\/(?:users|people)(?:\/|$)/.test(route) ? onPeople : everywhere
}

/** Returns a JSON value of at most 16 KB that is safe to store. */
export function redact(value: unknown, options: RedactOptions): Redacted {
  const schema = options.schema as BodySchema | undefined
  const walk: Walk = {
    isSensitive: sensitiveOn(options.route),
    isAccepted: options.isAccepted ?? false,
    fault: options.fault === undefined ? undefined : findHolder(value, options.fault),
    hidden: options.hidden,
    left: maxBytes,
    isTruncated: false,
  }
  const kept = fits(walk, schema, value) ? visit(walk, value, schema) : hide(walk, value)
  return { value: kept, isTruncated: walk.isTruncated }
}

/** Follows a place such as `items[0].product` to the object that contains its last part. */
function findHolder(value: unknown, place: string): Walk['fault'] {
  const parts = place.match(/[^.[\]]+/g) ?? []
  const holder = parts
    .slice(0, -1)
    .reduce<unknown>(
      (at, part) => (typeof at === 'object' && at !== null ? (at as Json)[part] : undefined),
      value,
    )
  return { holder, name: parts.at(-1) ?? '' }
}

function visit(walk: Walk, value: unknown, schema: BodySchema | undefined): unknown {
  if (typeof value === 'string') return visitText(walk, value)
  if (typeof value !== 'object' || value === null) {
    walk.left -= 8
    return value
  }
  const own = schema && schemaFor(schema, value)
  if (Array.isArray(value)) {
    const items = own?.items
    return takeWhileRoom(walk, [...value.entries()], ([i, item]) =>
      fits(walk, items, item) && !isAtFault(walk, value, String(i))
        ? visit(walk, item, items)
        : hide(walk, item),
    )
  }
  const properties = takeWhileRoom(walk, Object.entries(value), ([name, property]): [string, unknown] => {
    walk.left -= name.length + 4
    const isFree = own === undefined
    const known = isFree ? undefined : propertySchema(own, name)
    const isKept =
      (isFree || known !== undefined) &&
      !isPrivate(walk, name, value as Json) &&
      !isAtFault(walk, value, name) &&
      fits(walk, known, property)
    const kept = isKept ? visit(walk, property, known) : hide(walk, property)
    return [isFree ? nameOf(name) : knownName(walk, name, known), kept]
  })
  return Object.fromEntries(properties)
}

function takeWhileRoom<T, R>(walk: Walk, all: readonly T[], take: (item: T) => R): R[] {
  const taken: R[] = []
  for (const item of all) {
    if (walk.left <= 0) {
      walk.isTruncated = true
      collectTexts(all.slice(taken.length), walk.hidden)
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
function hide(walk: Walk, value: unknown): unknown {
  collectTexts(value, walk.hidden)
  return spend(walk, value === null || value === undefined ? value : redacted)
}

function collectTexts(value: unknown, hidden: Set<string> | undefined): void {
  if (hidden === undefined) return
  if (typeof value === 'string' || typeof value === 'number') hidden.add(String(value))
  if (typeof value !== 'object' || value === null) return
  for (const [name, property] of Object.entries(value)) {
    if (!Array.isArray(value)) hidden.add(name)
    collectTexts(property, hidden)
  }
}

/** Names of properties that no schema declares: those of our own responses, such as keys of balances. */
const nameOf = (name: string) => (/^[\w.-]{1,64}$/.test(name) ? redactText(name) : redacted)

/** A property that the schema does not know has a name of the client's choice. */
function knownName(walk: Walk, name: string, known: BodySchema | undefined): string {
  if (known !== undefined) return name
  walk.hidden?.add(name)
  return redacted
}

function isPrivate({ isSensitive }: Walk, name: string, siblings: Json): boolean {
  // A reason is free text about a customer, cleared when the customer is erased. That of a skipped rule is
  // our own.
  if (name === 'reason') return !('rule' in siblings)
  return isSensitive(name)
}

/** A text that was refused at its place is not what belongs there. */
function isAtFault({ fault }: Walk, holder: Json | object, name: string): boolean {
  const value = (holder as Json)[name]
  return holder === fault?.holder && name === fault.name && typeof value === 'string' && !isOurs(value)
}

const isOurs = (text: string) => isId(text) || isBarcode(text)
/** A day or a time, whether it exists or not. */
const time = /^\d{4}-\d\d-\d\d(?:T[\d:.,]{2,18}(?:Z|[+-]\d\d:?\d\d)?)?$/i

const forms = [isId, isBarcode, (text: string) => time.test(text)]

/** Whether a value looks like what its schema declares; without a schema, or with an empty one, all do. */
function fits(walk: Walk, schema: BodySchema | undefined, value: unknown): boolean {
  if (!schema) return true
  if (schema.anyOf) return schema.anyOf.some((branch) => fits(walk, branch, value))
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
  if (schema.enum) return schema.enum.includes(value)
  if (schema.pattern === keyPattern && !walk.isAccepted) return false
  // Where an ID or a barcode of ours or a time is expected, anything else may be a phone number.
  const example = String(schema.examples?.[0])
  return forms.every((hasForm) => !hasForm(example) || hasForm(value as string))
}

/** Path of a request, built from its pattern. A parameter that is not one of our IDs is redacted. */
export function redactPath(route: string, params: Record<string, string>, hidden?: Set<string>): string {
  return route.replaceAll(/:(\w+)/g, (_place, name: string) => {
    const value = params[name] ?? ''
    if (isId(value)) return value
    hidden?.add(value)
    return redacted
  })
}

/** UUIDs and trace IDs, with or without dashes, and ULIDs: no name or phone number has that form. */
const machineMade = /^(?:(?:[0-9a-f]-?){31,63}[0-9a-f]|[0-7][0-9A-HJKMNP-TV-Z]{25})$/i

/** A request ID that a client chose is kept only if a machine made it. */
export function redactRequestId(id: string): string {
  return machineMade.test(id) ? id : redacted
}

/** Removes from a text of ours what was redacted in the request that it quotes. */
export function redactQuotes(text: string, hidden: ReadonlySet<string>): string {
  // What follows is our own; what comes before may be the beginning of any text.
  const cutAt = text.lastIndexOf('…')
  const whole = cutAt < 0 ? text : `${redacted}${text.slice(cutAt)}`
  const found = [...hidden].filter((quote) => quote !== '' && whole.includes(quote))
  return found
    .sort((a, b) => b.length - a.length)
    .reduce((kept, quote) => kept.replaceAll(asWord(quote), redacted), whole)
}

function asWord(text: string): RegExp {
  const escaped = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'gu')
}
