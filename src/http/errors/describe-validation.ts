/** Describes in one sentence what is wrong with a body or a query. */
import { explainError, toSentence, type ValidationError } from '../../domain/validation-error.ts'

export function describeValidation(errors: readonly ValidationError[]): string {
  const [first] = errors
  if (!first) return 'The request is invalid.'
  const error = errors.some(({ keyword }) => keyword === 'anyOf') ? chooseBranch(errors) : first
  return toSentence(explainError(error)[0]!)
}

/**
 * A value of a union failed every branch. The branch that was meant is the one whose type matches and that
 * failed for another reason; if there is none, the message lists all allowed types or values.
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
