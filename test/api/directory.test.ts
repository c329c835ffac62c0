import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'
import {
  auditWithReturns,
  type Body,
  openShop,
  type Person,
  type Shop,
  tally,
  times,
} from '../support/shop.ts'

let service: TestService
let shop: Shop
let person: Person

const visit = {
  name: 'Visits',
  balances: [{ key: 'points' }],
  rules: [{ id: 'visit', kind: 'collect_per_visit', balance: 'points', amount: 1 }],
}

beforeAll(async () => {
  service = await startTestService()
  shop = await openShop(service)
  person = await shop.register(await shop.publish(visit))
})
afterAll(async () => {
  expect(await auditWithReturns(service)).toEqual([])
  await service.close()
})

const find = async (kind: string, opaqueId: string, of = shop): Promise<Body> =>
  (await of.get(`/v1/${kind}?q=${encodeURIComponent(opaqueId)}`)).data.find(
    (entry: Body) => entry.opaqueId === opaqueId,
  )
const refusal = async (method: 'POST' | 'PATCH', path: string, body: object) => {
  const reply = await shop.call(method, path, body)
  return reply.status < 400 ? `accepted ${reply.text}` : `${reply.status} ${reply.body.message}`
}

describe.each([
  {
    kind: 'products',
    prefix: 'prd',
    extra: { category: 'coffee', price: 3.45 },
    other: { category: 'tea', price: 0 },
  },
  { kind: 'branches', prefix: 'brn', extra: {}, other: {} },
  { kind: 'users', prefix: 'usr', extra: {}, other: {} },
])('/v1/$kind', ({ kind, prefix, extra, other }) => {
  test('an entry is created, read, listed and patched; the opaque id stays', async () => {
    const created = await shop.post(`/v1/${kind}`, { opaqueId: 'one', name: 'One', ...extra })
    expect(created).toEqual({
      id: expect.stringMatching(new RegExp(`^${prefix}_`)),
      opaqueId: 'one',
      name: 'One',
      ...extra,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect(await shop.get(`/v1/${kind}/${created.id}`)).toEqual(created)
    expect(await find(kind, 'one')).toEqual(created)
    const patched = await shop.call('PATCH', `/v1/${kind}/${created.id}`, { name: 'Two', ...other })
    expect([patched.status, patched.body]).toEqual([
      200,
      { ...created, name: 'Two', ...other, updatedAt: expect.any(String) },
    ])
    expect(await refusal('PATCH', `/v1/${kind}/${created.id}`, { opaqueId: 'two' })).toBe(
      '400 _invalid_payload',
    )
    const bare = await shop.call('PATCH', `/v1/${kind}/${created.id}`, { name: null })
    expect(bare.body).not.toHaveProperty('name')
    expect(await shop.get(`/v1/${kind}/${created.id}`)).toEqual(bare.body)
  })

  test('an opaque id is used once, also by twenty at the same time', async () => {
    const replies = await Promise.all(
      times(20, () => shop.call('POST', `/v1/${kind}`, { opaqueId: 'raced' })),
    )
    expect(tally(replies)).toEqual({ 201: 1, '400 opaque_id_already_exists': 19 })
  })

  test('unknown ids, other organizations and tills get nothing', async () => {
    const { id } = await shop.post(`/v1/${kind}`, { opaqueId: 'mine' })
    const stranger = await openShop(service)
    for (const reply of [
      await shop.call('GET', `/v1/${kind}/${prefix}_0`),
      await stranger.call('GET', `/v1/${kind}/${id}`),
      await stranger.call('PATCH', `/v1/${kind}/${id}`, { name: 'theirs' }),
    ]) {
      expect(reply.status).toBe(404)
    }
    expect(await find(kind, 'mine', stranger)).toBeUndefined()
    // The same opaque id is free in another organization.
    await stranger.post(`/v1/${kind}`, { opaqueId: 'mine' })
    const till = await shop.merchant.connect(['pos'])
    expect((await till('GET', `/v1/${kind}`)).status).toBe(403)
  })

  test('lists are paged, newest first, without doubles or holes', async () => {
    const own = await openShop(service)
    for (let i = 0; i < 7; i++) await own.post(`/v1/${kind}`, { opaqueId: `p${i}` })
    const seen: string[] = []
    let cursor = ''
    do {
      const page = await own.get(`/v1/${kind}?limit=3${cursor}`)
      expect(page.data.length).toBeLessThanOrEqual(3)
      seen.push(...page.data.map(({ opaqueId }: Body) => opaqueId))
      cursor = page.nextCursor ? `&cursor=${page.nextCursor}` : ''
    } while (cursor)
    expect(seen.filter((opaqueId) => /^p\d$/.test(opaqueId))).toEqual(times(7, (i) => `p${6 - i}`))
    expect(new Set(seen).size).toBe(seen.length)
  })
})

test('a price is kept exactly as sent, and only one that a till could send is taken', async () => {
  const created = await shop.post('/v1/products', { opaqueId: 'priced', price: 1234567890.123456 })
  const path = `/v1/products/${created.id}`
  expect((await shop.get(path)).price).toBe(1234567890.123456)
  expect((await shop.call('PATCH', path, { name: 'Priced' })).body).toMatchObject({
    price: 1234567890.123456,
  })
  for (const price of [0.1, 0, 0.000001, 1e10]) {
    expect((await shop.call('PATCH', path, { price })).body.price).toBe(price)
  }
  for (const price of [-0.01, 1e10 + 1, 0.0000001, '3.5']) {
    expect([price, await refusal('PATCH', path, { price })]).toEqual([price, '400 _invalid_payload'])
    expect(await refusal('POST', '/v1/products', { opaqueId: 'p', price })).toBe('400 _invalid_payload')
  }
  expect((await shop.get(path)).price).toBe(1e10)
  expect((await shop.call('PATCH', path, { price: null })).body).not.toHaveProperty('price')
})

describe('what a till reads of the directory', () => {
  const pages = async (path: string, own: Shop): Promise<Body[]> => {
    const till = await own.merchant.connect(['pos'])
    const seen: Body[] = []
    let cursor: string | undefined = ''
    do {
      const { status, body, text } = await till('GET', `${path}limit=2${cursor && `&cursor=${cursor}`}`)
      expect([status, status === 200 || text]).toEqual([200, true])
      expect(body.data.length).toBeLessThanOrEqual(2)
      seen.push(...body.data)
      cursor = body.nextCursor
    } while (cursor)
    return seen
  }

  test('is sorted by category and name, whatever has none of them, over all pages', async () => {
    const own = await openShop(service)
    for (const product of [
      { opaqueId: 'x-1' },
      { opaqueId: 'tea', name: 'Green tea', category: 'Tea', price: 2.5 },
      { opaqueId: 'latte', name: 'Latte', category: 'coffee', price: 3.8 },
      { opaqueId: 'espresso', name: 'espresso', category: 'coffee' },
      { opaqueId: 'bag', name: 'A bag' },
      { opaqueId: 'double', name: 'Espresso', category: 'Coffee' },
      { opaqueId: 'nameless', category: 'tea' },
    ]) {
      await own.post('/v1/products', product)
    }
    const all = await pages('/v1/till/products?', own)
    expect(all.map(({ opaqueId }) => opaqueId)).toEqual([
      'double',
      'espresso',
      'latte',
      'tea',
      'nameless',
      'bag',
      'x-1',
    ])
    expect(all[2]).toEqual({ opaqueId: 'latte', name: 'Latte', category: 'coffee', price: 3.8 })
    expect(all[6]).toEqual({ opaqueId: 'x-1' })
    const found = async (q: string) =>
      (await pages(`/v1/till/products?q=${q}&`, own)).map(({ opaqueId }) => opaqueId)
    expect(await found('LATT')).toEqual(['latte'])
    expect(await found('tea')).toEqual(['tea', 'nameless'])
    expect(await found('x-')).toEqual(['x-1'])
    expect(await found('%25')).toEqual([])
    const named = async (query: string) =>
      (await pages(`/v1/till/products?${query}&`, own)).map(({ opaqueId }) => opaqueId)
    expect(await named('opaqueId=latte')).toEqual(['latte'])
    expect(await named('opaqueId=x-1&opaqueId=latte&opaqueId=nobody&opaqueId=LATTE')).toEqual([
      'latte',
      'x-1',
    ])
    expect(await named('opaqueId=latte&opaqueId=tea&q=green')).toEqual(['tea'])
    const tooMany = Array.from({ length: 101 }, (_, i) => `opaqueId=${i}`).join('&')
    for (const query of ['opaqueId=', 'opaqueId=a%00b', 'opaqueId=a&opaqueId=b%00', tooMany]) {
      const reply = await own.call('GET', `/v1/till/products?${query}`)
      expect([query, reply.status, reply.body.message]).toEqual([query, 400, '_invalid_payload'])
    }
  })

  test('has the branches by name, and nothing of others', async () => {
    const own = await openShop(service)
    await own.post('/v1/branches', { opaqueId: 'b-2', name: 'airport' })
    await own.post('/v1/branches', { opaqueId: 'b-1', name: 'Zoo' })
    expect(await pages('/v1/till/branches?', own)).toEqual([
      { opaqueId: 'b-2', name: 'airport' },
      { opaqueId: 'main', name: 'Main' },
      { opaqueId: 'b-1', name: 'Zoo' },
    ])
    expect(await pages('/v1/till/products?', own)).toEqual([])
    const manager = await own.merchant.connect(['manage'])
    expect((await manager('GET', '/v1/till/branches')).status).toBe(403)
  })

  test('a cursor that is none is refused', async () => {
    for (const text of [
      '[]',
      '{}',
      'null',
      '{"opaqueId":1}',
      '{"opaqueId":"a","name":2}',
      'x',
      '"a\\u0000"',
    ]) {
      const cursor = Buffer.from(text).toString('base64url')
      const reply = await shop.call('GET', `/v1/till/products?cursor=${cursor}`)
      expect([text, reply.status, reply.body.message]).toEqual([text, 400, '_invalid_payload'])
    }
  })
})

test('a user has a branch, given by id or opaque id; an unknown one is refused', async () => {
  const branch = await shop.post('/v1/branches', { opaqueId: 'north' })
  const byOpaqueId = await shop.post('/v1/users', { opaqueId: 'ann', branch: 'north' })
  expect(byOpaqueId).toMatchObject({ branch: branch.id, branchOpaqueId: 'north' })
  const bob = await shop.post('/v1/users', { opaqueId: 'bob', branch: branch.id })
  expect(bob).toMatchObject({ branch: branch.id, branchOpaqueId: 'north' })
  expect(await refusal('POST', '/v1/users', { opaqueId: 'eve', branch: 'nowhere' })).toBe(
    '400 invalid_branch',
  )
  expect(await refusal('PATCH', `/v1/users/${bob.id}`, { branch: 'nowhere' })).toBe('400 invalid_branch')
  expect((await shop.call('PATCH', `/v1/users/${bob.id}`, { branch: null })).body).not.toHaveProperty(
    'branch',
  )
})

describe('references of a basket', () => {
  test('that are new are registered on first sight, and are the same from then on', async () => {
    const basket = { items: [{ product: 'first-seen', amount: 1 }], user: 'cash-7', branch: 'store-12' }
    const sale = await shop.process(person, basket)
    expect(sale).toMatchObject({ userOpaqueId: 'cash-7', branchOpaqueId: 'store-12' })
    expect(await find('users', 'cash-7')).toMatchObject({ id: sale.user })
    expect(await find('branches', 'store-12')).toMatchObject({ id: sale.branch })
    expect(await find('products', 'first-seen')).toMatchObject({ id: expect.stringMatching(/^prd_/) })
    const next = await shop.process(person, basket)
    expect([next.user, next.branch]).toEqual([sale.user, sale.branch])
  })

  test('are not registered by a validate or a refused basket', async () => {
    const basket = { items: [{ product: 'ghost', amount: 1 }], user: 'ghost', branch: 'ghost' }
    await shop.post('/v1/transactions/validate', { ...person, ...basket })
    expect(await shop.refused(person, { ...basket, pointsToSpend: 5 })).toBe('points_not_spendable')
    for (const kind of ['products', 'users', 'branches']) expect(await find(kind, 'ghost')).toBeUndefined()
  })

  test('that are new to forty baskets at once are registered once', async () => {
    const campaign = await shop.publish(visit)
    const people = await Promise.all(times(20, () => shop.register(campaign)))
    const items = times(5, (i) => ({ product: `rush-${i}`, amount: 1 }))
    const sales = await Promise.all(
      people.flatMap((person) => [
        shop.process(person, { items, branch: 'rush' }),
        shop.process(person, { items: items.toReversed(), branch: 'rush' }),
      ]),
    )
    expect(new Set(sales.map((sale) => sale.branch)).size).toBe(1)
    const { rows } = await service.database.pool.query(
      `SELECT opaque_id FROM products WHERE opaque_id LIKE 'rush-%' ORDER BY opaque_id`,
    )
    expect(rows.map((row) => row.opaque_id)).toEqual(times(5, (i) => `rush-${i}`))
  })

  test('the branch is the API user’s unless told, also when a user of another branch is given', async () => {
    await shop.post('/v1/branches', { opaqueId: 'south' })
    await shop.post('/v1/users', { opaqueId: 'carl', branch: 'south' })
    expect(await shop.process(person, { amount: 1 })).toMatchObject({ branchOpaqueId: 'main' })
    expect(await shop.process(person, { amount: 1, user: 'carl' })).toMatchObject({
      userOpaqueId: 'carl',
      branchOpaqueId: 'main',
    })
  })

  test('a service account is a user that can be moved to another branch', async () => {
    const own = await openShop(service)
    const member = await own.register(await own.publish(visit))
    const { user } = await own.process(member, { amount: 1 })
    await own.post('/v1/branches', { opaqueId: 'east' })
    expect((await own.call('PATCH', `/v1/users/${user}`, { branch: 'east' })).status).toBe(200)
    expect(await own.process(member, { amount: 1 })).toMatchObject({ user, branchOpaqueId: 'east' })
  })
})

describe('strictReferences', () => {
  test('refuses unknown products, users and branches, in that order, and takes known ones', async () => {
    const strict = await openShop(service)
    const member = await strict.register(await strict.publish(visit))
    expect((await strict.call('PATCH', '/v1/organization', { strictReferences: true })).body).toMatchObject({
      strictReferences: true,
    })
    const basket = { items: [{ product: 'x', amount: 1 }], user: 'u', branch: 'b' }
    expect(await strict.refused(member, basket)).toBe('invalid_product')
    await strict.post('/v1/products', { opaqueId: 'x' })
    expect(await strict.refused(member, basket)).toBe('invalid_user')
    await strict.post('/v1/users', { opaqueId: 'u' })
    expect(await strict.refused(member, basket)).toBe('invalid_branch')
    const reply = await strict.call('POST', '/v1/transactions/validate', { ...member, ...basket })
    expect(reply.body.message).toBe('invalid_branch')
    await strict.post('/v1/branches', { opaqueId: 'b' })
    await strict.process(member, basket)
    // Lines without a product and the API user's own branch are no references.
    await strict.process(member, { items: [{ amount: 1 }] })
    expect(await strict.balance(member)).toEqual({ value: 2, total: 2 })
    // References come after customer and card, and before coupons and points.
    const unknown = { items: [{ product: 'y', amount: 1 }], reward: 'cpn_0', pointsToSpend: 1 }
    expect(await strict.refused(member, unknown)).toBe('invalid_product')
    expect(await strict.refused({ ...member, card: 'card_0' }, unknown)).toBe('card_not_found')
    await strict.call('PATCH', '/v1/organization', { strictReferences: false })
    await strict.process(member, { items: [{ product: 'y', amount: 1 }] })
  })
})
