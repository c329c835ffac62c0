/**
 * One balance: units in lots, loose units that never expire on their own, and how far it is below zero. Its value
 * is not kept but counted, and it is only below zero while it holds nothing.
 */
import { sum } from './baskets.ts'

/** What one sale collected into one balance. */
export interface Lot {
  readonly expires: number
  left: number
  /** Units that have expired. */
  lost: number
  /** Units that the return of the sale asked for when they had been used. */
  owed: number
  /** The lots that paid for them; loose units, or nothing at all, paid for the others. */
  readonly payers: Part[]
}
/** Units of a lot, or loose ones. */
export interface Part {
  readonly lot?: Lot
  amount: number
}

export class Balance {
  total = 0
  /** What returns could not take and the customer was forgiven. */
  shortfall = 0
  loose = 0
  below = 0
  readonly lots: Lot[] = []

  get held(): number {
    return this.loose + sum(this.lots.map(({ left }) => left))
  }
  get value(): number {
    return this.held - this.below
  }

  /** Adds units, which fill up what is below zero first. */
  add(units: number, lot?: Lot): void {
    const filled = Math.min(units, this.below)
    this.below -= filled
    if (lot) lot.left += units - filled
    else this.loose += units - filled
  }

  /** Takes what expires first and loose units last, except that `looseFirst` of these go before everything. */
  take(units: number, looseFirst = 0): Part[] {
    const first = Math.min(units, looseFirst, this.loose)
    let missing = units - first
    const taken: Part[] = []
    for (const lot of this.lots) {
      const amount = Math.min(missing, lot.left)
      if (amount > 0) taken.push({ lot, amount })
      lot.left -= amount
      missing -= amount
    }
    this.loose -= first + missing
    return first + missing > 0 ? [...taken, { amount: first + missing }] : taken
  }

  expire(lots: readonly Lot[]): void {
    for (const lot of lots) {
      lot.lost += lot.left
      lot.left = 0
    }
  }

  /**
   * Puts units back to where they were taken from, what was taken last first. Those that were owed belong to what
   * has paid for them; `freed` were paid by no lot. Those of an expired lot are lost and do not reach the balance.
   */
  putBack(parts: readonly Part[], day: number): { reached: number; freed: number } {
    const all = { reached: 0, freed: 0 }
    for (const { lot, amount } of parts.toReversed()) {
      if (!lot) {
        this.loose += amount
        all.reached += amount
        continue
      }
      const owed = Math.min(amount, lot.owed)
      const freed = Math.min(owed, lot.owed - sumOf(lot.payers))
      lot.owed -= owed
      this.loose += freed
      const paid = this.putBack(cutLast(lot.payers, owed - freed), day)
      all.freed += freed + paid.freed
      all.reached += freed + paid.reached
      if (lot.expires <= day) lot.lost += amount - owed
      else {
        lot.left += amount - owed
        all.reached += amount - owed
      }
    }
    return all
  }
}

const sumOf = (parts: readonly Part[]) => sum(parts.map(({ amount }) => amount))

/** Cuts the last units off a list of parts. */
export function cutLast(parts: Part[], units: number): Part[] {
  const cut: Part[] = []
  let missing = units
  while (missing > 0) {
    const last = parts.at(-1)!
    const amount = Math.min(missing, last.amount)
    cut.unshift({ ...last, amount })
    last.amount -= amount
    missing -= amount
    if (last.amount === 0) parts.pop()
  }
  return cut
}
