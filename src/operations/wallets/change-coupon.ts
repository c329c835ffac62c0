/** Coupons by hand: issued without a basket, or revoked before they are redeemed. */
import { couponStatus, couponStatusAt } from '../../domain/coupon.ts'
import { customerStatus } from '../../domain/customer.ts'
import type { Fact } from '../../domain/event.ts'
import type { CampaignId, CouponId, CustomerId } from '../../domain/ids.ts'
import { notFound, type RefusalCode, Refused } from '../../domain/refusal.ts'
import { couponExpiry } from '../../engine/steps/grant-coupons.ts'
import { type CouponRecord, couponById, findCoupon } from '../../store/coupons.ts'
import { newId } from '../../store/new-id.ts'
import type { Question } from '../../store/question.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { NoQuestions, WalletWork } from './change-wallet.ts'

export async function getCoupon(tenant: Tenant, id: CouponId | undefined): Promise<CouponRecord> {
  const coupon = id && (await findCoupon(tenant, id))
  if (!coupon) throw notFound('coupon_not_found')
  return coupon
}

export function issueCoupon(input: {
  customer: CustomerId | undefined
  campaign: CampaignId | undefined
  reward: string
}): WalletWork<NoQuestions, CouponRecord> {
  if (!input.customer) throw new Refused('customer_not_found')
  return {
    of: input.customer,
    questions: () => ({}),
    decide({ wallet, setup, now }) {
      if (!wallet) throw new Refused('customer_not_found')
      if (wallet.status !== customerStatus.active) throw new Refused('customer_not_active')
      const campaign = setup.live.find(({ id }) => id === input.campaign)
      if (!campaign) throw new Refused('campaign_not_found')
      const grant = campaign.compiled.rewards.get(input.reward)
      if (!grant)
        throw new Refused('_invalid_payload', `reward: the campaign has no reward "${input.reward}".`)
      const { customer, version: fromVersion } = wallet
      const coupon: CouponRecord = {
        id: newId('cpn', now),
        customer,
        campaign: campaign.id,
        status: couponStatus.active,
        reward: grant.reward,
        expiresAt: couponExpiry(grant, now),
        createdAt: now,
      }
      const facts: Fact[] = [{ type: 'coupon.granted', data: { coupon: coupon.id, customer } }]
      return {
        result: coupon,
        change: { customer, fromVersion, granted: [coupon], facts, cause: { kind: 'other' } },
      }
    },
  }
}

const spentRefusals: Record<number, RefusalCode> = {
  [couponStatus.redeemed]: 'coupon_already_redeemed',
  [couponStatus.expired]: 'coupon_expired',
  [couponStatus.revoked]: 'coupon_revoked',
}

export function revokeCoupon(
  id: CouponId | undefined,
): WalletWork<{ coupon: Question<CouponRecord | undefined> }, CouponRecord> {
  if (!id) throw notFound('coupon_not_found')
  return {
    of: id,
    questions: (tenant) => ({ coupon: couponById(tenant, id) }),
    decide({ wallet, answers: { coupon }, now }) {
      if (!coupon || !wallet) throw notFound('coupon_not_found')
      const refusal = spentRefusals[couponStatusAt(coupon, now)]
      if (refusal) throw new Refused(refusal)
      const { customer, version: fromVersion } = wallet
      const facts: Fact[] = [{ type: 'coupon.revoked', data: { coupon: coupon.id, customer } }]
      return {
        result: { ...coupon, status: couponStatus.revoked, endedAt: now },
        change: { customer, fromVersion, revoked: [coupon.id], facts, cause: { kind: 'other' } },
      }
    },
  }
}
