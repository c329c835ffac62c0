/** Reports from the running totals: a summary of a range of days, or one row per day. */

import { fromUnits } from '../../domain/money.ts'
import type { Organization } from '../../domain/organization.ts'
import { Refused } from '../../domain/refusal.ts'
import { localDay, startOfDay } from '../../engine/clock/local-time.ts'
import { listBalanceDefinitions } from '../../store/campaigns.ts'
import { type DaySum, listDailySums, listOutstanding } from '../../store/daily-sums.ts'
import type { Tenant } from '../../store/tenant.ts'
import { getActiveCustomers, listActiveCustomers } from '../../store/transactions.ts'
import { dayAfter, isDay } from './time-range.ts'

/** Figures of one day or of a range; balances by key, with their decimals. */
export interface Figures {
  readonly customers: number
  /** Customers with a sale, each counted once. */
  readonly activeCustomers: number
  readonly cards: number
  readonly transactions: number
  readonly returns: number
  readonly collected: Record<string, number>
  readonly spent: Record<string, number>
  readonly consumed: Record<string, number>
  readonly expired: Record<string, number>
  readonly adjusted: Record<string, number>
  readonly returned: Record<string, number>
  /** Balances at the end of the day or range. */
  readonly outstanding: Record<string, number>
  readonly coupons: {
    readonly granted: number
    readonly redeemed: number
    readonly expired: number
    readonly revoked: number
  }
}

export interface DayRange {
  /** First and last local day, inclusive. */
  readonly from: string
  readonly to: string
}

const maxDays = 1_100
const dayMs = 86_400_000

/** Defaults to the last thirty days. */
export function toDayRange(
  given: { from?: string; to?: string },
  organization: Organization,
  now: Date,
): DayRange {
  const to = readDay('to', given.to) ?? localDay(now, organization.timezone)
  const from = readDay('from', given.from) ?? dayAfter(to, -29)
  if (from > to) throw new Refused('_invalid_payload', 'from: must not be after `to`.')
  if (Date.parse(to) - Date.parse(from) > maxDays * dayMs) {
    throw new Refused('_invalid_payload', `from: must be at most ${maxDays} days before \`to\`.`)
  }
  return { from, to }
}

/** Parses a day, or takes the day of a timestamp as written. */
function readDay(field: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const day = /^([^T]+)(?:$|T)/.exec(text)?.[1]
  if (!day || !isDay(day)) {
    throw new Refused('_invalid_payload', `${field}: must be a day, such as 2026-03-14.`)
  }
  return day
}

export async function summarize(
  tenant: Tenant,
  { timezone }: Organization,
  range: DayRange,
): Promise<Figures> {
  const decimals = await readDecimals(tenant)
  const sums = await listDailySums(tenant, range.from, range.to)
  const outstanding = await listOutstanding(tenant, range.to)
  const starts = startsOf(daysOf(range), timezone)
  const active = await getActiveCustomers(tenant, starts[0]!, starts.at(-1)!)
  return toFigures(sums, new Map(outstanding.map(({ key, amount }) => [key, amount])), decimals, active)
}

function daysOf({ from, to }: DayRange): string[] {
  const count = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  return Array.from({ length: count }, (_, i) => dayAfter(from, i))
}

/** Start of each day, and the end of the last one. */
function startsOf(days: readonly string[], timezone: string): Date[] {
  const midnights = days.map((day) => Date.parse(day))
  return [...midnights, midnights.at(-1)! + dayMs].map((midnight) => startOfDay(midnight, timezone))
}

/** One row per day of the range, including empty days, so that a chart has no gaps. */
export async function listDays(
  tenant: Tenant,
  { timezone }: Organization,
  range: DayRange,
): Promise<(Figures & { day: string })[]> {
  const decimals = await readDecimals(tenant)
  const sums = new Map<string, DaySum[]>()
  for (const sum of await listDailySums(tenant, range.from, range.to)) {
    sums.set(sum.day, [...(sums.get(sum.day) ?? []), sum])
  }
  const before = await listOutstanding(tenant, dayAfter(range.from, -1))
  const outstanding = new Map(before.map(({ key, amount }) => [key, amount]))
  const days = daysOf(range)
  const active = await listActiveCustomers(tenant, startsOf(days, timezone))
  return days.map((day, i) => {
    const ofDay = sums.get(day) ?? []
    for (const { key, amount } of ofDay) {
      if (key !== '') outstanding.set(key, (outstanding.get(key) ?? 0) + amount)
    }
    return { day, ...toFigures(ofDay, outstanding, decimals, active[i]!) }
  })
}

async function readDecimals(tenant: Tenant): Promise<Map<string, number>> {
  return new Map((await listBalanceDefinitions(tenant)).map(({ key, decimals }) => [key, decimals]))
}

function toFigures(
  sums: readonly DaySum[],
  outstanding: ReadonlyMap<string, number>,
  decimals: ReadonlyMap<string, number>,
  activeCustomers: number,
): Figures {
  const count = (measure: DaySum['measure']) =>
    sums.filter((sum) => sum.measure === measure).reduce((total, sum) => total + sum.amount, 0)
  const units = (key: string, amount: number) => fromUnits(amount, decimals.get(key) ?? 0)
  const byKey = (measure: DaySum['measure'], sign: 1 | -1) => {
    const totals = new Map<string, number>()
    for (const sum of sums) {
      if (sum.measure === measure) totals.set(sum.key, (totals.get(sum.key) ?? 0) + sign * sum.amount)
    }
    return Object.fromEntries([...totals].map(([key, amount]) => [key, units(key, amount)]))
  }
  return {
    customers: count('customers'),
    activeCustomers,
    cards: count('cards'),
    transactions: count('transactions'),
    returns: count('returns'),
    collected: byKey('collect', 1),
    spent: byKey('spend', -1),
    consumed: byKey('consume', -1),
    expired: byKey('expire', -1),
    adjusted: byKey('adjust', 1),
    returned: byKey('return', 1),
    outstanding: Object.fromEntries([...outstanding].map(([key, amount]) => [key, units(key, amount)])),
    coupons: {
      granted: count('coupons_granted'),
      redeemed: count('coupons_redeemed'),
      expired: count('coupons_expired'),
      revoked: count('coupons_revoked'),
    },
  }
}
