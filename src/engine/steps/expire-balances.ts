/**
 * Deducts what has expired: lots past their expiry, and whole balances after too long without a basket. The
 * till and the nightly job both use this, so that a point expires at the same moment whether or not the job
 * has run. Expiry is judged by the clock passed in, and never affects `total`.
 */
import type { Movement } from '../../domain/ledger-entry.ts'
import type { Lot } from '../../domain/lot.ts'
import type { Balance, Wallet } from '../../domain/wallet.ts'
import type { Duration } from '../clock/iso-time.ts'
import { addDuration } from '../clock/local-time.ts'
import type { AttachedCampaign } from '../definition/compile-campaign.ts'
import {
  changedLots,
  closedBalances,
  type OpenLot,
  recordMovement,
  toWalletState,
  type WalletState,
} from './wallet-state.ts'

/** A balance that expires as a whole when there was no basket for this long. */
export interface Inactivity {
  readonly key: string
  readonly after: Duration
}

/**
 * The inactivity rules of campaigns. A balance belongs to the customer and not to a card, so all campaigns of
 * the organization count, whichever card was presented. Archived ones count only for balances for which no
 * other campaign has such a rule: otherwise a merchant who replaces a campaign could never shorten the period.
 */
export function inactivityOf(
  campaigns: readonly Pick<AttachedCampaign, 'status' | 'compiled'>[],
): Inactivity[] {
  const current = rulesOf(campaigns.filter(({ status }) => status !== 'archived'))
  const archived = rulesOf(campaigns.filter(({ status }) => status === 'archived'))
  return [...current, ...archived.filter(({ key }) => !current.some((rule) => rule.key === key))]
}

function rulesOf(campaigns: readonly Pick<AttachedCampaign, 'compiled'>[]): Inactivity[] {
  return campaigns.flatMap(({ compiled }) =>
    compiled.balances.flatMap(({ key, expiresByInactivity: after }) =>
      after === undefined ? [] : [{ key, after }],
    ),
  )
}

/** The balances with such a rule, whose lots are tracked even if they do not expire on their own. */
export function idleKeysOf(inactivity: readonly Inactivity[]): ReadonlySet<string> | undefined {
  return inactivity.length === 0 ? undefined : new Set(inactivity.map(({ key }) => key))
}

export interface Expiry {
  readonly movements: readonly Movement[]
  readonly balances: readonly Balance[]
  /** Lots that changed, as they are now. */
  readonly lots: readonly Lot[]
}

/** What has expired in a wallet by now. */
export function expireBalances(
  wallet: Wallet,
  inactivity: readonly Inactivity[],
  now: Date,
  timezone: string,
): Expiry {
  const state = toWalletState(wallet)
  expireInState(state, wallet, inactivity, now, timezone)
  return { movements: state.movements, balances: closedBalances(state), lots: changedLots(state) }
}

export function expireInState(
  state: WalletState,
  wallet: Wallet,
  inactivity: readonly Inactivity[],
  now: Date,
  timezone: string,
): void {
  if (state.lots.length > 0) expireLots(state, now)
  if (inactivity.length > 0) expireInactive(state, wallet, inactivity, now, timezone)
}

function expireLots(state: WalletState, now: Date): void {
  for (const balance of state.balances) {
    let expired = 0
    for (const lot of state.lots) {
      if (lot.key !== balance.key || lot.remaining === 0 || lot.expiresAt.getTime() > now.getTime()) continue
      expired += lot.remaining
      expireLot(lot)
    }
    const units = Math.min(expired, Math.max(0, balance.value))
    if (units > 0) recordMovement(state, balance, 'expire', -units, 0)
  }
}

/** The lot keeps what it has lost: a return of its sale does not ask for that again. */
function expireLot(lot: OpenLot): void {
  lot.expired += lot.remaining
  lot.remaining = 0
  lot.isChanged = true
}

/** When a balance will expire if there is no basket until then; undefined when it will not. */
export function inactiveAt(
  key: string,
  since: Date,
  inactivity: readonly Inactivity[],
  timezone: string,
): Date | undefined {
  // Campaigns that share a balance may differ: the longest period counts.
  const ends = inactivity
    .filter((entry) => entry.key === key)
    .map((entry) => addDuration(since, entry.after, timezone).getTime())
  return ends.length === 0 ? undefined : new Date(Math.max(...ends))
}

function expireInactive(
  state: WalletState,
  wallet: Wallet,
  inactivity: readonly Inactivity[],
  now: Date,
  timezone: string,
): void {
  const since = wallet.lastActivityAt
  if (since === undefined) return
  for (const balance of state.balances) {
    if (balance.value <= 0) continue
    const end = inactiveAt(balance.key, since, inactivity, timezone)
    if (end === undefined || end.getTime() > now.getTime()) continue
    for (const lot of state.lots) if (lot.key === balance.key && lot.remaining > 0) expireLot(lot)
    recordMovement(state, balance, 'expire', -balance.value, 0)
  }
}
