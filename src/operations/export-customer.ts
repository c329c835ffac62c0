/** Everything kept about one customer, for the customer: profile, cards, balances, and the whole history. */
import type { CustomerView } from '../domain/customer.ts'
import type { CustomerId } from '../domain/ids.ts'
import { type CouponRecord, listCoupons } from '../store/coupons.ts'
import { type LedgerEntry, listLedgerEntries } from '../store/ledger.ts'
import type { Scope } from '../store/scope.ts'
import { getCustomerView } from './change-customer.ts'
import { readTransactions, type TransactionWithReturns } from './read-transactions.ts'

export interface CustomerExport {
  readonly view: CustomerView
  readonly transactions: readonly TransactionWithReturns[]
  readonly ledger: readonly LedgerEntry[]
  readonly coupons: readonly CouponRecord[]
}

/** A person's history is small; a shop's test customer is not. Beyond this the lists page through the rest. */
const limit = 10_000

export async function exportCustomer(
  scope: Scope,
  id: CustomerId | undefined,
  now: Date,
): Promise<CustomerExport> {
  const view = await getCustomerView(scope, id, now)
  const customer = view.customer.id
  return {
    view,
    transactions: await readTransactions(scope, { customer }, { limit }),
    ledger: await listLedgerEntries(scope, customer, { limit }),
    coupons: await listCoupons(scope, customer, { limit }),
  }
}
