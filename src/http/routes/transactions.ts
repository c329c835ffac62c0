import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import { getTransaction, readTransactions } from '../../operations/baskets/read-transactions.ts'
import { fingerprintOf } from '../../operations/fingerprint.ts'
import { toTimeRange } from '../../operations/organizations/time-range.ts'
import { findShownWallet } from '../../operations/wallet-page/show-wallet.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { parameter } from '../openapi/name-components.ts'
import { toPreviewReply, toProcessedReply, toTransactionReply } from '../replies/transaction.ts'
import { toBasketRequest } from '../requests/basket-request.ts'
import { meaningOf } from '../requests/body-meaning.ts'
import { nowOf } from '../requests/now-of.ts'
import { listPage, PageQuery } from '../requests/paging.ts'
import { idempotencyKey } from '../respond.ts'
import { respondToRead } from '../respond-to-read.ts'
import { TransactionStatus } from '../schemas/choices.ts'
import { Id, Key, OfCustomer, OpaqueId, Optional, PageOf, RangeQuery } from '../schemas/fields.ts'
import { BasketBody, Preview, ProcessedTransaction, Transaction } from '../schemas/transaction.ts'
import type { ServerOptions } from '../server-options.ts'
import { createWalletUrls } from '../wallet-urls.ts'

const tags = ['Transactions']

const basketRefusals = [
  'customer_not_found',
  'customer_not_active',
  'card_not_found',
  'card_not_active',
  'invalid_product',
  'invalid_user',
  'invalid_branch',
  'coupon_not_found',
  'coupon_already_redeemed',
  'coupon_expired',
  'coupon_revoked',
  'coupon_not_applicable',
  'points_not_spendable',
  'insufficient_points',
  'points_below_minimum',
  'points_above_share',
] as const

const validateDescription =
  'Takes the same body as `process` and shows what it would do. Send the items with their prices, coupons ' +
  'and points, show the result, then send the same body to `process` and charge `totals.due`.'

const processDescription =
  'Redeems coupons, spends points, collects and grants reward coupons, all or nothing. Charge ' +
  '`totals.due`: coupons that your discounts do not include are taken off. ' +
  'A retry with the same receipt number or `Idempotency-Key` returns the first response.'

export function transactionRoutes(app: Server, { deps, baskets }: ServerOptions): void {
  app.post(
    '/v1/transactions/validate',
    {
      config: { access: ['pos'], lane: 'batched', readsSetup: true, refusals: basketRefusals },
      schema: {
        operationId: 'validateTransaction',
        summary: 'Preview a basket without committing anything',
        description: validateDescription,
        tags,
        querystring: Type.Object({
          // Opt-in: by default the response has exactly the fields of the response to `process`.
          include: Optional(Type.Literal('spendable', { description: 'Return the spendable points.' })),
        }),
        body: BasketBody,
        response: { 200: Preview },
      },
    },
    async (request) => {
      const preview = await baskets.validate(
        request.caller,
        toBasketRequest(request.body, nowOf(deps, request)),
      )
      const reply = toPreviewReply(preview, request.caller.organization)
      const { spendable } = preview
      if (!request.query.include || !spendable) return reply
      return { ...reply, spendable: spendable.most, spendableBalance: spendable.balance }
    },
  )

  processing(app, { deps, baskets })

  oneTransaction(app, deps)

  transactionList(app, deps)
}

function processing(app: Server, { deps, baskets }: Pick<ServerOptions, 'deps' | 'baskets'>): void {
  const walletUrls = createWalletUrls(deps)
  app.post(
    '/v1/transactions/process',
    {
      config: {
        access: ['pos'],
        lane: 'batched',
        readsSetup: true,
        isRepeatable: true,
        refusals: [...basketRefusals, 'transaction_archived', 'transaction_already_exists'],
      },
      schema: {
        operationId: 'processTransaction',
        summary: 'Process a basket',
        description: processDescription,
        tags,
        querystring: Type.Object({
          // Opt-in: the URL is a credential.
          include: Optional(
            Type.Literal('walletUrl', {
              ...parameter('ReceiptInclude'),
              description: "Return the URL of the card's wallet page.",
            }),
          ),
        }),
        body: BasketBody,
        response: { 201: ProcessedTransaction },
      },
    },
    async (request, reply) => {
      const { body, caller } = request
      const key = idempotencyKey(request)
      const isRepeatable = key !== undefined || body.opaqueId !== undefined
      const fingerprint = isRepeatable ? fingerprintOf(meaningOf(BasketBody, body), body) : undefined
      const repeat = { idempotencyKey: key, fingerprint }
      const { transaction, isReplay } = await baskets.process(
        caller,
        toBasketRequest(body, nowOf(deps, { caller })),
        repeat,
      )
      if (isReplay) reply.header('idempotent-replayed', 'true')
      const processed = toProcessedReply(transaction, caller.organization)
      if (!request.query.include) return reply.code(201).send(processed)
      const tenant = tenantOf(deps.pool, caller.organization.orgId)
      const card = await findShownWallet(tenant, transaction.card)
      const walletUrl = card && walletUrls.urlOf(caller.organization, card)
      return reply.code(201).send({ ...processed, walletUrl })
    },
  )
}

function oneTransaction(app: Server, deps: ServerOptions['deps']): void {
  app.get(
    '/v1/transactions/:id',
    {
      config: { access: ['pos'], refusals: ['transaction_not_found', 'transaction_archived'] },
      schema: {
        operationId: 'getTransaction',
        summary: 'Get a transaction with its items and what it did',
        tags,
        params: Type.Object({ id: Id('txn') }),
        response: { 200: Transaction },
      },
    },
    async (request) => {
      const { organization } = request.caller
      const tenant = tenantOf(deps.pool, organization.orgId)
      const transaction = await getTransaction(tenant, parseId('txn', request.params.id))
      // It has the name of the customer.
      await deps.profileReads.count(request, transaction.customer)
      return toTransactionReply(transaction, organization)
    },
  )
}

function transactionList(app: Server, deps: ServerOptions['deps']): void {
  app.get(
    '/v1/transactions',
    {
      config: {
        access: ['pos'],
        mayLag: true,
        refusals: ['customer_not_found', 'card_not_found', 'transaction_archived'],
      },
      schema: {
        operationId: 'listTransactions',
        summary: 'List transactions, newest first',
        description: 'Use `opaqueId` to find out what happened to a request that got no response.',
        tags,
        querystring: Type.Object({
          ...PageQuery,
          opaqueId: Optional(OpaqueId('Your receipt number.')),
          customer: OfCustomer,
          branch: Optional(OpaqueId('Your branch ID, or ours.')),
          card: Optional(Id('card', 'Only sales with this card.')),
          status: Optional(TransactionStatus),
          ...RangeQuery('Processed'),
          spent: Optional(
            Key('Only those that spent points of this balance (key). Requires the scope `manage`.'),
          ),
        }),
        response: { 200: PageOf(Transaction) },
      },
    },
    async (request, reply) => {
      const { organization, scopes } = request.caller
      const { opaqueId, customer, card, branch, status, spent } = request.query
      // This filter can read many rows, and a till has no use for it.
      if (spent !== undefined && !scopes.includes('manage'))
        throw new Refused('_forbidden', 'spent: requires the scope manage.')
      const range = toTimeRange(request.query, organization.timezone)
      const filter = { opaqueId, customer, card, branch, status, spent, ...range }
      return respondToRead(deps, request, reply, (tenant) =>
        listPage(
          'txn',
          request.query,
          (page) => readTransactions(tenant, filter, page),
          // A caller that may only look up single customers gets no list of their names.
          ({ customerName, ...row }) =>
            toTransactionReply(scopes.includes('manage') ? { ...row, customerName } : row, organization),
        ),
      )
    },
  )
}
