/**
 * Fills the demo café with everything from its opening day until now, through the operations that real calls use,
 * at the times it would have happened. It can be interrupted anywhere and begun again (`story.ts`).
 */
import type { CampaignId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { localDay, localTime, startOfDay } from '../engine/clock/local-time.ts'
import type { Deps } from '../operations/deps.ts'
import { createDirectoryEntry, patchDirectoryEntry } from '../operations/organizations/manage-directory.ts'
import { forgetRequests } from '../operations/record-requests.ts'
import { transact } from '../operations/transact.ts'
import { expireWallets } from '../operations/wallets/expire-wallets.ts'
import { findBranchByOpaqueId, listDirectoryEntries } from '../store/directory.ts'
import { deleteRequestsBefore } from '../store/http-requests.ts'
import { type Tenant, tenantOf } from '../store/tenant.ts'
import { baristas, branches, lastBarista, products } from './cafe.ts'
import { eveningMinutes, runErrands, takeReturns } from './errands.ts'
import { type Guest, inviteGuests } from './guests.ts'
import { isHappyHour, planDay, type Visit } from './plan-day.ts'
import { joinHappyHour, sell, welcomeGuest } from './serve-guest.ts'
import { beginStory, type Story } from './story.ts'
import { askAtTill, type TillAccess, welcomeAtTill } from './till-calls.ts'

const dayMs = 86_400_000
const minuteMs = 60_000
const opensAt = 6 * 60
const closesAt = 18 * 60 + 45
/** Those that stand at the top of every list. */
const recentDays = 2

/** The morning of the day, so many days ago. */
export function openingDay(now: Date, days: number, timezone: string): Date {
  const today = Date.parse(localDay(now, timezone))
  return new Date(startOfDay(today - days * dayMs, timezone).getTime() + opensAt * minuteMs)
}

/** Everything that stands there before the first guest; a café that has it is one to be filled. */
export async function furnishCafe(tenant: Tenant, now: Date): Promise<void> {
  for (const { opaqueId, name } of branches) {
    const known = await findBranchByOpaqueId(tenant, opaqueId)
    if (known) await patchDirectoryEntry(tenant, 'branches', known, { name }, now)
    else await createDirectoryEntry(tenant, 'branches', { opaqueId, name }, now)
  }
  for (const barista of baristas) await createDirectoryEntry(tenant, 'users', barista, now)
  for (const product of products) await createDirectoryEntry(tenant, 'products', product, now)
}

/** Bare: nobody has begun to fill it. Half: somebody has, and did not come to the end. */
export async function howFull(tenant: Tenant): Promise<'bare' | 'half' | 'full'> {
  const has = async (opaqueId: string) => {
    const found = await listDirectoryEntries(tenant, 'users', { text: opaqueId, limit: 100 })
    return found.some((user) => user.opaqueId === opaqueId)
  }
  if (await has(lastBarista.opaqueId)) return 'full'
  return (await has(baristas[0]!.opaqueId)) ? 'half' : 'bare'
}

export interface Filling {
  /** Told before each day. */
  onDay?(day: number, of: number): void
  readonly signal?: AbortSignal
}

export async function fillCafe(
  deps: Deps,
  organization: Organization,
  coffeeClub: CampaignId,
  till: Omit<TillAccess, 'until'>,
  { onDay, signal }: Filling = {},
): Promise<void> {
  const own = tenantOf(deps.pool, organization.orgId)
  // Calls that were told before are told again, and nobody else has called so far.
  await deleteRequestsBefore(own, deps.clock())
  const story = await beginStory(deps, organization, coffeeClub, till.send)
  const guests = inviteGuests()
  const until = deps.clock()
  const days = listDays(organization, guests, until)
  // Told alike at whatever time of today it is.
  const yesterday = days.at(-2)
  let welcomed = welcomeAll(story, days[0]!)
  for (const [i, day] of days.entries()) {
    onDay?.(i, days.length - 1)
    await welcomed
    // While one day is lived, tomorrow's new guests get their cards: neither has to wait for the other.
    const tomorrow = days[i + 1]
    if (tomorrow) welcomed = welcomeAll(story, tomorrow)
    // When the day fails, nobody waits for these any more.
    welcomed.catch(() => {})
    await liveDay(story, guests, day, signal, {
      isRecent: i >= days.length - recentDays,
      till: day === yesterday ? { ...till, until } : undefined,
    })
  }
  await story.office.close()
  await forgetRequests(deps, organization.orgId)
}

/** Says that the story has come to its end, once; nothing before it gets lost after that. */
export async function closeStory(deps: Deps, { orgId }: Organization): Promise<void> {
  const call = { route: 'demo', key: 'end', body: {} }
  await transact(
    deps,
    orgId,
    call,
    (tenant) => createDirectoryEntry(tenant, 'users', lastBarista, deps.clock()),
    ({ id }) => ({ status: 200, body: { id } }),
  )
}

interface Day {
  /** Since the opening. */
  readonly number: number
  /** As receipts begin: `261115`. */
  readonly date: string
  readonly visits: readonly Visit[]
  /** Undefined when it has not come yet. */
  readonly opening?: Date
  /** Undefined until the evening is over as well. */
  readonly closing?: Date
  momentOf(minute: number): Date
}

/** All days from the first to today, and of today what has already happened. */
function listDays({ createdAt, timezone }: Organization, guests: readonly Guest[], until: Date): Day[] {
  const first = Date.parse(localDay(createdAt, timezone))
  const today = Date.parse(localDay(until, timezone))
  const days: Day[] = []
  for (let number = 0; first + number * dayMs <= today; number++) {
    const midnight = startOfDay(first + number * dayMs, timezone).getTime()
    const momentOf = (minute: number) => new Date(midnight + minute * minuteMs)
    const unlessAhead = (minute: number) => (momentOf(minute) <= until ? momentOf(minute) : undefined)
    const noon = momentOf(12 * 60)
    days.push({
      number,
      date: localDay(noon, timezone).slice(2).replaceAll('-', ''),
      visits: planDay(guests, number, localTime(noon, timezone).weekday).filter(({ minute }) =>
        unlessAhead(minute),
      ),
      opening: unlessAhead(opensAt),
      closing: unlessAhead(closesAt + eveningMinutes) && momentOf(closesAt),
      momentOf,
    })
  }
  return days
}

/** Cards for those of the day who have none, of the club, and in the afternoon of the happy hour. */
async function welcomeAll(story: Story, { visits, momentOf }: Day): Promise<void> {
  await Promise.all(
    visits.map(async ({ guest, minute }) => {
      const now = momentOf(minute)
      if (!story.accounts.has(guest.number)) await welcomeGuest(story, guest, now)
      const { happyCard, isBlocked } = story.accounts.get(guest.number)!
      const isForThem = story.happyHour && guest.likesAfternoons && isHappyHour(minute)
      if (isForThem && !happyCard && !isBlocked) await joinHappyHour(story, guest, now)
    }),
  )
}

async function liveDay(
  story: Story,
  guests: readonly Guest[],
  { number, date, visits, opening, closing, momentOf }: Day,
  signal: AbortSignal | undefined,
  { isRecent, till }: { isRecent: boolean; till: TillAccess | undefined },
): Promise<void> {
  signal?.throwIfAborted()
  if (opening) await expireWallets(story.at(opening), story.organization, signal)
  const coming = visits.filter(({ guest }) => !story.accounts.get(guest.number)?.isBlocked)
  const orders = coming.map((visit) => ({
    visit,
    occurredAt: momentOf(visit.minute),
    receipt: receiptOf(date, visit.guest),
  }))
  if (till && opening) {
    await story.office.signIn('cashier', opening)
    await askAtTill(story, till, orders)
  }
  const counter = isRecent ? story.exactTill : story.till
  const sales = await Promise.all(orders.map((order) => sell(story, counter, order)))
  const last = orders.at(-1)
  if (till && last) await welcomeAtTill(story, till, last.occurredAt)
  if (!closing) return
  await takeReturns(story, number, sales)
  await runErrands(story, number, guests, closing)
}

/** A guest comes at most once a day. */
const receiptOf = (date: string, guest: Guest) => `${date}-${String(guest.number).padStart(3, '0')}`
