/**
 * Records what has come in, one message after the other: what a sender sent first comes first. An attempt is counted
 * before it is made, and can be repeated at any point: the receipt number tells what was recorded before.
 */
import { type Made, nothingReasons } from '../../adapters/made.ts'
import { Refused } from '../../domain/refusal.ts'
import { nextAttemptAfter, type ReceivedProblem, receivedStatus } from '../../domain/source.ts'
import { findOwnOrganization } from '../../store/organizations.ts'
import {
  findNextReceived,
  type ReceivedOutcome,
  type ReceivedWithContent,
  takeDueReceived,
  updateReceived,
} from '../../store/received-messages.ts'
import { findSource, type StoredSource } from '../../store/sources.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Caller, Deps } from '../deps.ts'
import type { Turn } from '../turn.ts'
import { type Meaning, makeOfMessage, problemOf } from './make-of-message.ts'
import { NotRecorded, recordMade } from './record-made.ts'

const hourMs = 3_600_000
/** Longer than an attempt can take. */
const untilRetryMs = 120_000

export async function recordReceived(
  deps: Deps,
  org: number,
  { mayContinue }: Pick<Turn, 'mayContinue'>,
): Promise<{ readonly next?: Date }> {
  const tenant = tenantOf(deps.pool, org)
  const organization = await findOwnOrganization(tenant)
  if (!organization) return {}
  if (!organization.isSubscribed) return { next: new Date(deps.clock().getTime() + hourMs) }
  while (mayContinue()) {
    const now = deps.clock()
    const received = await takeDueReceived(tenant, now, new Date(now.getTime() + untilRetryMs))
    if (!received) break
    const source = await findSource(tenant, received.source)
    if (!source) continue
    const caller = callerOf(source, organization)
    await updateReceived(tenant, received.id, await outcomeOf(deps, caller, source, received))
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

async function outcomeOf(
  deps: Deps,
  caller: Caller,
  source: StoredSource,
  received: ReceivedWithContent,
): Promise<ReceivedOutcome> {
  let meaning: Meaning = {}
  try {
    const { payload, topic } = received
    meaning = await makeOfMessage(deps, caller.organization, source, { payload, topic })
    return await record(deps, caller, source, received, meaning)
  } catch (error) {
    deps.log.error({ err: error, received: received.id }, 'recording what a source sent failed')
    return later(deps, received, meaning, problemOf('internal_error'))
  }
}

async function record(
  deps: Deps,
  caller: Caller,
  source: StoredSource,
  received: ReceivedWithContent,
  meaning: Meaning,
): Promise<ReceivedOutcome> {
  const { made, problem, payload } = meaning
  if (problem) {
    if (meaning.isPassing) return later(deps, received, meaning, problem)
    return { status: receivedStatus.failed, problem, payload, made }
  }
  if (!made || made.type === 'nothing') return ignoredAs(made, payload)
  try {
    const { isReplay, ...recorded } = await recordMade(deps, caller, source, made)
    const known = isReplay && received.attempts === 1
    return {
      ...recorded,
      status: known ? receivedStatus.ignored : receivedStatus.recorded,
      problem: known ? problemOf('already_recorded') : undefined,
      payload,
      made,
    }
  } catch (error) {
    if (error instanceof NotRecorded) return notRecorded(deps, received, meaning, made, error)
    if (!(error instanceof Refused)) throw error
    if (error.code === '_unavailable') return later(deps, received, meaning, refusalOf(error))
    return { status: receivedStatus.failed, problem: refusalOf(error), payload, made }
  }
}

const refusalOf = ({ code, description, message }: Refused): ReceivedProblem => ({
  code,
  text: description ?? message,
})

function ignoredAs(made: Made | undefined, payload: unknown): ReceivedOutcome {
  const reason = made?.type === 'nothing' ? made.reason : 'not_mapped'
  const status = receivedStatus.ignored
  const problem = { code: reason, text: nothingReasons[reason] }
  // Somebody who is not a customer is no concern of ours.
  return { status, problem, made, payload: reason === 'no_customer' ? null : payload }
}

function notRecorded(
  deps: Deps,
  received: ReceivedWithContent,
  meaning: Meaning,
  made: Made,
  { code, customer, transaction }: NotRecorded,
): ReceivedOutcome {
  const problem = problemOf(code)
  const { payload } = meaning
  if (code === 'already_recorded') {
    return { status: receivedStatus.ignored, problem, customer, transaction, payload, made }
  }
  // Messages overtake each other: the sale may be on its way.
  if (code === 'sale_unknown') return later(deps, received, meaning, problem, receivedStatus.ignored)
  if (code === 'not_a_customer') {
    return { status: receivedStatus.ignored, problem, payload: null, made: withoutBuyer(made) }
  }
  return { status: receivedStatus.failed, problem, customer, payload, made }
}

/** Of somebody who is not a customer, only what was known about them is kept, not the values. */
function withoutBuyer(made: Made): unknown {
  if (made.type !== 'sale') return made
  const who = Object.fromEntries(Object.keys(made.who).map((name) => [name, '[not kept]']))
  return { ...made, who, metaData: undefined }
}

/** Another attempt, or if this was the last one, `last`. */
function later(
  deps: Deps,
  { attempts }: ReceivedWithContent,
  { payload, made }: Meaning,
  problem: ReceivedProblem,
  last: number = receivedStatus.failed,
): ReceivedOutcome {
  const nextAttemptAt = nextAttemptAfter(attempts, deps.clock())
  const status = nextAttemptAt ? receivedStatus.pending : last
  return { status, nextAttemptAt, problem, payload, made }
}
