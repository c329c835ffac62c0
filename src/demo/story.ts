/**
 * The café while it is being filled: a clock that walks through the past, and what each guest holds. Whatever is
 * done has a number of its own (a receipt, an idempotency key), so that a story that was interrupted is told again
 * from the start: what had happened answers as it did then and changes nothing, and the rest follows from it.
 */
import type { CampaignId, CardId, CouponId, CustomerId, UserId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import type { Deps } from '../operations/deps.ts'
import { perform } from '../operations/perform.ts'
import { createTransactions, type Transactions } from '../operations/transactions.ts'
import { listDirectoryEntries } from '../store/directory.ts'
import { type Scope, scopeOf } from '../store/scope.ts'

export interface Story {
  /** The service at the time that is told of. */
  readonly deps: Deps
  readonly organization: Organization
  readonly transactions: Transactions
  readonly coffeeClub: CampaignId
  happyHour?: CampaignId
  /** By opaque id. */
  readonly staff: ReadonlyMap<string, UserId>
  /** By number of the guest, once registered. */
  readonly accounts: Map<number, Account>
  readonly now: () => Date
  /** Never back, and never beyond the present. */
  advanceTo(at: Date): void
  /** Does what `key` stands for, or says what came of it when it was done before. The result must be safe as JSON. */
  once<T>(key: string, work: (scope: Scope) => Promise<T>): Promise<T>
}

export interface Account {
  readonly customer: CustomerId
  card: CardId
  happyCard?: CardId
  points: number
  coupons: readonly HeldCoupon[]
  isBlocked?: boolean
}

export interface HeldCoupon {
  readonly id: CouponId
  readonly reward: string
  readonly expiresAt?: Date
}

export async function beginStory(
  real: Deps,
  organization: Organization,
  coffeeClub: CampaignId,
): Promise<Story> {
  let now = organization.createdAt
  const deps: Deps = { ...real, clock: () => now }
  const users = await listDirectoryEntries(scopeOf(real.pool, organization.number), 'users', { limit: 100 })
  return {
    deps,
    organization,
    transactions: createTransactions({ deps }),
    coffeeClub,
    staff: new Map(users.map(({ opaqueId, id }) => [opaqueId, id as UserId])),
    accounts: new Map(),
    now: () => now,
    advanceTo(at) {
      const ms = Math.min(Math.max(at.getTime(), now.getTime()), real.clock().getTime())
      now = new Date(ms)
    },
    async once(key, work) {
      // Remembered at the present: what is remembered at the time of the story would be forgotten with the next job.
      const done = await perform(
        real,
        organization.number,
        { route: 'demo', key, body: {} },
        work,
        (body) => ({
          status: 200,
          body,
        }),
      )
      return done.body as never
    },
  }
}

export const holds = (account: Account, reward: string, now: Date): HeldCoupon | undefined =>
  account.coupons.find(
    (coupon) => coupon.reward === reward && (!coupon.expiresAt || coupon.expiresAt.getTime() > now.getTime()),
  )
