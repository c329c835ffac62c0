/** Records a sale or a return that was made of a message, as if a till had sent it. */
import { type Made, nothingReasons, type ReturnMade, type SaleMade } from '../../adapters/made.ts'
import { findWrongNumber } from '../../domain/basket.ts'
import type { CustomerId, ReturnId, TransactionId } from '../../domain/ids.ts'
import { refuseLargeMetaData } from '../../domain/meta-data.ts'
import { Refused } from '../../domain/refusal.ts'
import { type ReceivedProblemCode, receivedProblems, type Source } from '../../domain/source.ts'
import { type Transaction, transactionStatus } from '../../domain/transaction.ts'
import { tenantOf } from '../../store/tenant.ts'
import { findTransaction, listTransactions } from '../../store/transactions.ts'
import type { BasketRequest, Processed } from '../baskets/job.ts'
import { processGroup, toJob } from '../baskets/process.ts'
import { returnTransaction } from '../baskets/return-transaction.ts'
import type { Caller, Deps } from '../deps.ts'
import { fingerprintOf } from '../fingerprint.ts'
import { changeWallet } from '../wallets/change-wallet.ts'
import { type Buyer, findBuyer } from './find-buyer.ts'

/** What is known when the work ends, also when it ends with an error. */
export interface Progress {
  customer?: CustomerId
  transaction?: TransactionId
  return?: ReturnId
  /** Whether something is new. */
  hasRecorded: boolean
}

type ProblemCode = ReceivedProblemCode | 'amount_refund'

/** Why something was not recorded, in the words of the log. */
export class NotRecorded extends Error {
  override name = 'NotRecorded'
  readonly code: ProblemCode
  constructor(code: ProblemCode) {
    super(code === 'amount_refund' ? nothingReasons[code] : receivedProblems[code])
    this.code = code
  }
}

export type Recording = Pick<Source, 'kind' | 'campaign' | 'registersCustomers'> & {
  /** A card that is younger was opened for the sale. */
  readonly receivedAt: Date
}

/**
 * Each part on its own: in an exchange, what came back does not depend on what was bought instead. Throws the first
 * error after everything was tried.
 */
export async function recordMade(
  deps: Deps,
  caller: Caller,
  recording: Recording,
  made: Exclude<Made, { type: 'nothing' }>,
  progress: Progress,
): Promise<void> {
  const { also = [] } = made
  const errors: unknown[] = []
  const attempt = (part: Promise<void>) => part.catch((error: unknown) => void errors.push(error))
  if (made.type === 'sale') await attempt(recordSale(deps, caller, recording, made, progress))
  for (const each of made.type === 'sale' ? also : [made, ...also]) {
    await attempt(recordReturn(deps, caller, recording, each, progress))
  }
  if (errors.length > 0) throw errors[0]
}

async function recordSale(
  deps: Deps,
  caller: Caller,
  recording: Recording,
  sale: SaleMade,
  progress: Progress,
): Promise<void> {
  const buyer = await findBuyerOf(deps, caller, recording, sale, progress)
  const { transaction, isReplay } = await process(deps, caller, toRequest(sale, buyer), sale, progress)
  progress.transaction = transaction.id
  progress.hasRecorded ||= !isReplay
}

export async function findBuyerOf(
  deps: Deps,
  caller: Caller,
  recording: Recording,
  { currency, who }: SaleMade,
  progress: Progress,
): Promise<Buyer> {
  const buyer = await findBuyer(deps, caller, recording, who)
  progress.customer = buyer.customer
  checkCurrency(caller, currency)
  if ('problem' in buyer) throw new NotRecorded(buyer.problem)
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
  progress: Progress,
): Promise<Processed> {
  // Without what it says about the customer, who may have another address when it is sent again.
  const { who: _, also: __, ...meaning } = sale
  const job = toJob(deps, caller, request, { fingerprint: fingerprintOf(meaning) })!
  const { orgId } = caller.organization
  const [outcome] = await processGroup(deps, orgId, [job])
  if (outcome!.kind === 'done') return outcome!.result
  const { error } = outcome!
  if (!(error instanceof Refused) || error.code !== 'transaction_already_exists') throw error
  const recorded = error.transaction && (await findTransaction(tenantOf(deps.pool, orgId), error.transaction))
  progress.transaction = error.transaction
  progress.customer = recorded?.customer ?? progress.customer
  throw new NotRecorded('already_recorded')
}

async function recordReturn(
  deps: Deps,
  caller: Caller,
  { kind }: Recording,
  made: ReturnMade,
  progress: Progress,
): Promise<void> {
  const { sale: number, opaqueId, amount, reason, currency } = made
  const { orgId } = caller.organization
  const [sale] = await listTransactions(tenantOf(deps.pool, orgId), { opaqueId: number }, { limit: 1 })
  if (!sale) throw new NotRecorded('sale_unknown')
  progress.customer ??= sale.customer
  progress.transaction ??= sale.id
  checkCurrency(caller, currency)
  const items = kind === 'json' ? made.items : itemsOf(sale, made)
  const { also: _, ...meaning } = made
  const request = {
    transaction: sale.id,
    opaqueId,
    items,
    amount,
    reason,
    fingerprint: fingerprintOf(meaning),
  }
  try {
    const { done, isReplay } = await changeWallet(deps, orgId, returnTransaction(deps, caller, request))
    progress.return ??= done.id
    progress.hasRecorded ||= !isReplay
  } catch (error) {
    if (error instanceof Refused && isReturned(sale, request, error))
      throw new NotRecorded('already_recorded')
    throw error
  }
}

/** Tips, and what was added to the order after it was paid, are no part of the sale, but may be of a refund. */
function itemsOf({ basket }: Transaction, { items }: ReturnMade): ReturnMade['items'] {
  const known = items?.filter(({ id }) => basket.lines.some((line) => line.id === id))
  if (known?.length === 0) throw new NotRecorded('amount_refund')
  return known
}

function isReturned(
  { status }: Transaction,
  { items, amount }: Pick<ReturnMade, 'items' | 'amount'>,
  { code }: Refused,
): boolean {
  if (code === 'transaction_already_exists') return true
  const isWhole = items === undefined && amount === undefined
  return code === 'return_exceeds_sale' && (isWhole || status === transactionStatus.returned)
}
