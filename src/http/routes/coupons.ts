import { Type } from 'typebox'
import type { CouponStatus } from '../../domain/coupon.ts'
import { parseId } from '../../domain/ids.ts'
import { toNamedRange, toTimeRange } from '../../operations/organizations/time-range.ts'
import { getCoupon, issueCoupon, revokeCoupon } from '../../operations/wallets/change-coupon.ts'
import { readCoupons } from '../../operations/wallets/read-coupons.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { named } from '../openapi/name-components.ts'
import { toCouponRecordReply } from '../replies/customer.ts'
import { createNow, nowOf } from '../requests/now-of.ts'
import { listPage, PageQuery } from '../requests/paging.ts'
import { respondToChange, walletChange } from '../respond.ts'
import { respondToRead } from '../respond-to-read.ts'
import { CouponStatus as CouponStatusCode } from '../schemas/choices.ts'
import { Coupon } from '../schemas/customer.ts'
import { exampleId } from '../schemas/examples.ts'
import {
  Id,
  Key,
  NoBody,
  OfCustomer,
  Optional,
  PageOf,
  RangeEnd,
  RangeQuery,
  RangeStart,
} from '../schemas/fields.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Coupons']
const CouponPath = Type.Object({ id: Id('cpn') })

const NewCouponBody = Type.Object(
  {
    customer: Id('cus', 'Who gets it.'),
    campaign: Id('cmp', 'A campaign that has been published.'),
    reward: Key('Key of one of its rewards.'),
  },
  {
    ...named('NewCoupon'),
    examples: [{ customer: exampleId('cus'), campaign: exampleId('cmp'), reward: 'free-coffee' }],
  },
)

const ListCouponsQuery = Type.Object({
  ...PageQuery,
  status: Optional(CouponStatusCode),
  customer: OfCustomer,
  campaign: Optional(Id('cmp', 'Only coupons of this campaign.')),
  ...RangeQuery('Granted'),
  endedFrom: RangeStart(
    'Redeemed, expired or revoked',
    ' Without `status`: any of the three. An expiration counts at the time it was booked, as in reports, ' +
      'which is within minutes of `expiresAt`.',
  ),
  endedTo: RangeEnd('endedFrom'),
})

export function couponRoutes(app: Server, { deps }: ServerOptions): void {
  const timeFor = createNow(deps)

  couponList(app, deps)

  app.get(
    '/v1/coupons/:id',
    {
      config: { access: ['pos'], refusals: ['coupon_not_found'] },
      schema: {
        operationId: 'getCoupon',
        summary: 'Get a coupon',
        tags,
        params: CouponPath,
        response: { 200: Coupon },
      },
    },
    async (request) => {
      const tenant = tenantOf(deps.pool, request.caller.organization.orgId)
      return toCouponRecordReply(await getCoupon(tenant, parseId('cpn', request.params.id)), timeFor(request))
    },
  )

  app.post(
    '/v1/coupons',
    {
      config: {
        ...walletChange,
        refusals: ['customer_not_found', 'customer_not_active', 'campaign_not_found'],
      },
      schema: {
        operationId: 'issueCoupon',
        summary: 'Issue a coupon by hand',
        tags,
        body: NewCouponBody,
        response: { 201: Coupon },
      },
    },
    (request, reply) => {
      const { customer, campaign, reward } = request.body
      const input = { customer: parseId('cus', customer), campaign: parseId('cmp', campaign), reward }
      return respondToChange(deps, request, reply, issueCoupon(input), {
        status: 201,
        render: (coupon) => toCouponRecordReply(coupon, timeFor(request)),
      })
    },
  )

  app.post(
    '/v1/coupons/:id/revoke',
    {
      config: {
        ...walletChange,
        refusals: ['coupon_not_found', 'coupon_already_redeemed', 'coupon_expired', 'coupon_revoked'],
      },
      schema: {
        operationId: 'revokeCoupon',
        summary: 'Revoke a coupon',
        tags,
        params: CouponPath,
        body: NoBody,
        response: { 200: Coupon },
      },
    },
    (request, reply) =>
      respondToChange(deps, request, reply, revokeCoupon(parseId('cpn', request.params.id)), {
        status: 200,
        render: (coupon) => toCouponRecordReply(coupon, timeFor(request)),
      }),
  )
}

function couponList(app: Server, deps: ServerOptions['deps']): void {
  app.get(
    '/v1/coupons',
    {
      config: { access: ['manage'], mayLag: true, refusals: ['customer_not_found', 'campaign_not_found'] },
      schema: {
        operationId: 'listCoupons',
        summary: 'List coupons, newest first',
        tags,
        querystring: ListCouponsQuery,
        response: { 200: PageOf(Coupon) },
      },
    },
    async (request, reply) => {
      const { organization } = request.caller
      const { customer, campaign } = request.query
      const now = nowOf(deps, request)
      const filter = {
        status: request.query.status as CouponStatus | undefined,
        customer,
        campaign,
        ...toTimeRange(request.query, organization.timezone),
        ...toNamedRange('ended', request.query, organization.timezone),
      }
      return respondToRead(deps, request, reply, (tenant) =>
        listPage(
          'cpn',
          request.query,
          (page) => readCoupons(tenant, filter, page, now),
          (row) => ({ ...toCouponRecordReply(row, now), customerName: row.customerName }),
        ),
      )
    },
  )
}
