import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../support/expect-refusal.ts'
import { isFull } from '../support/full.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'
import { times } from '../support/shop.ts'

let service: TestService
let merchant: Merchant

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
})
afterAll(() => service.close())

const rulesOf = (count: number) =>
  times(count, () => ({ kind: 'collect_per_item', balance: 'stamps', amount: 1 }))
const clubOf = (rules: number, more: object = {}) => ({
  name: 'Club',
  balances: [{ key: 'stamps' }],
  rules: rulesOf(rules),
  ...more,
})
const create = (definition: object) => merchant.call('POST', '/v1/campaigns', definition)
const patch = (id: string, body: object) => merchant.call('PATCH', `/v1/campaigns/${id}`, body)
const act = (id: string, action: string) => merchant.call('POST', `/v1/campaigns/${id}/${action}`)
const code = 'invalid_campaign_definition'

describe('what runs on one card together', () => {
  test('is refused where it is written, in words, and taken up to the bound', async () => {
    const host = await merchant.publishCampaign(clubOf(600, { name: 'Host club' }))
    const tooMany = await create(clubOf(401, { runsOn: [host] }))
    expectRefusal(
      tooMany,
      400,
      code,
      /^runsOn\[0\]: on the cards of 'Host club', .* 1001 rules; at most 1000/,
    )
    const { body: fits } = await create(clubOf(400, { runsOn: [host] }))
    expect((await act(fits.id, 'publish')).status).toBe(200)
    expectRefusal(
      await patch(host, { rules: rulesOf(601) }),
      400,
      code,
      /^rules: .* this campaign, .* 1001 rules/,
    )
    expectRefusal(await patch(fits.id, { rules: rulesOf(401) }), 400, code, /1001 rules/)
    expect((await patch(host, { name: 'Host', rules: rulesOf(600) })).status).toBe(200)
    // An archived campaign runs no more, a paused one may run again.
    await act(fits.id, 'pause')
    expectRefusal(await patch(host, { rules: rulesOf(601) }), 400, code, /1001 rules/)
    await act(fits.id, 'archive')
    expect((await patch(host, { rules: rulesOf(1000) })).status).toBe(200)
  })

  test.each([
    ['balances', 26, { balances: times(25, (i) => ({ key: `own${i}` })) }],
    [
      'thresholds',
      101,
      {
        rewards: [{ key: 'off', kind: 'amount_off', amount: 1 }],
        thresholds: times(100, (i) => ({ balance: 'stamps', at: i + 1, grant: 'off' })),
      },
    ],
    ['tiers', 26, { tiers: times(25, (i) => ({ key: `t${i}`, balance: 'stamps', from: i + 1 })) }],
  ] as const)('bounds the sum of %s, too', async (list, more, parts) => {
    const wide = (extra: object) => ({ name: 'Wide', balances: [{ key: 'stamps' }], ...parts, ...extra })
    const host = await merchant.publishCampaign(wide({}))
    const longer =
      list === 'balances'
        ? { balances: times(more, (i) => ({ key: `other${i}` })) }
        : list === 'tiers'
          ? { tiers: times(more, (i) => ({ key: `t${i}`, balance: 'stamps', from: i + 1 })) }
          : { thresholds: times(more, (i) => ({ balance: 'stamps', at: i + 1, grant: 'off' })) }
    const reply = await create(wide({ ...longer, runsOn: [host] }))
    expectRefusal(reply, 400, code, new RegExp(`${list}; at most (50|200) can run`))
    // The same balances on both count once.
    expect((await create(wide({ runsOn: [host] }))).status).toBe(201)
  })

  test('two publications at once do not slip under the bound together', async () => {
    const host = await merchant.publishCampaign(clubOf(0))
    const drafts = await Promise.all(times(6, () => create(clubOf(400, { runsOn: [host] }))))
    const replies = await Promise.all(drafts.map(({ body }) => act(body.id, 'publish')))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 400, 400, 400, 400])
    for (const reply of replies.filter(({ status }) => status === 400)) {
      expectRefusal(reply, 400, code, /1200 rules/)
    }
  })

  test.runIf(isFull)('a hundred campaigns, and no more', async () => {
    const host = await merchant.publishCampaign(clubOf(1, { name: 'Busy' }))
    for (let i = 0; i < 99; i++) await merchant.publishCampaign(clubOf(1, { runsOn: [host] }))
    expectRefusal(
      await create(clubOf(1, { runsOn: [host] })),
      400,
      code,
      /101 campaigns would run; at most 100/,
    )
  })

  describe('published before there was a bound', () => {
    /** Stored as an earlier version of the service would have accepted it. */
    async function overloaded() {
      const host = await merchant.publishCampaign(clubOf(900))
      const guest = await merchant.publishCampaign(clubOf(900))
      for (const [table, column, key] of [
        ['campaigns', 'draft', 'id'],
        ['campaign_versions', 'definition', 'campaign_id'],
      ]) {
        await service.database.pool.query(
          `UPDATE ${table} SET ${column} = (${column}::jsonb || $1)::json WHERE ${key} = $2`,
          [JSON.stringify({ runsOn: [host] }), guest.slice('cmp_'.length)],
        )
      }
      await service.database.pool.query('UPDATE setup_versions SET version = version + 1')
      return { host, guest }
    }

    test('stays valid: it sells, is edited, paused and resumed, and only adding is refused', async () => {
      const { host, guest } = await overloaded()
      const { customer, card } = await merchant.register(host)
      const items = times(500, () => ({ product: 'tea', unitPrice: 1 }))
      const sale = await merchant.call('POST', '/v1/transactions/process', { customer, card, items })
      expect(sale.status).toBe(201)
      expect(sale.body.executedActions.actions).toHaveLength(1800)
      for (const id of [host, guest]) {
        expect((await patch(id, { name: 'Renamed' })).status).toBe(200)
        expect((await act(id, 'publish')).status).toBe(200)
        expect((await act(id, 'pause')).status).toBe(200)
        expect((await act(id, 'publish')).status).toBe(200)
        expectRefusal(await patch(id, { rules: rulesOf(901) }), 400, code, /1801 rules/)
        expect((await patch(id, { rules: rulesOf(899) })).status).toBe(200)
      }
      // A campaign without rules adds none.
      expect((await create(clubOf(0, { runsOn: [host] }))).status).toBe(201)
      expectRefusal(await create(clubOf(1, { runsOn: [host] })), 400, code, /1801 rules/)
    })
  })
})

test('an organization publishes 2,000 campaigns and 16 MB of definitions at most', async () => {
  const own = await service.createMerchant()
  const first = await own.publishCampaign(clubOf(1))
  const big = JSON.stringify({ ...clubOf(1), name: 'x'.repeat(8_380_000) })
  const { rows } = await service.database.pool.query('SELECT org_id FROM campaigns WHERE id = $1', [
    first.slice('cmp_'.length),
  ])
  const add = async (definition: string, count: number) => {
    for (let i = 0; i < count; i++) {
      const values = [rows[0].org_id, randomUUID(), definition]
      await service.database.pool.query(
        `WITH one AS (INSERT INTO campaigns (org_id, id, name, status, draft, has_changes, version, created_at, updated_at)
           VALUES ($1, $2, 'Old', 'archived', $3, false, 1, now(), now()) RETURNING *)
         INSERT INTO campaign_versions SELECT org_id, id, 1, draft, now() FROM one`,
        values,
      )
    }
  }
  await add(big, 2)
  const draft = await own.call('POST', '/v1/campaigns', clubOf(900))
  const publish = (id: string) => own.call('POST', `/v1/campaigns/${id}/publish`)
  expectRefusal(
    await publish(draft.body.id),
    400,
    code,
    /would have 16\.\d MB, and can have at most 16\.0 MB/,
  )
  // What does not grow is published as before.
  await own.call('PATCH', `/v1/campaigns/${first}`, { name: 'Clab' })
  expect((await publish(first)).status).toBe(200)
  await service.database.pool.query(
    `INSERT INTO campaigns (org_id, id, name, status, draft, has_changes, version, created_at, updated_at)
     SELECT $1, gen_random_uuid(), 'Old', 'archived', '{}', false, 1, now(), now() FROM generate_series(1, 1997)`,
    [rows[0].org_id],
  )
  await service.database.pool.query(
    `INSERT INTO campaign_versions SELECT org_id, id, 1, draft, now() FROM campaigns c WHERE org_id = $1 AND version > 0
       AND NOT EXISTS (SELECT 1 FROM campaign_versions v WHERE v.org_id = c.org_id AND v.campaign_id = c.id)`,
    [rows[0].org_id],
  )
  expectRefusal(await publish(draft.body.id), 400, code, /has published 2000 campaigns/)
})

describe('a preview', () => {
  const items = (count: number) => times(count, () => ({ product: 'tea', unitPrice: 1 }))
  test('takes 50,000 lines × rules, saved or not, and says how many lines that is', async () => {
    const { body } = await create(clubOf(1000))
    const preview = (count: number, more: object = {}) =>
      merchant.call('POST', `/v1/campaigns/${body.id}/preview`, { items: items(count), ...more })
    expect((await preview(50)).status).toBe(200)
    expectRefusal(
      await preview(51),
      400,
      '_invalid_payload',
      /^items: 51 items .* 1000 rules on; send at most 50\./,
    )
    expect((await preview(500, { definition: clubOf(100) })).status).toBe(200)
    expectRefusal(await preview(500, { definition: clubOf(101) }), 400, '_invalid_payload', /at most 495/)
  })
})
