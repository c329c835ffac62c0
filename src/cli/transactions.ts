import type { Command } from 'commander'
import { isRefusal, type LoyaltyWallet, type Schemas } from '../../sdk/src/index.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { Failure, misused } from './failure.ts'
import { addServiceCommand, readDocument, type ServiceOptions, withWallet } from './open-wallet.ts'
import { toActionText, toBalances, toMinute, toMoney, wordOf } from './show.ts'
import { toFields, toTable } from './table.ts'

interface ProcessOptions extends ServiceOptions {
  readonly file: string
  readonly dryRun?: boolean
}

interface ReturnOptions extends ServiceOptions {
  readonly items?: string
  readonly amount?: string
  readonly receipt?: string
  readonly reason?: string
  readonly dryRun?: boolean
}

export function transactionsCommand(program: Command, context: Context): void {
  const group = addCommand(program, 'transactions', 'Look at sales, and try or process one.', [
    'loyalty-wallet transactions show txn_…',
    'loyalty-wallet transactions process -f basket.json --dry-run',
    'loyalty-wallet transactions return txn_… --items 1=2 --dry-run',
  ])
  addServiceCommand(group, 'show', 'Show a sale: what was bought, what it did, and what was returned.', [
    'loyalty-wallet transactions show txn_…',
    'loyalty-wallet transactions show R-1024 --json',
  ])
    .argument('<id>', 'the transaction, or its receipt number')
    .action(async (id: string, options: ServiceOptions) => context.report(await show(context, id, options)))
  addServiceCommand(
    group,
    'process',
    'Process the basket in a file; with --dry-run, only say what it would do.',
    [
      'loyalty-wallet transactions process -f basket.json --dry-run',
      'echo \'{"barcode":"2000000000015","amount":12.5}\' | loyalty-wallet transactions process -f - --dry-run',
    ],
  )
    .requiredOption('-f, --file <path>', 'the basket as JSON, as the API takes it; - for what is piped in')
    .option('--dry-run', 'change nothing')
    .action(async (options: ProcessOptions) => context.report(await processBasket(context, options)))
  addServiceCommand(
    group,
    'return',
    'Return a sale or a part of it; with --dry-run, only say what it would do.',
    [
      'loyalty-wallet transactions return txn_… --dry-run',
      'loyalty-wallet transactions return txn_… --items 1=2,4=1 --receipt R-1024-1',
    ],
  )
    .argument('<id>', 'the transaction, or its receipt number')
    .option('--items <list>', 'items and how many of each, such as 1=2,4=1 (default: everything)')
    .option('--amount <money>', 'for a sale without items: how much of it')
    .option('--receipt <number>', 'your number of the return; sent again, it returns nothing twice')
    .option('--reason <text>', 'why')
    .option('--dry-run', 'change nothing')
    .action(async (id: string, options: ReturnOptions) =>
      context.report(await giveBack(context, id, options)),
    )
}

async function findSale(wallet: LoyaltyWallet, text: string): Promise<Schemas['Transaction']> {
  const { data } = await wallet.listTransactions({ opaqueId: text })
  const [found] = data
  if (found) return wallet.getTransaction(found.id)
  try {
    return await wallet.getTransaction(text)
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new Failure(
      'transaction_not_found',
      `There is no sale with the ID or the receipt number "${text}". "loyalty-wallet customers show" lists those of a customer.`,
    )
  }
}

function show(context: Context, id: string, options: ServiceOptions): Promise<CommandOutput> {
  return withWallet(context, options, async (wallet) => {
    const sale = await findSale(wallet, id)
    return {
      text: [
        toFields([
          ['Sale', sale.id],
          ['Receipt', sale.opaqueId],
          ['Status', wordOf('TransactionStatus', sale.status)],
          ['At', toMinute(sale.occurredAt)],
          ['Customer', [sale.customer, sale.customerName].filter(Boolean).join(' ')],
          ['Card', sale.card],
          ['Branch', sale.branchOpaqueId ?? sale.branch],
          ['Campaigns', sale.campaigns.map((run) => `${run.id} (version ${run.version})`).join(', ')],
          ...toTotals(sale.totals),
        ]),
        ...toItems(context, sale.items),
        ...toDone(context, 'Did', sale.executedActions.actions),
        ...sale.returns.map((one) =>
          [
            context.style('bold', `Returned ${toMinute(one.createdAt)}`),
            `  ${one.items.map(({ id: item, quantity }) => `${quantity} of item ${item}`).join(', ') || `an amount of ${toMoney(one.amount ?? 0)}`}; refund ${toMoney(one.refundAmount)}`,
          ].join('\n'),
        ),
      ].join('\n\n'),
      json: sale,
    }
  })
}

function toTotals({ amount, discounts, coupons, points, due }: Schemas['Totals']) {
  const less = (value: number) => (value === 0 ? undefined : `-${toMoney(value)}`)
  return [
    ['Amount', toMoney(amount)],
    ['Discounts', less(discounts)],
    ['Coupons', less(coupons)],
    ['Points', less(points)],
    ['Due', toMoney(due)],
  ] as const
}

function toItems(context: Context, items: readonly Schemas['BasketItem'][]): string[] {
  if (items.length === 0) return []
  const rows = items.map(({ id, product, name, quantity = 1, amount, unitPrice }, i) => [
    id ?? String(i + 1),
    name ?? product ?? '',
    String(quantity),
    toMoney(amount ?? (unitPrice ?? 0) * quantity),
  ])
  const styleHead = (line: string) => context.style('dim', line)
  return [toTable(['item', 'name', 'quantity', 'amount'], rows, { columns: context.columns, styleHead })]
}

function toDone({ style }: Context, title: string, actions: readonly Schemas['Action'][]): string[] {
  if (actions.length === 0) return []
  return [[style('bold', title), ...actions.map((action) => `  ${toActionText(action)}`)].join('\n')]
}

async function processBasket(context: Context, options: ProcessOptions): Promise<CommandOutput> {
  const basket = (await readDocument(context, options.file)) as Schemas['Basket']
  if (typeof basket !== 'object' || basket === null || Array.isArray(basket))
    throw misused(`${options.file}: a basket is a JSON object, as POST /v1/transactions/process takes it.`)
  if (!options.dryRun && basket.opaqueId === undefined)
    throw misused(
      'Add "opaqueId" with a receipt number to the basket, so that running this again is not a second sale. Or only try it, with --dry-run.',
    )
  return withWallet(context, options, async (wallet) => {
    const done = options.dryRun
      ? await wallet.validateTransaction(basket)
      : await wallet.processTransaction(basket)
    const { actions, skipped, collectables } = done.executedActions
    return {
      text: [
        toFields([
          [options.dryRun ? 'Would be' : 'Sale', 'id' in done ? done.id : 'a sale (nothing was changed)'],
          ['Receipt', done.opaqueId],
          ['Customer', done.customer],
          ...toTotals(done.totals),
          ['Balances', toBalances(collectables)],
        ]),
        ...toDone(context, options.dryRun ? 'Would do' : 'Did', actions),
        ...(skipped.length > 0
          ? [skipped.map(({ rule, reason }) => `Rule "${rule}" did not count: ${reason}`).join('\n')]
          : []),
        ...(done.warnings ?? []).map(({ text }) => context.style('yellow', `Warning: ${text}`)),
      ].join('\n\n'),
      json: done,
    }
  })
}

function readItems(list: string): { id: string; quantity: number }[] {
  return list.split(',').map((part) => {
    const [id = '', quantity = '1'] = part.split('=').map((text) => text.trim())
    if (id !== '' && Number(quantity) > 0) return { id, quantity: Number(quantity) }
    throw misused(`--items: "${part}" is not an item and a quantity, such as 1=2.`)
  })
}

function giveBack(context: Context, id: string, options: ReturnOptions): Promise<CommandOutput> {
  const { receipt, reason, dryRun } = options
  const amount = options.amount === undefined ? undefined : Number(options.amount)
  if (amount !== undefined && !(amount > 0)) throw misused(`--amount: "${options.amount}" is not an amount.`)
  const items = options.items === undefined ? undefined : readItems(options.items)
  return withWallet(context, options, async (wallet) => {
    const { id: transaction } = await findSale(wallet, id)
    const body = {
      ...(items && { items }),
      ...(amount !== undefined && { amount }),
      ...(receipt !== undefined && { opaqueId: receipt }),
      ...(reason !== undefined && { reason }),
    }
    const done = dryRun
      ? await wallet.validateReturn(transaction, body)
      : await wallet.returnTransaction(transaction, body)
    return {
      text: [
        toFields([
          [
            dryRun ? 'Would be' : 'Return',
            dryRun ? 'a return (nothing was changed)' : (done as Schemas['SaleReturn']).id,
          ],
          ['Sale', transaction],
          ['Items', done.items.map((item) => `${item.quantity} of ${item.id}`).join(', ') || undefined],
          ['Refund', toMoney(done.refundAmount)],
          ['Points back', done.pointsRestored === 0 ? undefined : String(done.pointsRestored)],
        ]),
        ...toDone(context, dryRun ? 'Would do' : 'Did', done.executedActions.actions),
      ].join('\n\n'),
      json: done,
    }
  })
}
