/**
 * Data that this till stores in the browser: its name, its counters, and every sale and return that has no
 * response yet. A number is assigned and stored before the request is sent. The request is retried with the
 * same body until a response arrives, also after a reload: the service counts each number once.
 */
import { useEffect, useState } from 'react'
import type { Wanted } from '../../ui/use-return-preview.ts'
import type { Basket } from '../sale/preview.ts'

interface Numbered {
  /** The receipt number, or the number of the return. */
  readonly number: string
  /** Whether it is sent in the background, so that new sales do not wait for it. */
  readonly isAside?: boolean
  /** Why the service refused it in the background. It waits for a cashier and is not sent again. */
  readonly refused?: { readonly status: number; readonly code: string; readonly message: string }
  /** When it was charged, in milliseconds; absent in entries of older versions of the page. */
  readonly at?: number
  /** What was charged or given back. */
  readonly due?: number
}

export interface UnsettledSale extends Numbered {
  readonly kind: 'sale'
  readonly body: Basket
  /** Last digits of the card: all that is stored to tell whose sale it is. */
  readonly ending?: string
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
  /** How far the service's clock is ahead of this computer's, by the last response. */
  readonly clockOffset?: number
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

/** The entry as it is stored now; undefined if another window has settled it. */
export const findUnsettled = (organization: string, number: string): Unsettled | undefined =>
  read(organization).unsettled.find((entry) => entry.number === number)

/** Reads the stored data again before each change, since a second window of this till writes it too. */
function change(organization: string, make: (kept: Kept) => Kept): Kept {
  const kept = make(read(organization))
  localStorage.setItem(keyOf(organization), JSON.stringify(kept))
  return kept
}

/** The stored data, also as a second window changes it. */
function useKept(organization: string) {
  const [kept, setKept] = useState(() => change(organization, (before) => before))
  useEffect(() => {
    const look = ({ key }: StorageEvent) => key === keyOf(organization) && setKept(read(organization))
    window.addEventListener('storage', look)
    return () => window.removeEventListener('storage', look)
  }, [organization])
  const update = (make: (kept: Kept) => Kept) => setKept(change(organization, make))
  return { kept, update }
}

const edited =
  (number: string, changes: Partial<Numbered>) =>
  (kept: Kept): Kept => ({
    ...kept,
    unsettled: kept.unsettled.map((entry) => (entry.number === number ? { ...entry, ...changes } : entry)),
  })

export type Outbox = ReturnType<typeof useOutbox>

export function useOutbox(organization: string) {
  const { kept, update } = useKept(organization)
  // Another window takes care of what it sends itself; at the start, everything left behind is ours.
  const [currentNumber, setCurrentNumber] = useState(
    () => kept.unsettled.find(({ isAside }) => !isAside)?.number,
  )
  const current = kept.unsettled.find(({ number }) => number === currentNumber)
  const put = (entry: Unsettled, counters: Partial<Kept>) => {
    update((before) => ({ ...before, ...counters, unsettled: [...before.unsettled, entry] }))
    if (!entry.isAside) setCurrentNumber(entry.number)
  }
  const edit = (number: string, changes: Partial<Numbered>) => update(edited(number, changes))

  return {
    organization,
    name: kept.name,
    branch: kept.branch,
    clockOffset: kept.clockOffset ?? 0,
    current,
    /** The number that this window was sending, if another one has settled it. */
    gone: current ? undefined : currentNumber,
    /** All of them, in the order in which they were made. */
    unsettled: kept.unsettled,
    /** What is sent in the background, or was refused there. */
    aside: kept.unsettled.filter(({ number }) => number !== currentNumber),
    chooseBranch: (branch: string | undefined) => update((before) => ({ ...before, branch })),
    noteClock(clockOffset: number) {
      if (Math.abs(clockOffset - (kept.clockOffset ?? 0)) > 1000)
        update((before) => ({ ...before, clockOffset }))
    },
    /** Stores the sale under the next receipt number, before anything is sent. */
    putSale(sale: Omit<UnsettledSale, 'number' | 'kind'>): UnsettledSale {
      const sales = read(organization).sales + 1
      const number = numberOf(kept.name, '', sales)
      const entry = { ...sale, kind: 'sale' as const, number, body: { ...sale.body, opaqueId: number } }
      put(entry, { sales })
      return entry
    },
    putReturn(given: Omit<UnsettledReturn, 'number' | 'kind'>) {
      const returns = read(organization).returns + 1
      const number = numberOf(kept.name, 'R', returns)
      put({ ...given, kind: 'return', number, body: { ...given.body, opaqueId: number } }, { returns })
    },
    /** Returns whether the entry was still there: another window may have received the response first. */
    settle(number: string): boolean {
      const isOurs = findUnsettled(organization, number) !== undefined
      const isOther = (entry: Unsettled) => entry.number !== number
      update((before) => ({ ...before, unsettled: before.unsettled.filter(isOther) }))
      setCurrentNumber((current) => (current === number ? undefined : current))
      return isOurs
    },
    setAside(number: string) {
      edit(number, { isAside: true })
      setCurrentNumber(undefined)
    },
    refuse: (number: string, refused: NonNullable<Numbered['refused']>) => edit(number, { refused }),
  }
}

const numberOf = (name: string, kind: string, count: number) =>
  `${name}-${kind}${String(count).padStart(6, '0')}`
