import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appRole } from '../../src/database/app-role.ts'
import { openPool } from '../../src/database/pool.ts'
import { isInTestsOnly, listRoutes, probes, shareIds } from '../contract/route-table.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { createTestPerson } from '../support/people.ts'
import {
  adminToken,
  coffeeClub,
  type Merchant,
  type Method,
  startTestService,
  type TestService,
} from '../support/service.ts'

let service: TestService
let merchant: Merchant
beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
})
afterAll(() => service.close())

const list = async (query = '', of = merchant) => {
  const reply = await of.call('GET', `/v1/audit${query}`)
  expect([reply.status, reply.body.description]).toEqual([200, undefined])
  return reply.body.data
}
const newest = async (of = merchant) => (await list('?limit=1', of))[0]
const count = async () =>
  (await service.database.pool.query('SELECT count(*)::int AS n FROM audit_entries')).rows[0].n
const admin = (method: Method, path: string, body?: object) =>
  service.call(method, `/admin/v1${path}`, { token: adminToken, body })

describe('an entry', () => {
  test('tells who did what to what, with the body', async () => {
    const { body } = await merchant.call('POST', '/v1/campaigns', coffeeClub)
    expect(await newest()).toMatchObject({
      by: { kind: 'connection', name: 'Till' },
      action: 'createCampaign',
      subject: { kind: 'campaign', id: body.id, name: 'Coffee club' },
      details: coffeeClub,
    })
    const before = Date.now()
    await merchant.call('POST', `/v1/campaigns/${body.id}/publish`)
    const after = Date.now()
    const published = await newest()
    expect(published).toMatchObject({ action: 'publishCampaign', subject: { id: body.id } })
    expect(Object.keys(published)).not.toContain('details')
    expect(published.by.id).toMatch(/^usr_/)
    expect(Date.parse(published.at)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(published.at)).toBeLessThanOrEqual(after)
  })

  test('of an operator stands in the log of the organization it concerns', async () => {
    const { body } = await admin('POST', '/organizations', { name: 'Audited' })
    const { id: integration } = (await admin('POST', '/integrations', { name: 'Till' })).body
    const connection = (
      await admin('POST', `/organizations/${body.id}/connections`, { integration, scopes: ['manage'] })
    ).body
    await admin('PATCH', `/organizations/${body.id}`, { name: 'Renamed' })
    await admin('POST', `/organizations/${body.id}/subscription`, { active: true })
    await admin('POST', `/connections/${connection.id}/rotate`, { overlapSeconds: 5 })
    await admin('POST', `/organizations/${body.id}/people`, { email: 'ada@example.com', role: 'owner' })
    const { rows } = await service.database.pool.query(
      `SELECT by_kind, user_id, action, subject_kind, subject_name, details FROM audit_entries
       JOIN organizations o USING (org_id) WHERE o.id = $1 ORDER BY audit_entries.id`,
      [body.id.slice(4)],
    )
    const operator = { by_kind: 'operator', user_id: null }
    const organization = { ...operator, subject_kind: 'organization' }
    const ofConnection = { ...operator, subject_kind: 'connection', subject_name: null }
    expect(rows).toEqual([
      {
        ...organization,
        action: 'createOrganization',
        subject_name: 'Audited',
        details: { name: 'Audited' },
      },
      { ...ofConnection, action: 'createConnection', details: { integration, scopes: ['manage'] } },
      {
        ...organization,
        action: 'patchOrganizationById',
        subject_name: 'Renamed',
        details: { name: 'Renamed' },
      },
      { ...organization, action: 'setSubscription', subject_name: 'Renamed', details: { active: true } },
      { ...ofConnection, action: 'rotateConnectionSecret', details: { overlapSeconds: 5 } },
      {
        ...operator,
        subject_kind: 'person',
        subject_name: null,
        action: 'invitePersonToOrganization',
        details: { email: '[redacted]', role: 'owner' },
      },
    ])
    // Each that there is: a new one has to be called here too.
    const writes = listRoutes(service).filter(
      ({ path, method, access }) =>
        access === 'operator' && method !== 'GET' && /organizations|connections/.test(path),
    )
    expect(new Set(rows.map(({ action }) => action)).size).toBe(writes.length)
  })

  test('of a person has the name of the person, whatever the directory calls its user', async () => {
    const shop = await service.createMerchant()
    const owner = await createTestPerson(service, shop)
    const manager = await createTestPerson(service, shop, 'manager')
    await owner.call('PATCH', `/v1/people/${owner.id}`, { name: 'Ada' })
    const { user } = owner.joined.body
    expect((await manager.call('PATCH', `/v1/users/${user}`, { name: 'Mallory' })).status).toBe(200)
    await owner.call('POST', '/v1/products', { opaqueId: 'by-ada' })
    const by = { kind: 'person', id: user, name: 'Ada' }
    expect((await newest(shop)).by).toEqual(by)
    await service.flushRequests()
    const requests = await shop.call('GET', `/v1/requests?connection=${user}&limit=1`)
    expect(requests.body.data.map((item: { by: object }) => item.by)).toEqual([by])
    const one = await shop.call('GET', `/v1/requests/${requests.body.data[0].id}`)
    expect(one.body.by).toEqual(by)
  })

  test('of a card that a cashier showed tells who, which and whose, and not its URL', async () => {
    const shop = await service.createMerchant()
    const cashier = await createTestPerson(service, shop, 'cashier')
    const { card, customer } = await shop.register(await shop.publishCampaign())
    await shop.call('PATCH', `/v1/customers/${customer}`, { data: { fullname: 'Ada' } })
    const { barcode, walletUrl } = (await shop.call('GET', `/v1/cards/${card}`)).body
    const shown = await cashier.call('POST', `/v1/cards/${card}/wallet/show`)
    expect([shown.status, shown.body.walletUrl]).toEqual([200, walletUrl])
    expect(await newest(shop)).toEqual({
      id: expect.any(String),
      at: expect.any(String),
      by: { kind: 'person', id: cashier.joined.body.user },
      action: 'showWallet',
      subject: { kind: 'card', id: card, name: barcode.slice(-4), customer, customerName: 'Ada' },
    })
    const { rows } = await service.database.pool.query('SELECT a::text AS text FROM audit_entries a')
    expect(rows.map((row) => row.text).join()).not.toContain(walletUrl.split('/w/')[1])
    // A till of another make shows it with each receipt.
    const before = (await list('?limit=100', shop)).length
    expect((await shop.call('POST', `/v1/cards/${card}/wallet/show`)).status).toBe(200)
    expect((await list('?limit=100', shop)).length).toBe(before)
  })

  test('holds no secret and no name of a person', async () => {
    const added = await merchant.call('POST', '/v1/connections', { name: 'Shop' })
    expect(await newest()).toMatchObject({ action: 'addConnection', subject: { name: 'Shop' } })
    await merchant.call('POST', '/v1/users', { opaqueId: 'cash-1', name: 'Grace Hopper' })
    expect(await newest()).toMatchObject({ details: { opaqueId: 'cash-1', name: '[redacted]' } })
    const { rows } = await service.database.pool.query('SELECT a::text AS text FROM audit_entries a')
    const text = rows.map((row) => row.text).join()
    for (const secret of [added.body.apiKey, added.body.apiSecret, 'Hopper'])
      expect(text).not.toContain(secret)
  })

  test('of a long body has the beginning', async () => {
    const rewards = Array.from({ length: 200 }, (_, i) => ({
      ...{
        key: `r${i}`,
        name: 'A reward with a rather long name, to fill a page',
        kind: 'amount_off',
        amount: 5,
      },
    }))
    const body = { name: 'Long', balances: [{ key: 'points' }], rewards }
    expect((await merchant.call('POST', '/v1/campaigns', body)).status).toBe(201)
    const { details, isTruncated } = await newest()
    expect(isTruncated).toBe(true)
    expect(JSON.stringify(details).length).toBeLessThan(17 * 1024)
    expect(details.rewards[0]).toEqual(rewards[0])
  })
})

describe('is written with the change', () => {
  const managing = () => {
    const { paths } = service.app.swagger() as unknown as {
      paths: Record<string, Record<string, { security?: { bearer?: string[] }[] }>>
    }
    return listRoutes(service).filter(({ path, method, access }) => {
      const { security = [] } = paths[path]![method.toLowerCase()]!
      const isTill = security.some(({ bearer = [] }) => bearer.includes('pos'))
      return access === 'organization' && method !== 'GET' && !isTill
    })
  }

  test('every write beyond what a till may do leaves one entry, and no other call any', async () => {
    const audited = managing().map(({ name }) => name)
    expect(audited.length).toBeGreaterThan(20)
    const wrong: string[] = []
    // The operator invites the owner whom calls about people need, which is an entry of its own.
    await merchant.call('GET', '/v1/people')
    await merchant.call('POST', '/v1/customers', { data: { email: 'findable@example.com' } })
    const withIds = shareIds()
    for (const [name, probe] of Object.entries(probes)) {
      if (isInTestsOnly(name)) continue
      const tryIt = withIds(merchant, async (ids) => {
        const { path, body } = probe(ids)
        const before = await count()
        const reply = await merchant.call(name.split(' ')[0] as Method, path, body)
        if (reply.status >= 300) throw new Error(reply.text)
        // Rows belong to their import, which is one entry.
        const changesNothing = /\/(?:preview|backtest|rows|try)$/.test(name)
        const expected = audited.includes(name) && !changesNothing ? 1 : 0
        const entries = (await count()) - before
        if (entries !== expected) throw new Error(`${entries} entries`)
      })
      await tryIt.catch((error: Error) => wrong.push(`${name}: ${error.message}`))
    }
    expect(wrong).toEqual([])
  })

  test('a refusal leaves none', async () => {
    const before = await count()
    const senseless = { name: 'X', balances: [], spend: { balance: 'points', worth: 1 } }
    expectRefusal(await merchant.call('POST', '/v1/campaigns', senseless), 400, 'invalid_campaign_definition')
    expectRefusal(await merchant.call('POST', '/v1/campaigns/x/publish'), 404, 'campaign_not_found')
    expectRefusal(await merchant.call('POST', '/v1/products', { opaqueId: '' }), 400, '_invalid_payload')
    await merchant.call('POST', '/v1/products', { opaqueId: 'twice' })
    expectRefusal(
      await merchant.call('POST', '/v1/products', { opaqueId: 'twice' }),
      400,
      'opaque_id_already_exists',
    )
    expect(await count()).toBe(before + 1)
  })

  test('a repeat under the same key leaves none, also when both come at once', async () => {
    const before = await count()
    const send = () =>
      merchant.call('POST', '/v1/products', { opaqueId: 'repeated' }, { 'idempotency-key': 'audit' })
    const replies = await Promise.all([send(), send(), send()])
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201])
    expect((await send()).headers['idempotent-replayed']).toBe('true')
    expect(await count()).toBe(before + 1)
  })

  test('and without it the change is not made', async () => {
    await service.database.pool.query(
      'ALTER TABLE audit_entries ADD CONSTRAINT broken CHECK (false) NOT VALID',
    )
    expect((await merchant.call('POST', '/v1/products', { opaqueId: 'unaudited' })).status).toBe(500)
    await service.database.pool.query('ALTER TABLE audit_entries DROP CONSTRAINT broken')
    expect((await merchant.call('GET', '/v1/products?q=unaudited')).body.data).toEqual([])
  })

  test('the service can neither change an entry nor take it away', async () => {
    const pool = openPool(service.database.connection, { role: appRole, maxConnections: 1 })
    for (const sql of [
      "UPDATE audit_entries SET action = 'x'",
      'DELETE FROM audit_entries',
      'TRUNCATE audit_entries',
    ])
      await expect(pool.query(sql)).rejects.toMatchObject({ code: '42501' })
    await pool.end()
  })
})

describe('GET /v1/audit', () => {
  test('finds by text, by who did it, and by time, page by page', async () => {
    const shop = await service.createMerchant()
    const other = await shop.connect(['manage'])
    await shop.call('POST', '/v1/products', { opaqueId: 'a', name: 'Flat white' })
    // Two in one millisecond would be within the same bounds of time.
    service.advance(1)
    await other('PATCH', '/v1/organization', { locale: 'de' })
    const actions = async (query: string) =>
      (await list(query, shop)).map(({ action }: { action: string }) => action)
    const all = [
      'patchOrganization',
      'createProduct',
      'createConnection',
      'createConnection',
      'createOrganization',
    ]
    expect(await actions('')).toEqual(all)
    expect(await actions('?by=operator')).toEqual(all.slice(2))
    expect(await actions('?q=FLAT')).toEqual(['createProduct'])
    expect(await actions('?q=patchorg')).toEqual(['patchOrganization'])
    expect(await actions('?q=%25')).toEqual([])
    const [patched] = await list('', shop)
    expect(await actions(`?by=${patched.by.id}`)).toEqual(['patchOrganization'])
    expect(await actions('?by=nobody')).toEqual([])
    expect(await actions(`?from=${patched.at}`)).toEqual(['patchOrganization'])
    expect(await actions(`?to=${patched.at}`)).toEqual(all.slice(1))
    expect(await actions('?from=2020-01-01')).toEqual(all)
    expect(await actions('?to=2020-01-01')).toEqual([])
    const first = (await shop.call('GET', '/v1/audit?limit=2')).body
    const rest = (await shop.call('GET', `/v1/audit?cursor=${first.nextCursor}`)).body
    expect([...first.data, ...rest.data].map(({ action }: { action: string }) => action)).toEqual(all)
    expect(JSON.stringify(await list())).not.toContain(patched.id)
  })
})
