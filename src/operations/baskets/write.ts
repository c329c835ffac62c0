/** Writes what was decided of a group, and reads again what was made before; one outcome per basket, in order. */
import type { TransactionId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import { localDay } from '../../engine/clock/local-time.ts'
import { upsertReferences } from '../../store/directory.ts'
import { updateSetupVersion } from '../../store/setup.ts'
import type { Tenant } from '../../store/tenant.ts'
import { listTransactionsByIds } from '../../store/transactions.ts'
import { writeWallets } from '../../store/wallets/write.ts'
import { type Attempt, type AttemptResult, deferred, done, failed } from '../wallets/attempts.ts'
import { type Accepted, type Decided, newProducts } from './decide.ts'
import type { BasketJob, Processed } from './job.ts'
import type { BasketGroup } from './load.ts'
import { type NewReferences, toChange } from './record.ts'

export async function writeGroup(
  tenant: Tenant,
  group: BasketGroup,
  jobs: readonly BasketJob[],
  decided: readonly Decided[],
  attempt: Attempt,
): Promise<AttemptResult<Processed>[]> {
  const accepted = decided.filter((one) => one.kind === 'accepted')
  const references = await addReferences(tenant, group, accepted)
  const changes = new Map(accepted.map((one) => [one, toChange(one, references(one), group)]))
  attempt.beginToCommit()
  const isWritten = await writeWallets(tenant, [...changes.values()], {
    now: group.now,
    day: localDay(group.now, group.setup.organization.timezone),
    isLocked: group.mode !== 'read',
  })
  const replays = await readReplays(tenant, decided)
  return decided.map((one, i): AttemptResult<Processed> => {
    if (one.kind === 'replayed') {
      const transaction = replays.get(one.transaction)!
      // Our own id: not a repeat by the client but the answer we lost.
      return done({ transaction, isReplay: one.transaction !== jobs[i]!.id })
    }
    // When one wallet had moved nothing was written, and refusals may have rested on baskets before them.
    if (!isWritten || one.kind === 'deferred') return deferred
    if (one.kind === 'refused') return failed(Refused.from(one.refusal))
    return done({ transaction: changes.get(one)!.cause.transaction, isReplay: false })
  })
}

/**
 * Adds what the baskets name and the directory does not have, for all of them at once and always in the same order:
 * another process may be about to add the same.
 */
async function addReferences(
  tenant: Tenant,
  group: BasketGroup,
  accepted: readonly Accepted[],
): Promise<(one: Accepted) => NewReferences> {
  const newBranches = accepted.flatMap(({ references, job }) =>
    references.branch ? [] : [job.request.branch!],
  )
  const newUsers = accepted.flatMap(({ references, job }) => (references.user ? [] : [job.request.user!]))
  await upsertReferences(
    tenant,
    'products',
    accepted.flatMap(({ job }) => newProducts(group, job)),
    group.now,
  )
  const branches = await upsertReferences(tenant, 'branches', newBranches, group.now)
  const users = await upsertReferences(tenant, 'users', newUsers, group.now)
  if (newBranches.length > 0 || newUsers.length > 0) await updateSetupVersion(tenant)
  return ({ references: { user, branch }, job: { request } }) => ({
    branch: branch ?? { id: branches.get(request.branch!)!, opaqueId: request.branch! },
    user: user ?? { id: users.get(request.user!)!, opaqueId: request.user! },
  })
}

async function readReplays(tenant: Tenant, decided: readonly Decided[]) {
  const ids = decided.flatMap((one): TransactionId[] => (one.kind === 'replayed' ? [one.transaction] : []))
  const found = await listTransactionsByIds(tenant, ids)
  return new Map(found.map((transaction) => [transaction.id, transaction]))
}
