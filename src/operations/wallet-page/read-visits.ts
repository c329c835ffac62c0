/** The visits of the customer of a wallet page, and the receipt of each. */
import type { BranchId, CouponId, TransactionId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { listCouponNames } from '../../store/coupons.ts'
import { listBranchNames, listProductNames } from '../../store/directory.ts'
import { findTransaction, listTransactions } from '../../store/transactions.ts'
import { type TransactionWithReturns, withReturns } from '../baskets/read-transactions.ts'
import type { Deps } from '../deps.ts'
import { enterWallet } from './open-wallet.ts'
import type { WalletKey } from './wallet-tokens.ts'

export interface VisitNames {
  readonly organization: Organization
  readonly branchNames: ReadonlyMap<BranchId, string>
}

export interface VisitList extends VisitNames {
  readonly visits: readonly Transaction[]
}

/** Newest first. Undefined if the URL leads to no card. */
export async function listVisits(
  deps: Deps,
  key: WalletKey,
  page: { readonly limit: number; readonly after?: TransactionId },
): Promise<VisitList | undefined> {
  const opened = await enterWallet(deps, key)
  if (!opened) return undefined
  const { tenant, card, setup } = opened
  const visits = await listTransactions(tenant, { customer: card.customer }, page)
  const branches = visits.map(({ branch }) => branch)
  return { organization: setup.organization, visits, branchNames: await listBranchNames(tenant, branches) }
}

export interface Receipt extends VisitNames {
  readonly visit: TransactionWithReturns
  /** By opaque ID. */
  readonly productNames: ReadonlyMap<string, string>
  readonly couponNames: ReadonlyMap<CouponId, string>
}

/** Undefined if it is not a visit of this customer, or was archived. */
export async function findReceipt(
  deps: Deps,
  key: WalletKey,
  id: TransactionId | undefined,
): Promise<Receipt | undefined> {
  const opened = id && (await enterWallet(deps, key))
  if (!opened) return undefined
  const { tenant, card, setup } = opened
  const sale = await findTransaction(tenant, id)
  if (sale?.customer !== card.customer) return undefined
  const [visit] = await withReturns(tenant, [sale])
  const { basket, result, branch } = sale
  const coupons = result.actions.flatMap((action) => (action.kind === 'redeem_coupon' ? [action.coupon] : []))
  const products = basket.lines.flatMap(({ product }) => product ?? [])
  return {
    organization: setup.organization,
    visit: visit!,
    branchNames: await listBranchNames(tenant, [branch]),
    productNames: await listProductNames(tenant, products),
    couponNames: await listCouponNames(tenant, coupons),
  }
}
