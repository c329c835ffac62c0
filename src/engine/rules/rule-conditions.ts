/**
 * Decides whether a campaign runs for a sale and whether the conditions of a rule hold. Times are read in the
 * organization's local time at the moment of the sale, so a window from 08:00 to 11:00 covers the same
 * wall-clock times every day of the year, even when the clocks changed that night.
 */

import type { SkipReason } from '../../domain/skip-reason.ts'
import type { Moment } from '../clock/iso-time.ts'
import { type LocalTime, localTime } from '../clock/local-time.ts'
import type { AttachedCampaign, CompiledCampaign, CompiledWhen } from '../definition/compile-campaign.ts'
import { categoryFlag, productFlag } from '../input/cover-lines.ts'

/** The facts that conditions look at. */
export interface ConditionInput {
  readonly at: Date
  readonly local: LocalTime
  readonly branch: string
  /** The order's payable amount before points, for `when.minAmount`. */
  readonly payableMinor: number
  readonly isFirst: boolean
}

/** Why a campaign does not collect, grant or change tiers for a sale at this time; undefined when it does. */
export function whyNotRunning(
  campaign: AttachedCampaign,
  at: Date,
  local: LocalTime,
): 'paused' | 'campaign_window' | undefined {
  if (campaign.status !== 'published') return 'paused'
  const { startsAt, endsAt } = campaign.compiled
  return isBefore(at, local, startsAt) || isPast(at, local, endsAt) ? 'campaign_window' : undefined
}

/** Whether a campaign is over and closed to new members. One that has not started yet may be joined. */
export function hasEnded(campaign: CompiledCampaign, at: Date, timezone: string): boolean {
  return isPast(at, localTime(at, timezone), campaign.endsAt)
}

/** The first condition that does not hold. */
export function failedCondition(
  when: CompiledWhen,
  flags: number,
  circumstances: ConditionInput,
  heldTiers: readonly string[],
): SkipReason | undefined {
  const { at, local } = circumstances
  if (isBefore(at, local, when.startsAt) || isPast(at, local, when.endsAt)) return 'window'
  if (when.days !== undefined && !when.days[windowDay(when, local)]) return 'day'
  if (!isInTime(when, local.minute)) return 'time'
  if (when.branches !== undefined && !when.branches.has(circumstances.branch)) return 'branch'
  if (circumstances.payableMinor < when.minAmountMinor) return 'min_amount'
  if (when.needsProduct && (flags & productFlag) === 0) return 'products'
  if (when.needsCategory && (flags & categoryFlag) === 0) return 'categories'
  if (when.firstTransaction !== undefined && when.firstTransaction !== circumstances.isFirst)
    return 'first_transaction'
  const { tiers } = when
  if (tiers !== undefined && !heldTiers.some((tier) => tiers.has(tier))) return 'tier'
  return undefined
}

/** A window past midnight belongs to the day it starts on: 01:00 after a Friday night is Friday. */
function windowDay({ from, to }: CompiledWhen, local: LocalTime): number {
  const isMorningAfter = from !== undefined && to !== undefined && from > to && local.minute < to
  return isMorningAfter ? (local.weekday + 6) % 7 : local.weekday
}

function isInTime({ from, to }: CompiledWhen, minute: number): boolean {
  if (from === undefined) return to === undefined || minute < to
  if (to === undefined) return minute >= from
  return from < to ? minute >= from && minute < to : minute >= from || minute < to
}

function isBefore(at: Date, local: LocalTime, start: Moment | undefined): boolean {
  return start !== undefined && (start.isLocal ? local.wallMs : at.getTime()) < start.ms
}

function isPast(at: Date, local: LocalTime, end: Moment | undefined): boolean {
  return end !== undefined && (end.isLocal ? local.wallMs : at.getTime()) >= end.ms
}
