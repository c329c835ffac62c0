import type { Command } from 'commander'
import type { LoyaltyWallet, Schemas } from '../../sdk/src/index.ts'
import { isRefusal } from '../../sdk/src/index.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { misused } from './failure.ts'
import { addServiceCommand, type ServiceOptions, withWallet } from './open-wallet.ts'
import { toBalances, toDay, toEarned, toMoney, wordOf } from './show.ts'
import { toFields, toTable } from './table.ts'

interface FindOptions extends ServiceOptions {
  readonly barcode?: string
  readonly email?: string
  readonly phone?: string
  readonly limit: string
}

export function customersCommand(program: Command, context: Context): void {
  const group = addCommand(program, 'customers', 'Find customers, and look at one.', [
    "loyalty-wallet customers find 'Ada'",
    'loyalty-wallet customers show cus_…',
  ])
  addServiceCommand(group, 'find', 'Find customers by name, phone, email, card or external ID.', [
    "loyalty-wallet customers find 'Ada'",
    'loyalty-wallet customers find --barcode 2000000000015',
    'loyalty-wallet customers find --email ada@example.com --json',
  ])
    .argument('[text]', 'part of a name, or a whole phone number, email, barcode or ID')
    .option('--barcode <number>', 'the customer of this card, as a till would find it')
    .option('--email <address>', 'the customer with this email address')
    .option('--phone <number>', 'the customer with this phone number')
    .option('--limit <count>', 'how many to show at most', '25')
    .action(async (text: string | undefined, options: FindOptions) =>
      context.report(await find(context, text, options)),
    )
  addServiceCommand(group, 'show', 'Show a customer with cards, balances, coupons and recent sales.', [
    'loyalty-wallet customers show cus_…',
    'loyalty-wallet customers show cus_… --json',
  ])
    .argument('<id>', 'the customer, as "customers find" shows it, or a barcode')
    .action(async (id: string, options: ServiceOptions) => context.report(await show(context, id, options)))
}

type Customer = Schemas['Customer']

function find(context: Context, text: string | undefined, options: FindOptions): Promise<CommandOutput> {
  const exact = options.barcode ?? options.email ?? options.phone
  if ((text === undefined) === (exact === undefined))
    throw misused('Say what to look for: a text, or one of --barcode, --email and --phone.')
  const limit = Number(options.limit)
  if (!/^\d{1,3}$/.test(options.limit) || limit < 1 || limit > 100)
    throw misused(`--limit: "${options.limit}" is not a number from 1 to 100.`)
  return withWallet(context, options, async (wallet) => {
    const { found, hasMore } =
      exact === undefined ? await search(wallet, text!, limit) : await findOne(wallet, exact)
    const rows = found.map((customer) => [
      customer.id,
      customer.data.fullname ?? '',
      customer.data.phone ?? '',
      customer.data.email ?? '',
      toBalances(customer.collectables),
    ])
    const head = ['id', 'name', 'phone', 'email', 'balances']
    const styleHead = (line: string) => context.style('bold', line)
    const more = hasMore ? ['There are more. Say more of the name, or raise --limit.'] : []
    return {
      text:
        found.length === 0
          ? 'No customer was found. A name is found by how its words begin; everything else has to be whole.'
          : [toTable(head, rows, { columns: context.columns, styleHead }), ...more].join('\n'),
      json: { data: found, hasMore },
      exitCode: found.length === 0 ? 1 : 0,
    }
  })
}

async function search(wallet: LoyaltyWallet, q: string, limit: number) {
  const { data, nextCursor } = await wallet.listCustomers({ q, limit })
  return { found: data as readonly Customer[], hasMore: nextCursor !== undefined }
}

async function findOne(wallet: LoyaltyWallet, q: string) {
  try {
    return { found: [await wallet.findCustomer({ q })] as readonly Customer[], hasMore: false }
  } catch (error) {
    if (isRefusal(error, 'customer_not_found')) return { found: [], hasMore: false }
    throw error
  }
}

function show(context: Context, id: string, options: ServiceOptions): Promise<CommandOutput> {
  return withWallet(context, options, async (wallet) => {
    const found = id.startsWith('cus_') ? id : (await wallet.findCustomer({ q: id })).id
    const [customer, sales] = await Promise.all([
      wallet.getCustomer(found),
      wallet.listCustomerTransactions(found, { limit: 10 }).then(({ data }) => data),
    ])
    return {
      text: [toProfile(customer), ...toSections(context, customer, sales)].join('\n\n'),
      json: { customer, transactions: sales },
    }
  })
}

function toProfile(customer: Schemas['CustomerWithExpiry']): string {
  const { data, consents, tiers } = customer
  return toFields([
    ['Customer', customer.id],
    ['Name', data.fullname],
    ['Phone', data.phone && `${data.phone}${customer.verified.phone ? ' (verified)' : ''}`],
    ['Email', data.email && `${data.email}${customer.verified.email ? ' (verified)' : ''}`],
    ['External ID', customer.opaqueId ?? undefined],
    ['Status', wordOf('CustomerStatus', customer.status)],
    ['Language', customer.language],
    ['Marketing', consents?.marketing === undefined ? undefined : consents.marketing ? 'agreed' : 'refused'],
    ['Tier', tiers.length > 0 ? tiers.map(({ name }) => name).join(', ') : undefined],
    ['Since', toDay(customer.createdAt)],
    ['Balances', toBalances(customer.collectables) || 'none'],
  ])
}

function toSections(
  context: Context,
  { cards, coupons, expiring }: Schemas['CustomerWithExpiry'],
  sales: readonly Schemas['Transaction'][],
): string[] {
  const section = (title: string, head: readonly string[], rows: readonly (readonly string[])[]) => {
    const styleHead = (line: string) => context.style('dim', line)
    if (rows.length === 0) return []
    return [
      `${context.style('bold', title)}\n${toTable(head, rows, { columns: context.columns, styleHead })}`,
    ]
  }
  return [
    ...section(
      'Cards',
      ['id', 'barcode', 'campaign', 'status'],
      cards.map((card) => [card.id, card.barcode, card.campaignName, wordOf('CardStatus', card.status)]),
    ),
    ...section(
      'Expiring',
      ['amount', 'on'],
      expiring.map(({ key, amount, at }) => [`${amount} ${key}`, toDay(at)]),
    ),
    ...section(
      'Coupons',
      ['id', 'reward', 'expires'],
      coupons.map(({ id, reward, expiresAt }) => [id, reward.name, expiresAt ? toDay(expiresAt) : 'never']),
    ),
    ...section(
      'Recent sales',
      ['id', 'receipt', 'on', 'due', 'earned', 'status'],
      sales.map((sale) => [
        sale.id,
        sale.opaqueId ?? '',
        toDay(sale.occurredAt),
        toMoney(sale.totals.due),
        toEarned(sale.executedActions.actions),
        wordOf('TransactionStatus', sale.status),
      ]),
    ),
  ]
}
