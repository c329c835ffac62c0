/** Everything stored about a customer, as it is sent to those who manage it and to the customer. */
import type { FastifyReply } from 'fastify'
import type { CustomerExport } from '../../operations/customers/export-customer.ts'
import type { Caller, Deps } from '../../operations/deps.ts'
import { timeOf } from '../../operations/organizations/time-of.ts'
import { toReceivedWithContentReply } from '../schemas/source.ts'
import { toPassOfCustomer } from '../schemas/wallet-passes.ts'
import { createWalletUrls } from '../wallet-urls.ts'
import { toCouponRecordReply, toCustomerWithExpiryReply, toLedgerEntryReply } from './customer.ts'
import { rendered, sendJson } from './stream-json.ts'
import { toTransactionReply } from './transaction.ts'

type Asking = Pick<Caller, 'kind' | 'scopes' | 'organization'>

/** The history is sent as it is read. */
export function sendExport(
  deps: Deps,
  reply: FastifyReply,
  asking: Asking,
  { view, transactions, ledger, coupons, passes, received }: CustomerExport,
) {
  return sendJson(reply, {
    customer: createWalletUrls(deps).ofCustomer(asking, toCustomerWithExpiryReply(view)),
    transactions: rendered(transactions, (sale) => toTransactionReply(sale, asking.organization)),
    ledger: rendered(ledger, toLedgerEntryReply),
    coupons: rendered(coupons, (coupon) => toCouponRecordReply(coupon, timeOf(deps, asking.organization))),
    passes: passes.map(toPassOfCustomer),
    received: rendered(received, toReceivedWithContentReply),
  })
}
