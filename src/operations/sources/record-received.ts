/**
 * Records what has come in, one message after the other: what a sender sent first comes first. An attempt is counted
 * before it is made, and can be repeated at any point: the receipt number tells what was recorded before.
 */
import { allAdapters } from '../../adapters/all-adapters.ts'
import { type Made, nothingReasons } from '../../adapters/made.ts'
import { Refused } from '../../domain/refusal.ts'
import { maxAttempts, nextAttemptAfter, type ReceivedProblem, receivedStatus } from '../../domain/source.ts'
import { findOwnOrganization } from '../../store/organizations.ts'
import {
  findNextReceived,
  type ReceivedOutcome,
  type ReceivedWithContent,
  takeDueReceived,
  updateReceived,
  wakeReturnsOf,
} from '../../store/received-messages.ts'
import { findSource, type StoredSource } from '../../store/sources.ts'
import { type Tenant, tenantOf } from '../../store/tenant.ts'
import type { Caller, Deps } from '../deps.ts'
import type { Turn } from '../turn.ts'
import { type Meaning, makeOfMessage, problemOf } from './make-of-message.ts'
import { NotRecorded, type Progress, recordMade } from './record-made.ts'

const hourMs = 3_600_000
/** Longer than an attempt can take. */
const untilRetryMs = 120_000
/** Others wait for this turn to end. */
const turnMs = 1_000

export async function recordReceived(
  deps: Deps,
  org: number,
  { mayContinue }: Pick<Turn, 'mayContinue'>,
): Promise<{ readonly next?: Date }> {
  const tenant = tenantOf(deps.pool, org)
  const organization = await findOwnOrganization(tenant)
  if (!organization) return {}
  if (!organization.isSubscribed) return { next: new Date(deps.clock().getTime() + hourMs) }
  const endsAt = performance.now() + turnMs
  while (mayContinue() && performance.now() < endsAt) {
    const now = deps.clock()
    const received = await takeDueReceived(tenant, now, new Date(now.getTime() + untilRetryMs))
    if (!received) break
    const source = await findSource(tenant, received.source)
    if (!source) continue
    const work = { deps, tenant, caller: callerOf(source, organization), source, received }
    const outcome = await outcomeOf(work)
    await note(work, outcome)
    // It waits for all of them.
    if (outcome.problem?.code === 'vendor_unreachable') break
  }
  return { next: await findNextReceived(tenant) }
}

/** A source acts as a connection does, as a user of its own. */
export const callerOf = ({ user }: StoredSource, organization: Caller['organization']): Caller => ({
  organization,
  user,
  kind: 'connection',
  scopes: ['pos'],
})

interface Work {
  readonly deps: Deps
  readonly tenant: Tenant
  readonly caller: Caller
  readonly source: StoredSource
  readonly received: ReceivedWithContent
}

/** One message that cannot be noted must not hold up the others. */
async function note({ deps, tenant, received }: Work, outcome: ReceivedOutcome): Promise<void> {
  try {
    await updateReceived(tenant, received.id, outcome)
  } catch (error) {
    deps.log.error({ err: error, received: received.id }, 'noting what became of a message failed')
    const { customer, transaction, status, nextAttemptAt } = outcome
    const problem = problemOf('internal_error')
    await updateReceived(tenant, received.id, { customer, transaction, status, nextAttemptAt, problem })
  }
}

async function outcomeOf(work: Work): Promise<ReceivedOutcome> {
  const { deps, caller, source, received } = work
  const { payload, topic, attempts } = received
  // An earlier attempt has ended the process.
  if (attempts > maxAttempts) return { status: receivedStatus.failed, problem: problemOf('internal_error') }
  let meaning: Meaning = {}
  const progress: Progress = { hasRecorded: false }
  try {
    meaning = await makeOfMessage(deps, caller.organization, source, { payload, topic })
    return toOutcome(work, meaning, progress, await record(work, meaning, progress))
  } catch (error) {
    deps.log.error({ err: error, received: received.id }, 'recording what a source sent failed')
    const result = { problem: problemOf('internal_error'), isPassing: true }
    return toOutcome(work, meaning, progress, result)
  }
}

interface Result {
  readonly problem?: ReceivedProblem
  /** Whether another attempt may succeed. */
  readonly isPassing?: boolean
  /** It is as it should be that nothing was recorded. */
  readonly isIgnored?: boolean
}

async function record(
  work: Work,
  { made, problem, isPassing }: Meaning,
  progress: Progress,
): Promise<Result> {
  if (problem) return { problem, isPassing }
  if (!made || made.type === 'nothing') {
    const code = made?.reason ?? 'not_mapped'
    return { problem: { code, text: nothingReasons[code] }, isIgnored: true }
  }
  const { deps, tenant, caller, source, received } = work
  try {
    await recordMade(deps, caller, { ...source, receivedAt: received.receivedAt }, made, progress)
    if (made.type === 'sale') await wakeReturnsOf(tenant, source.id, made.opaqueId, deps.clock())
    // An attempt that was interrupted may have recorded it.
    if (progress.hasRecorded || received.attempts > 1) return {}
    return { problem: problemOf('already_recorded'), isIgnored: true }
  } catch (error) {
    if (error instanceof NotRecorded) {
      const { code, message } = error
      // Messages overtake each other: the sale may be on its way.
      const isPassing = code === 'sale_unknown'
      const isIgnored = ['already_recorded', 'amount_refund', 'not_a_customer', 'sale_unknown'].includes(code)
      return { problem: { code, text: message }, isPassing, isIgnored }
    }
    if (!(error instanceof Refused)) throw error
    const { code, description, message } = error
    return { problem: { code, text: description ?? message }, isPassing: code === '_unavailable' }
  }
}

function toOutcome(
  { deps, source, received }: Work,
  { payload, made }: Meaning,
  { hasRecorded: _, ...recorded }: Progress,
  { problem, isPassing = false, isIgnored = false }: Result,
): ReceivedOutcome {
  const nextAttemptAt = isPassing ? nextAttemptAfter(received.attempts, deps.clock()) : undefined
  if (nextAttemptAt)
    return { ...recorded, status: receivedStatus.pending, nextAttemptAt, problem, payload, made }
  if (!problem) return { ...recorded, status: receivedStatus.recorded, payload, made }
  if (!isIgnored) return { ...recorded, status: receivedStatus.failed, problem, payload, made }
  const status = receivedStatus.ignored
  // Whose customer is known can have it erased. Of others only what tells why is kept.
  if (recorded.customer) return { ...recorded, status, problem, payload, made }
  const isNeeded = ['not_mapped', 'sale_unknown'].includes(problem.code)
  const content = payload ?? received.payload
  const left = source.kind === 'json' && isNeeded ? content : allAdapters[source.kind].withoutBuyer(content)
  return { ...recorded, status, problem, payload: left ?? null, made: made && withoutBuyer(made) }
}

/** Which ways to find the buyer there were, but not the values. */
function withoutBuyer(made: Made): unknown {
  if (made.type !== 'sale') return made
  const who = Object.fromEntries(Object.keys(made.who).map((name) => [name, '[not kept]']))
  return { ...made, who, metaData: undefined }
}
