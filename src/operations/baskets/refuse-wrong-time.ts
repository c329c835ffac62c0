/**
 * Refuses a sale that happened too long ago: every earlier day has its own daily allowances, and nobody can
 * have collected on a card before there was one.
 */
import type { Organization } from '../../domain/organization.ts'
import type { Refusal } from '../../domain/refusal.ts'
import type { LoadedCard } from '../../store/wallets/load.ts'

const dayMs = 86_400_000
/** A till's clock may be that much behind ours. */
const maxBehindMs = 5 * 60_000

export function refuseWrongTime(
  occurredAt: Date | undefined,
  { maxBackdateDays }: Pick<Organization, 'maxBackdateDays'>,
  { firstOpenedAt }: Pick<LoadedCard, 'firstOpenedAt'>,
  now: Date,
): Refusal | undefined {
  if (!occurredAt) return undefined
  const at = ['occurredAt']
  if (now.getTime() - occurredAt.getTime() > Math.max(maxBackdateDays * dayMs, maxBehindMs)) {
    return { code: '_invalid_payload', problem: { kind: 'too_long_ago', at, mostDays: maxBackdateDays } }
  }
  if (occurredAt.getTime() < firstOpenedAt.getTime() - maxBehindMs) {
    return { code: '_invalid_payload', problem: { kind: 'before_first_card', at, opened: firstOpenedAt } }
  }
  return undefined
}
