/** Coupons by hand: issued without a basket, or taken back before they were used. */
import { couponStatus, couponStatusAt } from '../domain/coupon.ts'
import { customerStatus } from '../domain/customer.ts'
import type { CampaignId, CouponId, CustomerId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { type RefusalCode, Refused } from '../domain/refusal.ts'
import { couponExpiry } from '../engine/grant-coupons.ts'
import { findCampaign } from '../store/campaigns.ts'
import { type CouponRecord, findCoupon, insertCoupon, revokeActiveCoupons } from '../store/coupons.ts'
import { lockWallet } from '../store/ledger.ts'
import { newId } from '../store/new-id.ts'
import type { Scope } from '../store/scope.ts'
import { getCustomerView } from './customer-view.ts'
import type { Deps } from './deps.ts'
import { recordFacts } from './record-facts.ts'

export async function getCoupon(scope: Scope, id: CouponId | undefined): Promise<CouponRecord> {
  const coupon = id && (await findCoupon(scope, id))
  if (!coupon) throw new Refused('coupon_not_found', undefined, 'path')
  return coupon
}

export async function issueCoupon(
  deps: Deps,
  scope: Scope,
  organization: Organization,
  input: { customer: CustomerId | undefined; campaign: CampaignId | undefined; reward: string },
): Promise<CouponRecord> {
  const now = deps.clock()
  const customer = input.customer && (await lockWallet(scope, input.customer)) && input.customer
  if (!customer) throw new Refused('customer_not_found')
  const { status } = (await getCustomerView(deps, scope, organization, customer)).customer
  if (status !== customerStatus.active) throw new Refused('customer_not_active')
  const campaign = input.campaign && (await findCampaign(scope, input.campaign))
  if (!campaign || campaign.version === 0) throw new Refused('campaign_not_found')
  const [compiled] = await deps.campaigns.get(scope, organization, [campaign])
  const grant = compiled?.rewards.get(input.reward)
  if (!grant) throw new Refused('_invalid_payload', `reward: the campaign has no reward "${input.reward}".`)
  const coupon: CouponRecord = {
    id: newId('cpn', now),
    customer,
    campaign: campaign.id,
    status: couponStatus.active,
    reward: grant.reward,
    expiresAt: couponExpiry(grant, now),
    createdAt: now,
  }
  await insertCoupon(scope, coupon)
  await recordFacts(
    scope,
    organization,
    [{ type: 'coupon.granted', data: { coupon: coupon.id, customer } }],
    now,
  )
  return coupon
}

const spentRefusals: Record<number, RefusalCode> = {
  [couponStatus.redeemed]: 'coupon_already_redeemed',
  [couponStatus.expired]: 'coupon_expired',
  [couponStatus.revoked]: 'coupon_revoked',
}

export async function revokeCoupon(
  scope: Scope,
  organization: Organization,
  id: CouponId | undefined,
  now: Date,
): Promise<CouponRecord> {
  const { customer } = await getCoupon(scope, id)
  await lockWallet(scope, customer)
  const coupon = await getCoupon(scope, id)
  const refusal = spentRefusals[couponStatusAt(coupon, now)]
  if (refusal) throw new Refused(refusal)
  await revokeActiveCoupons(scope, customer, now, coupon.id)
  await recordFacts(
    scope,
    organization,
    [{ type: 'coupon.revoked', data: { coupon: coupon.id, customer } }],
    now,
  )
  return { ...coupon, status: couponStatus.revoked, endedAt: now }
}
