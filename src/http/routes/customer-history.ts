/** A customer's transactions, ledger entries and coupons, newest first. */
import { Type } from 'typebox'
import { readTransactions } from '../../operations/baskets/read-transactions.ts'
import { getCustomerId } from '../../operations/customers/customer-view.ts'
import { listCoupons } from '../../store/coupons.ts'
import { listLedgerEntries } from '../../store/ledger.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { isStorable } from '../plugins/json-body.ts'
import { toCouponRecordReply, toLedgerEntryReply } from '../replies/customer.ts'
import { toTransactionReply } from '../replies/transaction.ts'
import { nowOf } from '../requests/now-of.ts'
import { decodeCursor, limitOf, listPage, PageQuery, refuseCursor, toPage } from '../requests/paging.ts'
import { Coupon, LedgerEntry } from '../schemas/customer.ts'
import { Id, PageOf } from '../schemas/fields.ts'
import { Transaction } from '../schemas/transaction.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Customers']
const CustomerPath = Type.Object({ id: Id('cus') })

const config = { access: ['pos'], refusals: ['customer_not_found'] } as const
const querystring = Type.Object(PageQuery)

export function customerHistoryRoutes(app: Server, { deps }: ServerOptions): void {
  const { pool } = deps

  customerTransactions(app, deps)

  app.get(
    '/v1/customers/:id/ledger',
    {
      config,
      schema: {
        operationId: 'listLedgerEntries',
        summary: "List a customer's ledger entries, newest first",
        tags,
        params: CustomerPath,
        querystring,
        response: { 200: PageOf(LedgerEntry) },
      },
    },
    async (request) => {
      const tenant = tenantOf(pool, request.caller.organization.orgId)
      const customer = await getCustomerId(tenant, request.params.id)
      const limit = limitOf(request.query)
      const after = toLedgerPosition(decodeCursor(request.query.cursor))
      const rows = await listLedgerEntries(tenant, customer, { limit: limit + 1, after })
      return toPage(
        rows,
        limit,
        (row) => JSON.stringify([row.walletVersion, row.key, row.version]),
        toLedgerEntryReply,
      )
    },
  )

  app.get(
    '/v1/customers/:id/coupons',
    {
      config,
      schema: {
        operationId: 'listCustomerCoupons',
        summary: "List a customer's coupons in any status, newest first",
        tags,
        params: CustomerPath,
        querystring,
        response: { 200: PageOf(Coupon) },
      },
    },
    async (request) => {
      const tenant = tenantOf(pool, request.caller.organization.orgId)
      const customer = await getCustomerId(tenant, request.params.id)
      const now = nowOf(deps, request)
      return listPage(
        'cpn',
        request.query,
        (page) => listCoupons(tenant, { customer }, page, now),
        (row) => toCouponRecordReply(row, now),
      )
    },
  )
}

function toLedgerPosition(text: string | undefined) {
  if (text === undefined) return undefined
  let parts: unknown
  try {
    parts = JSON.parse(text)
  } catch {
    refuseCursor()
  }
  if (!Array.isArray(parts) || parts.length !== 3) refuseCursor()
  const [walletVersion, key, version] = parts
  if (!Number.isSafeInteger(walletVersion) || !Number.isSafeInteger(version)) refuseCursor()
  if (typeof key !== 'string' || !isStorable(key)) refuseCursor()
  return { walletVersion, key, version }
}

function customerTransactions(app: Server, deps: ServerOptions['deps']): void {
  app.get(
    '/v1/customers/:id/transactions',
    {
      config,
      schema: {
        operationId: 'listCustomerTransactions',
        summary: "List a customer's transactions, newest first",
        tags,
        params: CustomerPath,
        querystring,
        response: { 200: PageOf(Transaction) },
      },
    },
    async (request) => {
      const { organization } = request.caller
      const tenant = tenantOf(deps.pool, organization.orgId)
      const customer = await getCustomerId(tenant, request.params.id)
      // Each of them has the name of the customer.
      await deps.profileReads.count(request, customer)
      return listPage(
        'txn',
        request.query,
        (page) => readTransactions(tenant, { customer }, page),
        (row) => toTransactionReply(row, organization),
      )
    },
  )
}
