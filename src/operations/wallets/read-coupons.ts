/** Lists coupons of the whole organization, filtered by customer, campaign, status and time. */
import { type CouponId, parseId } from '../../domain/ids.ts'
import { type CouponFilter, type ListedCoupon, listCoupons } from '../../store/coupons.ts'
import type { Tenant } from '../../store/tenant.ts'
import { getCampaign } from '../campaigns/manage-campaigns.ts'
import { getCustomerId } from '../customers/customer-view.ts'

/** Filters as sent by the client. */
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
