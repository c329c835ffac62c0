/**
 * The café while it is being filled: the service as it was at any moment of the past, and what each guest holds. Whatever is
 * done has a number of its own (a receipt, an idempotency key), so that a story that was interrupted is told again
 * from the start: what had happened answers as it did then and changes nothing, and the rest follows from it.
 */
import type { CampaignId, CardId, CouponId, CustomerId, UserId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import type { Transaction } from '../domain/transaction.ts'
import { type BasketProcessor, createBasketProcessor } from '../operations/baskets/process.ts'
import type { Deps } from '../operations/deps.ts'
import { transact } from '../operations/transact.ts'
import { listDirectoryEntries } from '../store/directory.ts'
import { type Tenant, tenantOf } from '../store/tenant.ts'
import { type Office, openOffice, type Send } from './office.ts'

export interface Story {
  readonly organization: Organization
  readonly office: Office
  /** The service at a moment. */
  at(moment: Date): Deps
  /** Where baskets wait their turn, in the order of the clock. Several together are processed at the time of the last. */
  readonly till: Till
  /** One by one, which takes longer: each at its own time. */
  readonly exactTill: Till
  readonly coffeeClub: CampaignId
  happyHour?: CampaignId
  /** By opaque id. */
  readonly staff: ReadonlyMap<string, UserId>
  /** By number of the guest, once registered. */
  readonly accounts: Map<number, Account>
  /** Does what `key` stands for, or says what came of it when it was done before. The result must be safe as JSON. */
  once<T>(key: string, work: (tenant: Tenant) => Promise<T>): Promise<T>
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
  send: Send,
): Promise<Story> {
  const users = await listDirectoryEntries(tenantOf(real.pool, organization.orgId), 'users', { limit: 100 })
  const once: Story['once'] = async (key, work) => {
    // Remembered at the present: what is remembered at the time of the story would be forgotten with the next job.
    const call = { route: 'demo', key, body: {} }
    // Wrapped, since an answer without a body counts as one that was erased.
    const done = await transact(real, organization.orgId, call, work, (result) => ({
      status: 200,
      body: { result },
    }))
    return (done.body as { result: never }).result
  }
  return {
    organization,
    office: await openOffice(real, organization, send, once),
    at: (moment) => ({ ...real, clock: () => moment }),
    till: openTill(real, basketsAtOnce),
    exactTill: openTill(real, 1),
    coffeeClub,
    staff: new Map(users.map(({ opaqueId, id }) => [opaqueId, id as UserId])),
    accounts: new Map(),
    once,
  }
}

export interface Till {
  /** Baskets of a day must be handed in one after the other, without waiting in between. */
  process(moment: Date, ...basket: Parameters<BasketProcessor['process']>): Promise<Transaction>
}

/** Few, so that what is processed together is of about the same time. */
const basketsAtOnce = 8

function openTill(real: Deps, atOnce: number): Till {
  const waiting: Date[] = []
  const clock = () => waiting[Math.min(atOnce, waiting.length) - 1] ?? real.clock()
  const transactions = createBasketProcessor({
    deps: { ...real, clock },
    writers: 1,
    maxGroup: atOnce,
  })
  return {
    async process(moment, ...basket) {
      waiting.push(moment)
      try {
        return (await transactions.process(...basket)).transaction
      } finally {
        waiting.splice(waiting.indexOf(moment), 1)
      }
    },
  }
}

export const holds = (account: Account, reward: string, now: Date): HeldCoupon | undefined =>
  account.coupons.find(
    (coupon) => coupon.reward === reward && (!coupon.expiresAt || coupon.expiresAt.getTime() > now.getTime()),
  )
