/**
 * Turns the routes' schemas into those of the OpenAPI document. Every schema marked with `x-name`, and every
 * object or union with a title, moves to the components and is replaced with a reference: with inline schemas the
 * document was ten times as large, and a generated client had forty types for one customer. What generators
 * of clients cannot read is said in other words; `test/contract/openapi.test.ts` checks that they mean the same.
 */
import { isDeepStrictEqual } from 'node:util'
import { formats } from '../schemas/formats.ts'
import { refName } from './reference/document.ts'

export type Json = Record<string, unknown>

/** Marks a schema with its name. The mark does not appear in the document. */
export const named = (name: string) => ({ 'x-name': name })

/** Marks a parameter that several operations share with the name of its component. */
export const parameter = (name: string) => ({ 'x-parameter': name })

export function nameComponents(document: Json): Json {
  const schemas = new Map<string, unknown>()

  function visit(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(visit)
    if (typeof value !== 'object' || value === null) return value
    const name = nameOf(value as Json)
    if (name === undefined) return publish(visitProperties(value as Json))
    // A response's own example has moved to the media type by now; that of a nested schema would be a
    // duplicate.
    const { 'x-name': _mark, examples: _examples, ...rest } = value as Json
    const schema = publish(visitProperties(rest))
    const known = schemas.get(name)
    if (known !== undefined && !isDeepStrictEqual(known, schema)) {
      throw new Error(`Two different API schemas are named ${name}. Rename one of them.`)
    }
    schemas.set(name, schema)
    return { $ref: `#/components/schemas/${name}` }
  }

  function visitProperties(value: Json): Json {
    const { 'x-published': published, ...rest } = value
    return Object.fromEntries(
      Object.entries((published as Json | undefined) ?? rest).map(([key, property]) => [
        key,
        isData(key) ? property : visit(property),
      ]),
    )
  }

  /** A discriminator needs to know what the branches are called, and what they have in common. */
  function publish(schema: Json): Json {
    const { anyOf, ...rest } = inKnownWords(schema)
    const branches = (anyOf ?? []) as Json[]
    // The other half of a value that can be null says the same again.
    if (rest.description && branches.some(({ type }) => type === 'null'))
      for (const branch of branches) delete branch.description
    const names = branches.map(({ $ref }) => ($ref === undefined ? undefined : refName(String($ref))))
    const mapping = Object.fromEntries(
      branches.flatMap(({ $ref }, i) => {
        const value = kindOf(schemas.get(names[i] ?? '') as Json | undefined)
        return value === undefined ? [] : [[value.value, $ref]]
      }),
    )
    if (branches.length < 2 || Object.keys(mapping).length < branches.length)
      return inOrder(anyOf ? { ...rest, anyOf } : rest)
    const { property } = kindOf(schemas.get(names[0]!) as Json)!
    return inOrder({ ...rest, oneOf: branches, discriminator: { propertyName: property, mapping } })
  }

  const { components, ...rest } = document as { components?: Json }
  const visited = visitProperties(rest)
  return { ...visited, components: { ...components, schemas: Object.fromEntries(schemas) } }
}

/** Properties that hold values, not schemas. */
function isData(key: string): boolean {
  return ['example', 'examples', 'enum', 'const', 'default', 'mapping'].includes(key)
}

/** The constant by which the branches of a union are told apart. */
function kindOf(schema: Json | undefined): { property: string; value: string } | undefined {
  const properties = (schema?.properties ?? {}) as Record<string, Json>
  for (const property of ['type', 'kind']) {
    const value = properties[property]?.const
    if (typeof value === 'string') return { property, value }
  }
  return undefined
}

/** Words for pages that draw a form, which `GET /v1/rule-schemas` has; in the document they were 700 bytes. */
const formWords = ['title', 'x-unit', 'x-names', 'x-sentence', 'x-labels', 'x-decimals']

const isSchema = (value: Json) =>
  typeof value.type === 'string' ||
  Array.isArray(value.enum) ||
  Array.isArray(value.anyOf) ||
  Array.isArray(value.oneOf)

/** A schema in the words that validators and generators of clients know. */
function inKnownWords(schema: Json): Json {
  const { 'x-free-form': isFree, ...rest } = schema
  const known: Json = isFree ? { ...rest, additionalProperties: true } : rest
  if (isSchema(known)) for (const word of formWords) delete known[word]
  // Generators split a type with such a property in two, and the one for requests gets another name.
  delete known.readOnly
  // Our own formats are stricter than those of the same purpose, or let an empty text through.
  if (typeof known.format === 'string' && known.format in formats) delete known.format
  if (Array.isArray(known.enum) && known.type === undefined) known.type = typeof known.enum[0]
  if (known.const !== undefined) {
    known.type ??= typeof known.const
    known.description ??= `Always \`${known.const}\`.`
  }
  return known
}

/** The texts last, and always in one order: compressed, the document is a hundredth smaller. */
const lastWords = ['properties', 'required', 'examples', 'description']

function inOrder(value: Json): Json {
  if (!isSchema(value)) return value
  const { type, ...schema } = value
  const rank = (word: string) => lastWords.indexOf(word)
  const words = Object.entries(schema).sort(([a], [b]) => rank(a) - rank(b))
  return { ...(type !== undefined && { type }), ...Object.fromEntries(words) }
}

/** Names of the parts of a campaign, whose titles are written for the people who fill in a form. */
const namesByTitle: Record<string, string> = {
  Rule: 'RuleDefinition',
  Reward: 'RewardDefinition',
  Balance: 'BalanceDefinition',
  Expires: 'BalanceExpiry',
  When: 'RuleConditions',
  Limits: 'RuleLimits',
  Threshold: 'ThresholdDefinition',
  'Pay with points': 'SpendDefinition',
  Tier: 'TierDefinition',
}

function nameOf(value: Json): string | undefined {
  const { 'x-name': mark, title, type, properties = {} } = value
  if (typeof mark === 'string') return mark
  if (typeof title !== 'string' || (type !== 'object' && !value.anyOf)) return undefined
  const kind = kindOf(value)
  if (kind) return toPascalCase(kind.value) + ('when' in (properties as Json) ? 'Rule' : 'Reward')
  const name = namesByTitle[title]
  if (name === undefined) throw new Error(`Name the schema "${title}" in name-components.ts.`)
  return name
}

export function toPascalCase(text: string): string {
  return text.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_match, letter: string) =>
    letter.toUpperCase(),
  )
}
