/** Defines a change of a wallet, and the helpers its statements share. `write.ts` writes groups of them. */
import type { Step } from '../../database/pipeline.ts'
import type { WireValue } from '../../database/wire-message.ts'
import type { Coupon } from '../../domain/coupon.ts'
import type { Fact } from '../../domain/event.ts'
import type { CampaignId, CouponId, CustomerId, TransactionId, UserId } from '../../domain/ids.ts'
import type { Movement } from '../../domain/ledger-entry.ts'
import type { Lot } from '../../domain/lot.ts'
import type { SaleReturn, Transaction } from '../../domain/transaction.ts'
import type { KeptMultiple } from '../../domain/wallet.ts'
import type { DailyCount } from '../daily-sums.ts'
import { uuids } from '../pg-arrays.ts'

/**
 * One change of one customer's wallet: what is different afterwards, and why. Whatever is absent stays as it
 * is.
 */
export interface WalletChange {
  readonly customer: CustomerId
  /** The wallet's version that the change was decided on. */
  readonly fromVersion: number
  readonly movements?: readonly (Movement & { readonly campaign?: CampaignId; readonly rule?: string })[]
  /** Keys of balances the customer did not have before; a campaign may add one after the registration. */
  readonly newBalances?: readonly string[]
  /** Lots as they are afterwards: new ones, and existing ones with more or less in them. */
  readonly lots?: readonly Lot[]
  /** The complete list that the wallet keeps from now on. */
  readonly keptMultiples?: readonly KeptMultiple[]
  readonly usage?: readonly UsageAmount[]
  /** The part of the usage that counts for all customers together. */
  readonly sharedUsage?: readonly Omit<UsageAmount, 'day'>[]
  readonly granted?: readonly Coupon[]
  readonly redeemed?: readonly CouponId[]
  /** Coupons as a return leaves them. */
  readonly coupons?: readonly Coupon[]
  readonly revoked?: readonly CouponId[]
  readonly expired?: readonly CouponId[]
  readonly facts: readonly Fact[]
  /** What the day's sums count besides movements and coupons. */
  readonly counts?: readonly DailyCount[]
  readonly cause: Cause
}

export type Cause =
  | {
      readonly kind: 'sale'
      readonly transaction: Transaction
      readonly idempotencyKey?: string
      readonly fingerprint?: Buffer
    }
  | {
      readonly kind: 'return'
      readonly done: SaleReturn
      readonly fingerprint: Buffer
    }
  | { readonly kind: 'adjustment'; readonly reason: string; readonly user: UserId }
  /** What an import brings along. `amounts`, by balance, are what is opened. */
  | { readonly kind: 'opening'; readonly user: UserId; readonly amounts: ReadonlyMap<string, number> }
  | { readonly kind: 'erasure' }
  | { readonly kind: 'other' }

export interface UsageAmount {
  readonly campaign: CampaignId
  readonly rule: string
  /** A local day; without one it counts for the customer's whole lifetime. */
  readonly day?: string
  readonly amount: number
}

export interface ChangeGroup {
  readonly org: string
  readonly at: string
  readonly changes: readonly WalletChange[]
}

export function step(name: string, text: string, values: readonly WireValue[]): Step {
  return { name: `write-${name}`, text, values }
}

export const mustChange = (count: string) =>
  `SELECT 1 / (CASE WHEN count(*) = ${count} THEN 1 ELSE 0 END) FROM changed`

/** The number of rows changed by an UPDATE with a FROM, or a DELETE with USING, as Citus plans it for one node. */
export const countChanges = (update: string) => `WITH changed AS (${update} RETURNING 1)
SELECT count(*) FROM changed`

export interface Row<T> {
  readonly change: WalletChange
  readonly item: T
}

export function rowsOf<T>(
  { changes }: ChangeGroup,
  pick: (change: WalletChange) => readonly T[] | undefined,
): Row<T>[] {
  const rows: Row<T>[] = []
  for (const change of changes) for (const item of pick(change) ?? []) rows.push({ change, item })
  return rows
}

type CauseOf<K extends Cause['kind']> = Extract<Cause, { kind: K }>

export function causesOf<K extends Cause['kind']>({ changes }: ChangeGroup, kind: K): CauseOf<K>[] {
  const causes: CauseOf<K>[] = []
  for (const { cause } of changes) if (cause.kind === kind) causes.push(cause as CauseOf<K>)
  return causes
}

export const customersOf = (rows: readonly Row<unknown>[]) => uuids(rows.map(({ change }) => change.customer))

/** The sale that a change belongs to. */
export function saleOf({ change: { cause } }: Row<unknown>): TransactionId | undefined {
  if (cause.kind === 'sale') return cause.transaction.id
  return cause.kind === 'return' ? cause.done.transaction : undefined
}
