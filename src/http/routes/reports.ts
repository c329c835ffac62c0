import { Type } from 'typebox'
import { listDays, summarize, toDayRange } from '../../operations/organizations/report.ts'
import { timeOf } from '../../operations/organizations/time-of.ts'
import { verifyLedger } from '../../operations/wallets/verify-ledger.ts'
import type { Server } from '../fastify-server.ts'
import { named, parameter } from '../openapi/name-components.ts'
import { respondToRead } from '../respond-to-read.ts'
import { IntegrityProblemKind } from '../schemas/choices.ts'
import { reportExample } from '../schemas/examples.ts'
import { Id, Optional, Text } from '../schemas/fields.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Reports']
const Day = (description: string) => Type.String({ description, examples: ['2026-03-14'] })
const ByKey = (description: string) =>
  Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: `${description} By the key of the balance.`,
    examples: [{ points: 1200, stamps: 31 }],
  })
const Count = (description: string) => Type.Integer({ description })

const figures = {
  customers: Count('New customers.'),
  activeCustomers: Type.Integer({
    description: 'Customers with a sale, each counted once in the range or on the day.',
  }),
  cards: Count('New cards, without replacements.'),
  transactions: Count('Sales.'),
  returns: Count('Returns.'),
  collected: ByKey('What rules gave in sales.'),
  spent: ByKey('What customers paid with.'),
  consumed: ByKey('What thresholds used up for coupons.'),
  expired: ByKey('What expired.'),
  adjusted: ByKey('What was changed by hand, signed.'),
  returned: ByKey('What returns changed, signed.'),
  outstanding: ByKey('What all customers held at the end.'),
  coupons: Type.Object(
    {
      granted: Count('Coupons granted or issued.'),
      redeemed: Count('Coupons redeemed.'),
      expired: Count('Coupons that expired.'),
      revoked: Count('Coupons revoked.'),
    },
    { description: 'Numbers of coupons.' },
  ),
}

const Range = Type.Object({
  from: Optional(
    Text(40, {
      ...parameter('FirstDay'),
      examples: ['2026-03-14'],
      description: "First day, in the organization's time zone. Defaults to 29 days before `to`.",
    }),
  ),
  to: Optional(
    Text(40, {
      ...parameter('LastDay'),
      examples: ['2026-03-31'],
      description: 'Last day, inclusive. Defaults to today.',
    }),
  ),
})

const SummaryReply = Type.Object(
  { from: Day('First day.'), to: Day('Last day.'), ...figures },
  {
    ...named('Summary'),
    examples: [{ from: '2026-03-01', to: '2026-03-14', ...reportExample }],
  },
)

const DailyFiguresListReply = Type.Object(
  {
    data: Type.Array(Type.Object({ day: Day('A local day.'), ...figures }, { ...named('DailyFigures') }), {
      description: 'The days of the range, oldest first.',
    }),
  },
  { ...named('DailyFiguresList'), examples: [{ data: [{ day: '2026-03-14', ...reportExample }] }] },
)

const IntegrityReply = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether no problem was found.' }),
    checked: Type.Object(
      {
        customers: Count('Customers.'),
        balances: Count('Balances of customers.'),
        entries: Count('Ledger entries.'),
        coupons: Count('Coupons.'),
      },
      { description: 'How much was verified.' },
    ),
    problems: Type.Array(
      Type.Object(
        {
          kind: IntegrityProblemKind,
          customer: Optional(Id('cus', 'Whose wallet it is about.')),
          description: Type.String({ description: 'What does not agree, for people to read.' }),
        },
        { ...named('IntegrityProblem') },
      ),
      { description: 'What does not agree.' },
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
)

export function reportRoutes(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/reports/summary',
    {
      config: { access: ['manage'], mayLag: true },
      schema: {
        operationId: 'getSummary',
        summary: 'Get figures for a range of days',
        tags,
        querystring: Range,
        response: {
          200: SummaryReply,
        },
      },
    },
    async (request, reply) => {
      const { organization } = request.caller
      const range = toDayRange(request.query, organization, timeOf(deps, organization))
      const figures = await respondToRead(deps, request, reply, (tenant) =>
        summarize(tenant, organization, range),
      )
      return { ...range, ...figures }
    },
  )

  app.get(
    '/v1/reports/daily',
    {
      config: { access: ['manage'], mayLag: true },
      schema: {
        operationId: 'listDailyFigures',
        summary: 'List figures by day',
        tags,
        querystring: Range,
        response: {
          200: DailyFiguresListReply,
        },
      },
    },
    async (request, reply) => {
      const { organization } = request.caller
      const range = toDayRange(request.query, organization, timeOf(deps, organization))
      return respondToRead(deps, request, reply, async (tenant) => ({
        data: await listDays(tenant, organization, range),
      }))
    },
  )

  integrity(app, deps)
}

function integrity(app: Server, deps: ServerOptions['deps']): void {
  app.get(
    '/v1/integrity',
    {
      config: { access: ['manage'], mayLag: true },
      schema: {
        operationId: 'checkIntegrity',
        summary: 'Verify that ledger, balances, coupons and reports agree',
        tags,
        response: {
          200: IntegrityReply,
        },
      },
    },
    async (request, reply) => {
      const { organization } = request.caller
      const verification = await respondToRead(deps, request, reply, (tenant) =>
        verifyLedger(deps.campaigns, tenant, organization),
      )
      return { ...verification, problems: [...verification.problems] }
    },
  )
}
