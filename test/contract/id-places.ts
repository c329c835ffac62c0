/** Every place of a route that an id can be sent in: in the path, in the query, and in each text of the body. */
import type { Call, OpenApiDocument, Schema } from '../../src/http/openapi/reference/document.ts'
import { type Attempt, placesSchemaOf, rightAttempt } from './attempts.ts'
import { listPlaces, putAt } from './places.ts'
import { addressOf, type Recipe } from './recipes.ts'
import type { Ids } from './route-table.ts'

export interface IdPlace {
  readonly name: string
  /** What the right call has there; undefined where it is no id, and any might be tried. */
  readonly kind: keyof Ids | undefined
  /** The right call with another value there. */
  callWith(value: string): Pick<Attempt, 'address' | 'payload' | 'token' | 'headers'>
}

const prefixes: Record<string, keyof Ids> = {
  cus: 'customer',
  card: 'card',
  cmp: 'campaign',
  cpn: 'coupon',
  txn: 'transaction',
  prd: 'product',
  brn: 'branch',
  usr: 'user',
  psn: 'person',
  con: 'connection',
  req: 'request',
  whk: 'webhook',
  dlv: 'delivery',
  msg: 'message',
  imp: 'import',
  src: 'source',
  rcv: 'received',
  org: 'testOrganization',
}

function kindOf(value: unknown): keyof Ids | undefined {
  const prefix = /^([a-z]+)_[0-9a-f]{32}$/.exec([value].flat().join())?.[1]
  return prefix === undefined ? undefined : prefixes[prefix]
}

export function listIdPlaces(document: OpenApiDocument, call: Call, recipe: () => Recipe): IdPlace[] {
  return [...inPath(call, recipe), ...inQuery(call, recipe), ...inBody(document, call, recipe)]
}

function inPath(call: Call, recipe: () => Recipe): IdPlace[] {
  const places = call.path.split('/').flatMap((part, i) => (part.startsWith('{') ? i : []))
  return places.map((place) => ({
    name: 'the path',
    kind: kindOf(recipe().path.split('/')[place]),
    callWith(value) {
      const made = recipe()
      const path = made.path.split('/').with(place, encodeURIComponent(value)).join('/')
      return { ...rightAttempt(made), address: addressOf({ ...made, path }) }
    },
  }))
}

/** A cursor is a place in an order, not the name of anything: it has a test of its own. */
function inQuery(call: Call, recipe: () => Recipe): IdPlace[] {
  const parameters = (call.parameters ?? []).filter(
    ({ in: place, name, schema }) =>
      place === 'query' && ['string', 'array'].includes(`${schema?.type}`) && name !== 'cursor',
  )
  return parameters.map(({ name }) => ({
    name: `?${name}`,
    kind: kindOf(recipe().query?.[name]),
    callWith(value) {
      const made = recipe()
      return {
        ...rightAttempt(made),
        address: addressOf({ ...made, query: { ...made.query, [name]: value } }),
      }
    },
  }))
}

function inBody(document: OpenApiDocument, call: Call, recipe: () => Recipe): IdPlace[] {
  const schema = placesSchemaOf(document, call)
  if (!schema) return []
  return listPlaces(schema, recipe().bodies).places.flatMap(({ name, path, body, schema: member }) => {
    const form = textForm(member)
    if (!form) return []
    const present = path.reduce(
      (at: unknown, part) => (at as Record<string, unknown>)[part],
      recipe().bodies[body],
    )
    return {
      name,
      kind: kindOf(present),
      callWith(value: string) {
        const made = recipe()
        const text = JSON.stringify(form === 'list' ? [value] : value)
        return { ...rightAttempt(made), payload: putAt(made.bodies[body], path, text) }
      },
    }
  })
}

/** Whether a member takes a text, or a list of them. */
function textForm(schema: Schema): 'text' | 'list' | undefined {
  if (schema.anyOf) return schema.anyOf.map(textForm).find((form) => form !== undefined)
  if (schema.type === 'array') return schema.items && textForm(schema.items) === 'text' ? 'list' : undefined
  return schema.type === 'string' && !schema.enum && schema.const === undefined ? 'text' : undefined
}
