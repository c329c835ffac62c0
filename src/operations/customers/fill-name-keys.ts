/**
 * Gives every name the key that it is searched by: names of before have none, and one that the version before has
 * changed has that of another name. It goes along the customers in small steps, so that no call waits for more than
 * one, and no step is too long for the database however many there are. A name without a key is found as it is written.
 * It can be run twice, and in two processes at once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CustomerId } from '../../domain/ids.ts'
import { hasRightKey, listNames, updateNameKeys } from '../../store/customer-search.ts'
import { inTransaction, tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'

const step = 500
/** Nobody waits for it: calls come first. */
const pauseMs = 20

/** How many names needed one. */
export async function fillNameKeys(
  { pool }: Pick<Deps, 'pool'>,
  org: number,
  signal?: AbortSignal,
): Promise<number> {
  let filled = 0
  let after: CustomerId | undefined
  do {
    const names = await listNames(tenantOf(pool, org), { after, limit: step })
    const wrong = names.filter((one) => !hasRightKey(one)).map(({ id }) => id)
    if (wrong.length > 0) await inTransaction(pool, org, (tenant) => updateNameKeys(tenant, wrong))
    filled += wrong.length
    after = names.length === step ? names.at(-1)!.id : undefined
    if (after) await sleep(pauseMs, undefined, { signal }).catch(() => {})
  } while (after && !signal?.aborted)
  return filled
}
