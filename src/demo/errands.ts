/** Returns during a day, and what is done after closing time: corrections, and the merchant's own ideas. */
import type { CampaignId } from '../domain/ids.ts'
import type { Role } from '../domain/person.ts'
import { localDay } from '../engine/clock/local-time.ts'
import { replaceCard, setCardBlocked } from '../operations/customers/change-card.ts'
import { coffeeClubTiers, happyHour, icedDrinks, studentMornings } from './cafe.ts'
import type { Guest } from './guests.ts'
import { randomFor } from './random.ts'
import { type Sale, takeBack } from './serve-guest.ts'
import { type Account, holds, type Story } from './story.ts'

const minuteMs = 60_000
const returnReasons = ['Wrong drink', 'Was cold', 'Changed their mind', 'Charged twice']
const returnShare = 0.018

/** Returns happen soon after the sale: a cold coffee is not kept for long. */
export async function takeReturns(story: Story, day: number, sales: readonly Sale[]): Promise<void> {
  for (const sale of sales) {
    const random = randomFor('return', day, sale.visit.guest.number)
    if (!random.chance(returnShare)) continue
    // A single piece of a single item is the whole sale.
    const { wishes } = sale.visit
    const isWhole = random.chance(0.4) || (wishes.length === 1 && wishes[0]!.quantity === 1)
    const now = new Date(sale.transaction.createdAt.getTime() + random.between(3, 14) * minuteMs)
    await takeBack(story, sale, { reason: random.pick(returnReasons), isWhole, now })
  }
}

/** By day since the opening; guests are identified by number. */
const adjustments: readonly { day: number; guest: number; key: string; amount: number; reason: string }[] = [
  { day: 2, guest: 3, key: 'stamps', amount: 4, reason: 'Stamps from an old paper card' },
  { day: 9, guest: 7, key: 'points', amount: 100, reason: 'Waited too long for a coffee' },
  { day: 17, guest: 12, key: 'points', amount: 65, reason: 'Forgot the card last Tuesday' },
  { day: 33, guest: 13, key: 'points', amount: -40, reason: 'Credited to the wrong card' },
  { day: 33, guest: 6, key: 'points', amount: 40, reason: 'Credited to the wrong card' },
  { day: 46, guest: 21, key: 'stamps', amount: 2, reason: 'The till was offline' },
  { day: 61, guest: 40, key: 'points', amount: 250, reason: 'Won the latte art contest' },
  { day: 77, guest: 18, key: 'points', amount: 50, reason: 'Spilled coffee, sorry again' },
]

const cardsReplaced = { 22: 7, 58: 25, 71: 4 } as const
const cardsLost = { 49: 16 } as const
const guestsBlocked = { 55: 23 } as const
const couponsRevoked = [38, 52, 66, 79]

/** Duration of the errands of an evening. */
export const eveningMinutes = 120

/** Runs the errands one after another, a few minutes apart. */
function watchFrom(closing: Date, day: number): () => Date {
  const random = randomFor('errands', day)
  let at = closing.getTime()
  return () => {
    at += random.between(70, 260) * 1_000
    return new Date(at)
  }
}

export async function runErrands(
  story: Story,
  day: number,
  guests: readonly Guest[],
  closing: Date,
): Promise<void> {
  const next = watchFrom(closing, day)
  await changeCampaigns(story, day, next)
  const { write, accounts, office } = story
  for (const { day: on, guest, key, amount, reason } of adjustments) {
    const account = accounts.get(guest)
    if (on !== day || !account) continue
    const { value } = await office.manage('manager', {
      at: next(),
      method: 'POST',
      path: `/v1/customers/${account.customer}/adjustments`,
      body: { key, amount, reason },
    })
    if (key === 'points') account.points = value
  }
  const replaced = accountOn(cardsReplaced, day, accounts)
  if (replaced) {
    const { id } = await write((tenant) => replaceCard(tenant, replaced.card, next()))
    replaced.card = id
  }
  const lost = accountOn(cardsLost, day, accounts)
  if (lost) {
    const by = { kind: 'connection', user: [...story.staff.values()][0]! } as const
    await write((tenant) => setCardBlocked(tenant, lost.card, true, by, next()))
    lost.isBlocked = true
  }
  const blocked = accountOn(guestsBlocked, day, accounts)
  if (blocked) {
    const path = `/v1/customers/${blocked.customer}/block`
    await office.manage('manager', { at: next(), method: 'POST', path })
    blocked.isBlocked = true
  }
  if (couponsRevoked.includes(day)) await revokeCoupon(story, guests, next())
  await congratulate(story, guests, next)
}

function accountOn(
  days: Readonly<Record<number, number>>,
  day: number,
  accounts: Story['accounts'],
): Account | undefined {
  return days[day] === undefined ? undefined : accounts.get(days[day])
}

/** A coupon of one of the first guests. */
async function revokeCoupon(story: Story, guests: readonly Guest[], now: Date): Promise<void> {
  const { office, accounts } = story
  // By number: the order of concurrent registrations is random.
  const known = guests.flatMap((guest) => accounts.get(guest.number) ?? [])
  const owner = known.find((account) => holds(account, 'free-coffee', now))
  const coupon = owner && holds(owner, 'free-coffee', now)
  if (!coupon) return
  const path = `/v1/coupons/${coupon.id}/revoke`
  await office.manage('manager', { at: now, method: 'POST', path })
  owner.coupons = owner.coupons.filter((held) => held !== coupon)
}

/** On the first of a month: guests with a birthday in that month who agreed to marketing. */
async function congratulate(story: Story, guests: readonly Guest[], next: () => Date): Promise<void> {
  const { organization, office, accounts, coffeeClub } = story
  const today = localDay(next(), organization.timezone)
  if (!today.endsWith('-01')) return
  for (const { number, metaData, consents } of guests) {
    const account = accounts.get(number)
    if (!account || account.isBlocked || !consents?.marketing) continue
    if (metaData?.birthdayMonth !== Number(today.slice(5, 7))) continue
    const issued = await office.manage('manager', {
      at: next(),
      method: 'POST',
      path: '/v1/coupons',
      body: { customer: account.customer, campaign: coffeeClub, reward: 'five-off' },
    })
    const expiresAt = issued.expiresAt === undefined ? undefined : new Date(issued.expiresAt)
    account.coupons = [...account.coupons, { id: issued.id, reward: 'five-off', expiresAt }]
  }
}

/** The owner manages the coffee club and new campaigns; the manager tries things out. */
async function changeCampaigns(story: Story, day: number, next: () => Date): Promise<void> {
  const { office, coffeeClub } = story
  const call = (role: Role, method: 'POST' | 'PATCH', path: string, body?: object) =>
    office.manage(role, { at: next(), method, path: `/v1/campaigns${path}`, body })
  const create = async (role: Role, definition: object): Promise<CampaignId> =>
    (await call(role, 'POST', '', definition)).id
  const publish = (role: Role, id: CampaignId) => call(role, 'POST', `/${id}/publish`)
  if (day === 10) {
    story.happyHour = await create('owner', happyHour)
    await publish('owner', story.happyHour)
  }
  if (day === 14) {
    story.studentMornings = await create('manager', studentMornings)
    await publish('manager', story.studentMornings)
  }
  if (day === 28) {
    await call('owner', 'PATCH', `/${coffeeClub}`, coffeeClubTiers)
    await publish('owner', coffeeClub)
  }
  if (day === 50) await call('manager', 'POST', `/${story.studentMornings}/pause`)
  if (day === 82) await create('manager', icedDrinks)
}
