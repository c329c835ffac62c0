/**
 * Fills the demo café with its history from the opening day until now, through the operations that real
 * requests use, at the times they would have happened. An interrupted fill is not continued: `open-demo.ts`
 * starts over.
 */
import type { CampaignId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { localDay, localTime, startOfDay } from '../engine/clock/local-time.ts'
import type { Deps } from '../operations/deps.ts'
import { createDirectoryEntry, patchDirectoryEntry } from '../operations/organizations/manage-directory.ts'
import { forgetRequests } from '../operations/record-requests.ts'
import { wholeTurn } from '../operations/turn.ts'
import { expireInactive, expireWallets } from '../operations/wallets/expire-wallets.ts'
import { findBranchByOpaqueId, findDirectoryEntry } from '../store/directory.ts'
import { listUsers } from '../store/setup.ts'
import { inTransaction, type Tenant } from '../store/tenant.ts'
import { baristas, branches, lastBarista, products } from './cafe.ts'
import { eveningMinutes, runErrands, takeReturns } from './errands.ts'
import { type Guest, inviteGuests } from './guests.ts'
import { isHappyHour, planDay, type Visit } from './plan-day.ts'
import { joinHappyHour, type Order, type Sale, sellTogether, welcomeGuest } from './serve-guest.ts'
import { beginStory, type Story } from './story.ts'
import { askAtTill, type TillAccess, welcomeAtTill } from './till-calls.ts'

const dayMs = 86_400_000
const minuteMs = 60_000
const opensAt = 6 * 60
const closesAt = 18 * 60 + 45
/** Small, so that baskets processed together are from about the same time. */
const basketsTogether = 8
/**
 * Baskets of these days are processed one by one, at their exact times, since they are on top of every list.
 */
const recentDays = 2

/** The morning of the day that many days ago. */
export function openingDay(now: Date, days: number, timezone: string): Date {
  const today = Date.parse(localDay(now, timezone))
  return new Date(startOfDay(today - days * dayMs, timezone).getTime() + opensAt * minuteMs)
}

/** Creates everything that exists before the first guest, which also marks the café as one to be filled. */
export async function furnishCafe(tenant: Tenant, now: Date): Promise<void> {
  for (const { opaqueId, name } of branches) {
    const known = await findBranchByOpaqueId(tenant, opaqueId)
    if (known) await patchDirectoryEntry(tenant, 'branches', known, { name }, now)
    else await createDirectoryEntry(tenant, 'branches', { opaqueId, name }, now)
  }
  for (const barista of baristas) await createDirectoryEntry(tenant, 'users', barista, now)
  for (const product of products) await createDirectoryEntry(tenant, 'products', product, now)
}

/**
 * Empty: not to be filled. Partial: to be filled, but not complete. A user that a client adds to an empty
 * café under the same name is newer than the café, and does not count.
 */
export async function fillState(
  own: Tenant,
  { createdAt }: Organization,
): Promise<'empty' | 'partial' | 'complete'> {
  const users = await listUsers(own, [], [baristas[0]!.opaqueId, lastBarista.opaqueId])
  const find = (opaqueId: string) => users.find((user) => user.opaqueId === opaqueId)
  const first = find(baristas[0]!.opaqueId)
  const entry = first && (await findDirectoryEntry(own, 'users', first.id))
  if (entry?.createdAt.getTime() !== createdAt.getTime()) return 'empty'
  return find(lastBarista.opaqueId) ? 'complete' : 'partial'
}

export interface Filling {
  /** Called before each day. */
  onDay?(day: number, of: number): void
  readonly signal?: AbortSignal
}

export async function fillCafe(
  deps: Deps,
  organization: Organization,
  coffeeClub: CampaignId,
  till: TillAccess,
  { onDay, signal }: Filling = {},
): Promise<void> {
  const story = await beginStory(deps, organization, coffeeClub, till.send)
  const guests = inviteGuests()
  const days = listDays(organization, guests, deps.clock())
  // Unlike today, yesterday is over, at whatever time the café is filled.
  const yesterday = days.at(-2)
  let welcomed = welcomeAll(story, days[0]!)
  for (const [i, day] of days.entries()) {
    onDay?.(i, days.length - 1)
    await welcomed
    // While one day is processed, the next day's new guests get their cards: neither has to wait for the
    // other.
    const tomorrow = days[i + 1]
    if (tomorrow) welcomed = welcomeAll(story, tomorrow)
    // If the day fails, nothing awaits this promise any longer.
    welcomed.catch(() => {})
    await liveDay(story, guests, day, signal, {
      together: i >= days.length - recentDays ? 1 : basketsTogether,
      till: day === yesterday ? till : undefined,
    })
  }
  await story.office.close()
  await forgetRequests(deps, organization.orgId, wholeTurn(signal))
}

/** On a connection with synchronous commit, which also makes everything before it durable. */
export async function markComplete({ pool, clock }: Deps, { orgId }: Organization): Promise<void> {
  await inTransaction(pool, orgId, (tenant) => createDirectoryEntry(tenant, 'users', lastBarista, clock()))
}

interface Day {
  /** Days since the opening. */
  readonly number: number
  /** Prefix of receipt numbers, such as `261115`. */
  readonly date: string
  readonly visits: readonly Visit[]
  /** Undefined if it is still in the future. */
  readonly opening?: Date
  /** Undefined until the evening is over as well. */
  readonly closing?: Date
  momentOf(minute: number): Date
}

/** All days from the first to today, with today only up to now. */
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

/** Opens cards for guests of the day who have none: of the club, and in the afternoon of the happy hour. */
async function welcomeAll(story: Story, { visits, momentOf }: Day): Promise<void> {
  await Promise.all(
    visits.map(async ({ guest, minute }) => {
      const now = momentOf(minute)
      if (!story.accounts.has(guest.number)) await welcomeGuest(story, guest, now)
      const { happyHour, isBlocked } = story.accounts.get(guest.number)!
      const isForThem = story.happyHour && guest.likesAfternoons && isHappyHour(minute)
      if (isForThem && !happyHour && !isBlocked) await joinHappyHour(story, guest, now)
    }),
  )
}

async function liveDay(
  story: Story,
  guests: readonly Guest[],
  { number, date, visits, opening, closing, momentOf }: Day,
  signal: AbortSignal | undefined,
  { together, till }: { together: number; till: TillAccess | undefined },
): Promise<void> {
  signal?.throwIfAborted()
  if (opening) {
    const { orgId } = story.organization
    await expireWallets(story.at(opening), orgId, wholeTurn(signal))
    await expireInactive(story.at(opening), orgId, wholeTurn(signal))
  }
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
  const sales = await sellAll(story, orders, together)
  const last = orders.at(-1)
  if (till && last) await welcomeAtTill(story, till, last.occurredAt)
  if (!closing) return
  await takeReturns(story, number, sales)
  await runErrands(story, number, guests, closing)
}

async function sellAll(story: Story, orders: readonly Order[], together: number): Promise<Sale[]> {
  const sales: Sale[] = []
  for (let i = 0; i < orders.length; i += together) {
    sales.push(...(await sellTogether(story, orders.slice(i, i + together))))
  }
  return sales
}

/** A guest visits at most once a day. */
const receiptOf = (date: string, guest: Guest) => `${date}-${String(guest.number).padStart(3, '0')}`
