import { type Clause, must, mustAccept, mustRefuse, type Registered, type Till } from '../clause.ts'

export const transactions: readonly Clause[] = [
  ...(['phone', 'email', 'barcode'] as const).map(
    (by): Clause => ({
      id: `find.${by}`,
      text: `A customer is found by ${by}, with the id and all cards.`,
      async check(till) {
        const known = await till.register()
        const value = by === 'barcode' ? known.barcode : known.data[by]
        const answer = await find(till, value)
        mustAccept(answer, 200)
        must(answer.body.id === known.id, `it found ${answer.body.id}`)
        const cards: { id: string }[] = answer.body.cards ?? []
        must(
          cards.some(({ id }) => id === known.card),
          'the card is not among its cards',
        )
      },
    }),
  ),
  {
    id: 'find.nobody',
    text: 'A look-up of somebody who is not known finds no customer.',
    async check(till) {
      const answer = await find(till, `${till.unique()}@example.com`)
      must(answer.status >= 400 && answer.status < 500, `it answered ${answer.status}`)
    },
  },
  {
    id: 'validate.nothing',
    text: 'Validating a transaction commits nothing.',
    async check(till) {
      const known = await till.register()
      const before = await balancesOf(till, known)
      mustAccept(await send(till, 'validate', basketOf(known)))
      must((await balancesOf(till, known)) === before, 'the balances have changed')
    },
  },
  {
    id: 'process.actions',
    text: 'Processing a transaction returns the updated loyalty state in `executedActions`.',
    async check(till) {
      const answer = await send(till, 'process', basketOf(await till.register()))
      mustAccept(answer)
      const { executedActions } = answer.body
      must(typeof executedActions === 'object' && executedActions !== null, 'executedActions is missing')
    },
  },
  {
    id: 'process.collects',
    text: "The campaigns of the card run: a basket changes the customer's balances.",
    async check(till) {
      const known = await till.register()
      const before = await balancesOf(till, known)
      mustAccept(await send(till, 'process', basketOf(known)))
      must(
        (await balancesOf(till, known)) !== before,
        'the balances are as before; does the campaign collect?',
      )
    },
  },
  {
    id: 'register.keeps-balances',
    text: 'Registering again never resets a balance.',
    async check(till) {
      const known = await till.register()
      mustAccept(await send(till, 'process', basketOf(known)))
      const after = await balancesOf(till, known)
      mustAccept(
        await till.send('POST', '/v1/customers/register', {
          token: await till.token(),
          body: { campaignId: till.campaign, customer: { id: known.id } },
        }),
        201,
      )
      must((await balancesOf(till, known)) === after, 'the balances have changed')
    },
  },
  {
    id: 'process.overspend',
    text: 'More points than the balance has cannot be spent, and nothing else happens then.',
    async check(till) {
      const known = await till.register()
      const before = await balancesOf(till, known)
      const answer = await send(till, 'process', { ...basketOf(known), pointsToSpend: 1_000_000 })
      must(answer.status >= 400 && answer.status < 500, `it answered ${answer.status}`)
      must((await balancesOf(till, known)) === before, 'the balances have changed')
    },
  },
  {
    id: 'process.foreign-coupon',
    text: 'A coupon that the customer does not have cannot be redeemed, and nothing else happens then.',
    async check(till) {
      const known = await till.register()
      const before = await balancesOf(till, known)
      const answer = await send(till, 'process', { ...basketOf(known), reward: `cpn_${till.unique()}` })
      must(answer.status >= 400 && answer.status < 500, `it answered ${answer.status}`)
      must((await balancesOf(till, known)) === before, 'the balances have changed')
    },
  },
  {
    id: 'process.card-of-another',
    text: 'The card has to be one of the customer.',
    async check(till) {
      const [one, other] = [await till.register(), await till.register()]
      const answer = await send(till, 'process', { ...basketOf(one), card: other.card })
      must(answer.status >= 400 && answer.status < 500, `it answered ${answer.status}`)
    },
  },
  {
    id: 'process.token',
    text: 'Transactions need a token.',
    async check(till) {
      const body = basketOf(await till.register())
      mustRefuse(await till.send('POST', '/v1/transactions/process', { body }), 401)
      mustRefuse(await till.send('POST', '/v1/transactions/validate', { body }), 401)
    },
  },
  {
    id: 'process.opaque-ids',
    text: 'Products, users and branches are named by IDs of the client.',
    async check(till) {
      const own = till.unique()
      const basket = basketOf(await till.register())
      const items = basket.items.map((item) => ({ ...item, product: `product-${own}` }))
      const answer = await send(till, 'process', {
        ...basket,
        items,
        user: `user-${own}`,
        branch: `branch-${own}`,
      })
      mustAccept(answer)
    },
  },
]

/** Three of everything that a demo's campaign may collect for. */
const basketOf = ({ id, card }: Registered) => ({
  customer: id,
  card,
  items: [{ product: 'latte', quantity: 3, unitPrice: 3.5 }],
})

const send = async (till: Till, what: 'process' | 'validate', body: object) =>
  till.send('POST', `/v1/transactions/${what}`, { token: await till.token(), body })

const find = async (till: Till, value: string) =>
  till.send('GET', `/v1/customers/find?q=${encodeURIComponent(value)}`, { token: await till.token() })

async function balancesOf(till: Till, { barcode }: Registered): Promise<string> {
  const answer = await find(till, barcode)
  mustAccept(answer, 200)
  return JSON.stringify(answer.body.collectables)
}
