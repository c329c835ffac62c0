/**
 * Reads values of payloads that others write. A value that is needed and is not what it should be ends the reading
 * with `Unreadable`, which names the field; nothing is guessed, and no amount or ID is changed on the way.
 */
import {
  decimalsOf,
  fromUnits,
  maxMoney,
  maxPriceDecimals,
  maxQuantity,
  powerOfTen,
} from '../domain/money.ts'
import type { Made, NothingMade, NothingReason } from './made.ts'

/** The contract's bound for the items of a sale. */
export const maxItems = 500
/** The contract's bound for IDs and names. */
const maxText = 255

class Unreadable extends Error {
  readonly field: string

  constructor(field: string) {
    super(field)
    this.field = field
  }
}

/** Runs a reader; a field that it cannot read makes it return nothing. */
export function readOr(read: () => Made): Made {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return { type: 'nothing', reason: 'unreadable', ...(error.field !== '' && { field: error.field }) }
  }
}

export const nothing = (reason: NothingReason): NothingMade => ({ type: 'nothing', reason })

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A property of the object itself: `constructor` and the like are not values that anyone sent. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  )
}

export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

export function objectOf(value: unknown, field: string): Record<string, unknown> {
  if (!isObject(value)) throw new Unreadable(field)
  return value
}

/** A list, which is empty if it is absent. */
export function listOf(value: unknown, field: string): unknown[] {
  if (isAbsent(value)) return []
  if (!Array.isArray(value) || value.length > maxItems) throw new Unreadable(field)
  return value
}

/** What people wrote, without the space around it, and cut off where the contract would refuse it. */
export function textOf(value: unknown, most = maxText): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = storable(value).trim()
  return text === '' ? undefined : text.slice(0, most).toWellFormed()
}

/**
 * An ID that identifies nothing if it is cut off or rounded. Numbers beyond 2^53 have lost digits when the JSON was
 * parsed, so that two orders may seem to be one.
 */
export function idOf(value: unknown, field: string): string {
  const id = optionalId(value)
  if (id === undefined) throw new Unreadable(field)
  return id
}

/** As `idOf`, where the sale can do without: absent if it cannot be used. */
export function optionalId(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : undefined
  if (typeof value !== 'string') return undefined
  const id = value.trim()
  return id !== '' && id.length <= maxText && storable(id) === id ? id : undefined
}

/** An amount of money as a decimal: a JSON number, or the text of one as Shopify writes it. */
export function amountOf(value: unknown, field: string): number {
  const amount = decimalOf(value)
  if (amount === undefined || amount < 0 || amount > maxMoney || decimalsOf(amount) > maxPriceDecimals) {
    throw new Unreadable(field)
  }
  return amount
}

/** A quantity above 0, as a number or as its text; 0 if there is nothing of it. */
export function quantityOf(value: unknown, field: string): number {
  const quantity = decimalOf(value)
  if (
    quantity === undefined ||
    quantity < 0 ||
    quantity > maxQuantity ||
    decimalsOf(quantity) > maxPriceDecimals
  ) {
    throw new Unreadable(field)
  }
  return quantity
}

/** A whole number of minor units, as Square writes money. */
export function minorOf(value: unknown, field: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new Unreadable(field)
  return value
}

export function currencyOf(value: unknown, field: string): string | undefined {
  if (isAbsent(value)) return undefined
  if (typeof value !== 'string' || !/^[A-Z]{3}$/.test(value)) throw new Unreadable(field)
  return value
}

/** A moment with its time zone, as it was written. */
export function momentOf(value: unknown, field: string): string | undefined {
  if (isAbsent(value)) return undefined
  if (typeof value !== 'string' || !isMoment(value)) throw new Unreadable(field)
  return value
}

export function isMoment(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(text) &&
    !Number.isNaN(Date.parse(text))
  )
}

/** The items of a sale must have different IDs: a return could not tell which one comes back. */
export function refuseDuplicates(ids: readonly string[], field: string): void {
  if (new Set(ids).size < ids.length) throw new Unreadable(field)
}

/** The same item may be in a refund twice: one of it goes back to the shelf, and another one does not. */
export function addUp(
  lines: readonly { readonly id: string; readonly quantity: number }[],
): { id: string; quantity: number }[] {
  const quantities = new Map<string, number>()
  for (const { id, quantity } of lines) quantities.set(id, (quantities.get(id) ?? 0) + toUnits(quantity))
  return [...quantities]
    .filter(([, units]) => units > 0)
    .map(([id, units]) => ({ id, quantity: fromUnits(units, maxPriceDecimals) }))
}

const toUnits = (quantity: number) => Math.round(quantity * powerOfTen(maxPriceDecimals))

/** Properties without a value are left out, so that the same message always makes the same sale. */
export function withoutAbsent<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}

/** PostgreSQL stores neither NUL nor half of a character. */
export const storable = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd')

function decimalOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return typeof value === 'string' && /^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/.test(value)
    ? Number(value)
    : undefined
}
