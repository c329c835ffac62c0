/** The café while it is being filled: the service at any moment of the past, and the state of each guest. */
import type { CampaignId, CardId, CouponId, CustomerId, UserId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import type { Deps } from '../operations/deps.ts'
import { listDirectoryEntries } from '../store/directory.ts'
import { inTransaction, type Tenant, tenantOf } from '../store/tenant.ts'
import type { Send } from './in-process-client.ts'
import { type Office, openOffice } from './office.ts'

export interface Story {
  readonly organization: Organization
  readonly office: Office
  /** The service at a moment. */
  at(moment: Date): Deps
  /** Runs `work` in a database transaction of the café. */
  write<T>(work: (tenant: Tenant) => Promise<T>): Promise<T>
  readonly coffeeClub: CampaignId
  happyHour?: CampaignId
  studentMornings?: CampaignId
  /** By opaque ID. */
  readonly staff: ReadonlyMap<string, UserId>
  /** By guest number, once registered. */
  readonly accounts: Map<number, Account>
}

export interface Account {
  readonly customer: CustomerId
  card: CardId
  happyHour?: { readonly card: CardId; readonly since: Date }
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
  deps: Deps,
  organization: Organization,
  coffeeClub: CampaignId,
  send: Send,
): Promise<Story> {
  const { orgId } = organization
  const users = await listDirectoryEntries(tenantOf(deps.pool, orgId), 'users', { limit: 100 })
  return {
    organization,
    office: await openOffice(deps, organization, send),
    at: (moment) => ({ ...deps, clock: () => moment }),
    write: (work) => inTransaction(deps.pool, orgId, work),
    coffeeClub,
    staff: new Map(users.map(({ opaqueId, id }) => [opaqueId, id as UserId])),
    accounts: new Map(),
  }
}

export const holds = (account: Account, reward: string, now: Date): HeldCoupon | undefined =>
  account.coupons.find(
    (coupon) => coupon.reward === reward && (!coupon.expiresAt || coupon.expiresAt.getTime() > now.getTime()),
  )
