/**
 * Backfills the search keys of customer names: names from before the upgrade have none, and a name changed by
 * the previous version has the key of its old name. It proceeds in small steps, so that no request waits for
 * more than one, and no step is too long for the database. A name without a key is found by its exact
 * spelling. The backfill can run twice, and in two processes concurrently.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CustomerId } from '../../domain/ids.ts'
import { hasRightKey, listNames, updateNameKeys } from '../../store/customer-search.ts'
import type { WorkDone } from '../../store/due-work.ts'
import { inTransaction, tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import type { Turn } from '../turn.ts'

const step = 500
/** Pause between steps: requests have priority. */
const pauseMs = 20

/** Time after which customers who were being modified are looked at again. */
const retryMs = 60_000

export interface FilledNames extends WorkDone {
  /** Number of names that got a new key. */
  readonly customers: number
}

interface Walk {
  readonly after: CustomerId
  readonly skipped: number
}

export async function fillNameKeys(
  { pool, clock }: Pick<Deps, 'pool' | 'clock'>,
  org: number,
  { mayContinue, progress }: Turn,
): Promise<FilledNames> {
  const earlier = progress as Walk | undefined
  let customers = 0
  let skipped = earlier?.skipped ?? 0
  let after = earlier?.after
  do {
    const names = await listNames(tenantOf(pool, org), { after, limit: step })
    const wrong = names.filter((name) => !hasRightKey(name)).map(({ id }) => id)
    if (wrong.length > 0) {
      const filled = await inTransaction(pool, org, (tenant) => updateNameKeys(tenant, wrong))
      customers += filled
      skipped += wrong.length - filled
    }
    after = names.length === step ? names.at(-1)!.id : undefined
    if (after && !mayContinue())
      return { customers, next: clock(), progress: { after, skipped } satisfies Walk }
    if (after) await sleep(pauseMs)
  } while (after)
  return { customers, next: skipped > 0 ? new Date(clock().getTime() + retryMs) : undefined }
}
