/** Who did something, as the request log and the audit log keep it: by the user acted as, whose name is read later. */
import type { UserId } from '../domain/ids.ts'
import type { Caller } from './deps.ts'

export interface Actor {
  readonly kind: 'connection' | 'person' | 'operator'
  /** An operator has none. */
  readonly user?: UserId
}

/** A call without a caller is the operator's: nobody else gets as far without one. */
export function actorOf(caller: Caller | undefined): Actor {
  return caller ? { kind: caller.kind, user: caller.user } : { kind: 'operator' }
}
