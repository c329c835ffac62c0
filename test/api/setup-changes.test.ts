import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OrganizationId } from '../../src/domain/ids.ts'
import { findUsers } from '../../src/operations/organizations/setup-cache.ts'
import { tenantOf } from '../../src/store/tenant.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { adminToken, startTestService, type TestService } from '../support/service.ts'
import {
  auditWithReturns,
  type Body,
  collected,
  openShop,
  type Person,
  type Shop,
  times,
} from '../support/shop.ts'

/**
 * What an instance remembers of an organization never outlives a change: everything here is changed through one
 * instance and counts with the very next basket of the other, which has remembered it as it was.
 */
let service: TestService
let second: TestService
let shop: Shop
let campaign: string
let person: Person

const visits = (amount: number) => ({
  name: 'Visits',
  balances: [{ key: 'points' }],
  rules: [{ id: 'visit', kind: 'collect_per_visit', balance: 'points', amount }],
})

beforeAll(async () => {
  service = await startTestService()
  second = await startTestService({ sharing: service })
})
afterAll(async () => {
  expect(await auditWithReturns(service)).toEqual([])
  await second.close()
  await service.close()
})
beforeEach(async () => {
  for (const one of [service, second]) one.setTime(new Date())
  shop = await openShop(service)
  campaign = await shop.publish(visits(1))
  person = await shop.register(campaign)
  for (const on of [service, second]) {
    for (const call of calls) expect((await send(call, { amount: 1 }, on)).status).toBeLessThan(300)
  }
})

const calls = ['process', 'validate'] as const

/** A basket of the person, at the instance that was not told of the change. */
const send = (call: (typeof calls)[number], basket: object, on = second) =>
  shop.call('POST', `/v1/transactions/${call}`, { ...person, ...basket }, { on })

/** What the next basket is, previewed and processed. */
async function nextBasket(basket: object = { amount: 1 }): Promise<Body[]> {
  const replies = [await send('validate', basket), await send('process', basket)]
  expect(replies.map(({ status }) => status)).toEqual([200, 201])
  return replies.map(({ body }) => body)
}

async function expectRefused(basket: object, code: Parameters<typeof expectRefusal>[2]): Promise<void> {
  for (const call of calls) expectRefusal(await send(call, basket), 400, code)
}

async function patch(path: string, body: object): Promise<Body> {
  const reply = await shop.call('PATCH', path, body)
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)])
  return reply.body
}

describe('a subscription', () => {
  const setActive = async (active: boolean) => {
    const path = `/admin/v1/organizations/${shop.merchant.id}/subscription`
    const reply = await service.call('POST', path, { token: adminToken, body: { active } })
    expect(reply.status).toBe(200)
  }
  const json = { 'content-type': 'application/json' }

  interface Sent {
    what: string
    body: (who: Person) => object | string
    headers?: Record<string, string>
  }
  const sent: Sent[] = [
    { what: 'a good basket', body: (who) => ({ ...who, amount: 1 }) },
    { what: 'a body that is no JSON', body: () => '{"customer":', headers: json },
    { what: 'a body of the wrong shape', body: () => ({ customer: 1 }) },
    { what: 'a customer that cannot be', body: (who) => ({ ...who, customer: 'nobody' }) },
    { what: 'a customer that is not', body: (who) => ({ ...who, customer: `cus_${'0'.repeat(32)}` }) },
    { what: 'a card that is not', body: (who) => ({ ...who, card: `card_${'0'.repeat(32)}` }) },
    { what: 'a body that is too large', body: (who) => ({ ...who, metaData: { x: 'x'.repeat(300_000) } }) },
    { what: 'a body of another type', body: () => 'amount=1', headers: { 'content-type': 'text/plain' } },
    { what: 'a key that is too long', body: (who) => who, headers: { 'idempotency-key': 'x'.repeat(300) } },
  ]

  test.each(sent)('that was switched off is the first refusal, with $what', async ({ body, headers }) => {
    await setActive(false)
    for (const call of calls) {
      for (const on of [second, service]) {
        const reply = await shop.call('POST', `/v1/transactions/${call}`, body(person), { headers, on })
        expectRefusal(reply, 403, 'invalid_subscription')
      }
    }
  })

  test('that was switched on again lets the next basket pass', async () => {
    await setActive(false)
    for (const call of calls) expectRefusal(await send(call, { amount: 1 }), 403, 'invalid_subscription')
    await setActive(true)
    await nextBasket()
  })
})

describe('a campaign', () => {
  const given = async () => (await nextBasket()).map(collected)

  test('that was published anew gives by its new rules', async () => {
    await shop.republish(campaign, visits(5))
    expect(await given()).toEqual([{ visit: 5 }, { visit: 5 }])
  })

  test('that was changed and not published gives by its old rules', async () => {
    await patch(`/v1/campaigns/${campaign}`, visits(5))
    expect(await given()).toEqual([{ visit: 1 }, { visit: 1 }])
  })

  test('that was paused gives nothing, and gives again when it was published again', async () => {
    await shop.post(`/v1/campaigns/${campaign}/pause`)
    expect(await given()).toEqual([{}, {}])
    await shop.post(`/v1/campaigns/${campaign}/publish`)
    expect(await given()).toEqual([{ visit: 1 }, { visit: 1 }])
  })

  test('that runs on the card from now on gives as well, until it was archived', async () => {
    const { rules } = visits(7)
    const more = await shop.publish({
      ...visits(7),
      rules: rules.map((rule) => ({ ...rule, id: 'more' })),
      runsOn: [campaign],
    })
    expect(await given()).toEqual([
      { visit: 1, more: 7 },
      { visit: 1, more: 7 },
    ])
    await shop.post(`/v1/campaigns/${more}/archive`)
    expect(await given()).toEqual([{ visit: 1 }, { visit: 1 }])
  })
})

describe('an organization', () => {
  test('that takes only known references from now on refuses new ones', async () => {
    await patch('/v1/organization', { strictReferences: true })
    await expectRefused({ items: [{ product: 'new' }] }, 'invalid_product')
    await expectRefused({ user: 'new' }, 'invalid_user')
    await expectRefused({ branch: 'new' }, 'invalid_branch')
    await nextBasket()
  })

  test('that takes new references again registers them', async () => {
    await patch('/v1/organization', { strictReferences: true })
    await expectRefused({ branch: 'new' }, 'invalid_branch')
    await patch('/v1/organization', { strictReferences: false })
    const [, sale] = await nextBasket({ branch: 'new' })
    expect(sale.branchOpaqueId).toBe('new')
  })

  test('that moved to another time zone has its rules look at the new one', async () => {
    const [rule] = visits(1).rules
    await shop.republish(campaign, { rules: [{ ...rule, when: { from: '06:00', to: '12:00' } }] })
    await patch('/v1/organization', { timezone: 'UTC' })
    const day = new Date(service.deps.clock().getTime() + 86_400_000).toISOString().slice(0, 10)
    for (const one of [service, second]) one.setTime(new Date(`${day}T12:00:00Z`))
    const morning = { amount: 1, occurredAt: `${day}T08:00:00Z` }
    expect((await nextBasket(morning)).map(collected)).toEqual([{ visit: 1 }, { visit: 1 }])
    await patch('/v1/organization', { timezone: 'Asia/Tokyo' })
    expect((await nextBasket(morning)).map(collected)).toEqual([{}, {}])
    await patch('/v1/organization', { timezone: 'UTC' })
    expect((await nextBasket(morning)).map(collected)).toEqual([{ visit: 1 }, { visit: 1 }])
  })
})

describe('the directory', () => {
  /** The user as which the connection sells. */
  const serviceAccount = async () => (await nextBasket())[1].user

  test('a service account that was moved to another branch sells there', async () => {
    const account = await serviceAccount()
    for (const opaqueId of ['north', 'south']) {
      await shop.post('/v1/branches', { opaqueId })
      await patch(`/v1/users/${account}`, { branch: opaqueId })
      const sold = await nextBasket()
      expect(sold.map(({ branchOpaqueId }) => branchOpaqueId)).toEqual([opaqueId, opaqueId])
    }
  })

  test('a service account that was moved sells there, also in the name of another user', async () => {
    const account = await serviceAccount()
    await nextBasket({ user: 'cashier' })
    await shop.post('/v1/branches', { opaqueId: 'north' })
    await patch(`/v1/users/${account}`, { branch: 'north' })
    const [, sale] = await nextBasket({ user: 'cashier' })
    expect([sale.userOpaqueId, sale.branchOpaqueId]).toEqual(['cashier', 'north'])
  })

  test.each([
    { kind: 'users', code: 'invalid_user', basket: { user: 'added' } },
    { kind: 'branches', code: 'invalid_branch', basket: { branch: 'added' } },
    { kind: 'products', code: 'invalid_product', basket: { items: [{ product: 'added' }] } },
  ] as const)(
    'an entry that was added to $kind is known, also where it was just unknown',
    async ({ kind, code, basket }) => {
      await patch('/v1/organization', { strictReferences: true })
      await expectRefused(basket, code)
      await shop.post(`/v1/${kind}`, { opaqueId: 'added' })
      await nextBasket(basket)
    },
  )

  test('a user and a branch that were seen first on one instance are the same on the other', async () => {
    const names = { user: 'anna', branch: 'north' }
    const there = await shop.process(person, names)
    const [preview, here] = await nextBasket(names)
    for (const { user, branch } of [preview, here]) expect([user, branch]).toEqual([there.user, there.branch])
  })

  test('a user that was renamed is the same user, with the new name', async () => {
    const [, { user }] = await nextBasket({ user: 'anna' })
    await patch(`/v1/users/${user}`, { name: 'Anna' })
    const [, sale] = await nextBasket({ user: 'anna' })
    expect([sale.user, sale.userOpaqueId]).toEqual([user, 'anna'])
    const { body } = await shop.call('GET', `/v1/users/${user}`, undefined, { on: second })
    expect(body.name).toBe('Anna')
  })

  test('a caller keeps its branch on an instance that has looked for a great many users', async () => {
    const account = await serviceAccount()
    await shop.post('/v1/branches', { opaqueId: 'north' })
    await patch(`/v1/users/${account}`, { branch: 'north' })
    await shop.post('/v1/users', { opaqueId: 'cashier' })
    const before = await shop.process(person, { amount: 1 }, { on: second })
    const { setupCache: setups, pool } = second.deps
    const setup = setups.peek(shop.merchant.id as OrganizationId)!
    const tenant = tenantOf(pool, setup.organization.orgId)
    // Just beyond what an instance remembers; as many baskets would take minutes.
    await findUsers(
      tenant,
      setup,
      [],
      times(20_001, (i) => `user-${i}`),
    )
    const after = await shop.process(person, { user: 'cashier', amount: 1 }, { on: second })
    expect([before.branchOpaqueId, after.branchOpaqueId]).toEqual(['north', 'north'])
  })
})
