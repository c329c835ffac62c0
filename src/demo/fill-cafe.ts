/**
 * Fills the demo café with everything from its opening day until now, through the operations that real calls use,
 * at the times it would have happened. It can be interrupted anywhere and begun again (`story.ts`).
 */
import type { CampaignId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { localDay, localTime, startOfDay } from '../engine/local-time.ts'
import type { Deps } from '../operations/deps.ts'
import { expireWallets } from '../operations/expire-wallets.ts'
import { createDirectoryEntry, patchDirectoryEntry } from '../operations/manage-directory.ts'
import { findBranchByOpaqueId, listDirectoryEntries } from '../store/directory.ts'
import type { Scope } from '../store/scope.ts'
import { baristas, branches, lastBarista, products } from './cafe.ts'
import { runErrands, takeReturns } from './errands.ts'
import { type Guest, inviteGuests } from './guests.ts'
import { planDay, type Visit } from './plan-day.ts'
import { joinHappyHour, type Sale, sell, welcomeGuest } from './serve-guest.ts'
import { beginStory, type Story } from './story.ts'

const dayMs = 86_400_000
const minuteMs = 60_000
const opensAt = 6 * 60
const closesAt = 18 * 60 + 45
/** Baskets that are processed together, at the time of the last of them. */
const visitsAtOnce = 8

/** The morning of the day, so many days ago. */
export function openingDay(now: Date, days: number, timezone: string): Date {
  const today = Date.parse(localDay(now, timezone))
  return new Date(startOfDay(today - days * dayMs, timezone).getTime() + opensAt * minuteMs)
}

/** Everything that stands there before the first guest; a café that has it is one to be filled. */
export async function furnishCafe(scope: Scope, now: Date): Promise<void> {
  for (const { opaqueId, name } of branches) {
    const known = await findBranchByOpaqueId(scope, opaqueId)
    if (known) await patchDirectoryEntry(scope, 'branches', known, { name }, now)
    else await createDirectoryEntry(scope, 'branches', { opaqueId, name }, now)
  }
  for (const barista of baristas) await createDirectoryEntry(scope, 'users', barista, now)
  for (const product of products) await createDirectoryEntry(scope, 'products', product, now)
}

/** Bare: nobody has begun to fill it. Half: somebody has, and did not come to the end. */
export async function howFull(scope: Scope): Promise<'bare' | 'half' | 'full'> {
  const has = async (opaqueId: string) => {
    const found = await listDirectoryEntries(scope, 'users', { text: opaqueId, limit: 100 })
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
  { onDay, signal }: Filling = {},
): Promise<void> {
  const story = await beginStory(deps, organization, coffeeClub)
  const guests = inviteGuests()
  const { timezone } = organization
  const firstDay = Date.parse(localDay(organization.createdAt, timezone))
  const until = deps.clock()
  const days = Math.round((Date.parse(localDay(until, timezone)) - firstDay) / dayMs)
  for (let day = 0; day <= days; day++) {
    onDay?.(day, days)
    await liveDay(story, guests, {
      day,
      midnight: startOfDay(firstDay + day * dayMs, timezone),
      until,
      signal,
    })
  }
  await story.once('last barista', async (scope) => {
    await createDirectoryEntry(scope, 'users', lastBarista, story.now())
  })
}

interface Day {
  readonly day: number
  readonly midnight: Date
  readonly until: Date
  readonly signal?: AbortSignal
}

async function liveDay(story: Story, guests: readonly Guest[], { day, midnight, until, signal }: Day) {
  const at = (minute: number) => new Date(midnight.getTime() + minute * minuteMs)
  const isPast = (minute: number) => at(minute).getTime() <= until.getTime()
  if (isPast(opensAt)) {
    story.advanceTo(at(opensAt))
    await expireWallets(story.deps, story.organization, signal)
  }
  const { timezone } = story.organization
  const date = localDay(at(12 * 60), timezone)
    .slice(2)
    .replaceAll('-', '')
  const visits = planDay(guests, day, localTime(at(12 * 60), timezone).weekday).filter(
    ({ guest, minute }) => isPast(minute) && !story.accounts.get(guest.number)?.isBlocked,
  )
  const sales: Sale[] = []
  for (let i = 0; i < visits.length; i += visitsAtOnce) {
    signal?.throwIfAborted()
    const together = visits.slice(i, i + visitsAtOnce)
    story.advanceTo(at(together[0]!.minute))
    await openCards(story, together)
    story.advanceTo(at(together.at(-1)!.minute))
    const sold = together.map((visit) =>
      sell(story, visit, at(visit.minute), `${date}-${String(visit.guest.number).padStart(3, '0')}`),
    )
    sales.push(...(await Promise.all(sold)))
  }
  if (!isPast(closesAt)) return
  story.advanceTo(at(closesAt))
  await takeReturns(story, day, sales)
  await runErrands(story, day, guests)
}

async function openCards(story: Story, visits: readonly Visit[]): Promise<void> {
  await Promise.all(
    visits.map(async ({ guest, minute }) => {
      if (!story.accounts.has(guest.number)) await welcomeGuest(story, guest)
      const isHappyHour = story.happyHour && guest.likesAfternoons && minute >= 15 * 60
      if (isHappyHour && !story.accounts.get(guest.number)!.happyCard) await joinHappyHour(story, guest)
    }),
  )
}
