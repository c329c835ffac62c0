/**
 * Everything stored about one customer, for the customer: profile, cards, balances, passes and the whole history. The
 * history may have any length, so it is read piece by piece, while what was read before is on its way.
 */
import type { CustomerView } from '../../domain/customer.ts'
import type { CustomerId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { type CouponRecord, listCoupons } from '../../store/coupons.ts'
import { type LedgerEntry, listLedgerEntries } from '../../store/ledger.ts'
import { type HeldPass, listPassesOf } from '../../store/passes.ts'
import { listReceivedOf, type ReceivedWithContent } from '../../store/received-messages.ts'
import type { Tenant } from '../../store/tenant.ts'
import { readTransactions, type TransactionWithReturns } from '../baskets/read-transactions.ts'
import type { Deps } from '../deps.ts'
import { timeOf } from '../organizations/time-of.ts'
import { getCustomerView } from './customer-view.ts'

export interface CustomerExport {
  readonly view: CustomerView
  readonly transactions: AsyncIterable<TransactionWithReturns>
  readonly ledger: AsyncIterable<LedgerEntry>
  readonly coupons: AsyncIterable<CouponRecord>
  readonly passes: readonly HeldPass[]
  readonly received: AsyncIterable<ReceivedWithContent>
}

/** A sale or a reward may have a hundred kilobytes. */
const largePiece = 10
const smallPiece = 500

export async function exportCustomer(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  id: CustomerId | undefined,
): Promise<CustomerExport> {
  const view = await getCustomerView(deps, tenant, organization, id)
  const customer = view.customer.id
  return {
    view,
    transactions: readAll(largePiece, (limit, last: TransactionWithReturns | undefined) =>
      readTransactions(tenant, { customer }, { limit, after: last?.id }),
    ),
    ledger: readAll(smallPiece, (limit, last: LedgerEntry | undefined) =>
      listLedgerEntries(tenant, customer, { limit, after: last }),
    ),
    coupons: readAll(largePiece, (limit, last: CouponRecord | undefined) =>
      listCoupons(tenant, { customer }, { limit, after: last?.id }, timeOf(deps, organization)),
    ),
    passes: await listPassesOf(tenant, customer),
    received: readAll(largePiece, (limit, last: ReceivedWithContent | undefined) =>
      listReceivedOf(tenant, customer, { limit, after: last?.id }),
    ),
  }
}

async function* readAll<T>(
  pieceSize: number,
  read: (limit: number, last: T | undefined) => Promise<T[]>,
): AsyncGenerator<T> {
  let last: T | undefined
  for (;;) {
    const piece = await read(pieceSize, last)
    yield* piece
    if (piece.length < pieceSize) return
    last = piece.at(-1)
  }
}
