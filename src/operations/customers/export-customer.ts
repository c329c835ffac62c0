/** Everything stored about one customer, for the customer: profile, cards, balances and the whole history. */
import type { CustomerView } from '../../domain/customer.ts'
import type { CustomerId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { type CouponRecord, listCoupons } from '../../store/coupons.ts'
import { type LedgerEntry, listLedgerEntries } from '../../store/ledger.ts'
import type { Tenant } from '../../store/tenant.ts'
import { readTransactions, type TransactionWithReturns } from '../baskets/read-transactions.ts'
import type { Deps } from '../deps.ts'
import { getCustomerView } from './customer-view.ts'

export interface CustomerExport {
  readonly view: CustomerView
  readonly transactions: readonly TransactionWithReturns[]
  readonly ledger: readonly LedgerEntry[]
  readonly coupons: readonly CouponRecord[]
}

const pageSize = 1_000

export async function exportCustomer(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  id: CustomerId | undefined,
): Promise<CustomerExport> {
  const view = await getCustomerView(deps, tenant, organization, id)
  const customer = view.customer.id
  const limit = pageSize
  return {
    view,
    transactions: await readAll((last: TransactionWithReturns | undefined) =>
      readTransactions(tenant, { customer }, { limit, after: last?.id }),
    ),
    ledger: await readAll((last: LedgerEntry | undefined) =>
      listLedgerEntries(tenant, customer, { limit, after: last }),
    ),
    coupons: await readAll((last: CouponRecord | undefined) =>
      listCoupons(tenant, { customer }, { limit, after: last?.id }, deps.clock()),
    ),
  }
}

/** Reads all pages: an export must be complete. */
async function readAll<T>(readPage: (last: T | undefined) => Promise<T[]>): Promise<T[]> {
  const all: T[] = []
  for (let page = await readPage(undefined); page.length > 0; page = await readPage(all.at(-1))) {
    all.push(...page)
    if (page.length < pageSize) break
  }
  return all
}
