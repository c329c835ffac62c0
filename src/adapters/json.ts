/**
 * Anything that sends JSON. What it means is said by the merchant's mapping, whose result is checked here: a mistake
 * is reported with its place, in the words of the mapping.
 */
import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { isMetaDataTooLarge } from '../domain/meta-data.ts'
import { decimalsOf, maxMoney, maxPriceDecimals, maxQuantity } from '../domain/money.ts'
import { explainError, toSentence } from '../domain/validation-error.ts'
import type { Adapter, Incoming } from './adapter.ts'
import { keepAll } from './excerpt.ts'
import { type Made, type NothingReason, nothingReasons, type ReturnMade, type SaleMade } from './made.ts'
import {
  at,
  isMoment,
  isObject,
  maxItems,
  nothing,
  optionalId,
  storable,
  textOf,
  withoutAbsent,
} from './read-payload.ts'
import { hmacOf, isBase64Of, isSameText } from './signature.ts'

const idHeaders = ['webhook-id', 'x-event-id', 'idempotency-key']
const topicHeaders = ['x-topic', 'x-event-type', 'x-wc-webhook-topic']
const topicProperties = ['type', 'event', 'topic']

export const json: Adapter = {
  isGenuine({ headers, body }, secret, { signatureHeader }) {
    if (secret === '') return false
    if (signatureHeader === undefined) return isBearer(headers.authorization, secret)
    return isSignature(headers[signatureHeader.toLowerCase()], hmacOf(secret, body))
  },

  identify(headers, payload) {
    const properties = topicProperties.map((name) => textOf(at(payload, name), 100))
    return withoutAbsent({
      eventId: firstOf(idHeaders.map((name) => optionalId(headers[name]))),
      topic: firstOf([...topicHeaders.map((name) => textOf(headers[name], 100)), ...properties]),
    })
  },

  excerpt: (payload) => keepAll(payload),

  withoutBuyer: () => undefined,
}

const firstOf = (values: readonly (string | undefined)[]) => values.find((value) => value !== undefined)

function isBearer(authorization: Incoming['headers'][string], secret: string): boolean {
  const token = /^bearer +(\S+)\s*$/i.exec(authorization ?? '')?.[1]
  return token !== undefined && isSameText(token, secret)
}

/** In base64 or hexadecimal digits, with or without the name of the algorithm before it. */
function isSignature(header: string | undefined, digest: Buffer): boolean {
  const signature = header?.trim().replace(/^sha256=/i, '')
  if (signature === undefined) return false
  return isBase64Of(signature, digest) || isSameText(signature.toLowerCase(), digest.toString('hex'))
}

export interface MappingProblem {
  readonly type: 'problem'
  readonly code: 'invalid_mapping_result'
  /** Names the field and says what it must be. */
  readonly text: string
}

const Id = Type.String({ minLength: 1, maxLength: 255 })
const Text = Type.String({ maxLength: 255 })
const Money = Type.Number({ minimum: 0, maximum: maxMoney })
const Quantity = Type.Number({ exclusiveMinimum: 0, maximum: maxQuantity })
const Currency = Type.String({ pattern: '^[A-Z]{3}$' })
const optional = <T extends Record<string, TSchema>>(fields: T) =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]))
const strict = { additionalProperties: false }
const amounts = { amount: Money, discountAmount: Money, discountedAmount: Money }

const SaleSchema = Type.Object(
  {
    type: Type.Literal('sale'),
    opaqueId: Id,
    ...optional({
      who: Type.Object(
        optional({
          barcode: Type.String({ minLength: 1, maxLength: 64 }),
          opaqueId: Id,
          email: Text,
          phone: Text,
          fullname: Text,
        }),
        strict,
      ),
      currency: Currency,
      branch: Id,
      user: Id,
      occurredAt: Type.String({ maxLength: 40 }),
      items: Type.Array(
        Type.Object(
          optional({
            id: Id,
            product: Id,
            name: Text,
            category: Text,
            quantity: Quantity,
            unitPrice: Money,
            ...amounts,
          }),
          strict,
        ),
        { maxItems },
      ),
      ...amounts,
      metaData: Type.Object({}, { additionalProperties: true }),
    }),
  },
  strict,
)

const ReturnSchema = Type.Object(
  {
    type: Type.Literal('return'),
    sale: Id,
    opaqueId: Id,
    ...optional({
      currency: Currency,
      items: Type.Array(Type.Object({ id: Id, quantity: Quantity }, strict), { minItems: 1, maxItems }),
      amount: Money,
      everything: Type.Literal(true),
      reason: Type.String({ maxLength: 500 }),
    }),
  },
  strict,
)

/** What a mapping returned, checked by its shape; no result at all means that there is nothing to record. */
export function checkMade(value: unknown): Made | MappingProblem {
  // JSONata makes no difference between one value and a list of one.
  const result = Array.isArray(value) && value.length <= 1 ? value[0] : value
  if (result === undefined || result === null) return nothing('not_mapped')
  if (Array.isArray(result)) {
    return problem(`The mapping returned a list of ${result.length}: a message is one sale or one return.`)
  }
  if (!isObject(result)) {
    return problem('The mapping must return an object, such as {"type": "sale", "opaqueId": "…"}.')
  }
  if (result.type === 'sale') return checkSale(normalize(result))
  if (result.type === 'return') return checkReturn(normalize(result))
  if (result.type === 'nothing') return nothing(reasonOf(result.reason))
  return problem('type: must be "sale", "return" or "nothing".')
}

const problem = (text: string): MappingProblem => ({ type: 'problem', code: 'invalid_mapping_result', text })

const reasonOf = (reason: unknown): NothingReason =>
  typeof reason === 'string' && Object.hasOwn(nothingReasons, reason)
    ? (reason as NothingReason)
    : 'not_mapped'

function checkSale(sale: Record<string, unknown>): Made | MappingProblem {
  const wrong = findProblem(SaleSchema, sale) ?? findWrongSale(sale as unknown as SaleMade)
  if (wrong !== undefined) return problem(wrong)
  const { who = {}, ...others } = sale as unknown as SaleMade
  const { fullname: _, ...ways } = who
  return Object.keys(ways).length === 0 ? nothing('no_customer') : { ...others, who }
}

function checkReturn(made: Record<string, unknown>): Made | MappingProblem {
  const wrong = findProblem(ReturnSchema, made)
  if (wrong !== undefined) return problem(wrong)
  const { everything, ...rest } = made
  const { items = [], amount } = rest as unknown as ReturnMade
  // JSONata leaves out what it does not find, and a whole sale must not come back because of that.
  if (items.length === 0 && amount === undefined && everything === undefined) {
    return problem('items: are missing; "everything": true returns all that is left of the sale.')
  }
  const decimals = items.findIndex(({ quantity }) => decimalsOf(quantity) > maxPriceDecimals)
  if (decimals >= 0) return problem(tooManyDecimals(`items[${decimals}].quantity`))
  return rest as unknown as ReturnMade
}

/** What a schema cannot say. */
function findWrongSale({ occurredAt, items = [], metaData }: SaleMade): string | undefined {
  if (occurredAt !== undefined && !isMoment(occurredAt)) {
    return 'occurredAt: must be an ISO 8601 time with its time zone, such as 2026-03-14T09:26:53Z.'
  }
  if (metaData && isMetaDataTooLarge(metaData)) return 'metaData: must have at most 8 KB as JSON.'
  const ids = new Set<string>()
  for (const [i, { id = String(i + 1), quantity = 1, unitPrice = 0 }] of items.entries()) {
    if (ids.size === ids.add(id).size) return `items[${i}].id: another item has it, too.`
    if (decimalsOf(quantity) > maxPriceDecimals) return tooManyDecimals(`items[${i}].quantity`)
    if (decimalsOf(unitPrice) > maxPriceDecimals) return tooManyDecimals(`items[${i}].unitPrice`)
  }
  return undefined
}

const tooManyDecimals = (place: string) => `${place}: must have at most ${maxPriceDecimals} decimals.`

const compiled = new Map<TSchema, { Check(value: unknown): boolean }>()

function findProblem(schema: TSchema, value: Record<string, unknown>): string | undefined {
  const check = compiled.get(schema) ?? Compile(schema)
  compiled.set(schema, check)
  if (check.Check(value)) return undefined
  // An unknown property is reported twice, first as a value that has to be absent.
  const error = Value.Errors(schema, value).find(({ keyword }) => keyword !== 'boolean')
  const [wrong] = error ? explainError(error) : []
  if (!wrong) return 'The mapping returned something else than a sale or a return.'
  const found = valueAt(value, error!.instancePath)
  const isNumeral = typeof found === 'string' && found.trim() !== '' && Number.isFinite(Number(found))
  const hint = wrong.message === 'must be a number' && isNumeral ? '; convert it with $number(…)' : ''
  if (/\bcurrency$/.test(wrong.place)) return `${wrong.place}: must be three capital letters, such as EUR.`
  return toSentence({ ...wrong, message: `${wrong.message}${hint}` }, 'result')
}

function valueAt(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, name) => Object(inner)[name], value)
}

const idNames = new Set(['id', 'opaqueId', 'sale', 'branch', 'user', 'product', 'barcode'])

/**
 * What mappings mean without saying it: null and an empty text are no value, one item is a list of one, and the
 * number 12 is the ID "12". A number that has lost digits stays one, and is refused.
 */
function normalize(result: Record<string, unknown>, depth = 0): Record<string, unknown> {
  const fields = Object.entries(result).flatMap(([name, value]): [string, unknown][] => {
    if (value === null || value === undefined || value === '') return []
    if (name === 'metaData') return [[name, keepAll(value)]]
    if (name === 'items') return [[name, [value].flat().map((item) => normalizeAny(item, depth + 1))]]
    if (typeof value === 'number' && idNames.has(name)) return [[name, optionalId(value) ?? value]]
    return [[name, normalizeAny(value, depth + 1)]]
  })
  return Object.fromEntries(fields)
}

/** Nothing that is deeper inside has a meaning. */
function normalizeAny(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return storable(value)
  return isObject(value) && depth < 3 ? normalize(value, depth) : value
}
