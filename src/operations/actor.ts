/**
 * The actor in the request log and the audit log: the user acted as, whose name is looked up when it is
 * shown.
 */
import type { UserId } from '../domain/ids.ts'
import type { Caller } from './deps.ts'

export interface Actor {
  readonly kind: 'connection' | 'person' | 'operator'
  /** Undefined for an operator. */
  readonly user?: UserId
}

/** Who works with customers: a connection or a person, never the operator. */
export type Staff = Pick<Caller, 'kind' | 'user'>

/** The customer, on a page of their own, in the words that it showed for each purpose. */
export interface OwnChange {
  readonly kind: 'customer'
  readonly wordings: Readonly<Record<string, string | undefined>>
}

/** The actor of an event. */
export const byOf = ({
  kind,
  user,
}: Omit<Actor, 'kind'> & { readonly kind: Actor['kind'] | 'customer' }) => ({
  kind,
  id: user,
})

/** A request without a caller comes from the operator: every other write requires one. */
export function actorOf(caller: Caller | undefined): Actor {
  return caller ? { kind: caller.kind, user: caller.user } : { kind: 'operator' }
}
