/** Plans the visits of a day: who, when, where, and what they buy. Mornings are busier, Sundays quieter. */
import {
  type Branch,
  baristas,
  branches,
  cakes,
  coffees,
  lunches,
  type Product,
  pastries,
  takeaways,
} from './cafe.ts'
import type { Guest } from './guests.ts'
import { type Random, randomFor } from './random.ts'

export interface Visit {
  readonly guest: Guest
  /** Time since midnight. */
  readonly minute: number
  readonly branch: Branch
  /** Opaque ID of the barista. */
  readonly barista: string
  readonly wishes: readonly Wish[]
  readonly wantsToSpend: boolean
  readonly remembersCoupons: boolean
}

export interface Wish {
  readonly product: Product
  readonly quantity: number
}

const saturday = 5
const sunday = 6
const lunchFrom = 11 * 60 + 45
const lunchTo = 13 * 60 + 45

export const isHappyHour = (minute: number) => minute >= 15 * 60 && minute < 17 * 60

/** At most one visit per guest and day, in chronological order. */
export function planDay(guests: readonly Guest[], day: number, weekday: number): Visit[] {
  return guests
    .flatMap((guest) => {
      const random = randomFor('visit', guest.number, day)
      return comes(guest, day, weekday, random) ? planVisit(guest, day, weekday, random) : []
    })
    .sort((a, b) => a.minute - b.minute || a.guest.number - b.guest.number)
}

function comes(guest: Guest, day: number, weekday: number, random: Random): boolean {
  if (day < guest.registersOn || day > guest.staysUntil) return false
  if (day === guest.registersOn) return true
  const { onWeekday, onWeekend } = guest.habit
  return random.chance(weekday >= saturday ? onWeekend * (weekday === sunday ? 0.85 : 1) : onWeekday)
}

function planVisit(guest: Guest, day: number, weekday: number, random: Random): Visit {
  const minute = random.chance(guest.likesAfternoons ? 0.5 : 0)
    ? random.between(15 * 60, 17 * 60 - 5)
    : arrival(weekday, random)
  const branch = random.chance(0.85) ? guest.home : random.pick(branches).opaqueId
  const crew = baristas.filter((barista) => barista.branch === branch)
  return {
    guest,
    minute,
    branch,
    // One barista opens and the other closes, and they swap every day.
    barista: crew[(day + (minute < 12 * 60 ? 0 : 1)) % crew.length]!.opaqueId,
    wishes: chooseWishes(guest, minute, weekday, random),
    wantsToSpend: random.chance(0.12),
    remembersCoupons: !guest.isForgetful && random.chance(0.6),
  }
}

function arrival(weekday: number, random: Random): number {
  const draw = random.next()
  // The sum of two random numbers: most visits are in the middle of the rush.
  const around = (from: number, to: number) =>
    Math.round(from + ((to - from) * (random.next() + random.next())) / 2)
  if (weekday >= saturday) return draw < 0.65 ? around(8 * 60 + 30, 13 * 60) : around(13 * 60, 18 * 60)
  if (draw < 0.55) return around(6 * 60 + 50, 9 * 60 + 50)
  return draw < 0.78 ? around(lunchFrom, lunchTo) : around(14 * 60, 18 * 60 + 20)
}

function chooseWishes(guest: Guest, minute: number, weekday: number, random: Random): Wish[] {
  const wishes: Wish[] = []
  const add = (product: Product, quantity = 1) => wishes.push({ product, quantity })
  add(random.chance(0.9) ? guest.drink : random.pick(coffees), random.chance(0.14) ? 2 : 1)
  if (weekday >= saturday && random.chance(0.35)) add(random.pick(cakes), random.between(1, 2))
  else if (random.chance(0.38)) add(random.pick(minute < 12 * 60 ? pastries : [...pastries, ...cakes]))
  if (minute >= lunchFrom && minute <= lunchTo && random.chance(0.6)) add(random.pick(lunches))
  if (random.chance(0.03)) add(random.pick(takeaways))
  return wishes
}
