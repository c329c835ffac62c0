/** What is done after closing time: things brought back, wrongs put right, and the merchant's own ideas. */
import type { CampaignId } from '../domain/ids.ts'
import { localDay } from '../engine/local-time.ts'
import { adjustBalance } from '../operations/adjust-balance.ts'
import { replaceCard, setCardBlocked } from '../operations/change-card.ts'
import { issueCoupon, revokeCoupon } from '../operations/change-coupon.ts'
import { setCustomerBlocked } from '../operations/change-customer.ts'
import {
  createCampaign,
  getCampaign,
  patchCampaign,
  publishCampaign,
  stopCampaign,
} from '../operations/manage-campaigns.ts'
import { coffeeClubTiers, happyHour, icedSeason, studentMornings } from './cafe.ts'
import type { Guest } from './guests.ts'
import { randomFor } from './random.ts'
import { type Sale, takeBack } from './serve-guest.ts'
import { type Account, holds, type Story } from './story.ts'

const returnReasons = ['Wrong drink', 'Was cold', 'Changed their mind', 'Booked twice']
const returnShare = 0.018

export async function takeReturns(
  story: Story,
  day: number,
  sales: readonly Sale[],
  now: Date,
): Promise<void> {
  for (const sale of sales) {
    const random = randomFor('return', day, sale.visit.guest.number)
    if (!random.chance(returnShare)) continue
    // A single piece of a single line is everything.
    const { wishes } = sale.visit
    const isWhole = random.chance(0.4) || (wishes.length === 1 && wishes[0]!.quantity === 1)
    await takeBack(story, sale, { reason: random.pick(returnReasons), isWhole, now })
  }
}

/** By day since the opening; the guests are known by their number. */
const adjustments: readonly { day: number; guest: number; key: string; amount: number; reason: string }[] = [
  { day: 2, guest: 3, key: 'stamps', amount: 4, reason: 'Stamps of an old paper card' },
  { day: 9, guest: 7, key: 'points', amount: 100, reason: 'Waited too long for a coffee' },
  { day: 17, guest: 12, key: 'points', amount: 65, reason: 'Forgot the card last Tuesday' },
  { day: 33, guest: 13, key: 'points', amount: -40, reason: 'Booked on the wrong card' },
  { day: 33, guest: 6, key: 'points', amount: 40, reason: 'Booked on the wrong card' },
  { day: 46, guest: 21, key: 'stamps', amount: 2, reason: 'The till was offline' },
  { day: 61, guest: 40, key: 'points', amount: 250, reason: 'Won the latte art contest' },
  { day: 77, guest: 18, key: 'points', amount: 50, reason: 'Spilled coffee, sorry again' },
]

const cardsReplaced = { 22: 7, 58: 25, 71: 4 } as const
const cardsLost = { 49: 16 } as const
const guestsBlocked = { 55: 23 } as const
const couponsRevoked = [38, 52, 66, 79]

export async function runErrands(
  story: Story,
  day: number,
  guests: readonly Guest[],
  now: Date,
): Promise<void> {
  await changeCampaigns(story, day, now)
  const { organization, once, accounts } = story
  const deps = story.at(now)
  const manager = story.staff.get('barista-maya')!
  for (const { guest, key, amount, reason } of adjustments.filter((one) => one.day === day)) {
    const account = accounts.get(guest)
    if (!account) continue
    const value = await once(`adjust ${day} ${guest}`, async (scope) => {
      const input = { key, amount, reason }
      return (await adjustBalance(deps, scope, organization, account.customer, input, manager)).valueAfter
    })
    if (key === 'points') account.points = value
  }
  const replaced = accountOn(cardsReplaced, day, accounts)
  if (replaced) {
    replaced.card = await once(
      `replace card ${day}`,
      async (scope) => (await replaceCard(scope, replaced.card, now)).id,
    )
  }
  const lost = accountOn(cardsLost, day, accounts)
  if (lost) {
    await once(`block card ${day}`, async (scope) => {
      await setCardBlocked(scope, lost.card, true, now)
    })
    lost.isBlocked = true
  }
  const blocked = accountOn(guestsBlocked, day, accounts)
  if (blocked) {
    await once(`block guest ${day}`, async (scope) => {
      await setCustomerBlocked(deps, scope, organization, blocked.customer, true)
    })
    blocked.isBlocked = true
  }
  if (couponsRevoked.includes(day)) await revokeOne(story, day, guests, now)
  await congratulate(story, guests, now)
}

function accountOn(
  days: Readonly<Record<number, number>>,
  day: number,
  accounts: Story['accounts'],
): Account | undefined {
  return days[day] === undefined ? undefined : accounts.get(days[day])
}

/** A coupon of one of the first guests. */
async function revokeOne(story: Story, day: number, guests: readonly Guest[], now: Date): Promise<void> {
  const { organization, once, accounts } = story
  // By number: who was registered first is chance when it happens at once.
  const known = guests.flatMap((guest) => accounts.get(guest.number) ?? [])
  const owner = known.find((account) => holds(account, 'free-coffee', now))
  const coupon = owner && holds(owner, 'free-coffee', now)
  if (!coupon) return
  await once(`revoke coupon ${day}`, async (scope) => {
    await revokeCoupon(scope, organization, coupon.id, now)
  })
  owner.coupons = owner.coupons.filter((held) => held !== coupon)
}

/** On the first of a month, everybody who told the month of their birthday and may be written to. */
async function congratulate(story: Story, guests: readonly Guest[], now: Date): Promise<void> {
  const { organization, once, accounts, coffeeClub } = story
  const today = localDay(now, organization.timezone)
  if (!today.endsWith('-01')) return
  for (const { number, metaData, consents } of guests) {
    const account = accounts.get(number)
    if (!account || account.isBlocked || !consents?.newsletter) continue
    if (metaData?.birthdayMonth !== Number(today.slice(5, 7))) continue
    const input = { customer: account.customer, campaign: coffeeClub, reward: 'five-off' }
    const issued = await once(`birthday ${today} ${number}`, async (scope) => {
      const { id, expiresAt } = await issueCoupon(story.at(now), scope, organization, input)
      return { id, expiresAt: expiresAt?.toISOString() }
    })
    const expiresAt = issued.expiresAt === undefined ? undefined : new Date(issued.expiresAt)
    account.coupons = [...account.coupons, { id: issued.id, reward: 'five-off', expiresAt }]
  }
}

export const happyHourFrom = 10
const tiersFrom = 28

async function changeCampaigns(story: Story, day: number, now: Date): Promise<void> {
  const { organization, once, coffeeClub } = story
  const create = (definition: Record<string, unknown>, isPublished: boolean) =>
    once(`create ${definition.name}`, async (scope): Promise<CampaignId> => {
      const { id } = await createCampaign(scope, organization, definition, now)
      if (isPublished) await publishCampaign(scope, organization, id, now)
      return id
    })
  if (day === happyHourFrom) story.happyHour = await create(happyHour, true)
  if (day === tiersFrom) {
    await once('tiers', async (scope) => {
      const { draft } = await getCampaign(scope, coffeeClub)
      const tiers = coffeeClubTiers(draft.rules as object[])
      await patchCampaign(scope, organization, coffeeClub, tiers, now)
      await publishCampaign(scope, organization, coffeeClub, now)
    })
  }
  // Created again, it answers with the campaign of the first time.
  if (day === 14) await create(studentMornings, true)
  if (day === 50) {
    const id = await create(studentMornings, true)
    await once('pause', async (scope) => {
      await stopCampaign(scope, id, 'paused', now)
    })
  }
  if (day === 82) await create(icedSeason, false)
}
