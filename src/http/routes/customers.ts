import { Type } from 'typebox'
import { purposePattern } from '../../domain/consents.ts'
import { parseId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import { patchCustomer } from '../../operations/customers/change-customer.ts'
import { createCustomer } from '../../operations/customers/create-customer.ts'
import { listCustomers } from '../../operations/customers/customer-view.ts'
import { findCustomer, getCustomer } from '../../operations/customers/find-customer.ts'
import { registerCustomer } from '../../operations/customers/register-customer.ts'
import { toNamedRange, toTimeRange } from '../../operations/organizations/time-range.ts'
import type { Server } from '../fastify-server.ts'
import { toCustomerReply, toCustomerWithExpiryReply, toFoundCustomerReply } from '../replies/customer.ts'
import { idCursor, limitOf, PageQuery, toPage } from '../requests/paging.ts'
import { toProfileInput, toProfilePatch } from '../requests/profile-request.ts'
import { respondToWrite } from '../respond.ts'
import { respondToRead } from '../respond-to-read.ts'
import { Choice, CustomerStatus } from '../schemas/choices.ts'
import {
  Customer,
  CustomerWithCoupons,
  CustomerWithExpiry,
  NewCustomer,
  PatchCustomer,
  RegisterCustomer,
} from '../schemas/customer.ts'
import { Id, Key, Optional, PageOf, RangeEnd, RangeQuery, RangeStart, Text } from '../schemas/fields.ts'
import type { ServerOptions } from '../server-options.ts'
import { createWalletUrls } from '../wallet-urls.ts'

const newCustomerRefusals = [
  'invalid_phone',
  'existing_customer_with_email',
  'existing_customer_with_phone',
  'opaque_id_already_exists',
] as const

const tags = ['Customers']
const CustomerPath = Type.Object({ id: Id('cus') })
const FindQuery = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: 254,
    description: 'A phone number in any common format, an email address, or the barcode of a card.',
    examples: ['+12025550123'],
  }),
})

const ListQuery = Type.Object({
  ...PageQuery,
  q: Optional(
    Text(254, {
      description:
        'Part of the name, email or phone number, a whole phone number in any common format, ' +
        'or an exact barcode or opaque ID. Words of a name match in any order, with or without ' +
        'diacritics: `muller` and `mueller` find Müller.',
    }),
  ),
  status: Optional(CustomerStatus),
  ...RangeQuery('Registered'),
  activeFrom: RangeStart(
    'With a sale',
    ' Matches `activeCustomers` in reports, except that erased customers are counted there but not listed here.',
  ),
  activeTo: RangeEnd('activeFrom'),
  holds: Optional(
    Key(
      'Only customers with a remaining amount in this balance, by its key. Reports also count the balances of erased customers.',
    ),
  ),
  consent: Optional(
    Type.String({
      pattern: purposePattern,
      description: 'Only customers who agreed to this purpose, such as `marketing`.',
      examples: ['marketing'],
    }),
  ),
  awaitsApproval: Optional(
    Choice('AwaitsApproval', 'Whose card has `awaitsApproval`.', { true: 'Only those.' }),
  ),
})

type CustomerReply = ReturnType<typeof toCustomerReply>

const aboutRegistering =
  "Opens a card with a barcode and the campaign's balances. A customer who is registered by `id` again keeps the card. " +
  'A profile is always that of a new customer: it is refused if its phone number, email address or `opaqueId` is taken, ' +
  'and `customer` of the error is the `id` to register instead.'

export function customerRoutes(app: Server, { deps }: ServerOptions): void {
  const walletUrls = createWalletUrls(deps)

  app.post(
    '/v1/customers',
    {
      config: {
        access: ['pos'],
        readsSetup: true,
        isRepeatable: true,
        isAuditedForPeople: true,
        refusals: newCustomerRefusals,
      },
      schema: {
        operationId: 'createCustomer',
        summary: 'Create a customer without a card',
        tags,
        body: NewCustomer,
        response: { 201: Customer },
      },
    },
    (request, reply) => {
      const input = toProfileInput(request.body)
      return respondToWrite(deps, request, reply, {
        ...createCustomer(deps, input, request.caller),
        status: 201,
        render: toCustomerReply,
        finish: (customer: CustomerReply) => walletUrls.ofCustomer(request.caller, customer),
        customerOf: (view) => view.customer.id,
      })
    },
  )

  app.post(
    '/v1/customers/register',
    {
      config: {
        access: ['pos'],
        readsSetup: true,
        isRepeatable: true,
        isAuditedForPeople: true,
        refusals: ['invalid_campaign', 'customer_not_found', 'customer_not_active', ...newCustomerRefusals],
      },
      schema: {
        operationId: 'registerCustomer',
        summary: 'Register a customer into a campaign',
        description: aboutRegistering,
        tags,
        body: RegisterCustomer,
        response: { 201: Customer },
      },
    },
    async (request, reply) => {
      const { campaignId, customer } = request.body
      const known = 'id' in customer ? parseId('cus', customer.id) : undefined
      if (known) await deps.profileReads.count(request, known)
      const registration = {
        campaign: campaignId,
        customer: 'id' in customer ? { id: customer.id } : { profile: toProfileInput(customer) },
      }
      return respondToWrite(deps, request, reply, {
        ...registerCustomer(deps, registration, request.caller),
        status: 201,
        render: toCustomerReply,
        finish: (customer: CustomerReply) => walletUrls.ofCustomer(request.caller, customer),
        customerOf: (view) => view.customer.id,
      })
    },
  )

  lookUpRoutes(app, deps)
  listRoute(app, deps)
  profileRoute(app, deps)
}

function lookUpRoutes(app: Server, deps: ServerOptions['deps']): void {
  const walletUrls = createWalletUrls(deps)

  app.get(
    '/v1/customers/find',
    {
      config: { access: ['pos'], lane: 'batched', readsSetup: true, refusals: ['customer_not_found'] },
      schema: {
        operationId: 'findCustomer',
        summary: 'Find a customer by phone, email or barcode',
        description:
          'Also finds the barcode of a card that was replaced: `matchedCard` is the card to use instead.',
        tags,
        querystring: FindQuery,
        response: { 200: CustomerWithCoupons },
      },
    },
    async (request) => {
      if (request.query.q.trim() === '') throw new Refused('_invalid_payload', 'q: must not be empty.')
      const found = await findCustomer(deps, request.caller, request.query.q)
      await deps.profileReads.count(request, found.customer.id)
      return walletUrls.ofCustomer(request.caller, toFoundCustomerReply(found))
    },
  )

  app.get(
    '/v1/customers/:id',
    {
      config: { access: ['pos'], lane: 'batched', readsSetup: true, refusals: ['customer_not_found'] },
      schema: {
        operationId: 'getCustomer',
        summary: 'Get a customer with cards, balances, coupons and upcoming expirations',
        tags,
        params: CustomerPath,
        response: { 200: CustomerWithExpiry },
      },
    },
    async (request) => {
      const view = await getCustomer(deps, request.caller, request.params.id)
      await deps.profileReads.count(request, view.customer.id)
      return walletUrls.ofCustomer(request.caller, toCustomerWithExpiryReply(view))
    },
  )
}

function listRoute(app: Server, deps: ServerOptions['deps']): void {
  const walletUrls = createWalletUrls(deps)

  app.get(
    '/v1/customers',
    {
      config: { access: ['manage'], mayLag: true },
      schema: {
        operationId: 'listCustomers',
        summary: 'List customers, newest first',
        tags,
        querystring: ListQuery,
        response: { 200: PageOf(Customer) },
      },
    },
    async (request, reply) => {
      const { organization } = request.caller
      const { q, status, holds, consent } = request.query
      const limit = limitOf(request.query)
      const filter = {
        text: q,
        status,
        holds,
        consent,
        awaitsApproval: request.query.awaitsApproval && (true as const),
        ...toTimeRange(request.query, organization.timezone),
        ...toNamedRange('active', request.query, organization.timezone),
      }
      const page = { limit: limit + 1, after: idCursor('cus', request.query.cursor) }
      const views = await respondToRead(deps, request, reply, (tenant) =>
        listCustomers(deps, tenant, organization, filter, page),
      )
      return toPage(
        views,
        limit,
        (view) => view.customer.id,
        (view) => walletUrls.ofListed(request.caller, toCustomerReply(view)),
      )
    },
  )
}

function profileRoute(app: Server, deps: ServerOptions['deps']): void {
  const walletUrls = createWalletUrls(deps)

  app.patch(
    '/v1/customers/:id',
    {
      config: {
        access: ['pos'],
        isAuditedForPeople: true,
        refusals: ['customer_not_found', ...newCustomerRefusals],
      },
      schema: {
        operationId: 'patchCustomer',
        summary: "Change a customer's profile",
        tags,
        params: CustomerPath,
        body: PatchCustomer,
        response: { 200: Customer },
      },
    },
    async (request, reply) => {
      const { organization } = request.caller
      const id = parseId('cus', request.params.id)
      // The response shows the profile, even if the patch is empty.
      if (id) await deps.profileReads.count(request, id)
      return respondToWrite(deps, request, reply, {
        work: (tenant) =>
          patchCustomer(deps, tenant, organization, id, toProfilePatch(request.body), request.caller),
        status: 200,
        render: toCustomerReply,
        finish: (customer: CustomerReply) => walletUrls.ofCustomer(request.caller, customer),
      })
    },
  )
}
