/**
 * Sets the clock of a test organization forward. What is due on the way happens in its order, each at its time: the
 * clock moves to the next moment at which something is due, that is done, and so on. It stops while a process is still
 * busy with what is due. So nothing is lost or done twice wherever this ends, and repeating it goes on from there; two
 * of them at the same time take turns.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventType } from '../../domain/event.ts'
import type { EventId } from '../../domain/ids.ts'
import { modeOf, type Organization } from '../../domain/organization.ts'
import { Refused } from '../../domain/refusal.ts'
import { parseDuration } from '../../engine/clock/iso-time.ts'
import { addDuration } from '../../engine/clock/local-time.ts'
import {
  kindsInOwnTime,
  lockDueWork,
  updateDoneWork,
  updateFailedWork,
  upsertDueWork,
} from '../../store/due-work.ts'
import { countEventsAfter, findEventRange } from '../../store/events.ts'
import { findOwnOrganization, lockOrganization } from '../../store/organizations.ts'
import { updateSetupVersion } from '../../store/setup.ts'
import { inTransaction, type Tenant, tenantOf } from '../../store/tenant.ts'
import {
  type KindInOwnTime,
  listWorkInOwnTime,
  lockWorkInOwnTime,
  updateAhead,
  type WorkInOwnTime,
} from '../../store/test-clock.ts'
import type { Deps } from '../deps.ts'
import { timeOf } from '../organizations/time-of.ts'
import { workInOwnTime } from './work-in-own-time.ts'

export interface TestClock {
  readonly now: Date
  readonly aheadMs: number
}

export interface Advanced extends TestClock {
  /** What was asked for. */
  readonly to: Date
  /** False if there was no time for everything: the clock stands where it has come to. */
  readonly isDone: boolean
  /** What was recorded meanwhile. */
  readonly events: readonly { readonly type: EventType; readonly count: number }[]
  readonly firstEvent?: EventId
  readonly lastEvent?: EventId
}

export interface Target {
  readonly to?: string
  readonly by?: string
}

const turnMs = 8_000
const leaseSeconds = 60
const pauseMs = 25
const retryMs = 60_000
/** What is due within a minute is done together, as by the background jobs. */
const stepMs = 60_000
const dayMs = 86_400_000
/** In all, by the real clock: enough for every expiry. */
const maxAheadMs = 5 * 366 * dayMs
/** A sale that has begun before the clock moved relies on work that is done by now, so it is looked for once more. */
const secondLookMs = 61_000

export function readTestClock(deps: Deps, organization: Organization): TestClock {
  refuseLive(organization)
  return { now: timeOf(deps, organization), aheadMs: organization.aheadMs }
}

export async function advanceClock(
  deps: Deps,
  organization: Organization,
  target: Target,
): Promise<Advanced> {
  refuseLive(organization)
  const to = readTarget(deps, organization, target)
  const tenant = tenantOf(deps.pool, organization.orgId)
  const { newest: before } = await findEventRange(tenant)
  const endsAt = performance.now() + turnMs
  // What has happened until now is told first.
  await arm(deps, tenant, organization, 'sending')
  const isDone = await moveTo(deps, tenant, to, () => performance.now() < endsAt)
  const current = await getOwn(tenant)
  const later = new Date(timeOf(deps, current).getTime() + secondLookMs)
  await upsertDueWork(tenant, [{ kind: 'expiry', at: later }], timeOf(deps, current))
  return { ...readTestClock(deps, current), to, isDone, ...(await countEventsAfter(tenant, before)) }
}

function refuseLive(organization: Organization): void {
  if (modeOf(organization) === 'live') throw new Refused('test_organization_required')
}

function readTarget(deps: Deps, organization: Organization, target: Target): Date {
  const refuse = (problem: string): never => {
    throw new Refused('_invalid_payload', problem)
  }
  const now = timeOf(deps, organization)
  if ((target.to === undefined) === (target.by === undefined)) {
    refuse('Send either `to`, a time, or `by`, a duration.')
  }
  const to =
    target.by === undefined
      ? new Date(target.to!)
      : addDuration(
          now,
          parseDuration(target.by) ?? refuse('by: must be a duration, such as "P30D", "P1M" or "PT12H".'),
          organization.timezone,
        )
  // A leap second passes the schema, but a `Date` cannot hold it.
  if (Number.isNaN(to.getTime())) refuse('to: is not a valid time.')
  if (to <= now) refuse(`to: must be after ${now.toISOString()}, the time of the test organization.`)
  if (to.getTime() - deps.clock().getTime() > maxAheadMs) {
    refuse('The clock can be set at most 5 years ahead of the real one. Create a new test organization.')
  }
  return to
}

/** Whether it got there. */
async function moveTo(deps: Deps, tenant: Tenant, to: Date, mayContinue: () => boolean): Promise<boolean> {
  for (;;) {
    const organization = await getOwn(tenant)
    const now = timeOf(deps, organization)
    const work = await listWorkInOwnTime(tenant)
    const due = dueAt(work, now)
    if (!due && !work.some(({ isLeased }) => isLeased) && now >= to) return true
    if (!mayContinue()) return false
    if (work.some(({ isLeased }) => isLeased)) await sleep(pauseMs)
    else if (due) await takeTurn(deps, tenant, organization, due, mayContinue)
    else await move(deps, tenant, organization, to)
  }
}

async function getOwn(tenant: Tenant): Promise<Organization> {
  const organization = await findOwnOrganization(tenant)
  if (!organization) throw new Refused('_unauthorized')
  return organization
}

/** The first of what is due. */
const dueAt = (work: readonly WorkInOwnTime[], now: Date): KindInOwnTime | undefined =>
  kindsInOwnTime.find((kind) => work.some((each) => each.kind === kind && each.at && each.at <= now))

/** Like a turn of the background jobs, which may be faster: then it is theirs. */
async function takeTurn(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  kind: KindInOwnTime,
  mayContinue: () => boolean,
): Promise<void> {
  const leased = await lockDueWork(tenant, kind, deps.clock(), leaseSeconds)
  if (!leased) return
  try {
    const done = await workInOwnTime[kind](deps, tenant.orgId, { ...leased, mayContinue })
    await updateDoneWork(tenant, leased, done, deps.clock())
  } catch (error) {
    deps.log.error({ organization: organization.id, kind, err: error }, 'due work failed, will retry')
    const retryAt = new Date(deps.clock().getTime() + retryMs)
    await updateFailedWork(tenant, leased, { retryAt, error: (error as Error).name })
  }
  // There may be messages about what has happened.
  if (kind !== 'sending') await arm(deps, tenant, organization, 'sending')
}

async function arm(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  kind: KindInOwnTime,
): Promise<void> {
  const now = timeOf(deps, organization)
  await upsertDueWork(tenant, [{ kind, at: now }], now)
}

/** Moves the clock to where something is due, or to the end; not at all if something has become due meanwhile. */
async function move(deps: Deps, tenant: Tenant, { id }: Organization, to: Date): Promise<void> {
  await inTransaction(deps.pool, tenant.orgId, async (within) => {
    const organization = await lockOrganization(within, id)
    if (!organization) throw new Refused('_unauthorized')
    await updateSetupVersion(within)
    const work = await lockWorkInOwnTime(within)
    const now = timeOf(deps, organization)
    if (work.some(({ isLeased }) => isLeased) || dueAt(work, now)) return
    const next = Math.min(...work.map(({ at }) => at?.getTime() ?? Number.POSITIVE_INFINITY))
    const byMs = Math.min(to.getTime(), Math.ceil(next / stepMs) * stepMs) - now.getTime()
    if (byMs > 0) await updateAhead(within, byMs)
  })
}
