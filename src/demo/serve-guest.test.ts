import { expect, test } from 'vitest'
import { newId } from '../store/new-id.ts'
import { inviteGuests } from './guests.ts'
import { isHappyHour, planDay } from './plan-day.ts'
import { toBasketRequest } from './serve-guest.ts'

const opening = new Date('2027-11-04T04:00:00Z')
const visit = planDay(inviteGuests(), 0, 3)
  .map((planned) => ({ ...planned, remembersCoupons: true }))
  .find(({ wishes }) =>
    wishes.some(({ product, quantity }) => product.category === 'coffee' && quantity === 1),
  )!
const occurredAt = new Date(opening.getTime() + visit.minute * 60_000)

const usedOf = (minutesLeft: number) => {
  const expiresAt = new Date(occurredAt.getTime() + minutesLeft * 60_000)
  const coupon = { id: newId('cpn', opening), reward: 'free-coffee', expiresAt }
  const account = {
    customer: newId('cus', opening),
    card: newId('card', opening),
    points: 0,
    coupons: [coupon],
  }
  const accounts = new Map([[visit.guest.number, account]])
  const { used } = toBasketRequest({ accounts }, { visit, occurredAt, receipt: '271104-091' })
  return used.length
}

test('no guest uses a coupon that ends on the same day: baskets are processed together, at the time of the last', () => {
  expect(usedOf(19)).toBe(0)
  expect(usedOf(24 * 60 - visit.minute - 1)).toBe(0)
  expect(usedOf(24 * 60)).toBe(1)
})

test('no guest shows a card that is opened only the next day', () => {
  const late = planDay(inviteGuests(), 0, 3).find(({ minute }) => isHappyHour(minute))!
  const at = new Date(opening.getTime() + late.minute * 60_000)
  const cardSince = (since: Date) => {
    const account = { customer: newId('cus', opening), card: newId('card', opening), points: 0, coupons: [] }
    const happyHour = { card: newId('card', since), since }
    const accounts = new Map([[late.guest.number, { ...account, happyHour }]])
    const { request } = toBasketRequest({ accounts }, { visit: late, occurredAt: at, receipt: '271104-092' })
    return request.card === happyHour.card
  }
  expect(cardSince(at)).toBe(true)
  expect(cardSince(new Date(at.getTime() + 86_400_000))).toBe(false)
})
