/**
 * Finds, once a day, whom to remind: of a coupon or of points that expire, on a birthday, or after a long absence.
 * Each message has its reason, so that looking twice finds nothing new.
 */
import { type CustomerId, parseId } from '../../domain/ids.ts'
import { type MessageKind, traitsOf } from '../../domain/message.ts'
import { fromUnits } from '../../domain/money.ts'
import type { Organization } from '../../domain/organization.ts'
import { localTime } from '../../engine/clock/local-time.ts'
import { type Arming, upsertDueWork, type WorkDone } from '../../store/due-work.ts'
import {
  type LookedAt,
  listConsenting,
  listExpiringCoupons,
  listExpiringPoints,
  listReachable,
} from '../../store/message-recipients.ts'
import { insertMessages, type NewMessage, newMessageId } from '../../store/messages.ts'
import { findOwnOrganization } from '../../store/organizations.ts'
import { type AutomaticMessage, listAutomaticMessages } from '../../store/senders.ts'
import { findSetupVersion } from '../../store/setup.ts'
import { inTransaction, type Tenant, tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { timeOf } from '../organizations/time-of.ts'
import type { Turn } from '../turn.ts'
import { usable } from './make-messages.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const customersAtOnce = 2_000
const messagesAtOnce = 500
/** Messages go out in the morning, by the organization's clock. */
const hourOfDay = 10
/** Nobody is written to for an absence that has been noticed this many days ago. */
const absenceWindowDays = 3

/** When to look next. */
export function nextReminders(now: Date, timezone: string): Arming {
  const { wallMs } = localTime(now, timezone)
  const sinceMidnight = wallMs % dayMs
  const until = (hourOfDay * hourMs - sinceMidnight + dayMs) % dayMs || dayMs
  return { kind: 'reminders', at: new Date(now.getTime() + until) }
}

export async function makeReminders(
  deps: Deps,
  org: number,
  { mayContinue, progress }: Turn,
): Promise<WorkDone> {
  const tenant = tenantOf(deps.pool, org)
  const organization = await findOwnOrganization(tenant)
  const active = (await listAutomaticMessages(tenant)).filter(
    ({ kind, channels }) => channels.length > 0 && traitsOf(kind).automatic === 'daily',
  )
  if (!organization || active.length === 0) return {}
  const now = timeOf(deps, organization)
  const after = progress === undefined ? undefined : (progress as { after: CustomerId }).after
  const found = { deps, tenant, organization, now, active }
  if (after === undefined) {
    await remindOfCoupons(found)
    await remindOfPoints(found)
  }
  const rest = await lookAtCustomers(found, after, mayContinue)
  if (rest) return { next: now, progress: { after: rest } }
  return { next: nextReminders(now, organization.timezone).at }
}

interface Look {
  readonly deps: Deps
  readonly tenant: Tenant
  readonly organization: Organization
  readonly now: Date
  readonly active: readonly AutomaticMessage[]
}

type Reminder = Pick<NewMessage, 'reason' | 'data'> & { readonly customer: CustomerId }

const daysOf = ({ kind, days }: AutomaticMessage) => days ?? traitsOf(kind).days ?? 0

const find = ({ active }: Look, kind: MessageKind) => active.find((each) => each.kind === kind)

/** Makes those of customers who can be reached. */
async function make(
  { deps, tenant, organization, now }: Look,
  kind: AutomaticMessage,
  reminders: readonly Reminder[],
) {
  for (let i = 0; i < reminders.length; i += messagesAtOnce) {
    const part = reminders.slice(i, i + messagesAtOnce)
    await inTransaction(deps.pool, tenant.orgId, async (within) => {
      const channels = await usable(within, organization, kind.channels)
      const customers = part.map(({ customer }) => customer)
      const reachable = await listReachable(within, customers, channels, true)
      const made = part.flatMap((reminder): NewMessage[] => {
        const channel = reachable.get(reminder.customer)
        return channel ? [{ id: newMessageId(now), kind: kind.kind, channel, ...reminder }] : []
      })
      if (made.length === 0) return
      await insertMessages(within, made, now)
      await upsertDueWork(within, [{ kind: 'sending', at: now }], now)
    })
  }
}

async function remindOfCoupons(look: Look): Promise<void> {
  const kind = find(look, 'coupon_expiring')
  if (!kind) return
  const to = new Date(look.now.getTime() + daysOf(kind) * dayMs)
  const coupons = await listExpiringCoupons(look.tenant, { from: look.now, to })
  await make(
    look,
    kind,
    coupons.map(({ coupon, customer }) => ({ customer, reason: `expiring ${coupon}`, data: { coupon } })),
  )
}

async function remindOfPoints(look: Look): Promise<void> {
  const kind = find(look, 'points_expiring')
  if (!kind) return
  const { deps, tenant, organization } = look
  const to = new Date(look.now.getTime() + daysOf(kind) * dayMs)
  const points = await listExpiringPoints(tenant, { from: look.now, to })
  if (points.length === 0) return
  const setup = await deps.setupCache.get(tenant, await findSetupVersion(tenant))
  const balances = setup.live.flatMap(({ compiled }) => compiled.balances)
  const nameOf = (key: string) => balances.find((balance) => balance.key === key)?.name ?? key
  await make(
    look,
    kind,
    points.map(({ customer, key, amount, decimals, at }) => ({
      customer,
      // A day has one reminder, however many amounts expire on it.
      reason: `expiring ${customer} ${key} ${dayOf(at, organization)}`,
      data: { amount: `${fromUnits(amount, decimals)} ${nameOf(key)}`, at: at.toISOString() },
    })),
  )
}

const dayOf = (at: Date, { timezone }: Organization) =>
  new Date(localTime(at, timezone).wallMs).toISOString().slice(0, 10)

/** Returns where to go on, if there was no time for all of them. */
async function lookAtCustomers(
  look: Look,
  start: CustomerId | undefined,
  mayContinue: () => boolean,
): Promise<CustomerId | undefined> {
  const birthday = find(look, 'birthday')
  const absence = find(look, 'not_seen')
  if (!birthday && !absence) return undefined
  let after = start
  for (;;) {
    const customers = await listConsenting(look.tenant, { after, limit: customersAtOnce })
    if (birthday)
      await make(
        look,
        birthday,
        customers.flatMap((each) => birthdayOf(look, each)),
      )
    if (absence)
      await make(
        look,
        absence,
        customers.flatMap((each) => absenceOf(look, absence, each)),
      )
    if (customers.length < customersAtOnce) return undefined
    after = parseId('cus', customers.at(-1)!.customer)
    if (!mayContinue()) return after
  }
}

/** `1990-03-14` or `03-14`. */
function birthdayOf({ now, organization }: Look, { customer, birthday }: LookedAt): Reminder[] {
  const today = dayOf(now, organization)
  const day = /^(?:\d{4}-)?(\d{2}-\d{2})$/.exec(birthday ?? '')?.[1]
  if (day === undefined || !isToday(day, today)) return []
  return [{ customer, reason: `birthday ${customer} ${today.slice(0, 4)}` }]
}

/** A birthday on February 29 is celebrated a day earlier in other years. */
function isToday(day: string, today: string): boolean {
  if (today.endsWith(day)) return true
  const isLeapYear = new Date(`${today.slice(0, 4)}-02-29T00:00:00Z`).getUTCMonth() === 1
  return day === '02-29' && !isLeapYear && today.endsWith('02-28')
}

function absenceOf(
  { now }: Look,
  kind: AutomaticMessage,
  { customer, lastActivityAt }: LookedAt,
): Reminder[] {
  if (!lastActivityAt) return []
  const days = (now.getTime() - lastActivityAt.getTime()) / dayMs
  if (days < daysOf(kind) || days >= daysOf(kind) + absenceWindowDays) return []
  return [{ customer, reason: `absent ${customer} ${lastActivityAt.toISOString()}` }]
}
