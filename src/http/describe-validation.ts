/**
 * What is wrong with a body or a query, in words for the people who call us: the member as they write it, and
 * what it must be. The validator speaks of schemas, formats and constants, which a caller has never seen.
 */
export interface ValidationProblem {
  readonly keyword: string
  /** A JSON pointer. */
  readonly instancePath: string
  readonly params: Record<string, unknown>
  readonly message?: string
}

export function describeValidation(problems: readonly ValidationProblem[]): string {
  const [first] = problems
  if (!first) return 'The request does not have the right shape.'
  const problem = problems.some(({ keyword }) => keyword === 'anyOf') ? chooseBranch(problems) : first
  const missing = problem.keyword === 'required' ? String(problem.params.missingProperty) : undefined
  const place = toPlace(problem.instancePath, missing)
  return place === '' ? `The body ${sayRule(problem)}.` : `${place}: ${sayRule(problem)}.`
}

/** `/items/0/quantity` as a client writes it: `items[0].quantity`. */
function toPlace(pointer: string, missing: string | undefined): string {
  const parts = pointer.split('/').slice(1)
  const names = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return [...names, ...(missing === undefined ? [] : [missing])].reduce(
    (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part),
    '',
  )
}

/**
 * A member that may be one of several things failed at all of them. The one that was meant is the one of the
 * right type, whose problem is another; if there is none, the types or values it may have are said together.
 */
function chooseBranch(problems: readonly ValidationProblem[]): ValidationProblem {
  const branches = problems.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'if')
  const meant = branches.find(({ keyword }) => keyword !== 'type' && keyword !== 'const')
  if (meant) return meant
  const [first] = branches as [ValidationProblem]
  const same = branches.filter(
    ({ instancePath, keyword }) => instancePath === first.instancePath && keyword === first.keyword,
  )
  return first.keyword === 'const'
    ? { ...first, keyword: 'enum', params: { allowedValues: same.map(({ params }) => params.allowedValue) } }
    : { ...first, params: { type: same.map(({ params }) => params.type) } }
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
  'customer-email': 'an e-mail address',
  'date-time': 'an ISO 8601 time such as 2026-03-14T09:26:53Z',
}

function sayRule({ keyword, params, message }: ValidationProblem): string {
  const { limit } = params
  switch (keyword) {
    case 'required':
      return 'is missing'
    case 'type':
      return `must be ${[params.type]
        .flat()
        .map((type) => typeNames[String(type)] ?? type)
        .join(' or ')}`
    case 'format':
      return `must be ${formatNames[String(params.format)] ?? params.format}`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'enum':
      return `must be ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(' or ')}`
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} entries`
    case 'maxItems':
      return `must have at most ${limit} entries`
    case 'uniqueItems':
      return 'must not name anything twice'
    case 'minimum':
      return `must be at least ${limit}`
    case 'exclusiveMinimum':
      return `must be more than ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'pattern':
      return 'does not have the right form'
    default:
      return message ?? 'does not have the right shape'
  }
}
