/**
 * Decides whether a campaign definition may be saved. Every problem is reported with its place, so that a
 * mistake surfaces when it is written and not at the till. `syntax` is wrong JSON (type, missing or unknown
 * property), `semantics` is everything else. A definition without problems can be compiled and evaluated for
 * any basket.
 */
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import {
  explainError,
  pointerParts,
  sayRule,
  toPlace,
  type ValidationError,
} from '../../domain/validation-error.ts'
import { allRules } from '../rules/all-rules.ts'
import { type CampaignDefinition, CampaignOutline, rewardSchemas, ruleSchema } from './campaign-definition.ts'
import { checkSemantics } from './check-semantics.ts'
import type { DefinitionContext, DefinitionProblem } from './definition-problem.ts'

/** No one would read more; the first hundred show what is wrong. */
const reportedProblems = 100

interface Checked {
  readonly schema: TSchema
  readonly isValid: (value: unknown) => boolean
}

/** Compiled with the first definition that uses it: a thousand rules take 6 ms, not 50. */
function checkedBy(schema: TSchema): Checked {
  let compiled: { Check(value: unknown): boolean } | undefined
  return {
    schema,
    isValid(value) {
      compiled ??= Compile(schema)
      return compiled.Check(value)
    },
  }
}

const ruleSchemas = new Map(allRules.map((rule) => [rule.kind, checkedBy(ruleSchema(rule))]))
const rewardSchemaByKind = new Map(
  Object.entries(rewardSchemas).map(([kind, schema]) => [kind, checkedBy(schema)]),
)

/** All problems of a definition, syntax first; an empty list means that it can be published. */
export function checkDefinition(definition: unknown, context: DefinitionContext): DefinitionProblem[] {
  const problems = schemaProblems(CampaignOutline, definition, [])
  const { rules, rewards } = Object(definition) as { rules?: unknown; rewards?: unknown }
  if (Array.isArray(rules)) problems.push(...problemsByKind(rules, 'rules', ruleSchemas))
  if (Array.isArray(rewards)) problems.push(...problemsByKind(rewards, 'rewards', rewardSchemaByKind))
  const syntax = problems.filter((problem) => problem.kind === 'syntax')
  const semantics = problems.filter((problem) => problem.kind === 'semantics')
  // References can be followed only when everything has the right type, which is unknown for a rule or reward
  // of an unknown kind.
  const isReadable =
    syntax.length === 0 && !semantics.some((problem) => /^r\w+\[\d+\]\.kind$/.test(problem.place))
  if (isReadable) semantics.push(...checkSemantics(definition as CampaignDefinition, context, semantics))
  return [...syntax, ...semantics].slice(0, reportedProblems)
}

function problemsByKind(
  items: readonly unknown[],
  list: string,
  schemas: ReadonlyMap<string, Checked>,
): DefinitionProblem[] {
  const problems: DefinitionProblem[] = []
  for (const [index, item] of items.entries()) {
    if (problems.length > reportedProblems) break
    const base = [list, index]
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      problems.push({ kind: 'syntax', place: toPlace(base), message: mustBe('object') })
      continue
    }
    const kind = Object.hasOwn(item, 'kind') ? (item as { kind: unknown }).kind : undefined
    const place = toPlace([...base, 'kind'])
    if (typeof kind !== 'string') {
      problems.push({ kind: 'syntax', place, message: mustBe('string') })
      continue
    }
    const checked = schemas.get(kind)
    if (checked === undefined) {
      const message = sayRule({ keyword: 'enum', params: { allowedValues: [...schemas.keys()] } })
      problems.push({ kind: 'semantics', place, message })
      continue
    }
    if (!checked.isValid(item)) problems.push(...schemaProblems(checked.schema, item, base))
  }
  return problems
}

function mustBe(type: string): string {
  return sayRule({ keyword: 'type', params: { type } })
}

function schemaProblems(
  schema: TSchema,
  value: unknown,
  base: readonly (string | number)[],
): DefinitionProblem[] {
  return Value.Errors(schema, value).flatMap((error) => {
    // A duplicate of the error for each unknown property.
    if (error.keyword === 'boolean') return []
    const kind = kindOf(error, value)
    return explainError(error, base).map((wrong) => ({ kind, ...wrong }))
  })
}

/** A value of the wrong JSON type is a syntax problem; 1.5 where a whole number is required is not. */
function kindOf(error: ValidationError, value: unknown): DefinitionProblem['kind'] {
  const { type, allowedValues } = error.params as { type?: unknown; allowedValues?: unknown[] }
  const found = valueAt(value, error.instancePath)
  switch (error.keyword) {
    case 'required':
    case 'additionalProperties':
      return 'syntax'
    case 'type':
      return type === 'integer' && typeof found === 'number' ? 'semantics' : 'syntax'
    case 'enum':
      return typeof found === typeof allowedValues?.[0] ? 'semantics' : 'syntax'
    default:
      return 'semantics'
  }
}

function valueAt(value: unknown, pointer: string): unknown {
  let found = value
  for (const part of pointerParts(pointer)) found = (Object(found) as Record<string, unknown>)[part]
  return found
}
