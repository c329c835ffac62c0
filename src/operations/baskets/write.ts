/**
 * Writes the decisions of a group, and reads the transactions of replays; one outcome per basket, in order.
 */
import type { TransactionId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { localDay } from '../../engine/clock/local-time.ts'
import { upsertReferences } from '../../store/directory.ts'
import { updateSetupVersion } from '../../store/setup.ts'
import type { Tenant } from '../../store/tenant.ts'
import { listTransactionsByIds } from '../../store/transactions.ts'
import { writeWallets } from '../../store/wallets/write.ts'
import { type Attempt, type AttemptResult, deferred, done, failed } from '../wallets/attempts.ts'
import { idleArmings } from '../wallets/idle-armings.ts'
import { type Accepted, type Decided, newProducts } from './decide.ts'
import type { BasketJob, Processed } from './job.ts'
import type { BasketGroup } from './load.ts'
import { missingSale } from './missing-sale.ts'
import { type NewReferences, toChange } from './record.ts'

export async function writeGroup(
  tenant: Tenant,
  group: BasketGroup,
  jobs: readonly BasketJob[],
  decided: readonly Decided[],
  attempt: Attempt,
): Promise<AttemptResult<Processed>[]> {
  const accepted = decided.filter((decision) => decision.kind === 'accepted')
  const references = await addReferences(tenant, group, accepted)
  const changes = new Map(
    accepted.map((decision) => [decision, toChange(decision, references(decision), group)]),
  )
  attempt.beginToCommit()
  const isWritten = await writeWallets(tenant, [...changes.values()], {
    now: group.now,
    day: localDay(group.now, group.setup.organization.timezone),
    isLocked: group.mode !== 'read',
    due: group.due,
    armings: idleArmings(group.setup, group.now),
    mayShare: true,
  })
  const replays = await readReplays(tenant, decided)
  return decided.map((decision, i): AttemptResult<Processed> => {
    if (decision.kind === 'replayed') {
      const transaction = replays.get(decision.transaction)!
      if (transaction instanceof Refused) return failed(transaction)
      // Our own ID: not a retry by the client, but our own attempt whose response was lost.
      return done({ transaction, isReplay: decision.transaction !== jobs[i]!.id })
    }
    // If one wallet has changed, nothing was written, and refusals may depend on baskets before them.
    if (!isWritten || decision.kind === 'deferred') return deferred
    if (decision.kind === 'refused') return failed(Refused.from(decision.refusal))
    return done({ transaction: changes.get(decision)!.cause.transaction, isReplay: false })
  })
}

/**
 * Adds references that are not in the directory yet, for all baskets together and always in the same order:
 * another process may be adding the same ones.
 */
async function addReferences(
  tenant: Tenant,
  group: BasketGroup,
  accepted: readonly Accepted[],
): Promise<(decision: Accepted) => NewReferences> {
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

/** The transactions of replays. One that has been archived since the group was loaded is a refusal. */
async function readReplays(tenant: Tenant, decided: readonly Decided[]) {
  const ids = decided.flatMap((decision): TransactionId[] =>
    decision.kind === 'replayed' ? [decision.transaction] : [],
  )
  const found: readonly Transaction[] = await listTransactionsByIds(tenant, ids)
  const replays = new Map<TransactionId, Transaction | Refused>(found.map((sale) => [sale.id, sale]))
  for (const id of ids) if (!replays.has(id)) replays.set(id, await missingSale(tenant, id))
  return replays
}
