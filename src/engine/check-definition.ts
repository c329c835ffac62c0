/**
 * Decides whether a campaign definition may be kept: every problem with the place it is at, so that a mistake
 * is seen when it is written and not at the till. `shape` is wrong JSON (type, missing or unknown member),
 * `sense` is everything else. A definition without problems can be compiled and evaluated for any basket.
 */
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { type CampaignDefinition, CampaignOutline, rewardSchemas, ruleSchema } from './campaign-definition.ts'
import { checkSense } from './check-sense.ts'
import { allRules } from './rules/all-rules.ts'

export interface DefinitionProblem {
  readonly kind: 'shape' | 'sense'
  /** Where it is, such as `rules[1].balance`; empty for the definition as a whole. */
  readonly place: string
  readonly message: string
}

export interface DefinitionContext {
  readonly currencyDecimals: number
  /** Balances that exist in the organization; decimals of a key are fixed for good. */
  readonly knownBalances: readonly { readonly key: string; readonly decimals: number }[]
  /** Ids of the organization's campaigns. */
  readonly knownCampaigns: readonly string[]
  /** Id of the campaign itself, once it has one. */
  readonly self?: string
}

/** More would not be read; the first hundred say what is wrong. */
const reportedProblems = 100

const ruleSchemas = new Map(allRules.map((rule) => [rule.kind, ruleSchema(rule)]))
const rewardSchemaByKind = new Map<string, TSchema>(Object.entries(rewardSchemas))

/** All problems of a definition, those of shape first; an empty list means that it can be published. */
export function checkDefinition(definition: unknown, context: DefinitionContext): DefinitionProblem[] {
  const problems = schemaProblems(CampaignOutline, definition, '')
  const { rules, rewards } = Object(definition) as { rules?: unknown; rewards?: unknown }
  if (Array.isArray(rules)) problems.push(...membersByKind(rules, 'rules', ruleSchemas))
  if (Array.isArray(rewards)) problems.push(...membersByKind(rewards, 'rewards', rewardSchemaByKind))
  const shape = problems.filter((problem) => problem.kind === 'shape')
  const sense = problems.filter((problem) => problem.kind === 'sense')
  // What refers to what can be followed only when everything is of the right type, which nobody knows of a
  // rule or reward of an unknown kind.
  const isReadable = shape.length === 0 && !sense.some((problem) => /^r\w+\[\d+\]\.kind$/.test(problem.place))
  if (isReadable) sense.push(...checkSense(definition as CampaignDefinition, context, sense))
  return [...shape, ...sense].slice(0, reportedProblems)
}

function membersByKind(
  members: readonly unknown[],
  list: string,
  schemas: ReadonlyMap<string, TSchema>,
): DefinitionProblem[] {
  const problems: DefinitionProblem[] = []
  for (const [index, member] of members.entries()) {
    if (problems.length > reportedProblems) break
    const place = `${list}[${index}]`
    if (typeof member !== 'object' || member === null || Array.isArray(member)) {
      problems.push({ kind: 'shape', place, message: 'must be an object' })
      continue
    }
    const kind = Object.hasOwn(member, 'kind') ? (member as { kind: unknown }).kind : undefined
    if (typeof kind !== 'string') {
      problems.push({ kind: 'shape', place: `${place}.kind`, message: 'must be a string' })
      continue
    }
    const schema = schemas.get(kind)
    if (schema === undefined) {
      const known = [...schemas.keys()].join(', ')
      problems.push({ kind: 'sense', place: `${place}.kind`, message: `must be one of: ${known}` })
      continue
    }
    if (!Value.Check(schema, member)) problems.push(...schemaProblems(schema, member, place))
  }
  return problems
}

function schemaProblems(schema: TSchema, value: unknown, base: string): DefinitionProblem[] {
  const problems: DefinitionProblem[] = []
  for (const error of Value.Errors(schema, value)) {
    const params = error.params as Record<string, unknown>
    const place = placeOf(base, error.instancePath)
    const found = valueAt(value, error.instancePath)
    switch (error.keyword) {
      case 'required':
        for (const member of params.requiredProperties as string[]) {
          problems.push({ kind: 'shape', place: join(place, member), message: 'is missing' })
        }
        break
      case 'additionalProperties':
        for (const member of params.additionalProperties as string[]) {
          problems.push({ kind: 'shape', place: join(place, member), message: 'is not a known member' })
        }
        break
      // Said a second time for each unknown member.
      case 'boolean':
        break
      case 'type':
        problems.push({ kind: typeProblemKind(params.type, found), place, message: `must be ${params.type}` })
        break
      case 'enum': {
        const allowed = params.allowedValues as unknown[]
        const kind = typeof found === typeof allowed[0] ? 'sense' : 'shape'
        problems.push({ kind, place, message: `must be one of: ${allowed.join(', ')}` })
        break
      }
      default:
        problems.push({ kind: 'sense', place, message: boundMessage(error.keyword, error.message) })
    }
  }
  return problems
}

/** 1.5 where a whole number is asked for is of the right JSON type. */
function typeProblemKind(expected: unknown, found: unknown): 'shape' | 'sense' {
  return expected === 'integer' && typeof found === 'number' ? 'sense' : 'shape'
}

function boundMessage(keyword: string, message: string): string {
  if (keyword === 'pattern') return 'must be 1 to 64 letters, digits, dots, underscores or dashes'
  return message
}

/** `/rules/1/balance` of the schema check as `rules[1].balance`. */
function placeOf(base: string, path: string): string {
  let place = base
  for (const part of segmentsOf(path)) place = /^\d+$/.test(part) ? `${place}[${part}]` : join(place, part)
  return place
}

function join(place: string, member: string): string {
  // A member's name is the client's text and is repeated in logs.
  const name = member.length > 64 ? `${member.slice(0, 64)}…` : member
  return place === '' ? name : `${place}.${name}`
}

function valueAt(value: unknown, path: string): unknown {
  let found = value
  for (const part of segmentsOf(path)) found = (Object(found) as Record<string, unknown>)[part]
  return found
}

function segmentsOf(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}
