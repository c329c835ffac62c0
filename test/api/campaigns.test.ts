import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../support/expect-refusal.ts'
import { coffeeClub, type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
})
afterAll(() => service.close())

const create = (definition: unknown = coffeeClub, by = merchant) =>
  by.call('POST', '/v1/campaigns', definition)
const get = (id: string) => merchant.call('GET', `/v1/campaigns/${id}`)
const patch = (id: string, body: unknown) => merchant.call('PATCH', `/v1/campaigns/${id}`, body)
const act = (id: string, action: string) => merchant.call('POST', `/v1/campaigns/${id}/${action}`)
const pay = (customer: string, card: string, amount: number) =>
  merchant.call('POST', '/v1/transactions/process', { customer, card, amount })

describe('the life of a campaign', () => {
  test('is created as a draft with its definition given back as sent', async () => {
    const { status, body } = await create()
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^cmp_/),
      status: 'draft',
      version: 0,
      hasChanges: true,
      ...coffeeClub,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect((await get(body.id)).body).toEqual(body)
  })

  test('only name and balances are required, and names need not be unique', async () => {
    const least = { name: 'Least', balances: [{ key: 'points' }] }
    expect((await create(least)).status).toBe(201)
    expect((await create(least)).status).toBe(201)
  })

  test('the definition of the interface document is accepted whole', async () => {
    const own = await service.createMerchant()
    const reply = await create(
      {
        name: 'Coffee club',
        balances: [
          { key: 'points', name: 'Points', decimals: 0 },
          { key: 'stamps', name: 'Stamps' },
        ],
        rules: [
          { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 },
          {
            id: 'coffee',
            kind: 'collect_per_item',
            balance: 'stamps',
            amount: 1,
            products: ['latte', 'flat-white'],
          },
          {
            id: 'visit',
            kind: 'collect_per_visit',
            balance: 'points',
            amount: 5,
            when: { days: ['tue'], from: '08:00', to: '11:00' },
          },
          { id: 'double', kind: 'multiply', balance: 'points', factor: 2, when: { branches: ['store-12'] } },
        ],
        rewards: [
          {
            key: 'free-coffee',
            name: 'Free coffee',
            kind: 'free_product',
            products: ['latte'],
            validDays: 30,
          },
          { key: 'five-off', name: '5 off', kind: 'amount_off', amount: 5 },
          { key: 'ten-percent', name: '10 % off', kind: 'percent_off', percent: 10, maxAmount: 20 },
        ],
        thresholds: [
          { balance: 'stamps', at: 10, grant: 'free-coffee', consume: true },
          { balance: 'points', at: 500, grant: 'five-off' },
        ],
        spend: { balance: 'points', worth: 0.01, min: 100, maxShare: 0.5 },
        startsAt: '2020-01-01T00:00:00Z',
        endsAt: '2090-01-01T00:00:00Z',
        tiers: [{ key: 'gold', name: 'Gold', balance: 'points', from: 1000 }],
        onInsufficientBalance: 'floor',
      },
      own,
    )
    expect([reply.status, reply.body.description]).toEqual([201, undefined])
  })

  test('until first published it can be neither registered into nor run nor paused', async () => {
    const { id } = (await create()).body
    const register = { campaignId: id, customer: { data: {} } }
    expectRefusal(await merchant.call('POST', '/v1/customers/register', register), 400, 'invalid_campaign')
    expectRefusal(await act(id, 'pause'), 400, 'invalid_campaign')
    const published = await act(id, 'publish')
    expect(published.status).toBe(200)
    expect(published.body).toMatchObject({ id, status: 'published', version: 1, hasChanges: false })
    expect((await merchant.call('POST', '/v1/customers/register', register)).status).toBe(201)
  })

  test('a change waits as draft, counts from the next publish on, and each sale knows its version', async () => {
    const id = await merchant.publishCampaign()
    const { customer, card } = await merchant.register(id)
    const first = await pay(customer, card, 10)

    const rules = [{ ...coffeeClub.rules[0], points: 3 }]
    const changed = await patch(id, { name: 'Changed', rules })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({
      name: 'Changed',
      version: 1,
      hasChanges: true,
      status: 'published',
      rules,
    })
    expect(changed.body.spend).toEqual(coffeeClub.spend)
    const waiting = await pay(customer, card, 10)
    expect(waiting.body.executedActions.collectables.points.value).toBe(20)
    expect((await merchant.call('GET', `/v1/cards/${card}`)).body.campaignName).toBe('Coffee club')

    const published = await act(id, 'publish')
    expect(published.body).toMatchObject({ version: 2, hasChanges: false })
    const after = await pay(customer, card, 10)
    expect(after.body.executedActions.collectables.points.value).toBe(50)
    const versionOf = async (txn: string) =>
      (await merchant.call('GET', `/v1/transactions/${txn}`)).body.campaigns
    expect(await versionOf(first.body.id)).toEqual([{ id, version: 1 }])
    expect(await versionOf(waiting.body.id)).toEqual([{ id, version: 1 }])
    expect(await versionOf(after.body.id)).toEqual([{ id, version: 2 }])
    expect((await merchant.call('GET', `/v1/cards/${card}`)).body.campaignName).toBe('Changed')
  })

  test('versions are listed newest first over several pages, as they were published', async () => {
    const id = await merchant.publishCampaign()
    for (let version = 2; version <= 5; version++) {
      await patch(id, { name: `Version ${version}` })
      await act(id, 'publish')
    }
    const seen: { version: number; definition: { name: string }; publishedAt: string }[] = []
    let cursor = ''
    for (let page = 0; page < 3; page++) {
      const { status, body } = await merchant.call('GET', `/v1/campaigns/${id}/versions?limit=2${cursor}`)
      expect(status).toBe(200)
      seen.push(...body.data)
      cursor = `&cursor=${body.nextCursor}`
      expect('nextCursor' in body).toBe(page < 2)
    }
    expect(seen.map((entry) => entry.version)).toEqual([5, 4, 3, 2, 1])
    expect(seen[0]!.definition.name).toBe('Version 5')
    expect(seen[4]!.definition).toEqual(coffeeClub)
  })

  test('publishing without a change makes no new version', async () => {
    const id = await merchant.publishCampaign()
    expect((await act(id, 'publish')).body).toMatchObject({ version: 1, status: 'published' })
  })

  test('publishing is told, once per version', async () => {
    const id = await merchant.publishCampaign()
    await act(id, 'publish')
    await patch(id, { name: 'Two' })
    await act(id, 'publish')
    const { rows } = await service.database.pool.query(
      "SELECT data FROM events WHERE type = 'campaign.published' AND data ->> 'campaign' = $1 ORDER BY position",
      [id],
    )
    expect(rows.map((row) => row.data)).toEqual([
      { campaign: id, version: 1 },
      { campaign: id, version: 2 },
    ])
  })

  test.each(['pause', 'archive'])(
    'after %s nothing is collected, while redeeming and spending go on',
    async (action) => {
      const id = await merchant.publishCampaign()
      const { customer, card } = await merchant.register(id)
      await merchant.call('POST', `/v1/customers/${customer}/adjustments`, {
        key: 'points',
        amount: 300,
        reason: 'x',
      })
      const coupon = (
        await merchant.call('POST', '/v1/coupons', { customer, campaign: id, reward: 'five-off' })
      ).body
      const stopped = await act(id, action)
      expect(stopped.status).toBe(200)
      expect(stopped.body.status).toBe(`${action}d`.replace('ee', 'e'))
      const { status, body } = await merchant.call('POST', '/v1/transactions/process', {
        customer,
        card,
        amount: 20,
        pointsToSpend: 100,
        reward: coupon.id,
      })
      expect(status).toBe(201)
      expect(body.pointsSpent).toBe(100)
      expect(body.pointsDiscount).toBe(1)
      expect(body.executedActions.collectables.points).toEqual({ value: 200, total: 0 })
      expect(body.executedActions.actions.map((item: { type: string }) => item.type)).toEqual([
        'redeem_coupon',
        'spend_points',
      ])
      expect(body.executedActions.skipped).toContainEqual({ campaign: id, rule: 'base', reason: 'paused' })
    },
  )

  test('a paused campaign runs again when published, an archived one never', async () => {
    const id = await merchant.publishCampaign()
    const { customer, card } = await merchant.register(id)
    await act(id, 'pause')
    expect((await act(id, 'pause')).status).toBe(200)
    expect((await act(id, 'publish')).body.status).toBe('published')
    expect((await pay(customer, card, 5)).body.executedActions.collectables.points.value).toBe(5)
    expect((await act(id, 'archive')).body.status).toBe('archived')
    expectRefusal(await act(id, 'publish'), 400, 'invalid_campaign')
    expectRefusal(await act(id, 'pause'), 400, 'invalid_campaign')
    expect((await get(id)).body.status).toBe('archived')
  })

  test.each(['x', `cmp_${'0'.repeat(32)}`, '%00'])('%j is campaign_not_found everywhere', async (id) => {
    expectRefusal(await get(id), 404, 'campaign_not_found')
    expectRefusal(await patch(id, { name: 'X' }), 404, 'campaign_not_found')
    expectRefusal(await merchant.call('GET', `/v1/campaigns/${id}/versions`), 404, 'campaign_not_found')
    for (const action of ['publish', 'pause', 'archive'])
      expectRefusal(await act(id, action), 404, 'campaign_not_found')
  })

  test('ten parallel publishes of one change make one version', async () => {
    const { id } = (await create()).body
    const replies = await Promise.all(Array.from({ length: 10 }, () => act(id, 'publish')))
    for (const reply of replies) expect([reply.status, reply.body.version]).toEqual([200, 1])
    expect((await merchant.call('GET', `/v1/campaigns/${id}/versions`)).body.data).toHaveLength(1)
  })
})

describe('who sees what', () => {
  let own: Merchant
  let till: Merchant['call']
  const ids: Record<string, string> = {}
  beforeAll(async () => {
    own = await service.createMerchant()
    till = await own.connect(['pos'])
    ids.published = await own.publishCampaign()
    ids.draft = (await create(coffeeClub, own)).body.id
    ids.paused = await own.publishCampaign()
    await own.call('POST', `/v1/campaigns/${ids.paused}/pause`)
    ids.archived = await own.publishCampaign()
    await own.call('POST', `/v1/campaigns/${ids.archived}/archive`)
  })

  test('a till sees the published campaigns only, listed and by id', async () => {
    const { body } = await till('GET', '/v1/campaigns')
    expect(body.data.map((item: { id: string }) => item.id)).toEqual([ids.published])
    expect((await till('GET', `/v1/campaigns/${ids.published}`)).status).toBe(200)
    for (const state of ['draft', 'paused', 'archived'])
      expectRefusal(await till('GET', `/v1/campaigns/${ids[state]}`), 404, 'campaign_not_found')
  })

  test('with manage all are there, newest first, over several pages', async () => {
    const first = await own.call('GET', '/v1/campaigns?limit=3')
    const second = await own.call('GET', `/v1/campaigns?limit=3&cursor=${first.body.nextCursor}`)
    const seen = [...first.body.data, ...second.body.data].map((item: { id: string }) => item.id)
    expect(seen).toEqual([ids.archived, ids.paused, ids.draft, ids.published])
    expect('nextCursor' in second.body).toBe(false)
  })

  test('a till sees the version that is published, not the draft that waits', async () => {
    await own.call('PATCH', `/v1/campaigns/${ids.published}`, { name: 'Secret plans' })
    const one = await till('GET', `/v1/campaigns/${ids.published}`)
    const list = await till('GET', '/v1/campaigns')
    expect([one.body.name, list.body.data[0].name]).toEqual(['Coffee club', 'Coffee club'])
    expect((await own.call('GET', `/v1/campaigns/${ids.published}`)).body.name).toBe('Secret plans')
  })
})

describe('definitions', () => {
  const base = { name: 'X', balances: [{ key: 'points' }, { key: 'exact', decimals: 2 }] }
  const rule = { id: 'r', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }
  const reward = { key: 'five', kind: 'amount_off', amount: 5 }

  test.each<[string, object, string]>([
    ['a rule on an unknown balance', { rules: [{ ...rule, balance: 'miles' }] }, 'rules[0].balance'],
    [
      'a threshold on an unknown reward',
      { thresholds: [{ balance: 'points', at: 10, grant: 'car' }] },
      'thresholds[0].grant',
    ],
    [
      'a threshold on an unknown balance',
      { rewards: [reward], thresholds: [{ balance: 'miles', at: 1, grant: 'five' }] },
      'thresholds[0].balance',
    ],
    [
      'a threshold at 0',
      { rewards: [reward], thresholds: [{ balance: 'points', at: 0, grant: 'five' }] },
      'thresholds[0].at',
    ],
    ['doubled balance keys', { balances: [{ key: 'points' }, { key: 'points' }] }, 'balances[1].key'],
    ['doubled rule ids', { rules: [rule, rule] }, 'rules[1].id'],
    ['doubled reward keys', { rewards: [reward, reward] }, 'rewards[1].key'],
    ['per: 0', { rules: [{ ...rule, per: 0 }] }, 'rules[0].per'],
    ['a negative per', { rules: [{ ...rule, per: -1 }] }, 'rules[0].per'],
    ['negative points', { rules: [{ ...rule, points: -1 }] }, 'rules[0].points'],
    ['half a point of a whole balance', { rules: [{ ...rule, points: 0.5 }] }, 'rules[0].points'],
    ['an impossible time', { rules: [{ ...rule, when: { from: '25:00' } }] }, 'rules[0].when.from'],
    ['an empty window', { rules: [{ ...rule, when: { from: '08:00', to: '08:00' } }] }, 'rules[0].when.to'],
    ['an unknown day', { rules: [{ ...rule, when: { days: ['someday'] } }] }, 'rules[0].when.days'],
    [
      'an end before the start',
      { startsAt: '2030-01-02T00:00:00Z', endsAt: '2030-01-01T00:00:00Z' },
      'endsAt',
    ],
    ['a day that does not exist', { startsAt: '2030-02-30T00:00:00Z' }, 'startsAt'],
    ['an unknown campaign in runsOn', { runsOn: [`cmp_${'0'.repeat(32)}`] }, 'runsOn[0]'],
    ['an unknown rule kind', { rules: [{ ...rule, kind: 'magic' }] }, 'rules[0].kind'],
    ['an unknown reward kind', { rewards: [{ ...reward, kind: 'car' }] }, 'rewards[0].kind'],
    [
      'a percentage over 100',
      { rewards: [{ key: 'p', kind: 'percent_off', percent: 101 }] },
      'rewards[0].percent',
    ],
    ['an amount off of 0', { rewards: [{ ...reward, amount: 0 }] }, 'rewards[0].amount'],
    ['spending an unknown balance', { spend: { balance: 'miles', worth: 1 } }, 'spend.balance'],
    ['points worth nothing', { spend: { balance: 'points', worth: 0 } }, 'spend.worth'],
    ['a share above 1', { spend: { balance: 'points', worth: 1, maxShare: 1.5 } }, 'spend.maxShare'],
    ['a key with a space', { balances: [{ key: 'my points' }] }, 'balances[0].key'],
    ['an empty name', { name: '' }, 'name'],
    [
      'more decimals than a balance may have',
      { balances: [{ key: 'points', decimals: 9 }] },
      'balances[0].decimals',
    ],
    [
      'tiers that do not rise',
      {
        tiers: [
          { key: 'a', balance: 'points', from: 5 },
          { key: 'b', balance: 'points', from: 5 },
        ],
      },
      'tiers[1].from',
    ],
    ['an unknown tier in when', { rules: [{ ...rule, when: { tiers: ['gold'] } }] }, 'rules[0].when.tiers'],
    [
      'an unreadable duration',
      { balances: [{ key: 'points', expires: { after: 'a year' } }] },
      'balances[0].expires.after',
    ],
  ])('%s does not make sense: invalid_campaign_definition naming the place', async (_what, change, place) => {
    const before = await countCampaigns()
    const reply = await create({ ...base, ...change })
    expectRefusal(reply, 400, 'invalid_campaign_definition')
    expect(reply.body.description).toContain(place)
    expect(await countCampaigns()).toBe(before)
  })

  test.each<[string, unknown, string]>([
    ['no name', { balances: [] }, 'name'],
    ['no balances', { name: 'X' }, 'balances'],
    ['balances that are no list', { ...base, balances: {} }, 'balances'],
    ['a textual number', { ...base, rules: [{ ...rule, per: '1' }] }, 'rules[0].per'],
    [
      'a missing member',
      { ...base, rules: [{ id: 'r', kind: 'points_per_amount', balance: 'points' }] },
      'rules[0].points',
    ],
    ['an unknown member', { ...base, colour: 'red' }, 'colour'],
    ['an unknown member of a rule', { ...base, rules: [{ ...rule, pints: 1 }] }, 'rules[0].pints'],
    ['a null', { ...base, spend: null }, 'spend'],
    ['a rule that is text', { ...base, rules: ['x'] }, 'rules[0]'],
    ['a rule without kind', { ...base, rules: [{ id: 'x' }] }, 'rules[0].kind'],
    ['the state of the campaign', { ...base, status: 'published' }, 'status'],
    ['its version', { ...base, version: 7 }, 'version'],
    ['a list', [], ''],
    ['nothing', {}, 'name'],
  ])('%s is the wrong shape: _invalid_payload naming the place', async (_what, definition, place) => {
    const reply = await create(definition)
    expectRefusal(reply, 400, '_invalid_payload')
    expect(reply.body.description).toContain(place)
  })

  async function countCampaigns(): Promise<number> {
    const { rows } = await service.database.pool.query('SELECT count(*)::int AS n FROM campaigns')
    return rows[0].n
  }

  test('a patch is checked like the whole, and a refused one changes nothing', async () => {
    const { id } = (await create(base)).body
    const before = (await get(id)).body
    expectRefusal(
      await patch(id, { rules: [{ ...rule, per: 0 }] }),
      400,
      'invalid_campaign_definition',
      /rules\[0\]\.per/,
    )
    expectRefusal(await patch(id, { name: null }), 400, '_invalid_payload', /name/)
    expectRefusal(await patch(id, { status: 'published' }), 400, '_invalid_payload', /status/)
    expectRefusal(await patch(id, []), 400, '_invalid_payload')
    expect((await get(id)).body).toEqual(before)
  })

  test('a patch merges members, removes with null and replaces lists whole', async () => {
    const { id } = (
      await create({
        ...base,
        rules: [rule],
        rewards: [reward],
        spend: { balance: 'points', worth: 1, min: 5 },
      })
    ).body
    const { body } = await patch(id, {
      rules: [{ ...rule, id: 'other' }],
      spend: { min: null, worth: 2 },
      rewards: null,
    })
    expect(body.rules).toEqual([{ ...rule, id: 'other' }])
    expect(body.spend).toEqual({ balance: 'points', worth: 2 })
    expect(body.rewards).toBeUndefined()
    expect(body.balances).toEqual(base.balances)
  })

  test('other decimals for a balance that exists are refused, when written and when published', async () => {
    const own = await service.createMerchant()
    const whole = { name: 'Whole', balances: [{ key: 'credit' }] }
    const cents = { name: 'Cents', balances: [{ key: 'credit', decimals: 2 }] }
    const early = (await create(cents, own)).body.id
    await own.publishCampaign(whole)
    expectRefusal(await create(cents, own), 400, 'invalid_campaign_definition', /balances\[0\]\.decimals/)
    expectRefusal(
      await own.call('POST', `/v1/campaigns/${early}/publish`),
      400,
      'invalid_campaign_definition',
      /balances\[0\]\.decimals/,
    )
    expect((await own.call('GET', `/v1/campaigns/${early}`)).body).toMatchObject({
      status: 'draft',
      version: 0,
    })
    expect((await create({ name: 'Also', balances: [{ key: 'credit', decimals: 0 }] }, own)).status).toBe(201)
    // Another organization's balances are its own business.
    const other = await service.createMerchant()
    expect((await create(cents, other)).status).toBe(201)
  })

  test('of four campaigns publishing one key with different decimals at once, exactly one succeeds', async () => {
    const own = await service.createMerchant()
    const drafts = await Promise.all(
      [0, 1, 2, 3].map(
        async (decimals) => (await create({ name: 'D', balances: [{ key: 'k', decimals }] }, own)).body.id,
      ),
    )
    const replies = await Promise.all(drafts.map((id) => own.call('POST', `/v1/campaigns/${id}/publish`)))
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 400, 400, 400])
    for (const reply of replies.filter((item) => item.status !== 200))
      expectRefusal(reply, 400, 'invalid_campaign_definition')
  })

  test('a campaign of another organization is unknown in runsOn', async () => {
    const other = await service.createMerchant()
    const theirs = await other.publishCampaign()
    expectRefusal(
      await create({ ...base, runsOn: [theirs] }),
      400,
      'invalid_campaign_definition',
      /runsOn\[0\]/,
    )
    const mine = await merchant.publishCampaign({ name: 'Mine', balances: [{ key: 'points' }] })
    expect((await create({ ...base, runsOn: [mine] })).status).toBe(201)
  })
})

describe('the organization of the token', () => {
  test('can be read and patched, with the new values counting at once', async () => {
    const own = await service.createMerchant()
    const patched = await own.call('PATCH', '/v1/organization', {
      name: 'New name',
      timezone: 'Europe/Berlin',
      locale: 'de',
      color: '#112233',
      logo: 'https://example.com/logo.svg',
      strictReferences: true,
    })
    expect(patched.status).toBe(200)
    expect(patched.body).toMatchObject({
      id: own.id,
      name: 'New name',
      color: '#112233',
      strictReferences: true,
    })
    expect((await own.call('GET', '/v1/organization')).body).toEqual(patched.body)
    expect(patched.body.isDemo).toBe(false)
    for (const kind of ['png', 'jpeg', 'webp', 'svg+xml']) {
      const start = `data:image/${kind};base64,`
      const logo = start.padEnd(65_536 - 2, 'A')
      expect((await own.call('PATCH', '/v1/organization', { logo })).body.logo).toBe(logo)
      expect((await own.call('GET', '/v1/organization')).body.logo).toBe(logo)
    }
    const cleared = await own.call('PATCH', '/v1/organization', { color: null, logo: null })
    expect(cleared.body.color).toBeUndefined()
    expect(cleared.body.name).toBe('New name')
  })

  test.each([
    { timezone: 'Nowhere' },
    { locale: '!!' },
    { color: 'red' },
    { logo: 'javascript:alert(1)' },
    { logo: 'http://example.com/logo.png' },
    { logo: `https://example.com/${'x'.repeat(2000)}` },
    { logo: 'data:text/html;base64,AAAA' },
    { logo: 'data:image/gif;base64,AAAA' },
    { logo: 'data:image/png,AAAA' },
    { logo: 'data:image/png;base64,AA"A' },
    { logo: 'data:image/png;base64,' },
    { logo: `data:image/png;base64,${'A'.repeat(65_536)}` },
    { name: '' },
    { name: null },
    { country: 'DE' },
    { currency: 'EUR' },
    { subscription: { active: true } },
    { strictReferences: 'yes' },
    { maxBackdateDays: -1 },
    { maxBackdateDays: 3651 },
    { maxBackdateDays: 1.5 },
    { maxBackdateDays: '30' },
    { maxBackdateDays: null },
  ])('%j is refused', async (body) => {
    expectRefusal(await merchant.call('PATCH', '/v1/organization', body), 400, '_invalid_payload')
  })
})

describe('the preview of a draft', () => {
  const preview = async (body: object) => {
    const { id } = (await create()).body
    return merchant.call('POST', `/v1/campaigns/${id}/preview`, body)
  }
  const withPoints = (points: object) => preview({ amount: 5, wallet: { collectables: { points } } })

  test('takes a balance without its total, which then is the value', async () => {
    const { status, body } = await withPoints({ value: 480 })
    expect(status).toBe(200)
    expect(body.executedActions.collectables.points).toEqual({ value: 485, total: 485 })
  })

  test('has no coupons to redeem, and says so', async () => {
    expectRefusal(
      await preview({ items: [{ amount: 5, reward: 'x' }] }),
      400,
      '_invalid_payload',
      /^items\[0\]\.reward: unknown property\.$/,
    )
  })

  test.each([
    [{ value: 0.5 }, /^wallet\.collectables\.points\.value: must have at most 0 decimals\.$/],
    [{ value: 1e16 }, /^wallet\.collectables\.points\.value: must be at most 9000000000000000\.$/],
    [{ value: 1, total: 1e300 }, /^wallet\.collectables\.points\.total: must be at most 9000000000000000\.$/],
    [{ value: 1, total: -1 }, /^wallet\.collectables\.points\.total: must be at least 0\.$/],
  ])('refuses a balance of %j with the reason', async (points, reason) => {
    expectRefusal(await withPoints(points), 400, '_invalid_payload', reason)
  })

  test('tries a definition sent along in place of the draft, and keeps nothing of it', async () => {
    const { id } = (await create()).body
    const triple = { ...coffeeClub, rules: [{ ...coffeeClub.rules[0], points: 3 }] }
    const { status, body } = await merchant.call('POST', `/v1/campaigns/${id}/preview`, {
      amount: 5,
      definition: triple,
    })
    expect(status).toBe(200)
    expect(body.executedActions.collectables.points.value).toBe(15)
    expect((await get(id)).body).toMatchObject(coffeeClub)
  })

  test.each([
    [{ name: 'No balances' }, '_invalid_payload' as const, /^balances: is missing/],
    [
      { ...coffeeClub, thresholds: [{ balance: 'points', at: 5, grant: 'cake' }] },
      'invalid_campaign_definition' as const,
      /^thresholds\[0\]\.grant: /,
    ],
  ])('refuses a definition that could not be saved, with the place: %j', async (definition, code, reason) => {
    expectRefusal(await preview({ amount: 5, definition }), 400, code, reason)
  })
})

describe('what publishing would change', () => {
  const changes = (id: string, query = '') => merchant.call('GET', `/v1/campaigns/${id}/changes${query}`)
  const publishAs = async (id: string, name: string) => {
    await patch(id, { name })
    await act(id, 'publish')
  }

  test('is everything before the first version, and nothing right after publishing', async () => {
    const { id } = (await create({ name: 'New', balances: [{ key: 'points' }] })).body
    expect((await changes(id)).body).toEqual({
      from: 0,
      changes: [
        { place: 'name', after: 'New' },
        { place: 'balances', after: [{ key: 'points' }] },
      ],
    })
    await act(id, 'publish')
    expect((await changes(id)).body).toEqual({ from: 1, changes: [] })
  })

  test('compares any two versions, in either direction', async () => {
    const { id } = (await create()).body
    for (const name of ['One', 'Two', 'Three']) await publishAs(id, name)
    expect((await changes(id, '?from=1&to=3')).body).toEqual({
      from: 1,
      to: 3,
      changes: [{ place: 'name', before: 'One', after: 'Three' }],
    })
    expect((await changes(id, '?from=3&to=2')).body.changes).toEqual([
      { place: 'name', before: 'Three', after: 'Two' },
    ])
    expectRefusal(
      await changes(id, '?from=4'),
      400,
      '_invalid_payload',
      /^from: the campaign has no version 4\.$/,
    )
    expectRefusal(await changes(id, '?to=9'), 400, '_invalid_payload', /^to: /)
  })
})

describe('the list of campaigns', () => {
  test('can be narrowed to one status, and shows a till nothing that is not published', async () => {
    const own = await service.createMerchant()
    const draft = (await create(coffeeClub, own)).body.id
    const published = await own.publishCampaign(coffeeClub)
    const ids = async (query: string) =>
      (await own.call('GET', `/v1/campaigns${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await ids('')).toEqual([published, draft])
    expect(await ids('?status=draft')).toEqual([draft])
    expect(await ids('?status=published')).toEqual([published])
    expect(await ids('?status=archived')).toEqual([])
    const till = await own.connect(['pos'])
    expect((await till('GET', '/v1/campaigns?status=draft')).body).toEqual({ data: [] })
    expectRefusal(await own.call('GET', '/v1/campaigns?status=gone'), 400, '_invalid_payload', /^status/)
  })
})
