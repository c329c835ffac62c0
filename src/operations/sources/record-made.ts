/** Records a sale or a return that was made of a message, as if a till had sent it. */
import type { Made, ReturnMade, SaleMade } from '../../adapters/made.ts'
import { findWrongNumber } from '../../domain/basket.ts'
import type { CustomerId, ReturnId, TransactionId } from '../../domain/ids.ts'
import { refuseLargeMetaData } from '../../domain/meta-data.ts'
import { Refused } from '../../domain/refusal.ts'
import { type ReceivedProblemCode, receivedProblems, type Source } from '../../domain/source.ts'
import { transactionStatus } from '../../domain/transaction.ts'
import { tenantOf } from '../../store/tenant.ts'
import { listTransactions } from '../../store/transactions.ts'
import type { BasketRequest, Processed } from '../baskets/job.ts'
import { processGroup, toJob } from '../baskets/process.ts'
import { returnTransaction } from '../baskets/return-transaction.ts'
import type { Caller, Deps } from '../deps.ts'
import { fingerprintOf } from '../fingerprint.ts'
import { changeWallet } from '../wallets/change-wallet.ts'
import { type Buyer, findBuyer } from './find-buyer.ts'

export interface Recorded {
  readonly customer?: CustomerId
  readonly transaction?: TransactionId
  readonly return?: ReturnId
  /** Whether all of it was there before. */
  readonly isReplay: boolean
}

/** Why something was not recorded, in the words of the log. */
export class NotRecorded extends Error {
  override name = 'NotRecorded'
  readonly code: ReceivedProblemCode
  readonly customer: CustomerId | undefined
  readonly transaction: TransactionId | undefined
  constructor(
    code: ReceivedProblemCode,
    about: { readonly customer?: CustomerId; readonly transaction?: TransactionId } = {},
  ) {
    super(receivedProblems[code])
    this.code = code
    this.customer = about.customer
    this.transaction = about.transaction
  }
}

export async function recordMade(
  deps: Deps,
  caller: Caller,
  source: Pick<Source, 'campaign' | 'registersCustomers'>,
  made: Exclude<Made, { type: 'nothing' }>,
): Promise<Recorded> {
  const { also = [] } = made
  const first = made.type === 'sale' ? await recordSale(deps, caller, source, made) : undefined
  const returns = made.type === 'sale' ? also : [made, ...also]
  let recorded: Recorded = first ?? { isReplay: true }
  for (const each of returns) {
    const returned = await recordReturn(deps, caller, each)
    recorded = { ...returned, ...recorded, isReplay: recorded.isReplay && returned.isReplay }
  }
  return recorded
}

async function recordSale(
  deps: Deps,
  caller: Caller,
  source: Pick<Source, 'campaign' | 'registersCustomers'>,
  sale: SaleMade,
): Promise<Recorded> {
  const buyer = await findBuyerOf(deps, caller, source, sale)
  const { transaction, isReplay } = await process(deps, caller, toRequest(sale, buyer), sale)
  return { customer: transaction.customer, transaction: transaction.id, isReplay }
}

export async function findBuyerOf(
  deps: Deps,
  caller: Caller,
  source: Pick<Source, 'campaign' | 'registersCustomers'>,
  { currency, who }: SaleMade,
): Promise<Buyer> {
  checkCurrency(caller, currency)
  const buyer = await findBuyer(deps, caller, source, who)
  if ('problem' in buyer) throw new NotRecorded(buyer.problem, { customer: buyer.customer })
  return buyer
}

function checkCurrency({ organization }: Caller, currency: string | undefined): void {
  if (currency === undefined || currency.toUpperCase() === organization.currency) return
  throw new NotRecorded('other_currency')
}

/** What `checkMade` has seen to be of the right shape. */
export function toRequest(sale: SaleMade, buyer: Buyer): BasketRequest {
  const basket = {
    lines: (sale.items ?? []).map((item, i) => ({
      ...item,
      id: item.id ?? String(i + 1),
      quantity: item.quantity ?? 1,
      coupons: [],
    })),
    amount: sale.amount,
    discountAmount: sale.discountAmount,
    discountedAmount: sale.discountedAmount,
    coupons: [],
    pointsToSpend: 0,
  }
  const problem = findWrongNumber(basket)
  if (problem) throw Refused.from({ code: '_invalid_payload', problem })
  refuseLargeMetaData(sale.metaData)
  return {
    customer: buyer.customer,
    card: buyer.card,
    user: sale.user,
    branch: sale.branch,
    opaqueId: sale.opaqueId,
    occurredAt: occurredAt(sale, buyer),
    metaData: sale.metaData,
    basket,
  }
}

/** The sale that a customer is registered with counts, although it was before the card was opened. */
function occurredAt({ occurredAt: text }: SaleMade, { registeredAt }: Buyer): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  return registeredAt && time < registeredAt ? undefined : time
}

async function process(
  deps: Deps,
  caller: Caller,
  request: BasketRequest,
  sale: SaleMade,
): Promise<Processed> {
  // Without what it says about the customer, who may have another address when it is sent again.
  const { who: _, also: __, ...meaning } = sale
  const job = toJob(deps, caller, request, { fingerprint: fingerprintOf(meaning) })!
  const [outcome] = await processGroup(deps, caller.organization.orgId, [job])
  if (outcome!.kind === 'done') return outcome!.result
  const { error } = outcome!
  if (error instanceof Refused && error.code === 'transaction_already_exists') {
    throw new NotRecorded('already_recorded', { transaction: error.transaction })
  }
  throw error
}

async function recordReturn(deps: Deps, caller: Caller, made: ReturnMade): Promise<Recorded> {
  const { sale: number, opaqueId, items, amount, reason, currency } = made
  checkCurrency(caller, currency)
  const { orgId } = caller.organization
  const [sale] = await listTransactions(tenantOf(deps.pool, orgId), { opaqueId: number }, { limit: 1 })
  if (!sale) throw new NotRecorded('sale_unknown')
  const about = { customer: sale.customer, transaction: sale.id }
  const { also: _, ...meaning } = made
  const fingerprint = fingerprintOf(meaning)
  const work = returnTransaction(deps, caller, {
    transaction: sale.id,
    opaqueId,
    items,
    amount,
    reason,
    fingerprint,
  })
  try {
    const { done, isReplay } = await changeWallet(deps, orgId, work)
    return { ...about, return: done.id, isReplay }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const isWhole = items === undefined && amount === undefined
    const isOver = sale.status === transactionStatus.returned
    const wasReturned = error.code === 'return_exceeds_sale' && (isWhole || isOver)
    if (wasReturned || error.code === 'transaction_already_exists') {
      throw new NotRecorded('already_recorded', about)
    }
    throw error
  }
}
