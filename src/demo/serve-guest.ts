/** What happens at the counter: a card for new guests, a sale, and sometimes a return. */
import type { Line } from '../domain/basket.ts'
import type { CardId, CustomerId } from '../domain/ids.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { BasketRequest } from '../operations/baskets/job.ts'
import { processGroup, toJob } from '../operations/baskets/process.ts'
import { returnTransaction } from '../operations/baskets/return-transaction.ts'
import { type Registration, registerCustomer } from '../operations/customers/register-customer.ts'
import { fingerprintOf } from '../operations/fingerprint.ts'
import { runWrite } from '../operations/transact.ts'
import { changeWallet } from '../operations/wallets/change-wallet.ts'
import type { Guest } from './guests.ts'
import { isHappyHour, type Visit } from './plan-day.ts'
import { type Account, type HeldCoupon, holds, type Story } from './story.ts'

export async function welcomeGuest(story: Story, guest: Guest, now: Date): Promise<void> {
  const { opaqueId, fullname, phone, email, metaData, consents } = guest
  const profile = { opaqueId, fullname, phone, email, metaData, consents }
  const opened = await openCard(story, story.coffeeClub, { profile }, now)
  story.accounts.set(guest.number, { ...opened, points: 0, coupons: [] })
}

/** A second card, for guests who come in the afternoon. */
export async function joinHappyHour(story: Story, guest: Guest, now: Date): Promise<void> {
  const account = story.accounts.get(guest.number)!
  const { card } = await openCard(story, story.happyHour!, { id: account.customer }, now)
  account.happyHour = { card, since: now }
}

async function openCard(
  { at, organization, staff }: Story,
  campaign: string,
  customer: Registration['customer'],
  now: Date,
): Promise<{ customer: CustomerId; card: CardId }> {
  const user = [...staff.values()][0]!
  const deps = at(now)
  const by = { organization, kind: 'connection', user } as const
  const view = await runWrite(
    deps.pool,
    organization.orgId,
    registerCustomer(deps, { campaign, customer }, by),
  )
  return { customer: view.customer.id, card: view.cards[0]!.id }
}

export interface Sale {
  readonly visit: Visit
  readonly account: Account
  readonly receipt: string
  readonly transaction: Transaction
  readonly used: readonly HeldCoupon[]
}

const minSpend = 100
const worthOfPoint = 0.01
const fiveOffFrom = 8
const dayMinutes = 24 * 60

export interface Order {
  readonly visit: Visit
  readonly occurredAt: Date
  readonly receipt: string
}

/** Guests use coupons and points if they remember them and they apply. */
export function toBasketRequest(
  { accounts }: Pick<Story, 'accounts'>,
  { visit, occurredAt, receipt }: Order,
): { request: BasketRequest; used: HeldCoupon[] } {
  const account = accounts.get(visit.guest.number)!
  // The next day's cards are opened while this day goes on.
  const { card: happyCard, since } = account.happyHour ?? {}
  const isHappy = since !== undefined && since <= occurredAt && isHappyHour(visit.minute)
  // Baskets are processed in groups, at the time of the last one: what expires today may have expired by
  // then.
  const tonight = new Date(occurredAt.getTime() + (dayMinutes - visit.minute) * 60_000)
  const { basket, used } = fillBasket(account, visit, isHappy, tonight)
  const card = isHappy ? happyCard! : account.card
  return { request: { customer: account.customer, card, opaqueId: receipt, occurredAt, basket }, used }
}

/** Processes one group of baskets, in chronological order and at the time of the last one. */
export async function sellTogether(story: Story, orders: readonly Order[]): Promise<Sale[]> {
  const { organization, staff, accounts } = story
  const deps = story.at(orders.at(-1)!.occurredAt)
  const baskets = orders.map((order) => toBasketRequest(story, order))
  const jobs = baskets.map(({ request }, i) => {
    const user = staff.get(orders[i]!.visit.barista)!
    return toJob(deps, { organization, user, kind: 'connection', scopes: ['pos'] }, request)!
  })
  const outcomes = await processGroup(deps, organization.orgId, jobs)
  return orders.map(({ visit, receipt }, i) => {
    const outcome = outcomes[i]!
    if (outcome.kind === 'failed') throw outcome.error
    const { transaction } = outcome.result
    const { used } = baskets[i]!
    const account = accounts.get(visit.guest.number)!
    keep(account, transaction, used)
    return { visit, account, receipt, transaction, used }
  })
}

/** The basket of the guest. */
function keep(account: Account, { result }: Transaction, used: readonly HeldCoupon[]): void {
  const granted = result.actions.flatMap((action): HeldCoupon[] =>
    action.kind === 'grant_coupon' && action.coupon
      ? [
          {
            id: action.coupon,
            reward: action.reward.key,
            expiresAt: action.expiresAt === undefined ? undefined : new Date(action.expiresAt),
          },
        ]
      : [],
  )
  account.coupons = [...account.coupons.filter((coupon) => !used.includes(coupon)), ...granted]
  account.points = pointsIn(result.balances) ?? account.points
}

function fillBasket(
  account: Account,
  visit: Visit,
  hasNoPoints: boolean,
  until: Date,
): { basket: BasketRequest['basket']; used: HeldCoupon[] } {
  const lines: Line[] = visit.wishes.map(({ product, quantity }, i) => ({
    id: String(i + 1),
    product: product.opaqueId,
    name: product.name,
    quantity,
    unitPrice: product.price,
    coupons: [],
  }))
  const used: HeldCoupon[] = []
  const remembered = (reward: string) => (visit.remembersCoupons ? holds(account, reward, until) : undefined)
  const makeFree = (reward: string, category: string) => {
    const at = visit.wishes.findIndex(
      ({ product, quantity }) => product.category === category && quantity === 1,
    )
    const coupon = at < 0 ? undefined : remembered(reward)
    if (!coupon) return
    used.push(coupon)
    lines[at] = { ...lines[at]!, discountedAmount: 0, coupons: [coupon.id] }
  }
  makeFree('free-coffee', 'coffee')
  makeFree('free-cake', 'cake')
  const total = lines.reduce(
    (sum, line) => sum + (line.discountedAmount ?? line.unitPrice! * line.quantity),
    0,
  )
  const fiveOff = total >= fiveOffFrom ? remembered('five-off') : undefined
  if (fiveOff) used.push(fiveOff)
  const payable = fiveOff ? total - 5 : total
  // Whole dollars, at most half of the amount payable; happy hour cards have no points.
  const dollars = Math.floor(Math.min(payable / 2, account.points * worthOfPoint) + 1e-9)
  const spends = visit.wantsToSpend && !hasNoPoints && dollars >= minSpend * worthOfPoint
  return {
    used,
    basket: {
      lines,
      coupons: fiveOff ? [fiveOff.id] : [],
      discountAmount: fiveOff ? 5 : undefined,
      pointsToSpend: spends ? dollars / worthOfPoint : 0,
    },
  }
}

const pointsIn = (balances: Transaction['result']['balances']) =>
  balances.find(({ key }) => key === 'points')?.value

/** Returns everything, or one piece of the last item. */
export async function takeBack(
  story: Story,
  sale: Sale,
  { reason, isWhole, now }: { reason: string; isWhole: boolean; now: Date },
): Promise<void> {
  const { organization } = story
  const deps = story.at(now)
  const last = sale.transaction.basket.lines.at(-1)!
  const opaqueId = `${sale.receipt}-R`
  const change = returnTransaction(deps, story, {
    transaction: sale.transaction.id,
    opaqueId,
    reason,
    items: isWhole ? undefined : [{ id: last.id, quantity: 1 }],
    fingerprint: fingerprintOf(opaqueId),
  })
  const { done } = await changeWallet(deps, organization.orgId, change)
  const { account, used } = sale
  const { balances, revokedCoupons, restoredCoupons } = done.result
  account.points = pointsIn(balances) ?? account.points
  account.coupons = [
    ...account.coupons.filter(({ id }) => !revokedCoupons.includes(id)),
    ...used.filter(({ id }) => restoredCoupons.includes(id)),
  ]
}
