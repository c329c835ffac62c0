/** What a merchant does with a customer in the back office: block, adjust, erase, export. */
import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import { eraseCustomer, setCustomerBlocked } from '../../operations/customers/change-customer.ts'
import { exportCustomer } from '../../operations/customers/export-customer.ts'
import { adjustBalance } from '../../operations/wallets/adjust-balance.ts'
import type { Server } from '../fastify-server.ts'
import { named } from '../openapi/name-components.ts'
import { toCustomerReply, toLedgerEntryReply } from '../replies/customer.ts'
import { sendExport } from '../replies/customer-export.ts'
import { respondToChange, respondToWrite, walletChange } from '../respond.ts'
import { respondToRead } from '../respond-to-read.ts'
import { StatusCode } from '../schemas/choices.ts'
import {
  Adjustment,
  AdjustmentEntry,
  Coupon,
  Customer,
  CustomerWithExpiry,
  LedgerEntry,
} from '../schemas/customer.ts'
import {
  couponExample,
  customerWithExpiryExample,
  exampleId,
  ledgerEntryExample,
  transactionExample,
} from '../schemas/examples.ts'
import { Id, NoBody } from '../schemas/fields.ts'
import { ReceivedWithContentReply, receivedWithContentExample } from '../schemas/source.ts'
import { Transaction } from '../schemas/transaction.ts'
import { PassOfCustomer, passOfCustomerExample } from '../schemas/wallet-passes.ts'
import type { ServerOptions } from '../server-options.ts'
import { createWalletUrls } from '../wallet-urls.ts'

const tags = ['Customers']
const ErasedStatus = StatusCode('ErasedStatus', 'Status of an erased customer.', {
  3: ['erased', 'The personal data is gone.'],
})
const CustomerPath = Type.Object({ id: Id('cus') })

type CustomerReply = ReturnType<typeof toCustomerReply>

const ErasedCustomerReply = Type.Object(
  { id: Id('cus'), status: ErasedStatus },
  { ...named('ErasedCustomer'), examples: [{ id: exampleId('cus'), status: 3 }] },
)

const CustomerExportReply = Type.Object(
  {
    customer: CustomerWithExpiry,
    transactions: Type.Array(Transaction, { description: 'All sales, newest first.' }),
    ledger: Type.Array(LedgerEntry, { description: 'All ledger entries, newest first.' }),
    coupons: Type.Array(Coupon, { description: 'All coupons, newest first.' }),
    passes: Type.Array(PassOfCustomer, { description: 'The passes in the wallets of phones.' }),
    received: Type.Array(ReceivedWithContentReply, {
      description: 'What other systems sent about purchases and is still kept, newest first.',
    }),
  },
  {
    ...named('CustomerExport'),
    examples: [
      {
        customer: customerWithExpiryExample,
        transactions: [transactionExample],
        ledger: [ledgerEntryExample],
        coupons: [couponExample],
        passes: [passOfCustomerExample],
        received: [receivedWithContentExample],
      },
    ],
  },
)

export function customerManagementRoutes(app: Server, { deps }: ServerOptions): void {
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
          params: CustomerPath,
          body: NoBody,
          response: { 200: Customer },
        },
      },
      (request, reply) =>
        respondToWrite(deps, request, reply, {
          work: (tenant) =>
            setCustomerBlocked(deps, tenant, request.caller, parseId('cus', request.params.id), isBlocked),
          status: 200,
          render: toCustomerReply,
          finish: (customer: CustomerReply) => walletUrls.ofCustomer(request.caller, customer),
          customerOf: (view) => view.customer.id,
        }),
    )
  }

  app.post(
    '/v1/customers/:id/adjustments',
    {
      config: { ...walletChange, refusals: ['customer_not_found', 'insufficient_points'] },
      schema: {
        operationId: 'adjustBalance',
        summary: 'Adjust a balance by hand',
        tags,
        params: CustomerPath,
        body: Adjustment,
        response: { 201: AdjustmentEntry },
      },
    },
    (request, reply) =>
      respondToChange(
        deps,
        request,
        reply,
        adjustBalance(parseId('cus', request.params.id), request.body, request.caller.user),
        {
          status: 201,
          render: toLedgerEntryReply,
          customerOf: () => parseId('cus', request.params.id),
        },
      ),
  )

  app.post(
    '/v1/customers/:id/erase',
    {
      config: { ...walletChange, refusals: ['customer_not_found'] },
      schema: {
        operationId: 'eraseCustomer',
        summary: "Erase a customer's personal data",
        description:
          'Phone, email and opaque ID become available again; cards are closed and coupons revoked. Totals in reports stay.',
        tags,
        params: CustomerPath,
        body: NoBody,
        response: {
          200: ErasedCustomerReply,
        },
      },
    },
    (request, reply) =>
      respondToChange(deps, request, reply, eraseCustomer(parseId('cus', request.params.id)), {
        status: 200,
        render: () => ({ id: request.params.id, status: 3 }),
      }),
  )

  customerExport(app, deps)
}

function customerExport(app: Server, deps: ServerOptions['deps']): void {
  app.get(
    '/v1/customers/:id/export',
    {
      config: { access: ['manage'], mayLag: true, refusals: ['customer_not_found'] },
      schema: {
        operationId: 'exportCustomer',
        summary: 'Export everything stored about a customer',
        tags,
        params: CustomerPath,
        response: {
          200: CustomerExportReply,
        },
      },
    },
    async (request, reply) => {
      const { organization } = request.caller
      const id = parseId('cus', request.params.id)
      const kept = await respondToRead(deps, request, reply, (tenant) =>
        exportCustomer(deps, tenant, organization, id),
      )
      return sendExport(deps, reply, request.caller, kept)
    },
  )
}
