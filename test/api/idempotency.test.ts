import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fingerprintOf } from '../../src/operations/fingerprint.ts'
import { createWorld, recipeOf } from '../contract/recipes.ts'
import {
  createIds,
  isInTestsOnly,
  listRoutes,
  type ProbeCall,
  probes,
  shareIds,
} from '../contract/route-table.ts'
import { audit } from '../support/audit.ts'
import { isOnCluster } from '../support/cluster.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { pgBouncerProgram } from '../support/pgbouncer.ts'
import {
  adminToken,
  type Merchant,
  type Reply,
  startTestService,
  type TestService,
} from '../support/service.ts'
import { countWaiting } from '../support/waiting.ts'

let service: TestService
let merchant: Merchant
let campaign: string

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign()
})
afterAll(async () => {
  expect(await audit(service.database.pool)).toEqual([])
  await service.close()
})

let keys = 0
const freshKey = () => ({ 'idempotency-key': `key-${++keys}` })

/** The same members in another order, all the way down. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, reordered(member)]),
  )
}

/** How many rows every table has. */
async function rowCounts(): Promise<Record<string, number>> {
  const { pool } = service.database
  const { rows } = await pool.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'sessions'",
  )
  const counts: Record<string, number> = {}
  for (const { name } of rows) {
    counts[name] = (await pool.query(`SELECT count(*)::int AS n FROM "${name}"`)).rows[0].n
  }
  return counts
}

function expectReplay(first: Reply, again: Reply): void {
  expect(first.headers['idempotent-replayed']).toBeUndefined()
  expect([again.status, again.body]).toEqual([first.status, first.body])
  expect(again.headers['idempotent-replayed']).toBe('true')
}

describe('the route table', () => {
  /**
   * A key belongs to an organization: without a caller there is none. Previews write nothing, and rows of an import have
   * numbers.
   */
  const isWithoutKey = (name: string) =>
    /^POST \/(?:auth|w)\/|\/validate$|\/preview$|\/backtest$|\/rows$|\/try$/.test(name)
  /** The response contains a secret that is shown once. */
  const isSecret = (name: string) => service.configs.get(name)!.hidesReply === true

  test('every POST that writes takes an Idempotency-Key, unless its response contains a secret', () => {
    for (const { name, method, takesIdempotencyKey } of listRoutes(service)) {
      const expected = method === 'POST' && !isWithoutKey(name) && !isSecret(name)
      expect([name, takesIdempotencyKey]).toEqual([name, expected])
    }
  })

  test('where the response contains a secret, the key is refused', async () => {
    const secret = listRoutes(service).filter(({ name }) => isSecret(name))
    expect(secret.length).toBeGreaterThan(5)
    // Each is refused, so none of them uses anything up.
    const world = await createWorld(service, merchant)
    for (const { name, method } of secret) {
      const { path, bodies, token, headers } = recipeOf(name, world)!
      const counts = await rowCounts()
      const sent = { body: bodies[0] ?? {}, token, headers: { ...headers, ...freshKey() } }
      expectRefusal(await service.call(method, path, sent), 400, '_invalid_payload', /^Idempotency-Key: /)
      expect(await rowCounts(), name).toEqual(counts)
    }
  })

  const withIds = shareIds()
  const posts = Object.keys(probes).filter(
    (name) => name.startsWith('POST') && !isWithoutKey(name) && !isInTestsOnly(name),
  )

  test.for(posts)(
    '%s: the same key and body get the first answer again, and another body is idempotency_key_reused',
    async (name, { skip }) => {
      if (isSecret(name)) skip('Its response contains a secret.')
      await withIds(merchant, (ids) => tryReplays(probes[name]!(ids)))
    },
  )

  async function tryReplays({ path, body, otherBody }: ProbeCall): Promise<void> {
    const key = freshKey()
    const first = await merchant.call('POST', path, body, key)
    expect([first.status < 300, first.body?.message]).toEqual([true, undefined])
    const before = await rowCounts()
    expectReplay(first, await merchant.call('POST', path, body, key))
    expectReplay(first, await merchant.call('POST', path, reordered(body), key))
    if (otherBody === undefined) {
      // Such a route takes only {}: a till's other properties are ignored, and those of others refused.
      expect(body).toEqual({})
      const other = await merchant.call('POST', path, { unknown: 1 }, key)
      if (other.headers['ignored-members']) expectReplay(first, other)
      else expectRefusal(other, 400, '_invalid_payload')
    } else {
      expectRefusal(await merchant.call('POST', path, otherBody, key), 422, 'idempotency_key_reused')
      // The first answer is still there.
      expectReplay(first, await merchant.call('POST', path, body, key))
    }
    expect(await rowCounts()).toEqual(before)
  }

  test('organizations and subscriptions of the platform honour it too', async () => {
    const admin = (path: string, body: object, headers: Record<string, string>) =>
      service.call('POST', `/admin/v1${path}`, { token: adminToken, body, headers })
    const key = freshKey()
    const first = await admin('/organizations', { name: 'Once' }, key)
    expectReplay(first, await admin('/organizations', { name: 'Once' }, key))
    expectRefusal(await admin('/organizations', { name: 'Twice' }, key), 422, 'idempotency_key_reused')
    const path = `/organizations/${first.body.id}/subscription`
    const off = await admin(path, { active: false }, key)
    expectReplay(off, await admin(path, { active: false }, key))
    expectRefusal(await admin(path, { active: true }, key), 422, 'idempotency_key_reused')
  })
})

describe('keys', () => {
  const create = (body: object, headers?: Record<string, string>) =>
    merchant.call('POST', '/v1/customers', body, headers)

  test('without one every call is a new one', async () => {
    const [first, second] = [await create({ data: {} }), await create({ data: {} })]
    expect(first.body.id).not.toBe(second.body.id)
  })

  test('count per path: the same key on another path or another id is another call', async () => {
    const key = freshKey()
    const [a, b] = [await createIds(merchant), await createIds(merchant)]
    const created = await create({ data: {} }, key)
    expect(created.status).toBe(201)
    for (const path of [
      `/v1/customers/${a.customer}/block`,
      `/v1/customers/${b.customer}/block`,
      `/v1/customers/${a.customer}/unblock`,
      `/v1/cards/${a.card}/block`,
    ]) {
      const reply = await merchant.call('POST', path, {}, key)
      expect([reply.status, reply.headers['idempotent-replayed']]).toEqual([200, undefined])
    }
    const sold = await merchant.call(
      'POST',
      '/v1/transactions/process',
      { customer: b.customer, card: b.card },
      key,
    )
    expect(sold.body.message).toBe('customer_not_active')
  })

  test('numbers that are equal are equal, and an empty body equals {}', async () => {
    const { customer, card } = await merchant.register(campaign)
    const key = { ...freshKey(), 'content-type': 'application/json' }
    const send = (amount: string) =>
      merchant.call(
        'POST',
        '/v1/transactions/process',
        `{"customer":"${customer}","card":"${card}","amount":${amount}}`,
        key,
      )
    const first = await send('1')
    expectReplay(first, await send('1.0'))
    expectReplay(first, await send('10e-1'))
    const block = freshKey()
    const blocked = await merchant.call('POST', `/v1/cards/${card}/block`, undefined, block)
    expectReplay(blocked, await merchant.call('POST', `/v1/cards/${card}/block`, {}, block))
  })

  test('a body that means the same is the same, also one that an earlier version compared as sent', async () => {
    const key = freshKey()
    const data = { fullname: 'Once' }
    const first = await create({ data }, key)
    const wordy = { data: { ...data, nickname: 'One' }, metaData: {}, consents: {}, attempt: 2 }
    expectReplay(first, await create(wordy, key))
    expectRefusal(await create({ data, opaqueId: 'other' }, key), 422, 'idempotency_key_reused')
    await service.database.pool.query('UPDATE idempotency_keys SET fingerprint = $2 WHERE key = $1', [
      key['idempotency-key'],
      fingerprintOf(wordy).value,
    ])
    expectReplay(first, await create(wordy, key))
  })

  test('a refusal is not remembered: the same call passes once its reason is gone', async () => {
    const { customer, card } = await merchant.register(campaign)
    const key = freshKey()
    const basket = { customer, card, amount: 100, pointsToSpend: 100 }
    const pay = () => merchant.call('POST', '/v1/transactions/process', basket, key)
    expectRefusal(await pay(), 400, 'insufficient_points')
    expectRefusal(await pay(), 400, 'insufficient_points')
    await merchant.call('POST', `/v1/customers/${customer}/adjustments`, {
      key: 'points',
      amount: 100,
      reason: 'x',
    })
    const paid = await pay()
    expect(paid.status).toBe(201)
    expectReplay(paid, await pay())

    const other = freshKey()
    await create({ data: { email: 'refused@example.com' } })
    expectRefusal(
      await create({ data: { email: 'refused@example.com' } }, other),
      400,
      'existing_customer_with_email',
    )
    expect((await create({ data: { email: 'accepted@example.com' } }, other)).status).toBe(201)
  })

  test('a replay is answered whatever has happened since, and shows the first answer', async () => {
    const { customer, card } = await merchant.register(campaign)
    const key = freshKey()
    const basket = { customer, card, amount: 5 }
    const first = await merchant.call('POST', '/v1/transactions/process', basket, key)
    await merchant.call('POST', '/v1/transactions/process', basket)
    await merchant.call('POST', `/v1/customers/${customer}/block`)
    await merchant.call('POST', `/v1/cards/${card}/block`)
    expectReplay(first, await merchant.call('POST', '/v1/transactions/process', basket, key))
  })

  test('a replay after goods came back still shows the sale as it was first answered', async () => {
    const { customer, card } = await merchant.register(campaign)
    const key = freshKey()
    const basket = { customer, card, opaqueId: 'returned-receipt', items: [{ amount: 5 }] }
    const first = await merchant.call('POST', '/v1/transactions/process', basket, key)
    const returned = await merchant.call('POST', `/v1/transactions/${first.body.id}/return`, {})
    expect(returned.status).toBe(201)
    expectReplay(first, await merchant.call('POST', '/v1/transactions/process', basket, key))
    expectReplay(first, await merchant.call('POST', '/v1/transactions/process', basket))
  })

  test('are kept for at least 72 hours', async () => {
    const key = freshKey()
    const first = await create({ data: { fullname: 'Kept' } }, key)
    service.advance(72 * 3_600_000 - 60_000)
    const later = await merchant.signIn()
    expectReplay(first, await later('POST', '/v1/customers', { data: { fullname: 'Kept' } }, key))
    service.setTime(new Date())
  })

  test.each(['', 'x'.repeat(256), 'ta\tb', 'caf\u00e9'])('%j is no key: _invalid_payload', async (key) => {
    const reply = await create({ data: {} }, { 'idempotency-key': key })
    expectRefusal(reply, 400, '_invalid_payload', /Idempotency-Key/i)
    const { customer, card } = await merchant.register(campaign)
    const sold = await merchant.call(
      'POST',
      '/v1/transactions/process',
      { customer, card },
      { 'idempotency-key': key },
    )
    expectRefusal(sold, 400, '_invalid_payload', /Idempotency-Key/i)
  })

  test.each(['x', 'x'.repeat(255), "'; DROP TABLE customers; --", 'a b', '%00'])('%j is one', async (key) => {
    const headers = { 'idempotency-key': key }
    const first = await create({ data: {} }, headers)
    expect(first.status).toBe(201)
    expectReplay(first, await create({ data: {} }, headers))
  })
})

describe('receipt numbers', () => {
  test('the same receipt and body replay for ever', async () => {
    const { customer, card } = await merchant.register(campaign)
    const basket = {
      customer,
      card,
      opaqueId: 'receipt-1',
      items: [{ product: 'latte', quantity: 10, amount: 20 }],
    }
    const first = await merchant.call('POST', '/v1/transactions/process', basket)
    const before = await rowCounts()
    expectReplay(first, await merchant.call('POST', '/v1/transactions/process', basket))
    expectReplay(first, await merchant.call('POST', '/v1/transactions/process', reordered(basket)))
    expectReplay(first, await merchant.call('POST', '/v1/transactions/process', basket, freshKey()))
    expect(await rowCounts()).toEqual(before)
    service.advance(400 * 86_400_000)
    const later = await merchant.signIn()
    expectReplay(first, await later('POST', '/v1/transactions/process', basket))
    service.setTime(new Date())
  })

  test('another body is 409 transaction_already_exists and changes nothing', async () => {
    const { customer, card } = await merchant.register(campaign)
    const stranger = await merchant.register(campaign)
    const basket = { customer, card, opaqueId: 'receipt-2', amount: 5 }
    const { body: first } = await merchant.call('POST', '/v1/transactions/process', basket)
    const before = await rowCounts()
    for (const change of [
      { amount: 6 },
      { amount: undefined },
      { metaData: { till: 1 } },
      { items: [{}] },
      { discountedAmount: 0 },
      { customer: stranger.customer, card: stranger.card },
    ]) {
      const reply = await merchant.call('POST', '/v1/transactions/process', { ...basket, ...change })
      expectRefusal(reply, 409, 'transaction_already_exists', new RegExp(first.id))
      expect(reply.body.transaction).toBe(first.id)
    }
    expect(await rowCounts()).toEqual(before)
  })

  test('the number of another organization is free, and its sale is not named', async () => {
    const other = await service.createMerchant()
    const stranger = await other.register(await other.publishCampaign())
    const pay = (by: Merchant, { customer, card }: { customer: string; card: string }) =>
      by.call('POST', '/v1/transactions/process', { customer, card, opaqueId: 'receipt-5' })
    const [theirs, ours] = [
      await pay(other, stranger),
      await pay(merchant, await merchant.register(campaign)),
    ]
    expect([theirs.status, ours.status]).toEqual([201, 201])
    const again = await pay(merchant, await merchant.register(campaign))
    expectRefusal(again, 409, 'transaction_already_exists')
    expect(again.body.transaction).toBe(ours.body.id)
  })

  test('a body that means the same is the same: ignored properties and defaults make no difference', async () => {
    const { customer, card } = await merchant.register(campaign)
    const line = { product: 'latte', unitPrice: 2 }
    const basket = { customer, card, opaqueId: 'receipt-6', items: [line] }
    const first = await merchant.call('POST', '/v1/transactions/process', basket)
    const wordy = {
      ...basket,
      items: [{ ...line, id: '1', quantity: 1, discountAmount: 0, reward: [], note: 'hot' }],
      pointsToSpend: 0,
      discountAmount: 0,
      reward: [],
      metaData: {},
      attempt: 2,
    }
    const again = await merchant.call('POST', '/v1/transactions/process', wordy)
    expectReplay(first, again)
    expect(again.headers['ignored-members']).toBe('items[0].note, attempt')
    const free = { ...basket, items: [{ ...line, discountedAmount: 0 }] }
    expectRefusal(
      await merchant.call('POST', '/v1/transactions/process', free),
      409,
      'transaction_already_exists',
    )
  })

  test('a sale that an earlier version stored is replayed: it compared the body as sent', async () => {
    const { customer, card } = await merchant.register(campaign)
    const pay = (body: object) => merchant.call('POST', '/v1/transactions/process', body)
    const basket = { customer, card, opaqueId: 'receipt-7', items: [{ quantity: 1, amount: 5 }], attempt: 1 }
    const first = await pay(basket)
    const earlier = fingerprintOf(basket).value
    await service.database.pool.query('UPDATE transactions SET fingerprint = $2 WHERE id = $1', [
      first.body.id.slice(4),
      earlier,
    ])
    expectReplay(first, await pay(basket))
    expectReplay(first, await pay(reordered(basket) as object))
    expectRefusal(await pay({ ...basket, attempt: 2 }), 409, 'transaction_already_exists')
  })

  test('a key used with another receipt is idempotency_key_reused', async () => {
    const { customer, card } = await merchant.register(campaign)
    const key = freshKey()
    const pay = (opaqueId: string) =>
      merchant.call('POST', '/v1/transactions/process', { customer, card, opaqueId }, key)
    expect((await pay('receipt-3')).status).toBe(201)
    expectRefusal(await pay('receipt-4'), 422, 'idempotency_key_reused')
  })

  test('receipt numbers are compared exactly', async () => {
    const { customer, card } = await merchant.register(campaign)
    const pay = (opaqueId: string) =>
      merchant.call('POST', '/v1/transactions/process', { customer, card, opaqueId })
    const ids = new Set<string>()
    for (const opaqueId of ['R-x', 'r-x', 'R-x ', ' R-x', 'R-X']) ids.add((await pay(opaqueId)).body.id)
    expect(ids.size).toBe(5)
  })
})

// On a cluster and behind PgBouncer, all wait equally long for a lock: the limit is one of the role, or of the pooler.
test.skipIf(isOnCluster || pgBouncerProgram !== undefined)(
  'while the first call is still running, the next is told that the key is in use',
  async () => {
    const impatient = await startTestService({ sharing: service, lockTimeoutMs: 300 })
    const holder = await service.database.pool.connect()
    try {
      const { customer } = await merchant.register(campaign)
      await holder.query('BEGIN')
      await holder.query('UPDATE wallets SET version = version WHERE customer_id = $1', [customer.slice(4)])
      const key = freshKey()
      const call = (by: TestService) =>
        by.call('POST', `/v1/customers/${customer}/block`, { token: merchant.token, body: {}, headers: key })
      const first = call(service)
      while ((await countWaiting(service.database.pool)) === 0);
      expectRefusal(await call(impatient), 409, 'idempotency_key_in_use')
      await holder.query('COMMIT')
      const done = await first
      expect(done.status).toBe(200)
      expectReplay(done, await call(impatient))
    } finally {
      holder.release()
      await impatient.close()
    }
  },
)
