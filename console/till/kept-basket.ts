/**
 * The basket that is not charged yet, kept in the browser so that a reload, a crash or a closed window does not cost
 * it. Of the customer only the id is kept, and read again. It belongs to the person who is signed in, and only for as
 * long as somebody may be waiting for it: whoever opens the till after that, or as somebody else, takes it away.
 */
import { useEffect } from 'react'
import type { Session } from '../api/session.ts'
import { change, read } from './outbox.ts'
import { emptySale, isEmpty, type Line, type Sale } from './sale.ts'

const keptForMs = 2 * 60 * 60_000

interface KeptBasket extends Pick<Sale, 'lines' | 'coupons' | 'pointsToSpend' | 'awaited'> {
  readonly person: string
  readonly at: number
}

/** Two windows of one till would each bring back the basket of the other, so that one keeps it and the other does not. */
let isKeeper = false
const lock = 'lw-till-basket'

/** Asked before the page is drawn, and again with each change: the window that kept may be closed by then. */
export async function becomeKeeper(wait: LockOptions): Promise<void> {
  // Browsers have locks only for pages that came over https, or from this computer.
  if (!navigator.locks) isKeeper = true
  if (isKeeper) return
  await new Promise<void>((resolve) => {
    const hold = (held: Lock | null) => {
      isKeeper ||= held !== null
      resolve()
      return held && new Promise(() => {})
    }
    navigator.locks.request(lock, wait, hold).catch(() => resolve())
  })
}

/** After a reload the page before may take a moment to let go. */
export const untilOldPageIsGone = (): LockOptions => ({ signal: AbortSignal.timeout(500) })

export function takeKept({ organization, person }: Session): Sale | undefined {
  if (!isKeeper) return undefined
  const { basket } = read(organization.id)
  if (basket === undefined) return undefined
  const age = isBasket(basket) ? Date.now() - basket.at : Number.NaN
  if (!isBasket(basket) || basket.person !== person.id || !(age >= 0 && age < keptForMs)) {
    forget(organization.id)
    return undefined
  }
  const { lines, coupons, pointsToSpend, awaited } = basket
  const lastLine = Math.max(0, ...lines.map(({ id }) => Number(id)))
  return { ...emptySale, lines, coupons, pointsToSpend, awaited, lastLine, isKept: lines.length > 0 }
}

/** What was sent is the outbox's: kept here too it would be charged twice. */
export function useKeeping({ organization, person }: Session, sale: Sale, isSent: boolean): void {
  useEffect(() => {
    if (isSent || isEmpty(sale)) return forget(organization.id)
    const { lines, coupons, pointsToSpend, customer, card } = sale
    const awaited = customer ? { customer: customer.id, card: card?.id } : sale.awaited
    const basket = { person: person.id, at: Date.now(), lines, coupons, pointsToSpend, awaited }
    keep(organization.id, basket)
  }, [organization.id, person.id, sale, isSent])
}

export const forget = (organization: string): void => keep(organization, undefined)

function keep(organization: string, basket: KeptBasket | undefined): void {
  if (!isKeeper) return void becomeKeeper({ ifAvailable: true })
  try {
    change(organization, (before) => ({ ...before, basket }))
  } catch {
    // A full storage costs the copy, not the sale.
  }
}

/** Somebody may have written into it, or an older page. */
function isBasket(given: unknown): given is KeptBasket {
  const { person, at, lines, coupons, pointsToSpend, awaited } = (given ?? {}) as Record<string, unknown>
  const { customer, card } = (awaited ?? {}) as Record<string, unknown>
  return (
    isText(person) &&
    isAmount(at) &&
    isAmount(pointsToSpend) &&
    isListOf(coupons, isText) &&
    isListOf(lines, isLine) &&
    (awaited === undefined || isText(customer)) &&
    isMaybeText(card)
  )
}

function isLine(given: unknown): given is Line {
  const { id, name, product, category, unitPrice, quantity, coupons } = (given ?? {}) as Record<
    string,
    unknown
  >
  return (
    isText(id) &&
    /^\d{1,9}$/.test(id) &&
    isText(name) &&
    isMaybeText(product) &&
    isMaybeText(category) &&
    isAmount(unitPrice) &&
    isAmount(quantity) &&
    isListOf(coupons, isText)
  )
}

const isText = (given: unknown): given is string => typeof given === 'string'
const isMaybeText = (given: unknown) => given === undefined || isText(given)
const isAmount = (given: unknown): given is number => Number.isFinite(given) && (given as number) >= 0
const isListOf = (given: unknown, isOne: (one: unknown) => boolean) =>
  Array.isArray(given) && given.every(isOne)
