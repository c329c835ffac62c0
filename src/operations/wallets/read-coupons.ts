/** Coupons of the whole organization, by what they are looked for: whose, of which campaign, in which state, from when. */
import { type CouponId, parseId } from '../../domain/ids.ts'
import { type CouponFilter, type ListedCoupon, listCoupons } from '../../store/coupons.ts'
import type { Tenant } from '../../store/tenant.ts'
import { getCampaign } from '../campaigns/manage-campaigns.ts'
import { getCustomerId } from '../customers/customer-view.ts'

/** What to look for, in the client's words. */
export interface CouponQuery extends Omit<CouponFilter, 'customer' | 'campaign'> {
  readonly customer?: string
  readonly campaign?: string
}

export async function readCoupons(
  tenant: Tenant,
  query: CouponQuery,
  page: { limit: number; after?: CouponId },
  now: Date,
): Promise<ListedCoupon[]> {
  const customer = query.customer === undefined ? undefined : await getCustomerId(tenant, query.customer)
  const campaign =
    query.campaign === undefined ? undefined : (await getCampaign(tenant, parseId('cmp', query.campaign))).id
  return listCoupons(tenant, { ...query, customer, campaign }, page, now)
}
