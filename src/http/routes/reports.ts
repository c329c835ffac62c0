import { Type } from 'typebox'
import { listDays, summarize, toDayRange } from '../../operations/organizations/report.ts'
import { verifyLedger } from '../../operations/wallets/verify-ledger.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { named } from '../openapi/name-components.ts'
import { reportExample } from '../schemas/examples.ts'
import { Id, Optional, Text } from '../schemas/fields.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Reports']
const Day = (description: string) => Type.String({ description, examples: ['2026-03-14'] })
const ByKey = Type.Unsafe<Record<string, number>>({
  type: 'object',
  additionalProperties: { type: 'number' },
  examples: [{ points: 1200, stamps: 31 }],
})
const Count = Type.Integer()

const figures = {
  customers: Count,
  activeCustomers: Type.Integer({
    description: 'Customers with a sale, each counted once in the range or on the day.',
  }),
  cards: Count,
  transactions: Count,
  returns: Count,
  collected: ByKey,
  spent: ByKey,
  consumed: ByKey,
  expired: ByKey,
  adjusted: ByKey,
  returned: ByKey,
  outstanding: ByKey,
  coupons: Type.Object({ granted: Count, redeemed: Count, expired: Count, revoked: Count }),
}

const Range = Type.Object({
  from: Optional(
    Text(40, { description: "First day, in the organization's time zone. Defaults to 29 days before `to`." }),
  ),
  to: Optional(Text(40, { description: 'Last day, inclusive. Defaults to today.' })),
})

export function reportRoutes(app: Server, { deps }: ServerOptions): void {
  const { pool, clock } = deps

  app.get(
    '/v1/reports/summary',
    {
      config: { access: ['manage'] },
      schema: {
        operationId: 'getSummary',
        summary: 'Get figures for a range of days',
        tags,
        querystring: Range,
        response: {
          200: Type.Object(
            { from: Day('First day.'), to: Day('Last day.'), ...figures },
            { ...named('Summary'), examples: [{ from: '2026-03-01', to: '2026-03-14', ...reportExample }] },
          ),
        },
      },
    },
    async (request) => {
      const { organization } = request.caller
      const range = toDayRange(request.query, organization, clock())
      return { ...range, ...(await summarize(tenantOf(pool, organization.orgId), organization, range)) }
    },
  )

  app.get(
    '/v1/reports/daily',
    {
      config: { access: ['manage'] },
      schema: {
        operationId: 'listDailyFigures',
        summary: 'List figures by day',
        tags,
        querystring: Range,
        response: {
          200: Type.Object(
            {
              data: Type.Array(Type.Object({ day: Day('A local day.'), ...figures }, named('DailyFigures'))),
            },
            { examples: [{ data: [{ day: '2026-03-14', ...reportExample }] }] },
          ),
        },
      },
    },
    async (request) => {
      const { organization } = request.caller
      const range = toDayRange(request.query, organization, clock())
      return { data: await listDays(tenantOf(pool, organization.orgId), organization, range) }
    },
  )

  app.get(
    '/v1/integrity',
    {
      config: { access: ['manage'] },
      schema: {
        operationId: 'checkIntegrity',
        summary: 'Verify that ledger, balances, coupons and reports agree',
        tags,
        response: {
          200: Type.Object(
            {
              ok: Type.Boolean(),
              checked: Type.Object({ customers: Count, balances: Count, entries: Count, coupons: Count }),
              problems: Type.Array(
                Type.Object({
                  kind: Type.String(),
                  customer: Optional(Id('cus')),
                  description: Type.String(),
                }),
              ),
            },
            {
              ...named('Integrity'),
              examples: [
                {
                  ok: true,
                  checked: { customers: 412, balances: 824, entries: 9120, coupons: 131 },
                  problems: [],
                },
              ],
            },
          ),
        },
      },
    },
    async (request) => {
      const { organization } = request.caller
      const verification = await verifyLedger(
        deps.campaigns,
        tenantOf(pool, organization.orgId),
        organization,
      )
      return { ...verification, problems: [...verification.problems] }
    },
  )
}
