/**
 * Turns validator errors into words for API clients: the place as they write it, and what the value must be.
 * Validators speak of pointers, schemas and formats that a client has never seen. Requests are checked by Ajv
 * and definitions by TypeBox, which differ only in how they list missing and unknown properties.
 */
import { consentNamePattern } from './consents.ts'

export interface ValidationError {
  readonly keyword: string
  /** A JSON pointer. */
  readonly instancePath: string
  readonly params: object
  /** The property whose name is wrong, where the rule is about names. */
  readonly propertyName?: string
  readonly message?: string
}

/**
 * One wrong value: `items[0].quantity`, `must be more than 0`. The place is empty when the whole value is
 * wrong.
 */
export interface WrongValue {
  readonly place: string
  readonly message: string
}

/**
 * Letters, digits, dot, underscore and dash: safe in URLs, as a property name, and when read out over the
 * phone.
 */
export const keyPattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'

/** Every value that an error is about; there are several when properties are missing or unknown. */
export function explainError(error: ValidationError, base: readonly PlacePart[] = []): WrongValue[] {
  const at = [...base, ...pointerParts(error.instancePath)]
  const message = sayRule(error)
  const properties = error.propertyName === undefined ? propertiesOf(error) : [error.propertyName]
  if (properties === undefined) return [{ place: toPlace(at), message }]
  return properties.map((property) => ({ place: toPlace([...at, property]), message }))
}

/** A wrong value as a sentence; `whole` names what contains the place. */
export function toSentence({ place, message }: WrongValue, whole = 'body'): string {
  return place === '' ? `The ${whole} ${message}.` : `${place}: ${message}.`
}

type PlacePart = string | number

/** `['items', 0, 'quantity']` as a client writes it: `items[0].quantity`. */
export function toPlace(parts: readonly PlacePart[]): string {
  return parts.reduce<string>((place, part) => {
    if (/^\d+$/.test(String(part))) return `${place}[${part}]`
    // A property name may be text from the client, and ends up in logs.
    const name = String(part).length > 64 ? `${String(part).slice(0, 64)}…` : part
    return place === '' ? String(name) : `${place}.${name}`
  }, '')
}

/** Splits a JSON pointer into its parts. */
export function pointerParts(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function propertiesOf({ keyword, params }: ValidationError): string[] | undefined {
  const named = params as Record<string, string | string[] | undefined>
  if (keyword === 'required') return [named.requiredProperties ?? named.missingProperty ?? []].flat()
  if (keyword !== 'additionalProperties') return undefined
  return [named.additionalProperties ?? named.additionalProperty ?? []].flat()
}

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}

const formatNames: Record<string, string> = {
  'customer-email': 'an email address',
  'date-time': 'an ISO 8601 time such as 2026-03-14T09:26:53Z',
}

const patternNames: Record<string, string> = {
  [keyPattern]: 'must be 1 to 64 letters, digits, dots, underscores or dashes',
  [consentNamePattern]:
    'the name must be a word in lower case of up to 40 letters, digits, dashes and underscores',
}

/** What the rule of a keyword requires, such as `must be a string`. */
export function sayRule({ keyword, params, message }: Omit<ValidationError, 'instancePath'>): string {
  const { limit, type, format, allowedValue, allowedValues, pattern } = params as Record<string, unknown>
  switch (keyword) {
    case 'required':
      return 'is missing'
    case 'additionalProperties':
      return 'unknown property'
    case 'type':
      return `must be ${[type]
        .flat()
        .map((name) => typeNames[String(name)] ?? name)
        .join(' or ')}`
    case 'format':
      return `must be ${formatNames[String(format)] ?? format}`
    case 'const':
      return `must be ${JSON.stringify(allowedValue)}`
    case 'enum':
      return `must be ${(allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(' or ')}`
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} entries`
    case 'maxItems':
      return `must have at most ${limit} entries`
    case 'uniqueItems':
      return 'must not contain duplicates'
    case 'minimum':
      return `must be at least ${limit}`
    case 'exclusiveMinimum':
      return `must be more than ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'pattern':
      return patternNames[String(pattern)] ?? 'has an invalid format'
    default:
      return message ?? 'is invalid'
  }
}
