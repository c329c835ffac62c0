/**
 * Data that this till stores in the browser: its name, its counters, and every sale and return that was sent
 * and has no response yet. A number is assigned and stored before the request is sent. The request is retried
 * with the same body until a response arrives, also after a reload: the service counts each number once.
 */
import { useState } from 'react'
import type { Wanted } from '../../ui/use-return-preview.ts'
import type { Basket } from '../sale/preview.ts'

interface Numbered {
  /** The receipt number, or the number of the return. */
  readonly number: string
  /** Whether it was set aside, so that new sales no longer wait for it. */
  readonly isAside?: boolean
}

export interface UnsettledSale extends Numbered {
  readonly kind: 'sale'
  readonly body: Basket
  /** Names of the coupons redeemed, by id, for the receipt. */
  readonly couponNames: Readonly<Record<string, string>>
}

export interface ReturnBody extends Wanted {
  readonly opaqueId?: string
  readonly reason?: string
}

export interface UnsettledReturn extends Numbered {
  readonly kind: 'return'
  readonly transaction: string
  readonly receipt?: string
  readonly body: ReturnBody
}

export type Unsettled = UnsettledSale | UnsettledReturn

interface Kept {
  /** Prefix of every number: two tills must not assign the same number. */
  readonly name: string
  readonly sales: number
  readonly returns: number
  /** External ID of this till's branch; defaults to the branch of the signed-in person. */
  readonly branch?: string
  readonly unsettled: readonly Unsettled[]
}

const keyOf = (organization: string) => `lw-till-${organization}`

/** Letters that cannot be mistaken for digits, in print or read aloud. */
const letters = 'ABCDEFGHJKLMNPRSTUVWXY'

function newName(): string {
  const random = crypto.getRandomValues(new Uint8Array(4))
  return `T${Array.from(random, (item) => letters[item % letters.length]).join('')}`
}

function read(organization: string): Kept {
  const fresh = { name: newName(), sales: 0, returns: 0, unsettled: [] }
  try {
    return { ...fresh, ...JSON.parse(localStorage.getItem(keyOf(organization)) ?? '{}') }
  } catch {
    return fresh
  }
}

/** Reads the stored data again before each change, since a second window of this till writes it too. */
function change(organization: string, make: (kept: Kept) => Kept): Kept {
  const kept = make(read(organization))
  localStorage.setItem(keyOf(organization), JSON.stringify(kept))
  return kept
}

export type Outbox = ReturnType<typeof useOutbox>

export function useOutbox(organization: string) {
  const [kept, setKept] = useState(() => change(organization, (before) => before))
  // Another window takes care of what it sends itself; at the start, everything left behind is ours.
  const [currentNumber, setCurrentNumber] = useState(
    () => kept.unsettled.find(({ isAside }) => !isAside)?.number,
  )
  const update = (make: (kept: Kept) => Kept) => setKept(change(organization, make))
  const setAside = (number: string, isAside: boolean) =>
    update((before) => ({
      ...before,
      unsettled: before.unsettled.map((sale) => (sale.number === number ? { ...sale, isAside } : sale)),
    }))

  return {
    name: kept.name,
    branch: kept.branch,
    current: kept.unsettled.find(({ number }) => number === currentNumber),
    aside: kept.unsettled.filter(({ number }) => number !== currentNumber),
    chooseBranch: (branch: string | undefined) => update((before) => ({ ...before, branch })),
    /** Stores the sale under the next receipt number, before anything is sent. */
    putSale(sale: Omit<UnsettledSale, 'number' | 'kind'>): string {
      const sales = read(organization).sales + 1
      const number = numberOf(kept.name, '', sales)
      const entry = { ...sale, kind: 'sale' as const, number, body: { ...sale.body, opaqueId: number } }
      update((before) => ({ ...before, sales, unsettled: [...before.unsettled, entry] }))
      setCurrentNumber(number)
      return number
    },
    putReturn(given: Omit<UnsettledReturn, 'number' | 'kind'>) {
      const returns = read(organization).returns + 1
      const number = numberOf(kept.name, 'R', returns)
      const entry = { ...given, kind: 'return' as const, number, body: { ...given.body, opaqueId: number } }
      update((before) => ({ ...before, returns, unsettled: [...before.unsettled, entry] }))
      setCurrentNumber(number)
    },
    /** Returns whether the entry was still there: another window may have received the response first. */
    settle(number: string): boolean {
      const isOurs = read(organization).unsettled.some((sale) => sale.number === number)
      update((before) => ({
        ...before,
        unsettled: before.unsettled.filter((sale) => sale.number !== number),
      }))
      setCurrentNumber((current) => (current === number ? undefined : current))
      return isOurs
    },
    setAside(number: string) {
      setAside(number, true)
      setCurrentNumber(undefined)
    },
    takeUp(number: string) {
      setAside(number, false)
      setCurrentNumber(number)
    },
  }
}

const numberOf = (name: string, kind: string, count: number) =>
  `${name}-${kind}${String(count).padStart(6, '0')}`
