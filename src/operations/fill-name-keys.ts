/**
 * Gives the names of before the key that they are searched by. It goes along the customers in small steps, so that no
 * call waits for more than one, and no step is too long for the database however many there are. Until then names are
 * found as they are written. It can be run twice, and in two processes at once.
 */
import type { CustomerId } from '../domain/ids.ts'
import {
  deleteKeysWithoutName,
  findIdFurtherOn,
  type IdRange,
  lockNamesWithoutKey,
  updateNameKeys,
} from '../store/customer-search.ts'
import { inTransaction, type Scope, scopeOf } from '../store/scope.ts'
import type { Deps } from './deps.ts'

const step = 500

/** How many names got one. */
export async function fillNameKeys(
  { pool }: Pick<Deps, 'pool'>,
  org: number,
  signal?: AbortSignal,
): Promise<number> {
  let filled = 0
  let to: CustomerId | undefined
  do {
    const after: CustomerId | undefined = to
    to = await findIdFurtherOn(scopeOf(pool, org), after, step)
    filled += await inTransaction(pool, org, (scope) => fillStep(scope, { after, to }))
  } while (to && !signal?.aborted)
  return filled
}

async function fillStep(scope: Scope, range: IdRange): Promise<number> {
  const names = await lockNamesWithoutKey(scope, range)
  if (names.length > 0) await updateNameKeys(scope, names)
  await deleteKeysWithoutName(scope, range)
  return names.length
}
