/** The span of a round trip to the database: it names the statements, and never their values. */
import { beginChild, currentSpan, type Span } from '../tracing/spans.ts'

/** Longer lists and texts are cut. */
const maxLength = 300

/** Undefined if nothing is recorded. A step without a name is not worth one: it sets the tenant. */
export function beginRoundTrip(
  statements: string | readonly { readonly name: string; readonly text: string }[],
): Span | undefined {
  const parent = currentSpan()
  if (!parent?.isSampled) return undefined
  const summary =
    typeof statements === 'string'
      ? statements.replaceAll(/\s+/g, ' ').trim()
      : statements.flatMap(({ name }) => (name === '' ? [] : name.replace(/-\d+$/, ''))).join(', ')
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': summary.slice(0, maxLength) }
  return beginChild(parent, { name: 'database', kind: 'client', attributes })
}

/** Undefined if nothing is recorded, or if there is a connection to take. */
export function beginWaitForConnection({ idleCount }: { readonly idleCount: number }): Span | undefined {
  const parent = currentSpan()
  if (!parent?.isSampled || idleCount > 0) return undefined
  return beginChild(parent, { name: 'wait for a connection' })
}
