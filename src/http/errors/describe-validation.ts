/** What is wrong with a body or a query, as one sentence. */
import { explainError, toSentence, type ValidationError } from '../../domain/validation-error.ts'

export function describeValidation(errors: readonly ValidationError[]): string {
  const [first] = errors
  if (!first) return 'The request does not have the right shape.'
  const error = errors.some(({ keyword }) => keyword === 'anyOf') ? chooseBranch(errors) : first
  return toSentence(explainError(error)[0]!)
}

/**
 * A value that may be one of several things failed at all of them. The one that was meant is the one of the right
 * type, whose problem is another; if there is none, the types or values it may have are said together.
 */
function chooseBranch(errors: readonly ValidationError[]): ValidationError {
  const branches = errors.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'if')
  const meant = branches.find(({ keyword }) => keyword !== 'type' && keyword !== 'const')
  if (meant) return meant
  const [first] = branches as [ValidationError]
  const same = branches
    .filter(({ instancePath, keyword }) => instancePath === first.instancePath && keyword === first.keyword)
    .map(({ params }) => params as { allowedValue?: unknown; type?: unknown })
  return first.keyword === 'const'
    ? { ...first, keyword: 'enum', params: { allowedValues: same.map(({ allowedValue }) => allowedValue) } }
    : { ...first, params: { type: same.map(({ type }) => type) } }
}
