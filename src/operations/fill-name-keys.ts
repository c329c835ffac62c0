/**
 * Gives the names of before the key that they are searched by, a batch at a time, so that no call waits for more than
 * that. Until then they are found as they are written. It can be run twice, and in two processes at once.
 */
import type { CustomerId } from '../domain/ids.ts'
import { lockNamesWithoutKey, updateNameKeys } from '../store/customer-search.ts'
import { inTransaction } from '../store/scope.ts'
import type { Deps } from './deps.ts'

const batch = 500

/** How many names got one. */
export async function fillNameKeys(
  { pool }: Pick<Deps, 'pool'>,
  org: number,
  signal?: AbortSignal,
): Promise<number> {
  let filled = 0
  let after: CustomerId | undefined
  do {
    const names = await inTransaction(pool, org, async (scope) => {
      const found = await lockNamesWithoutKey(scope, { after, limit: batch })
      if (found.length > 0) await updateNameKeys(scope, found)
      return found
    })
    filled += names.length
    after = names.at(-1)?.id
  } while (after && !signal?.aborted)
  return filled
}
