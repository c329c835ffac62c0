import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '../support/audit.ts'
import { coffeeClub, startTestService, type TestService } from '../support/service.ts'
import { type Body, openShop, type Person, type Shop } from '../support/shop.ts'

/** Calls that were committed while their answer got lost, and that have no number by which to know them again. */
let service: TestService
let shop: Shop
let campaign: string

beforeAll(async () => {
  // One writer, so that what comes while it is busy makes one group.
  service = await startTestService({ writers: 1 })
  service.deps.pool.on('acquire', loseAnswers)
  shop = await openShop(service)
  campaign = await shop.publish(coffeeClub)
  await service.database.pool.query(
    `ALTER TABLE transactions ADD CONSTRAINT breaks CHECK (opaque_id <> 'breaks')`,
  )
})
afterAll(async () => {
  expect(await audit(service.database.pool)).toEqual([])
  await service.close()
})

/** Finds what the commit that nobody hears of has written. */
let unheard: (() => Promise<string[]>) | undefined
const wrapped = new WeakSet<pg.PoolClient>()

async function transactionsOf(customer: string): Promise<string[]> {
  const { rows } = await service.database.pool.query(
    "SELECT 'txn_' || replace(id::text, '-', '') AS id FROM transactions WHERE customer_id = $1",
    [customer.slice(4)],
  )
  return rows.map(({ id }) => id)
}

/** Whether the answer that just came in is the one that tells of the commit. It is lost once. */
async function isLost(): Promise<boolean> {
  if (unheard === undefined || (await unheard()).length === 0) return false
  unheard = undefined
  return true
}

/** Lets the connection break at the answer that tells of the commit, whichever statement it belongs to. */
function loseAnswers(client: pg.PoolClient): void {
  if (wrapped.has(client)) return
  wrapped.add(client)
  const query = client.query as (...args: unknown[]) => unknown
  const lost = () => new Error('Connection terminated unexpectedly')
  const withLoss = (...args: unknown[]) => {
    const callback = args.at(-1)
    if (typeof callback === 'function') {
      const answer = async (error: unknown, ...rest: unknown[]) =>
        callback((await isLost()) ? lost() : error, ...rest)
      return query.call(client, ...args.slice(0, -1), answer)
    }
    const result = query.apply(client, args)
    if (!(result instanceof Promise)) return result
    return result.then(async (rows) => {
      if (await isLost()) throw lost()
      return rows
    })
  }
  client.query = withLoss as typeof client.query
}

const pay = ({ customer, card }: Person, basket: object) =>
  shop.call('POST', '/v1/transactions/process', { customer, card, ...basket })

/** Somebody with just enough points to spend them once. */
async function saver(): Promise<Person> {
  const person = await shop.register(campaign)
  await shop.adjust(person, 'points', 100)
  return person
}
const spendAll = { amount: 10, pointsToSpend: 100 }

/** The one transaction there is, with the balance that it alone leaves. */
async function expectProcessedOnce(person: Person, reply: { status: number; body: Body }): Promise<void> {
  expect([reply.status, reply.body.pointsSpent]).toEqual([201, 100])
  expect(unheard).toBeUndefined()
  expect(await transactionsOf(person.customer)).toEqual([reply.body.id])
  expect(await shop.balance(person)).toEqual({ value: 9, total: 9 })
}

test('a basket whose commit was not heard of is answered as processed, and counts once', async () => {
  const person = await saver()
  unheard = () => transactionsOf(person.customer)
  const reply = await pay(person, spendAll)
  await expectProcessedOnce(person, reply)
  expect(reply.headers).not.toHaveProperty('idempotent-replayed')
})

test('a basket with a new product whose commit was not heard of is answered as processed, and counts once', async () => {
  const person = await saver()
  unheard = () => transactionsOf(person.customer)
  await expectProcessedOnce(
    person,
    await pay(person, { ...spendAll, items: [{ product: 'first-seen', amount: 10 }] }),
  )
})

test('a basket whose commit was not heard of is answered as processed, also when another one breaks its group', async () => {
  const [busy, person, culprit] = [await saver(), await saver(), await saver()]
  unheard = () => transactionsOf(person.customer)
  const [, reply, broken] = await Promise.all([
    pay(busy, { amount: 1 }),
    pay(person, spendAll),
    // A new product keeps it out of the first try of the group, in which the other one is committed.
    pay(culprit, { opaqueId: 'breaks', items: [{ product: 'breaks', unitPrice: 1 }] }),
  ])
  await expectProcessedOnce(person, reply)
  expect([broken.status, await transactionsOf(culprit.customer)]).toEqual([500, []])
})

async function idsIn(table: 'returns' | 'ledger_entries', column: string, reason: string): Promise<string[]> {
  const { rows } = await service.database.pool.query(
    `SELECT ${column}::text AS id FROM ${table} WHERE reason = $1`,
    [reason],
  )
  return rows.map(({ id }) => id)
}

test.each<Record<string, string>>([{}, { 'idempotency-key': 'lost-return' }])(
  'a return whose commit was not heard of is answered as made, and counts once: %o',
  async (headers) => {
    const person = await saver()
    const sale = await pay(person, spendAll)
    const reason = `unheard ${JSON.stringify(headers)}`
    unheard = () => idsIn('returns', 'id', reason)
    const path = `/v1/transactions/${sale.body.id}/return`
    const reply = await shop.call('POST', path, { reason }, { headers })
    expect(unheard).toBeUndefined()
    expect([reply.status, reply.body.pointsRestored]).toEqual([201, 100])
    const [made, ...others] = await idsIn('returns', 'id', reason)
    expect([reply.body.id, others]).toEqual([`ret_${made!.replaceAll('-', '')}`, []])
    expect(await shop.balance(person)).toEqual({ value: 100, total: 0 })
  },
)

test('an adjustment whose commit was not heard of is not made again: its caller is told to find out', async () => {
  const person = await shop.register(campaign)
  unheard = () => idsIn('ledger_entries', 'version', 'unheard')
  const body = { key: 'points', amount: 5, reason: 'unheard' }
  const path = `/v1/customers/${person.customer}/adjustments`
  const headers = { 'idempotency-key': 'lost-adjustment' }
  expect((await shop.call('POST', path, body, { headers })).status).toBe(503)
  expect(unheard).toBeUndefined()
  expect(await shop.balance(person)).toEqual({ value: 5, total: 0 })
  // With its key it is answered as it was made.
  expect((await shop.call('POST', path, body, { headers })).status).toBe(201)
  expect(await shop.balance(person)).toEqual({ value: 5, total: 0 })
})
