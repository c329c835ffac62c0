import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { coffeeClub, type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let call: Merchant['call']
let campaigns: string[]
let ann: Awaited<ReturnType<Merchant['register']>>
let bob: typeof ann

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  call = merchant.call
  campaigns = [await merchant.publishCampaign(), await merchant.publishCampaign(coffeeClub)]
  ann = await merchant.register(campaigns[0]!)
  bob = await merchant.register(campaigns[1]!)
})
afterAll(() => service.close())

const issue = async (customer: string, campaign: string, reward: string): Promise<string> =>
  (await call('POST', '/v1/coupons', { customer, campaign, reward })).body.id
const list = (query: string) => call('GET', `/v1/coupons?${query}`)
const idsOf = async (query: string): Promise<string[]> =>
  (await list(query)).body.data.map(({ id }: { id: string }) => id)

describe('GET /v1/coupons', () => {
  let given: string[]

  test('lists the coupons of everybody, newest first, over several pages', async () => {
    given = [
      await issue(ann.customer, campaigns[0]!, 'five-off'),
      await issue(bob.customer, campaigns[1]!, 'five-off'),
      await issue(ann.customer, campaigns[0]!, 'free-coffee'),
      await issue(ann.customer, campaigns[1]!, 'five-off'),
    ]
    const first = await list('limit=3')
    const second = await list(`limit=3&cursor=${first.body.nextCursor}`)
    const seen = [...first.body.data, ...second.body.data]
    expect(seen.map(({ id }) => id)).toEqual(given.toReversed())
    expect(second.body).not.toHaveProperty('nextCursor')
    for (const coupon of seen) expect(coupon).toEqual((await call('GET', `/v1/coupons/${coupon.id}`)).body)
  })

  test('by customer and by campaign', async () => {
    expect(await idsOf(`customer=${ann.customer}`)).toEqual([given[3], given[2], given[0]])
    expect(await idsOf(`campaign=${campaigns[1]}`)).toEqual([given[3], given[1]])
    expect(await idsOf(`customer=${ann.customer}&campaign=${campaigns[1]}`)).toEqual([given[3]])
  })

  test('by status, where a coupon that has run out is expired before and after the job has noticed', async () => {
    await call('POST', `/v1/coupons/${given[0]}/revoke`)
    const sale = await call('POST', '/v1/transactions/process', {
      customer: bob.customer,
      card: bob.card,
      amount: 10,
      reward: given[1],
    })
    expect(sale.status).toBe(201)
    expect(await idsOf('status=1')).toEqual([given[3], given[2]])
    expect((await list('status=3')).body.data).toMatchObject([{ id: given[1], redeemedBy: sale.body.id }])
    expect(await idsOf('status=4')).toEqual([])
    expect(await idsOf('status=5')).toEqual([given[0]])
    service.advance(31 * 86_400_000)
    call = await merchant.signIn()
    const expectRunOut = async () => {
      expect((await list('status=4')).body.data).toMatchObject([{ id: given[2], status: 4 }])
      expect(await idsOf('status=1')).toEqual([given[3]])
    }
    await expectRunOut()
    await runRound(service.deps)
    await expectRunOut()
    expect(await idsOf(`status=4&customer=${bob.customer}`)).toEqual([])
  })

  test('a coupon that a basket granted names its transaction', async () => {
    const { body } = await call('POST', '/v1/transactions/process', {
      customer: bob.customer,
      card: bob.card,
      items: [{ product: 'latte', quantity: 10, amount: 30 }],
    })
    const [coupon] = (await list('limit=1')).body.data
    expect(coupon).toEqual({
      id: body.executedActions.coupons[0].id,
      status: 1,
      reward: expect.objectContaining({ key: 'free-coffee' }),
      campaign: campaigns[1],
      customer: bob.customer,
      grantedBy: body.id,
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    })
  })

  test('what cannot be asked is refused, and nobody sees the coupons of others', async () => {
    for (const query of ['status=2', 'status=x', 'from=today', 'to=2026-02-30', 'limit=0', 'cursor=x']) {
      expectRefusal(await list(query), 400, '_invalid_payload')
    }
    const stranger = await service.createMerchant()
    expect((await stranger.call('GET', '/v1/coupons')).body).toEqual({ data: [] })
    expectRefusal(
      await stranger.call('GET', `/v1/coupons?customer=${ann.customer}`),
      404,
      'customer_not_found',
    )
    expectRefusal(
      await stranger.call('GET', `/v1/coupons?campaign=${campaigns[0]}`),
      404,
      'campaign_not_found',
    )
    const till = await merchant.connect(['pos'])
    expectRefusal(await till('GET', '/v1/coupons'), 403, '_forbidden')
  })
})
