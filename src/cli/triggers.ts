/** How each event is made to happen, through the API only: what a receiver sees is what a shop would cause. */
import { randomUUID } from 'node:crypto'
import type { LoyaltyWallet, Schemas } from '../../sdk/src/index.ts'
import { Failure } from './failure.ts'

export interface Stage {
  readonly wallet: LoyaltyWallet
  readonly campaign: Schemas['Campaign']
}

export interface Trigger {
  readonly text: string
  make(stage: Stage): Promise<unknown>
}

/** A published campaign, which most events need. */
export async function createStage(wallet: LoyaltyWallet, id: string | undefined): Promise<Stage> {
  if (id !== undefined) return { wallet, campaign: await wallet.getCampaign(id) }
  const { data } = await wallet.listCampaigns({ status: 'published', limit: 1 })
  const [campaign] = data
  if (campaign) return { wallet, campaign }
  throw new Failure(
    'no_campaign',
    'There is no published campaign. Publish one: loyalty-wallet campaigns apply -f FILE --publish',
  )
}

/** Reserved for examples, so that nobody gets a message. */
const newEmail = () => `${randomUUID()}@example.com`

interface Registered {
  readonly customer: string
  readonly card: string
}

const register = async ({ wallet, campaign }: Stage): Promise<Registered> => {
  const data = { fullname: 'Test customer', email: newEmail() }
  const customer = await wallet.registerCustomer({ campaignId: campaign.id, customer: { data } })
  return { customer: customer.id, card: customer.cards[0]!.id }
}

async function sell(stage: Stage, more: Partial<Schemas['Basket']> = {}, known?: Registered) {
  const { customer, card } = known ?? (await register(stage))
  const items = [{ id: '1', name: 'Test item', quantity: 2, unitPrice: 5 }]
  return stage.wallet.processTransaction({ customer, card, items, opaqueId: `test-${randomUUID()}`, ...more })
}

async function issue(stage: Stage) {
  const reward = stage.campaign.rewards?.[0]
  if (!reward)
    throw new Failure('no_reward', `${stage.campaign.name} has no reward. Name another one with --campaign.`)
  const { customer, card } = await register(stage)
  const coupon = await stage.wallet.issueCoupon({ customer, campaign: stage.campaign.id, reward: reward.key })
  return { customer, card, coupon }
}

async function redeem(stage: Stage) {
  const { customer, card, coupon } = await issue(stage)
  const [product] = coupon.reward.products ?? []
  const item = { id: '1', name: 'Test item', quantity: 1, unitPrice: 20 }
  const items = [product === undefined ? item : { ...item, product }]
  return sell(stage, { items, reward: coupon.id }, { customer, card })
}

export const triggers = {
  'customer.created': {
    text: 'creates a customer',
    make: ({ wallet }) => wallet.createCustomer({ data: { email: newEmail() } }),
  },
  'customer.registered': { text: 'registers a customer for a card', make: register },
  'customer.changed': {
    text: 'registers a customer and changes the name',
    async make(stage) {
      const { customer } = await register(stage)
      return stage.wallet.patchCustomer(customer, { data: { fullname: 'Renamed customer' } })
    },
  },
  'consent.changed': {
    text: 'registers a customer who agrees to marketing',
    async make(stage) {
      const { customer } = await register(stage)
      return stage.wallet.patchCustomer(customer, { consents: { marketing: true } })
    },
  },
  'customer.erased': {
    text: 'registers a customer and erases the personal data',
    async make(stage) {
      return stage.wallet.eraseCustomer((await register(stage)).customer)
    },
  },
  'card.changed': {
    text: 'blocks a new card',
    async make(stage) {
      return stage.wallet.blockCard((await register(stage)).card)
    },
  },
  'card.replaced': {
    text: 'replaces a new card',
    async make(stage) {
      return stage.wallet.replaceCard((await register(stage)).card)
    },
  },
  'transaction.processed': { text: 'processes a sale', make: (stage) => sell(stage) },
  'transaction.returned': {
    text: 'processes a sale and returns one item',
    async make(stage) {
      const { id } = await sell(stage)
      return stage.wallet.returnTransaction(id, { items: [{ id: '1', quantity: 1 }] })
    },
  },
  'balance.adjusted': {
    text: 'gives a new customer 10 of the first balance',
    async make(stage) {
      const { customer } = await register(stage)
      const key = stage.campaign.balances[0]!.key
      return stage.wallet.adjustBalance(customer, { key, amount: 10, reason: 'Test' })
    },
  },
  'coupon.granted': { text: 'gives a new customer a coupon', make: issue },
  'coupon.redeemed': { text: 'gives a new customer a coupon, and redeems it in a sale', make: redeem },
  'coupon.revoked': {
    text: 'gives a new customer a coupon, and revokes it',
    async make(stage) {
      return stage.wallet.revokeCoupon((await issue(stage)).coupon.id)
    },
  },
  'connection.revoked': {
    text: 'adds a connection and revokes it',
    async make({ wallet }) {
      const { id } = await wallet.addConnection({ name: 'Test connection', scopes: ['pos'] })
      return wallet.revokeConnection(id)
    },
  },
} as const satisfies Record<string, Trigger>
