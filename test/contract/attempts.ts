/**
 * Wrong calls of a route, each a right one with one thing changed: a member of the body, the whole body, a member
 * of the query, an id in the path, a header. What must be refused is decided by the OpenAPI document.
 */
import type { Call, OpenApiDocument, Parameter, Schema } from '../../src/http/openapi/reference/document.ts'
import { bodySchemaOf, compileSchema } from '../support/expect-documented.ts'
import { someOf } from '../support/full.ts'
import { brokenEncodings, hostileBodies, hostileTexts, hostileTimes, hostileValues } from './hostile.ts'
import { listPlaces, putAt } from './places.ts'
import { addressOf, type Recipe } from './recipes.ts'

const maxBodyBytes = 256 * 1024

export interface Attempt {
  readonly kind: 'member' | 'body' | 'query' | 'path' | 'header'
  readonly what: string
  readonly address: string
  readonly payload?: string | Buffer
  readonly headers?: Record<string, string>
  readonly token?: string
  /** By what the document says, it cannot be answered with a 2xx. */
  readonly isImpossible: boolean
  /** What the refusal must name, where the schema is what refuses. */
  readonly names?: string
}

let turn = 0

/**
 * Those of a route: all of them, or in the quick check every sixteenth, of each route other ones. Each is made from a
 * new recipe, so that none is refused for what one before it has used up.
 */
export function listAttempts(
  document: OpenApiDocument,
  call: Call,
  recipe: () => Recipe,
): readonly Attempt[] {
  const all = [
    ...memberAttempts(document, call, recipe),
    ...bodyAttempts(document, call, recipe),
    ...queryAttempts(call, recipe()),
    ...pathAttempts(call, recipe()),
    ...headerAttempts(call, recipe),
  ]
  return someOf(all, 16, turn++).map((make) => make())
}

/** Made only once it is to be sent: of most routes a few are, and there are hundreds. */
type Possible = () => Attempt

/** The right call itself. */
export function rightAttempt(recipe: Recipe): Omit<Attempt, 'kind' | 'what' | 'isImpossible'> {
  const [body] = recipe.bodies
  return {
    address: addressOf(recipe),
    payload: body && JSON.stringify(body),
    headers: recipe.headers,
    token: recipe.token,
  }
}

/** Members that the document names and no body of the recipe has. */
export function missingFields(document: OpenApiDocument, call: Call, recipe: Recipe): string[] {
  const schema = placesSchemaOf(document, call)
  const inBodies = schema ? listPlaces(schema, recipe.bodies).missing : []
  const inQuery = parametersOf(call, 'query').filter(({ name }) => recipe.query?.[name] === undefined)
  return [...inBodies, ...inQuery.map(({ name }) => `?${name}`)]
}

/**
 * A patch of a definition is documented as free. Its members are those of the definition; what is inside
 * them was tried where a campaign is created.
 */
export function placesSchemaOf(document: OpenApiDocument, call: Call): Schema | undefined {
  const schema = bodySchemaOf(document, call)
  if (call.operationId !== 'patchCampaign') return schema
  const definition = bodySchemaOf(document, { ...call, ...document.paths['/v1/campaigns']!.post! })!
  const members = Object.entries(definition.properties!).map(([name, { type, items }]) => {
    return [name, items?.type === 'string' ? { type, items } : { type }]
  })
  return { ...definition, properties: Object.fromEntries(members) }
}

function memberAttempts(document: OpenApiDocument, call: Call, recipe: () => Recipe): Possible[] {
  const schema = bodySchemaOf(document, call)
  if (!schema) return []
  const isOfSchema = compileSchema(schema)
  const { places } = listPlaces(placesSchemaOf(document, call)!, recipe().bodies)
  // A campaign has so many members of so few kinds that they can share.
  const share = places.length > 40 ? 3 : 1
  return places.flatMap(({ name, path, body, schema: member }) =>
    hostileValues(member, share).map(({ text, isImpossible = false }) => (): Attempt => {
      const made = recipe()
      const payload = putAt(made.bodies[body], path, text)
      const isWrong = !isImpossible && !isOfSchema(JSON.parse(payload))
      return {
        ...rightAttempt(made),
        kind: 'member',
        what: `${name}: ${text.slice(0, 60)}`,
        payload,
        isImpossible: isImpossible || isWrong,
        // A body that is too large is refused before anybody looks at its members.
        names:
          isWrong && Buffer.byteLength(payload) <= maxBodyBytes
            ? path.findLast((part) => !/^\d+$/.test(part))
            : undefined,
      }
    }),
  )
}

function bodyAttempts(document: OpenApiDocument, call: Call, recipe: () => Recipe): Possible[] {
  if (call.method === 'GET') return []
  const schema = bodySchemaOf(document, call)
  const isEmptyFine = !schema || compileSchema(schema)({})
  return hostileBodies(recipe().bodies[0] ?? {}).map(({ what, payload, headers, isImpossible }) => () => {
    const right = rightAttempt(recipe())
    return {
      ...right,
      kind: 'body',
      what,
      payload,
      headers: { ...right.headers, ...headers },
      // Where no body is taken, one that cannot be read is refused and any other is not looked at.
      isImpossible: schema ? isImpossible || (!isEmptyFine && payload.length < 3) : false,
    }
  })
}

function queryAttempts(call: Call, recipe: Recipe): Possible[] {
  const right = rightAttempt(recipe)
  const at = (query: string) => ({ ...right, kind: 'query' as const, address: `${recipe.path}?${query}` })
  const others = (name: string) => {
    const query = Object.entries(recipe.query ?? {}).filter(([key, value]) => key !== name && value !== '')
    return new URLSearchParams(query).toString()
  }
  return parametersOf(call, 'query').flatMap(({ name, schema = {} }) => [
    ...[...hostileTexts, ...(/^(?:from|to)$/.test(name) ? hostileTimes : [])].map((text) => () => ({
      ...at(`${others(name)}&${name}=${encodeURIComponent(text)}`),
      what: `${name}=${text.slice(0, 60)}`,
      isImpossible: text.includes('\0') || !isQueryOf(schema, text),
    })),
    ...brokenEncodings.map((text) => () => ({
      ...at(`${others(name)}&${name}=${text}`),
      what: `${name}=${text}`,
      isImpossible: false,
    })),
    () => ({
      ...at(`${others(name)}&${name}=a&${name}=b`),
      what: `${name} twice`,
      isImpossible: schema.type !== 'array',
    }),
    () => ({
      ...at(`${others(name)}&${name}[]=1&${name}[a]=1`),
      what: `${name}[]`,
      isImpossible: false,
    }),
  ])
}

/** A query is text; whole numbers are read from it where one is expected, and a list of one where several may be. */
function isQueryOf(schema: Schema, text: string): boolean {
  const isNumber = schema.type === 'integer' && /^\d{1,9}$/.test(text)
  return compileSchema(schema)(isNumber ? Number(text) : schema.type === 'array' ? [text] : text)
}

function pathAttempts(call: Call, recipe: Recipe): Possible[] {
  const parts = recipe.path.split('/')
  const places = call.path.split('/').flatMap((part, i) => (part.startsWith('{') ? i : []))
  const texts = [...hostileTexts.filter((text) => text !== '' && text !== '..').map(encodeURIComponent)]
  return places.flatMap((place) =>
    [
      ...texts,
      ...brokenEncodings,
      `${parts[place]}x`,
      parts[place]!.toUpperCase(),
      parts[place]!.slice(0, -1),
    ].map((text) => () => ({
      ...rightAttempt(recipe),
      kind: 'path' as const,
      what: text.slice(0, 60),
      address: parts.with(place, text).join('/'),
      isImpossible: true,
    })),
  )
}

const headerTexts = [
  '',
  ' ',
  'x'.repeat(256),
  'x'.repeat(5_000),
  'caf\u00e9',
  '\u0001',
  "' OR 1=1; --",
  ',',
  '"',
]

function headerAttempts(call: Call, recipe: () => Recipe): Possible[] {
  const names = [...parametersOf(call, 'header').map(({ name }) => name), 'content-length']
  return names.flatMap((name) =>
    (name === 'content-length' ? ['0', '99', '-1', 'many'] : headerTexts).map((text) => (): Attempt => {
      const right = rightAttempt(recipe())
      return {
        ...right,
        kind: 'header' as const,
        what: `${name}: ${text.slice(0, 60)}`,
        headers: { ...right.headers, [name]: text },
        isImpossible: false,
      }
    }),
  )
}

function parametersOf(call: Call, place: Parameter['in']): Parameter[] {
  return (call.parameters ?? []).filter((item) => item.in === place)
}
