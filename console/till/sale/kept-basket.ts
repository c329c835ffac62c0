/**
 * The uncharged basket, stored in the browser so that it survives a reload, a crash or a page opened by
 * mistake. It is stored for this window only: restored in another window as well, it would be charged twice.
 * Only the customer's id is stored, and the customer is read again; without a network, the barcode is. The basket is dropped when another person
 * signs in here, or after too long.
 */
import { useEffect } from 'react'
import type { Session } from '../../api/session.ts'
import { emptySale, isEmpty, type Line, type Sale } from './sale.ts'

const key = 'lw-till-basket'
const keptForMs = 2 * 60 * 60_000

interface KeptBasket
  extends Pick<Sale, 'lines' | 'coupons' | 'pointsToSpend' | 'awaited' | 'barcode' | 'paidAs'> {
  readonly person: string
  readonly at: number
}

export function takeKept({ person }: Session): Sale | undefined {
  const basket = read()
  const age = basket ? Date.now() - basket.at : Number.NaN
  if (basket?.person !== person.id || !(age >= 0 && age < keptForMs)) {
    forget()
    return undefined
  }
  const { lines, coupons, pointsToSpend, awaited, barcode, paidAs } = basket
  const lastLine = Math.max(0, ...lines.map(({ id }) => Number(id)))
  return { ...emptySale, lines, coupons, pointsToSpend, awaited, barcode, paidAs, lastLine, isKept: true }
}

/** A sale that was sent belongs to the outbox: stored here too, it would be charged twice. */
export function useKeeping({ person }: Session, sale: Sale, isSent: boolean): void {
  useEffect(() => {
    if (isSent || isEmpty(sale)) return forget()
    const { lines, coupons, pointsToSpend, customer, card, barcode, paidAs } = sale
    const awaited = customer ? { customer: customer.id, card: card?.id } : sale.awaited
    keep({ person: person.id, at: Date.now(), lines, coupons, pointsToSpend, awaited, barcode, paidAs })
  }, [person.id, sale, isSent])
}

export const forget = (): void => sessionStorage.removeItem(key)

function keep(basket: KeptBasket): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(basket))
  } catch {
    // If the storage is full, only the copy is lost, not the sale.
  }
}

function read(): KeptBasket | undefined {
  try {
    const basket = JSON.parse(sessionStorage.getItem(key) ?? 'null')
    return isBasket(basket) ? basket : undefined
  } catch {
    return undefined
  }
}

/** The stored value may have been edited, or written by an older version of the page. */
function isBasket(given: unknown): given is KeptBasket {
  const { person, at, lines, coupons, pointsToSpend, awaited, barcode, paidAs } = (given ?? {}) as Record<
    string,
    unknown
  >
  const { customer, card } = (awaited ?? {}) as Record<string, unknown>
  return (
    isText(person) &&
    isAmount(at) &&
    isAmount(pointsToSpend) &&
    isListOf(coupons, isText) &&
    isListOf(lines, isLine) &&
    (awaited === undefined || isText(customer)) &&
    isMaybeText(card) &&
    isMaybeText(barcode) &&
    isMaybeText(paidAs)
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
