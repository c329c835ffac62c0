/** Rules about what the till shows, from what the tester has read from it. */
import type { Rule } from './rule.ts'
import { couponsOf, type Exchange, isAccepted, isSale, isTried, type Session, type Shown } from './session.ts'

const section = 'What the till shows'

const isNear = (a: number, b: number) => Math.abs(a - b) < 0.005
const spoken = (value: number | undefined) => (value === undefined ? 'no amount' : String(value))

/** The last that the service has said about a basket of the scene. */
function lastDue({ exchanges }: Session, scene: string): number | undefined {
  const answered = exchanges.filter((one) => one.scene === scene && isAccepted(one))
  const sale = answered.findLast(isSale) ?? answered.findLast(isTried)
  const due = sale?.reply?.totals?.due
  return typeof due === 'number' ? due : undefined
}

const refusedCoupons = ({ exchanges }: Session, scene: string): Exchange[] =>
  exchanges.filter(
    (one) =>
      one.scene === scene &&
      (isSale(one) || isTried(one)) &&
      couponsOf(one).length > 0 &&
      /^coupon_/.test(String(one.reply?.message ?? '')),
  )

/** What a basket costs without coupons and points, if its lines say so. */
function wholeOf({ body }: Exchange): number | undefined {
  const priceOf = (part: Partial<Record<'amount' | 'unitPrice' | 'quantity' | 'discountAmount', number>>) =>
    (part.amount ?? (part.unitPrice ?? Number.NaN) * (part.quantity ?? 1)) - (part.discountAmount ?? 0)
  const lines: object[] = Array.isArray(body?.items) ? body.items : []
  const sum =
    lines.length > 0 ? lines.reduce((total, line) => total + priceOf(line), 0) : Number(body?.amount)
  const whole = sum - (body?.discountAmount ?? 0)
  return Number.isNaN(whole) ? undefined : whole
}

const amountsOf = (session: Session): (Shown & { due: number | undefined })[] =>
  session.shown
    .filter(({ what }) => what === 'amount')
    .map((shown) => ({ ...shown, due: lastDue(session, shown.scene) }))

export const screenRules: readonly Rule[] = [
  {
    id: 'amounts.due',
    section,
    text: 'The amount that the till asks for is `totals.due`: it does not compute discounts itself.',
    check(session) {
      const amounts = amountsOf(session).filter(({ due }) => due !== undefined)
      if (amounts.length === 0) return undefined
      return amounts
        .filter(({ value, due }) => value === undefined || !isNear(value, due!))
        .map(
          ({ scene, value, due }) => `in the scene "${scene}" it showed ${spoken(value)}, and ${due} was due`,
        )
    },
  },
  {
    id: 'refusals.respected',
    section,
    text: 'A coupon that the service refuses gives no discount: the till says so, and asks for the whole amount.',
    check(session) {
      const scenes = amountsOf(session).filter(({ scene }) => refusedCoupons(session, scene).length > 0)
      if (scenes.length === 0) return undefined
      return scenes.flatMap(({ scene, value, due }) => {
        const whole = wholeOf(refusedCoupons(session, scene).at(-1)!)
        // With a sale after the refusal, its amount is compared by the rule before this one.
        if (value === undefined || due !== undefined || whole === undefined || value > whole - 0.005)
          return []
        return [`after the refusal it asked for ${value}, and the basket without the coupon is ${whole}`]
      })
    },
  },
  {
    id: 'balances.fresh',
    section,
    text: 'A balance is shown as the service told it last, and asked for again: it changes at other tills, too.',
    check({ shown }) {
      const balances = shown.filter(({ what, expected }) => what === 'balance' && expected !== undefined)
      if (balances.length === 0) return undefined
      return balances.flatMap(({ value, expected, isFresh }) => {
        if (value === undefined || !isNear(value, expected!))
          return [`it showed ${value ?? 'nothing'}, and the balance was ${expected}`]
        return isFresh ? [] : ['it did not ask the service for the balance after it had changed']
      })
    },
  },
]
