/**
 * Backfills the search keys of customer names: names from before the upgrade have none, and a name changed by
 * the previous version has the key of its old name. It proceeds in small steps, so that no request waits for
 * more than one, and no step is too long for the database. A name without a key is found by its exact
 * spelling. The backfill can run twice, and in two processes concurrently.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CustomerId } from '../../domain/ids.ts'
import { hasRightKey, listNames, updateNameKeys } from '../../store/customer-search.ts'
import { inTransaction, tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'

const step = 500
/** Pause between steps: requests have priority. */
const pauseMs = 20

/** Returns the number of names that needed a new key. */
export async function fillNameKeys(
  { pool }: Pick<Deps, 'pool'>,
  org: number,
  signal?: AbortSignal,
): Promise<number> {
  let filled = 0
  let after: CustomerId | undefined
  do {
    const names = await listNames(tenantOf(pool, org), { after, limit: step })
    const wrong = names.filter((name) => !hasRightKey(name)).map(({ id }) => id)
    if (wrong.length > 0) await inTransaction(pool, org, (tenant) => updateNameKeys(tenant, wrong))
    filled += wrong.length
    after = names.length === step ? names.at(-1)!.id : undefined
    if (after) await sleep(pauseMs, undefined, { signal }).catch(() => {})
  } while (after && !signal?.aborted)
  return filled
}
