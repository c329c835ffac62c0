import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import type { TestService } from '../support/service.ts'
import { tally } from '../support/shop.ts'
import { many, startTwoInstances, type TwoInstances } from '../support/two-instances.ts'

/** Products, branches and users that two instances see for the first time, at the same time. */
let two: TwoInstances
let campaign: string

beforeAll(async () => {
  two = await startTwoInstances()
  campaign = await two.merchant.publishCampaign()
})
afterAll(async () => {
  expect(await two.problems()).toEqual([])
  await two.close()
})

const count = 40

/** The basket of everybody in turn, on one instance forwards and on the other backwards. */
async function meet(basketOf: (n: number) => object) {
  const people = await many(2 * count, () => two.merchant.register(campaign))
  const send = (on: TestService, i: number, n: number) => {
    const { customer, card } = people[i]!
    const body = { customer, card, ...basketOf(n) }
    return on.call('POST', '/v1/transactions/process', { token: two.merchant.token, body })
  }
  return Promise.all([
    ...Array.from({ length: count }, (_, i) => send(two.service, i, i)),
    ...Array.from({ length: count }, (_, i) => send(two.second, count + i, count - 1 - i)),
  ])
}

/** How often the directory has each opaque id that begins so. */
async function directory(kind: string, prefix: string): Promise<Record<string, number>> {
  const { rows } = await two.service.database.pool.query(
    `SELECT opaque_id, count(*)::int AS n FROM ${kind} WHERE starts_with(opaque_id, $1) GROUP BY opaque_id`,
    [prefix],
  )
  return Object.fromEntries(rows.map(({ opaque_id, n }) => [opaque_id, n]))
}
const onceEach = (prefix: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, 1]))

const line = (product: string) => ({ items: [{ product, unitPrice: 1 }] })

const each = [
  { what: 'products', kinds: ['products'], basketOf: line },
  { what: 'branches', kinds: ['branches'], basketOf: (branch: string) => ({ branch }) },
  { what: 'users', kinds: ['users'], basketOf: (user: string) => ({ user }) },
  {
    what: 'references of every kind',
    kinds: ['products', 'branches', 'users'],
    basketOf: (name: string) => ({ branch: name, user: name, ...line(name) }),
  },
]

// The last has all of the others in it.
test.each(isFull ? each : each.slice(-1))(
  'baskets with the same new $what in opposite order on two instances all pass, and each is registered once',
  async ({ what, kinds, basketOf }) => {
    for (const round of isFull ? ['first', 'second'] : ['first']) {
      const prefix = `${what} ${round} `
      const replies = await meet((n) => basketOf(`${prefix}${n}`))
      expect(tally(replies)).toEqual({ 201: 2 * count })
      for (const kind of kinds) expect(await directory(kind, prefix)).toEqual(onceEach(prefix))
    }
  },
)
