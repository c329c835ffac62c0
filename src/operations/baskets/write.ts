/** Writes what was decided of a group, and reads again what was made before; one outcome per basket, in order. */
import type { TransactionId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import { localDay } from '../../engine/clock/local-time.ts'
import { ensureReferences } from '../../store/directory.ts'
import type { Scope } from '../../store/scope.ts'
import { touchSetup } from '../../store/setup.ts'
import { listTransactionsByIds } from '../../store/transactions.ts'
import { writeWallets } from '../../store/wallets/write.ts'
import { type Attempt, deferred, done, failed, type Settled } from '../wallets/attempts.ts'
import { type Accepted, type Decided, newProducts } from './decide.ts'
import type { BasketJob, Processed } from './job.ts'
import type { BasketGroup } from './load.ts'
import { type NewReferences, toChange } from './record.ts'

export async function writeGroup(
  scope: Scope,
  group: BasketGroup,
  jobs: readonly BasketJob[],
  decided: readonly Decided[],
  attempt: Attempt,
): Promise<Settled<Processed>[]> {
  const accepted = decided.filter((one) => one.kind === 'accepted')
  const references = await addReferences(scope, group, accepted)
  const changes = new Map(accepted.map((one) => [one, toChange(one, references(one), group)]))
  attempt.beginToCommit()
  const isWritten = await writeWallets(scope, [...changes.values()], {
    now: group.now,
    day: localDay(group.now, group.setup.organization.timezone),
    isLocked: group.mode !== 'read',
  })
  const replays = await readReplays(scope, decided)
  return decided.map((one, i): Settled<Processed> => {
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
  scope: Scope,
  group: BasketGroup,
  accepted: readonly Accepted[],
): Promise<(one: Accepted) => NewReferences> {
  const newBranches = accepted.flatMap(({ references, job }) =>
    references.branch ? [] : [job.request.branch!],
  )
  const newUsers = accepted.flatMap(({ references, job }) => (references.user ? [] : [job.request.user!]))
  await ensureReferences(
    scope,
    'products',
    accepted.flatMap(({ job }) => newProducts(group, job)),
    group.now,
  )
  const branches = await ensureReferences(scope, 'branches', newBranches, group.now)
  const users = await ensureReferences(scope, 'users', newUsers, group.now)
  if (newBranches.length > 0 || newUsers.length > 0) await touchSetup(scope)
  return ({ references: { user, branch }, job: { request } }) => ({
    branch: branch ?? { id: branches.get(request.branch!)!, opaqueId: request.branch! },
    user: user ?? { id: users.get(request.user!)!, opaqueId: request.user! },
  })
}

async function readReplays(scope: Scope, decided: readonly Decided[]) {
  const ids = decided.flatMap((one): TransactionId[] => (one.kind === 'replayed' ? [one.transaction] : []))
  const found = await listTransactionsByIds(scope, ids)
  return new Map(found.map((transaction) => [transaction.id, transaction]))
}
