import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import { adjustBalance } from '../../operations/adjust-balance.ts'
import { eraseCustomer, patchCustomer, setCustomerBlocked } from '../../operations/change-customer.ts'
import { createCustomer } from '../../operations/create-customer.ts'
import { getCustomerView, listCustomers } from '../../operations/customer-view.ts'
import { exportCustomer } from '../../operations/export-customer.ts'
import { findCustomer } from '../../operations/find-customer.ts'
import { registerCustomer } from '../../operations/register-customer.ts'
import { toTimeRange } from '../../operations/time-range.ts'
import { scopeOf } from '../../store/scope.ts'
import { idCursor, limitOf, PageQuery, toPage } from '../paging.ts'
import { toProfileInput, toProfilePatch } from '../profile-request.ts'
import {
  toCouponRecordReply,
  toCustomerReply,
  toCustomerWithCouponsReply,
  toCustomerWithExpiryReply,
  toLedgerEntryReply,
} from '../replies/customer.ts'
import { toTransactionReply } from '../replies/transaction.ts'
import {
  Adjustment,
  AdjustmentEntry,
  Coupon,
  Customer,
  CustomerWithCoupons,
  CustomerWithExpiry,
  LedgerEntry,
  NewCustomer,
  PatchCustomer,
  RegisterCustomer,
} from '../schemas/customer.ts'
import {
  couponExample,
  customerWithExpiryExample,
  exampleId,
  ledgerEntryExample,
  transactionExample,
} from '../schemas/examples.ts'
import { Id, Optional, PageOf, RangeQuery, StatusQuery, Text } from '../schemas/members.ts'
import { Transaction } from '../schemas/transaction.ts'
import type { Server, ServerOptions } from '../server.ts'
import { createWalletUrls } from '../wallet-urls.ts'
import { write } from '../write.ts'

const newCustomerRefusals = [
  'invalid_phone',
  'existing_customer_with_email',
  'existing_customer_with_phone',
  'opaque_id_already_exists',
] as const

const tags = ['Customers']
const CustomerPath = Type.Object({ id: Id('cus') })

type CustomerReply = ReturnType<typeof toCustomerReply>

export function customerRoutes(app: Server, { deps }: ServerOptions): void {
  const { pool, clock } = deps
  const walletUrls = createWalletUrls(deps)

  app.post(
    '/v1/customers',
    {
      config: { access: ['pos'], isRepeatable: true, refusals: newCustomerRefusals },
      schema: {
        operationId: 'createCustomer',
        summary: 'Create a customer without a card',
        tags,
        body: NewCustomer,
        response: { 201: Customer },
      },
    },
    (request, reply) => {
      const { organization } = request.caller
      const input = toProfileInput(request.body)
      return write(deps, request, reply, {
        work: async (scope) => {
          const { id } = await createCustomer(scope, organization, input, clock())
          return getCustomerView(deps, scope, organization, id)
        },
        status: 201,
        render: toCustomerReply,
        finish: (customer: CustomerReply) => walletUrls.ofCustomer(organization, customer),
        customerOf: (view) => view.customer.id,
      })
    },
  )

  app.post(
    '/v1/customers/register',
    {
      config: {
        access: ['pos'],
        isRepeatable: true,
        refusals: ['invalid_campaign', 'customer_not_found', 'customer_not_active', ...newCustomerRefusals],
      },
      schema: {
        operationId: 'registerCustomer',
        summary: 'Register a customer into a campaign',
        description:
          "Opens a card with a barcode and the campaign's balances. Registering again returns the card there is.",
        tags,
        body: RegisterCustomer,
        response: { 201: Customer },
      },
    },
    (request, reply) => {
      const { organization } = request.caller
      const { campaignId, customer } = request.body
      const registration = {
        campaign: campaignId,
        customer: 'id' in customer ? { id: customer.id } : { profile: toProfileInput(customer) },
      }
      return write(deps, request, reply, {
        work: (scope) => registerCustomer(deps, scope, organization, registration),
        status: 201,
        render: toCustomerReply,
        finish: (customer: CustomerReply) => walletUrls.ofCustomer(organization, customer),
        customerOf: (view) => view.customer.id,
      })
    },
  )

  app.get(
    '/v1/customers/find',
    {
      config: { access: ['pos'], work: 'shared', refusals: ['customer_not_found'] },
      schema: {
        operationId: 'findCustomer',
        summary: 'Find a customer by phone, e-mail or barcode',
        tags,
        querystring: Type.Object({
          q: Type.String({ minLength: 1, maxLength: 254, examples: ['+12025550123'] }),
        }),
        response: { 200: CustomerWithCoupons },
      },
    },
    async (request) => {
      const { organization } = request.caller
      if (request.query.q.trim() === '') throw new Refused('_invalid_payload', 'q: must not be empty.')
      const scope = scopeOf(pool, organization.number)
      const view = await findCustomer(deps, scope, organization, request.query.q)
      return walletUrls.ofCustomer(organization, toCustomerWithCouponsReply(view))
    },
  )

  app.get(
    '/v1/customers/:id',
    {
      config: { access: ['pos'], refusals: ['customer_not_found'] },
      schema: {
        operationId: 'getCustomer',
        summary: 'Get a customer with cards, balances, coupons and what expires when',
        tags,
        params: CustomerPath,
        response: { 200: CustomerWithExpiry },
      },
    },
    async (request) => {
      const { organization } = request.caller
      const scope = scopeOf(pool, organization.number)
      const view = await getCustomerView(deps, scope, organization, parseId('cus', request.params.id))
      return walletUrls.ofCustomer(organization, toCustomerWithExpiryReply(view))
    },
  )

  app.get(
    '/v1/customers',
    {
      config: { access: ['manage'] },
      schema: {
        operationId: 'listCustomers',
        summary: 'List customers, newest first',
        tags,
        querystring: Type.Object({
          ...PageQuery,
          q: Optional(
            Text(254, {
              description:
                'Found anywhere in name, e-mail or phone, or a whole phone number in any usual spelling, ' +
                'or exactly a barcode or opaque id.',
            }),
          ),
          status: StatusQuery([1, 2], '1 active, 2 blocked'),
          ...RangeQuery('Registered'),
        }),
        response: { 200: PageOf(Customer) },
      },
    },
    async (request) => {
      const { organization } = request.caller
      const { q, status } = request.query
      const limit = limitOf(request.query)
      const views = await listCustomers(
        deps,
        scopeOf(pool, organization.number),
        organization,
        { text: q, status, ...toTimeRange(request.query, organization.timezone) },
        { limit: limit + 1, after: idCursor('cus', request.query.cursor) },
      )
      return toPage(
        views,
        limit,
        (view) => view.customer.id,
        (view) => walletUrls.ofCustomer(organization, toCustomerReply(view)),
      )
    },
  )

  app.patch(
    '/v1/customers/:id',
    {
      config: { access: ['pos'], refusals: ['customer_not_found', ...newCustomerRefusals] },
      schema: {
        operationId: 'patchCustomer',
        summary: "Change a customer's profile",
        tags,
        params: CustomerPath,
        body: PatchCustomer,
        response: { 200: Customer },
      },
    },
    (request, reply) => {
      const { organization } = request.caller
      const id = parseId('cus', request.params.id)
      return write(deps, request, reply, {
        work: (scope) => patchCustomer(deps, scope, organization, id, toProfilePatch(request.body)),
        status: 200,
        render: toCustomerReply,
        finish: (customer: CustomerReply) => walletUrls.ofCustomer(organization, customer),
      })
    },
  )

  customerManagement(app, { deps })
}

function customerManagement(app: Server, { deps }: Pick<ServerOptions, 'deps'>): void {
  const { pool, clock } = deps
  const walletUrls = createWalletUrls(deps)

  for (const [action, isBlocked] of [
    ['block', true],
    ['unblock', false],
  ] as const) {
    app.post(
      `/v1/customers/:id/${action}`,
      {
        config: { access: ['manage'], isRepeatable: true, refusals: ['customer_not_found'] },
        schema: {
          operationId: `${action}Customer`,
          summary: isBlocked ? 'Block a customer' : 'Unblock a customer',
          tags,
          params: Type.Object({ id: Id('cus') }),
          body: Type.Object({}, { examples: [{}] }),
          response: { 200: Customer },
        },
      },
      (request, reply) =>
        write(deps, request, reply, {
          work: (scope) =>
            setCustomerBlocked(
              deps,
              scope,
              request.caller.organization,
              parseId('cus', request.params.id),
              isBlocked,
            ),
          status: 200,
          render: toCustomerReply,
          finish: (customer: CustomerReply) => walletUrls.ofCustomer(request.caller.organization, customer),
          customerOf: (view) => view.customer.id,
        }),
    )
  }

  app.post(
    '/v1/customers/:id/adjustments',
    {
      config: {
        access: ['manage'],
        isRepeatable: true,
        refusals: ['customer_not_found', 'insufficient_points'],
      },
      schema: {
        operationId: 'adjustBalance',
        summary: 'Add to or take from a balance by hand',
        tags,
        params: CustomerPath,
        body: Adjustment,
        response: { 201: AdjustmentEntry },
      },
    },
    (request, reply) =>
      write(deps, request, reply, {
        work: (scope) =>
          adjustBalance(
            deps,
            scope,
            request.caller.organization,
            parseId('cus', request.params.id),
            request.body,
            request.caller.user,
          ),
        status: 201,
        render: toLedgerEntryReply,
        customerOf: () => parseId('cus', request.params.id),
      }),
  )

  app.post(
    '/v1/customers/:id/erase',
    {
      config: { access: ['manage'], isRepeatable: true, refusals: ['customer_not_found'] },
      schema: {
        operationId: 'eraseCustomer',
        summary: "Erase a customer's personal data",
        description:
          'Phone, e-mail and opaque id are free again; cards are closed and coupons revoked. Sums stay.',
        tags,
        params: CustomerPath,
        body: Type.Object({}, { examples: [{}] }),
        response: {
          200: Type.Object(
            { id: Id('cus'), status: Type.Integer({ description: '3 erased' }) },
            { examples: [{ id: exampleId('cus'), status: 3 }] },
          ),
        },
      },
    },
    (request, reply) =>
      write(deps, request, reply, {
        work: (scope) =>
          eraseCustomer(scope, request.caller.organization, parseId('cus', request.params.id), clock()),
        status: 200,
        render: () => ({ id: request.params.id, status: 3 }),
      }),
  )

  app.get(
    '/v1/customers/:id/export',
    {
      config: { access: ['manage'], refusals: ['customer_not_found'] },
      schema: {
        operationId: 'exportCustomer',
        summary: 'Export everything kept about a customer',
        tags,
        params: CustomerPath,
        response: {
          200: Type.Object(
            {
              customer: CustomerWithExpiry,
              transactions: Type.Array(Transaction),
              ledger: Type.Array(LedgerEntry),
              coupons: Type.Array(Coupon),
            },
            {
              examples: [
                {
                  customer: customerWithExpiryExample,
                  transactions: [transactionExample],
                  ledger: [ledgerEntryExample],
                  coupons: [couponExample],
                },
              ],
            },
          ),
        },
      },
    },
    async (request) => {
      const { organization } = request.caller
      const scope = scopeOf(pool, organization.number)
      const kept = await exportCustomer(
        deps,
        scope,
        request.caller.organization,
        parseId('cus', request.params.id),
      )
      return {
        customer: walletUrls.ofCustomer(organization, toCustomerWithExpiryReply(kept.view)),
        transactions: kept.transactions.map((one) => toTransactionReply(one, organization)),
        ledger: kept.ledger.map(toLedgerEntryReply),
        coupons: kept.coupons.map((one) => toCouponRecordReply(one, clock())),
      }
    },
  )
}
