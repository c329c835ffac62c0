import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RefusalCode, refusals } from '../../src/domain/refusal.ts'
import { enroll } from '../support/enrollment.ts'
import { expectErrorBody, expectRefusal } from '../support/expect-refusal.ts'
import { copyRows, createTestPerson, inviteTestPerson, tokenIn } from '../support/people.ts'
import {
  adminToken,
  type Merchant,
  type Reply,
  startTestService,
  type TestService,
} from '../support/service.ts'
import { createIds, type Ids } from './route-table.ts'

let service: TestService
let merchant: Merchant
let own: Ids

beforeAll(async () => {
  service = await startTestService({ lockTimeoutMs: 400 })
  merchant = await service.createMerchant()
  own = await createIds(merchant)
})
afterAll(async () => {
  const unserved = await away
  await unserved?.service.app.close()
  await service.close()
})

const admin = (method: 'GET' | 'POST', path: string, body?: object) =>
  service.call(method, `/admin/v1${path}`, { token: adminToken, body })
const raw = (text: string, type = 'application/json') =>
  merchant.call('POST', '/v1/customers', text, { 'content-type': type })
const register = (customer: object, campaignId = own.campaign) =>
  merchant.call('POST', '/v1/customers/register', { campaignId, customer })
const pay = (ids: Pick<Ids, 'customer' | 'card'>, more: object = {}) =>
  merchant.call('POST', '/v1/transactions/process', {
    customer: ids.customer,
    card: ids.card,
    amount: 100,
    ...more,
  })
const get = (path: string) => merchant.call('GET', path)
const post = (path: string, body: object = {}) => merchant.call('POST', path, body)

let addresses = 0
const registerWithEmail = () => merchant.register(own.campaign, { email: `reach-${++addresses}@example.com` })

/** A customer of a campaign that lets points be spent, with so many of them. */
async function withPoints(amount: number) {
  const campaign = await merchant.publishCampaign({
    name: 'Spend',
    balances: [{ key: 'points' }],
    spend: { balance: 'points', worth: 1, min: 10, maxShare: 0.5 },
  })
  const ids = await merchant.register(campaign)
  await post(`/v1/customers/${ids.customer}/adjustments`, { key: 'points', amount, reason: 'x' })
  return ids
}

async function strictly<T>(work: () => Promise<T>): Promise<T> {
  await merchant.call('PATCH', '/v1/organization', { strictReferences: true })
  try {
    return await work()
  } finally {
    await merchant.call('PATCH', '/v1/organization', { strictReferences: false })
  }
}

async function couponOf(
  ids: Pick<Ids, 'customer'>,
  reward = 'five',
  campaign = own.campaign,
): Promise<string> {
  return (await post('/v1/coupons', { customer: ids.customer, campaign, reward })).body.id
}

/** Leaves of a sale what archiving it leaves. */
async function archiveReceipt(opaqueId: string): Promise<void> {
  const { pool } = service.database
  const { rows } = await pool.query('SELECT org_id FROM organizations WHERE id = $1', [merchant.id.slice(4)])
  const org = rows[0].org_id
  await pool.query(
    `INSERT INTO archived_files (org_id, number, archived_at, entry) VALUES ($1, 1, now(), '{}')`,
    [org],
  )
  await pool.query(
    `INSERT INTO archived_transactions (org_id, id, customer_id, file, opaque_id)
     VALUES ($1, gen_random_uuid(), gen_random_uuid(), 1, $2)`,
    [org, opaqueId],
  )
  await pool.query('UPDATE setup_versions SET version = version + 1 WHERE org_id = $1', [org])
}

/** A service whose database is gone, and an organization that used to be served. */
let away:
  | Promise<{ service: TestService; merchant: Merchant; ids: { customer: string; card: string } }>
  | undefined

function withoutDatabase() {
  away ??= startTestService().then(async (service) => {
    const merchant = await service.createMerchant()
    const ids = await merchant.register(await merchant.publishCampaign())
    await service.database.close()
    return { service, merchant, ids }
  })
  return away
}

const signedIn = () => createTestPerson(service, merchant)

/** How to get each refusal there is. The compiler asks for a new one as soon as the list has it. */
const table: Record<RefusalCode, [status: number, provoke: () => Promise<Reply>]> = {
  _invalid_payload: [400, () => post('/v1/customers', { data: 7 })],
  _unauthorized: [401, () => service.call('GET', '/v1/transactions')],
  _jwt_malformed: [401, () => service.call('GET', '/v1/transactions', { token: 'x' })],
  _jwt_expired: [
    401,
    async () => {
      service.advance(3_601_000)
      const reply = await get('/v1/transactions')
      service.setTime(new Date())
      return reply
    },
  ],
  _invalid_credentials: [
    401,
    () => service.call('POST', '/auth/token', { headers: { 'x-api-key': 'x', 'x-api-secret': 'x' } }),
  ],
  _invalid_refresh_token: [
    400,
    () =>
      service.call('POST', '/auth/refreshtoken', {
        body: { accessToken: merchant.token, refreshToken: 'x' },
      }),
  ],
  invalid_subscription: [
    403,
    async () => {
      const other = await service.createMerchant()
      await admin('POST', `/organizations/${other.id}/subscription`, { active: false })
      return other.call('GET', '/v1/transactions')
    },
  ],
  _forbidden: [403, async () => (await merchant.connect(['pos']))('GET', '/v1/customers')],
  _not_found: [404, () => get('/v1/nowhere')],
  _method_not_allowed: [405, () => merchant.call('DELETE', '/v1/customers')],
  _payload_too_large: [413, () => raw(JSON.stringify({ data: {}, metaData: { x: 'x'.repeat(256 * 1024) } }))],
  _unsupported_media_type: [415, () => raw('{"data":{}}', 'text/plain')],
  _too_many_requests: [
    429,
    async () => {
      const limited = await startTestService({ rateLimit: 1, sharing: service })
      limited.holdTime()
      const busy = await limited.createMerchant()
      await busy.call('GET', '/v1/transactions')
      const reply = await busy.call('GET', '/v1/transactions')
      await limited.close()
      return reply
    },
  ],
  _unavailable: [503, async () => (await withoutDatabase()).merchant.call('GET', '/v1/transactions')],
  _internal_error: [
    500,
    async () => {
      const { pool } = service.database
      // A database that is not what the code expects is what a bug looks like from outside.
      await pool.query('ALTER TABLE cards RENAME TO cards_away')
      try {
        return await get(`/v1/cards/${own.card}`)
      } finally {
        await pool.query('ALTER TABLE cards_away RENAME TO cards')
      }
    },
  ],
  idempotency_key_reused: [
    422,
    async () => {
      const send = (name: string) =>
        merchant.call('POST', '/v1/customers', { data: { fullname: name } }, { 'idempotency-key': 'errors' })
      await send('a')
      return send('b')
    },
  ],
  idempotency_key_in_use: [
    409,
    async () => {
      const holder = await service.database.pool.connect()
      await holder.query('BEGIN')
      await holder.query(
        `INSERT INTO idempotency_keys (org_id, route, key, fingerprint, status, created_at)
         SELECT org_id, 'POST /v1/customers', 'held', '', 0, now() FROM organizations WHERE id = $1`,
        [merchant.id.slice(4)],
      )
      const reply = await merchant.call('POST', '/v1/customers', { data: {} }, { 'idempotency-key': 'held' })
      await holder.query('ROLLBACK')
      holder.release()
      return reply
    },
  ],
  organization_not_found: [404, () => admin('GET', '/organizations/x')],
  integration_not_found: [404, () => admin('GET', '/integrations/x')],
  person_not_found: [404, async () => (await signedIn()).call('DELETE', '/v1/people/psn_0')],
  existing_person_with_email: [
    400,
    async () => {
      const { call, email } = await signedIn()
      return call('POST', '/v1/people', { email, role: 'cashier' })
    },
  ],
  too_many_people: [
    400,
    async () => {
      const crowded = await service.createMerchant()
      await crowded.invite()
      await copyRows(service, crowded, 'people', 1_000)
      return admin('POST', `/organizations/${crowded.id}/people`, {
        email: 'one@more.example',
        role: 'cashier',
      })
    },
  ],
  last_owner: [
    400,
    async () => {
      const { call, id } = await createTestPerson(service, await service.createMerchant())
      return call('DELETE', `/v1/people/${id}`)
    },
  ],
  invalid_invitation: [
    400,
    () => service.call('POST', '/auth/invitation', { body: { token: 'x', password: 'long enough' } }),
  ],
  weak_password: [
    400,
    async () => {
      const token = tokenIn(await inviteTestPerson(service, merchant))
      return service.call('POST', '/auth/invitation', { body: { token, password: 'Password123' } })
    },
  ],
  connection_not_found: [404, () => admin('GET', '/connections/x')],
  too_many_connections: [
    400,
    async () => {
      const crowded = await service.createMerchant()
      await copyRows(service, crowded, 'connections', 100)
      return crowded.call('POST', '/v1/connections', { name: 'One more' })
    },
  ],
  live_organization_required: [
    400,
    async () => {
      const connected = await admin('POST', `/organizations/${own.testOrganization}/connections`, {
        integration: merchant.integration,
        scopes: ['pos', 'manage'],
      })
      const headers = { 'x-api-key': merchant.apiKey, 'x-api-secret': connected.body.apiSecret }
      const token = (await service.call('POST', '/auth/token', { headers })).body.accessToken
      return service.call('POST', '/v1/test-organizations', { token, body: { name: 'Tests of tests' } })
    },
  ],
  test_organization_required: [400, () => post('/v1/test-clock/advance', { by: 'P1D' })],
  test_organization_not_found: [404, () => merchant.call('DELETE', '/v1/test-organizations/x')],
  too_many_test_organizations: [
    400,
    async () => {
      const crowded = await service.createMerchant()
      const add = () => crowded.call('POST', '/v1/test-organizations', { name: 'One more', copy: [] })
      for (let i = 0; i < 10; i++) await add()
      return add()
    },
  ],
  connection_revoked: [
    400,
    async () => {
      const connection = (await post('/v1/connections', { name: 'Revoked' })).body.id
      await post(`/v1/connections/${connection}/revoke`)
      return post(`/v1/connections/${connection}/rotate`)
    },
  ],
  webhook_not_found: [404, () => get('/v1/webhooks/x')],
  import_not_found: [404, () => get('/v1/imports/x')],
  import_finished: [
    409,
    async () => {
      const { id } = (await post('/v1/imports', { kind: 'branches' })).body
      await post(`/v1/imports/${id}/finish`)
      return post(`/v1/imports/${id}/rows`, { after: 0, rows: [{ row: 1, opaqueId: 'a' }] })
    },
  ],
  import_rows_differ: [
    409,
    async () => {
      const { id } = (await post('/v1/imports', { kind: 'branches', dryRun: true })).body
      await post(`/v1/imports/${id}/rows`, { after: 0, rows: [{ row: 1, opaqueId: 'a' }] })
      return post(`/v1/imports/${id}/rows`, { after: 0, rows: [{ row: 1, opaqueId: 'b' }] })
    },
  ],
  webhook_paused: [
    409,
    async () => {
      const { id } = (await post('/v1/webhooks', { url: 'https://example.com/' })).body
      await merchant.call('PATCH', `/v1/webhooks/${id}`, { status: 'paused' })
      return post(`/v1/webhooks/${id}/test`)
    },
  ],
  too_many_webhooks: [
    400,
    async () => {
      const crowded = await service.createMerchant()
      await crowded.call('POST', '/v1/webhooks', { url: 'https://example.com/' })
      await copyRows(service, crowded, 'webhooks', 1_000)
      return crowded.call('POST', '/v1/webhooks', { url: 'https://example.com/' })
    },
  ],
  sender_not_found: [
    400,
    async () => {
      const other = await service.createMerchant()
      const { card } = await other.register(await other.publishCampaign(), { email: 'a@example.com' })
      return other.call('POST', '/v1/messages', { card })
    },
  ],
  invalid_code: [
    400,
    async () => {
      const { card } = await registerWithEmail()
      const path = new URL((await get(`/v1/cards/${card}`)).body.walletUrl).pathname
      await service.call('POST', `${path}/codes`, { body: { purpose: 'change', channel: 'email' } })
      return service.call('POST', `${path}/sessions`, { body: { channel: 'email', code: 'wrong' } })
    },
  ],
  code_expired: [
    400,
    async () => {
      const { card } = await registerWithEmail()
      const path = new URL((await get(`/v1/cards/${card}`)).body.walletUrl).pathname
      return service.call('POST', `${path}/sessions`, { body: { channel: 'email', code: '123456' } })
    },
  ],
  message_not_found: [404, () => get('/v1/messages/x')],
  message_kind_not_found: [404, () => get('/v1/message-kinds/x/texts')],
  message_already_sent: [
    409,
    async () => {
      await service.database.pool.query('UPDATE messages SET status = 3')
      return post(`/v1/messages/${own.message}/retry`)
    },
  ],
  customer_not_reachable: [
    400,
    async () => {
      const { card } = await merchant.register(own.campaign, {})
      return post('/v1/messages', { card })
    },
  ],
  source_not_found: [404, () => get('/v1/sources/x')],
  received_message_not_found: [404, () => get('/v1/received/x')],
  received_message_not_kept: [
    410,
    async () => {
      await service.database.pool.query('UPDATE received_messages SET payload = NULL WHERE id = $1', [
        own.received.slice(4),
      ])
      return post(`/v1/received/${own.received}/retry`)
    },
  ],
  too_many_sources: [
    400,
    async () => {
      const crowded = await service.createMerchant()
      const source = { kind: 'shopify', name: 'Shop' }
      await crowded.call('POST', '/v1/sources', source)
      await copyRows(service, crowded, 'sources', 100)
      return crowded.call('POST', '/v1/sources', source)
    },
  ],
  invalid_signature: [
    401,
    async () => post(new URL((await get(`/v1/sources/${own.source}`)).body.url).pathname),
  ],
  delivery_not_found: [404, () => get('/v1/deliveries/x')],
  event_not_kept: [
    410,
    async () => {
      const other = await service.createMerchant()
      const { id } = (await other.call('POST', '/v1/webhooks', { url: 'https://example.com/' })).body
      await other.publishCampaign()
      const from = '2020-01-01T00:00:00Z'
      expect((await other.call('POST', `/v1/webhooks/${id}/replay`, { from })).body.deliveries).toBe(1)
      const [delivery] = (await other.call('GET', `/v1/webhooks/${id}/deliveries`)).body.data
      await service.database.pool.query('UPDATE event_counters SET oldest_position = last_position + 1')
      return other.call('POST', `/v1/deliveries/${delivery.id}/replay`)
    },
  ],
  request_not_found: [404, () => get('/v1/requests/x')],
  cursor_expired: [
    410,
    async () => {
      const other = await service.createMerchant()
      await other.publishCampaign()
      const { cursor } = (await other.call('GET', '/v1/events')).body
      await other.publishCampaign()
      await service.database.pool.query('UPDATE event_counters SET oldest_position = last_position + 1')
      return other.call('GET', `/v1/events?after=${cursor}`)
    },
  ],
  invalid_campaign: [400, () => register({ data: {} }, 'x')],
  invalid_campaign_definition: [
    400,
    () => post('/v1/campaigns', { name: 'X', balances: [], spend: { balance: 'points', worth: 1 } }),
  ],
  campaign_not_found: [404, () => get('/v1/campaigns/x')],
  short_name_taken: [
    409,
    async () => {
      const [one, other] = [await merchant.publishCampaign(), await merchant.publishCampaign()]
      const body = { shortName: 'taken-name' }
      await merchant.call('PATCH', `/v1/campaigns/${one}/enrollment`, body)
      return merchant.call('PATCH', `/v1/campaigns/${other}/enrollment`, body)
    },
  ],
  enrollment_closed: [
    409,
    async () => {
      const campaign = await merchant.publishCampaign()
      const shortName = 'closed-page'
      await merchant.call('PATCH', `/v1/campaigns/${campaign}/enrollment`, { shortName })
      return enroll(service, shortName, { email: 'ada@example.com' })
    },
  ],
  invalid_proof: [
    400,
    async () => {
      const campaign = await merchant.publishCampaign()
      const body = { shortName: 'proven-page', mode: 'open' }
      await merchant.call('PATCH', `/v1/campaigns/${campaign}/enrollment`, body)
      return enroll(service, body.shortName, { email: 'ada@example.com', nonce: 'x' })
    },
  ],
  customer_not_found: [404, () => get('/v1/customers/x')],
  customer_not_active: [
    400,
    async () => {
      const ids = await merchant.register(own.campaign)
      await post(`/v1/customers/${ids.customer}/block`)
      return pay(ids)
    },
  ],
  invalid_phone: [400, () => register({ data: { phone: 'x' } })],
  existing_customer_with_email: [
    400,
    async () => {
      await register({ data: { email: 'twice@example.com' } })
      return register({ data: { email: 'twice@example.com' } })
    },
  ],
  existing_customer_with_phone: [
    400,
    async () => {
      await register({ data: { phone: '+12025550123' } })
      return register({ data: { phone: '+12025550123' } })
    },
  ],
  opaque_id_already_exists: [
    400,
    async () => {
      await register({ data: {}, opaqueId: 'twice' })
      return register({ data: {}, opaqueId: 'twice' })
    },
  ],
  card_not_found: [404, () => get('/v1/cards/x')],
  wallet_revoked: [
    400,
    async () => {
      const ids = await merchant.register(own.campaign)
      await post(`/v1/cards/${ids.card}/wallet/revoke`)
      return post(`/v1/cards/${ids.card}/wallet/show`)
    },
  ],
  card_not_active: [
    400,
    async () => {
      const ids = await merchant.register(own.campaign)
      await post(`/v1/cards/${ids.card}/block`)
      return pay(ids)
    },
  ],
  transaction_not_found: [404, () => get('/v1/transactions/x')],
  transaction_archived: [
    410,
    async () => {
      await archiveReceipt('archived')
      return pay(own, { opaqueId: 'archived' })
    },
  ],
  transaction_already_exists: [
    409,
    async () => {
      await pay(own, { opaqueId: 'used' })
      return pay(own, { opaqueId: 'used', amount: 1 })
    },
  ],
  invalid_product: [400, () => strictly(() => pay(own, { items: [{ product: 'unknown' }] }))],
  invalid_user: [400, () => strictly(() => pay(own, { user: 'unknown' }))],
  invalid_branch: [400, () => strictly(() => pay(own, { branch: 'unknown' }))],
  product_not_found: [404, () => get('/v1/products/x')],
  user_not_found: [404, () => get('/v1/users/x')],
  branch_not_found: [404, () => get('/v1/branches/x')],
  coupon_not_found: [404, () => get('/v1/coupons/x')],
  coupon_already_redeemed: [
    400,
    async () => {
      const coupon = await couponOf(own)
      await pay(own, { reward: coupon })
      return pay(own, { reward: coupon })
    },
  ],
  coupon_expired: [
    400,
    async () => {
      const campaign = await merchant.publishCampaign({
        name: 'Short',
        balances: [{ key: 'points' }],
        rewards: [{ key: 'day', kind: 'amount_off', amount: 1, validDays: 1 }],
      })
      const coupon = await couponOf(own, 'day', campaign)
      service.advance(2 * 86_400_000)
      const later = await merchant.signIn()
      const body = { customer: own.customer, card: own.card, amount: 5, reward: coupon }
      const reply = await later('POST', '/v1/transactions/process', body)
      service.setTime(new Date())
      return reply
    },
  ],
  coupon_revoked: [
    400,
    async () => {
      const coupon = await couponOf(own)
      await post(`/v1/coupons/${coupon}/revoke`)
      return pay(own, { reward: coupon })
    },
  ],
  coupon_not_applicable: [
    400,
    async () => {
      const coupon = await couponOf(own)
      return pay(own, { reward: [coupon, coupon] })
    },
  ],
  points_not_spendable: [400, () => pay(own, { pointsToSpend: 1 })],
  insufficient_points: [400, async () => pay(await withPoints(20), { pointsToSpend: 21 })],
  points_below_minimum: [400, async () => pay(await withPoints(20), { pointsToSpend: 9 })],
  points_above_share: [400, async () => pay(await withPoints(200), { pointsToSpend: 51 })],
  return_exceeds_sale: [
    400,
    async () => {
      const path = `/v1/transactions/${(await pay(own)).body.id}/return`
      await post(path)
      return post(path)
    },
  ],
}

describe('every refusal of the list has its status and the body of the interface', () => {
  test.each(Object.keys(refusals) as RefusalCode[])('%s', async (code) => {
    const [status, provoke] = table[code]
    expectRefusal(await provoke(), status, code)
  })

  test('a bug tells nothing of itself', async () => {
    const reply = await table._internal_error[1]()
    expect(reply.body.description).toBe('An unexpected error occurred on our side.')
    expect(reply.text).not.toMatch(/cards_away|relation|SELECT|stack|\.ts/i)
  })
})

describe('found or not depends on where it was named: 404 in a path or query, 400 in a body', () => {
  test.each<[RefusalCode, () => Promise<Reply>]>([
    ['customer_not_found', () => register({ id: 'x' })],
    ['customer_not_found', () => pay({ customer: 'x', card: own.card })],
    ['card_not_found', () => pay({ customer: own.customer, card: 'x' })],
    ['coupon_not_found', () => pay(own, { reward: 'x' })],
    [
      'campaign_not_found',
      () => post('/v1/coupons', { customer: own.customer, campaign: 'x', reward: 'five' }),
    ],
    [
      'customer_not_found',
      () => post('/v1/coupons', { customer: 'x', campaign: own.campaign, reward: 'five' }),
    ],
    [
      'integration_not_found',
      () => admin('POST', `/organizations/${merchant.id}/connections`, { integration: 'x' }),
    ],
  ])('%s in a body', async (code, provoke) => {
    expectRefusal(await provoke(), 400, code)
  })

  test.each<[RefusalCode, () => Promise<Reply>]>([
    ['customer_not_found', () => get('/v1/customers/find?q=nobody')],
    ['organization_not_found', () => admin('POST', '/organizations/x/connections', { integration: 'x' })],
    ['organization_not_found', () => admin('GET', '/organizations/x/connections')],
    ['integration_not_found', () => admin('POST', '/integrations/x/rotate')],
    ['connection_not_found', () => admin('POST', '/connections/x/rotate')],
    ['connection_not_found', () => post('/v1/connections/x/rotate')],
    ['connection_not_found', () => post('/v1/connections/x/revoke')],
    ['transaction_not_found', () => post('/v1/transactions/x/return')],
  ])('%s in a path or query', async (code, provoke) => {
    expectRefusal(await provoke(), 404, code)
  })
})

describe('the error body', () => {
  test('has the time of the service’s clock in milliseconds', async () => {
    service.holdTime()
    service.setTime(new Date('2031-01-01T00:00:00Z'))
    const { body } = await service.call('GET', '/v1/transactions')
    service.setTime(new Date())
    expect(body.timestamp).toBe(Date.parse('2031-01-01T00:00:00Z'))
  })

  test('says in a sentence what was wrong, also where there is nothing special to say', async () => {
    expect((await get('/v1/nowhere')).body.description).toBe('No route matches this path.')
    expect((await get('/v1/customers/x')).body.description).toBe('The organization has no such customer.')
    expect((await register({ data: {} }, 'x')).body.description).toMatch(/^No published campaign .*\.$/)
    const { body } = await service.call('GET', '/v1/transactions', { token: 'x' })
    expect([body.message, body.description]).toEqual(['_jwt_malformed', 'The access token is not a JWT.'])
  })

  test('names the line of a return that the sale does not have, and that nothing is left', async () => {
    const { id } = (await pay(own, { items: [{ id: 'a' }] })).body
    const giveBack = (items?: object[]) => post(`/v1/transactions/${id}/return`, { items })
    const replies = [
      await giveBack([
        { id: 'a', quantity: 1 },
        { id: 'b', quantity: 1 },
      ]),
      await giveBack([{ id: 'a', quantity: 2 }]),
      (await giveBack()) && (await giveBack()),
    ]
    expect(replies.map(({ body }) => [body.message, body.description])).toEqual([
      ['return_exceeds_sale', 'items[1].id: the sale has no item "b".'],
      ['return_exceeds_sale', 'items[0]: less than that is left of item "a".'],
      ['return_exceeds_sale', 'Nothing is left of the sale.'],
    ])
  })

  test.each<[string, () => Promise<Reply>]>([
    ['The body is not valid JSON: unexpected end of input.', () => raw('{"data":')],
    ['The body is not valid JSON', () => raw('{"data":{},}')],
    ['The body must be an object.', () => raw('[]')],
    ['data: is missing.', () => post('/v1/customers', {})],
    ['data: must be an object.', () => post('/v1/customers', { data: 7 })],
    ['data.email: must be an email address.', () => post('/v1/customers', { data: { email: 'x' } })],
    [
      'data.email: must be an email address.',
      () => merchant.call('PATCH', `/v1/customers/${own.customer}`, { data: { email: 'x' } }),
    ],
    ['items[0].quantity: must be more than 0.', () => pay(own, { items: [{ quantity: 0 }] })],
    [
      'items[1].unitPrice: must have at most 6 decimals.',
      () => pay(own, { items: [{}, { unitPrice: 0.1234567 }] }),
    ],
    [
      'items[0].quantity: must have at most 6 decimals.',
      () => pay({ customer: 'x', card: 'x' }, { items: [{ quantity: 0.1234567 }] }),
    ],
    [
      'items: the sum must be at most 10000000000.',
      () => pay(own, { items: [{ amount: 1e10 }, { amount: 1e10 }] }),
    ],
    [
      'pointsToSpend: must have at most 0 decimals.',
      async () => pay(await withPoints(20), { pointsToSpend: 10.5 }),
    ],
    [
      'items[1].quantity: must have at most 6 decimals.',
      async () => {
        const { id } = (await pay(own, { items: [{ id: 'a', quantity: 2 }] })).body
        const items = [
          { id: 'a', quantity: 1 },
          { id: 'a', quantity: 0.1234567 },
        ]
        return post(`/v1/transactions/${id}/return`, { items })
      },
    ],
    ['items[0].product: must not be empty.', () => pay(own, { items: [{ product: '' }] })],
    ['reward: must be a string or a list.', () => pay(own, { reward: 7 })],
    ['limit: must be at most 100.', () => get('/v1/transactions?limit=101')],
    ['limit: must be a whole number.', () => get('/v1/transactions?limit=x')],
    ['q: is missing.', () => get('/v1/customers/find')],
    [
      'scopes[0]: must be "pos" or "manage".',
      () => admin('POST', `/organizations/${merchant.id}/connections`, { integration: 'x', scopes: ['all'] }),
    ],
  ])('names the member and what it must be: %s', async (description, provoke) => {
    const { body } = await provoke()
    expect(body.message).toBe('_invalid_payload')
    expect(body.description.startsWith(description), body.description).toBe(true)
    expect(body.description).not.toMatch(/not valid JSON.*not valid JSON|querystring|constant|customer-email/)
  })

  test('has the path without the query', async () => {
    const reply = await get('/v1/customers/find?q=%2B12025550199&x=1')
    expect(reply.body.path).toBe('/v1/customers/find')
  })

  test('comes with the request id that was sent, or with a new one', async () => {
    const sent = await merchant.call('GET', '/v1/nowhere', undefined, { 'x-request-id': 'till-7:42' })
    expect(sent.headers['x-request-id']).toBe('till-7:42')
    const made = await get('/v1/nowhere')
    expect(String(made.headers['x-request-id']).length).toBeGreaterThan(8)
    const success = await merchant.call('GET', '/v1/transactions', undefined, { 'x-request-id': 'ok-1' })
    expect(success.headers['x-request-id']).toBe('ok-1')
    for (const bad of ['x'.repeat(500), 'a b', 'caf\u00e9'])
      expect(
        (await merchant.call('GET', '/v1/transactions', undefined, { 'x-request-id': bad })).headers[
          'x-request-id'
        ],
      ).not.toBe(bad)
  })
})

describe('routes', () => {
  test.each([
    '/',
    '/v1',
    '/v1/',
    '/v2/customers',
    '/V1/CUSTOMERS',
    '/v1/customers/x/y/z',
    '/admin',
    '/auth',
    '//v1/customers',
    '/v1/customers;x=1',
    '/.env',
    '/v1/customers%2ffind',
  ])('%s is _not_found', async (path) => {
    expectRefusal(await get(path), 404, '_not_found')
  })

  test.each(['/%', '/%zz', '/v1/customers/%', '/v1/customers/%ff%fe'])(
    'the broken address %s is a 4xx',
    async (path) => {
      const reply = await get(path)
      expect(reply.status).toBeGreaterThanOrEqual(400)
      expect(reply.status).toBeLessThan(500)
      expectErrorBody(reply)
    },
  )

  test.each([
    ['PUT', '/v1/customers', 'GET, HEAD, POST'],
    ['DELETE', '/v1/customers/x', 'GET, HEAD, PATCH'],
    ['OPTIONS', '/v1/customers', 'GET, HEAD, POST'],
    ['OPTIONS', '/v1/transactions/process', 'POST'],
    ['GET', '/v1/transactions/process', 'POST'],
    ['GET', '/auth/token', 'POST'],
    ['POST', '/v1/customers/find', 'GET, HEAD'],
    ['PATCH', '/v1/cards/x', 'GET, HEAD'],
    ['POST', '/livez', 'GET, HEAD'],
    ['DELETE', '/admin/v1/organizations', 'GET, HEAD, POST'],
  ] as const)('%s %s is _method_not_allowed with Allow: %s', async (method, path, allow) => {
    const reply = await merchant.call(method, path)
    expectRefusal(reply, 405, '_method_not_allowed')
    expect(reply.headers.allow).toBe(allow)
  })

  test('HEAD answers like GET without a body, where there is a GET', async () => {
    const paths = ['/livez', '/docs', '/openapi.json', '/v1/transactions', `/v1/customers/${own.customer}`]
    for (const path of paths) {
      const reply = await merchant.call('HEAD', path)
      expect([path, reply.status, reply.text]).toEqual([path, 200, ''])
      expect(Number(reply.headers['content-length'])).toBeGreaterThan(0)
    }
    expect((await service.call('HEAD', '/v1/transactions')).status).toBe(401)
    expect((await merchant.call('HEAD', '/v1/cards/x')).status).toBe(404)
    const other = await merchant.call('HEAD', '/v1/transactions/process')
    expect([other.status, other.headers.allow]).toEqual([405, 'POST'])
  })

  test('TRACE is refused with the methods there are', async () => {
    const reply = await service.app.inject({ method: 'TRACE' as 'GET', url: '/v1/customers' })
    expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'GET, HEAD, POST'])
  })

  test.each(['/v1/customers/', '/v1/customers//ledger', '/v1/cards/', '/v1/campaigns/', '/v1/customers/x/'])(
    '%s names nothing and is _not_found, with every method',
    async (path) => {
      for (const method of ['GET', 'PATCH', 'DELETE'] as const)
        expectRefusal(await merchant.call(method, path), 404, '_not_found')
    },
  )

  test('an unknown route is _not_found also without a token', async () => {
    expectRefusal(await service.call('GET', '/v1/nowhere'), 404, '_not_found')
  })
})

describe('bodies', () => {
  test.each([
    '{',
    '{"data":}',
    '',
    'null',
    '[]',
    '7',
    '"text"',
    'true',
    '{"data":{}',
    "{'data':{}}",
    '{"data":{},}',
    'NaN',
    '\ufeff{"data":{}}',
  ])('%j is _invalid_payload', async (text) => {
    expectRefusal(await raw(text), 400, '_invalid_payload')
  })

  test.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'nonsense',
    'application/jsonp',
  ])('a body of type %s is _unsupported_media_type', async (type) => {
    expectRefusal(await raw('{"data":{}}', type), 415, '_unsupported_media_type')
  })

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/json;charset="UTF-8"',
  ])('a body of type %s is read', async (type) => {
    expect((await raw('{"data":{}}', type)).status).toBe(201)
  })

  test('exactly 256 KiB pass, one byte more is _payload_too_large', async () => {
    const wrap = (size: number) => {
      const frame = '{"data":{},"unknown":""}'
      return frame.replace('""', `"${'x'.repeat(size - frame.length)}"`)
    }
    expect((await raw(wrap(256 * 1024))).status).toBe(201)
    expectRefusal(await raw(wrap(256 * 1024 + 1)), 413, '_payload_too_large')
  })

  test.each(['gzip', 'deflate', 'br', 'x'])(
    'a body encoded as %s is _unsupported_media_type',
    async (encoding) => {
      const reply = await merchant.call('POST', '/v1/customers', '{"data":{}}', {
        'content-type': 'application/json',
        'content-encoding': encoding,
      })
      expectRefusal(reply, 415, '_unsupported_media_type')
    },
  )
})

describe('too many calls', () => {
  test('one organization beyond its limit gets 429 with Retry-After, another is served, and time heals', async () => {
    const limited = await startTestService({ rateLimit: 5, sharing: service })
    limited.holdTime()
    try {
      const [busy, quiet] = [await limited.createMerchant(), await limited.createMerchant()]
      const replies = await Promise.all(
        Array.from({ length: 30 }, () => busy.call('GET', '/v1/transactions')),
      )
      const refused = replies.filter((reply) => reply.status === 429)
      expect(refused).toHaveLength(25)
      expect(replies.filter((reply) => reply.status === 200)).toHaveLength(5)
      expectRefusal(refused[0]!, 429, '_too_many_requests')
      expect(Number(refused[0]!.headers['retry-after'])).toBeGreaterThanOrEqual(1)
      expect((await quiet.call('GET', '/v1/transactions')).status).toBe(200)
      limited.advance(1_100)
      expect((await busy.call('GET', '/v1/transactions')).status).toBe(200)
    } finally {
      await limited.close()
    }
  })
})

describe('the database away', () => {
  test('is 503 with Retry-After on reads, writes and baskets, while the process itself lives', async () => {
    const { service: other, merchant: busy, ids } = await withoutDatabase()
    for (const [method, path, body] of [
      ['GET', '/v1/transactions', undefined],
      ['POST', '/v1/customers', { data: {} }],
      ['POST', '/v1/transactions/process', { customer: ids.customer, card: ids.card }],
    ] as const) {
      const reply = await busy.call(method, path, body)
      expectRefusal(reply, 503, '_unavailable')
      expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    }
    const token = await other.call('POST', '/auth/token', {
      headers: { 'x-api-key': busy.apiKey, 'x-api-secret': busy.apiSecret },
    })
    expectRefusal(token, 503, '_unavailable')
    expect((await other.call('GET', '/livez')).status).toBe(200)
    expectRefusal(await other.call('GET', '/nowhere'), 404, '_not_found')
  })
})

describe('behind a proxy', () => {
  test('a call that the proxy marks as plain HTTP is refused, one over HTTPS is not', async () => {
    const proxied = await startTestService({ isBehindProxy: true, sharing: service })
    try {
      const { token } = await proxied.createMerchant()
      const via = (proto: string) =>
        proxied.call('GET', '/v1/transactions', { token, headers: { 'x-forwarded-proto': proto } })
      expectRefusal(await via('http'), 403, '_forbidden')
      expect((await via('https')).status).toBe(200)
      // Our proxy adds its word at the end; what stands before it the client may have written itself.
      expectRefusal(await via('https, http'), 403, '_forbidden')
      expect((await via('http, https')).status).toBe(200)
    } finally {
      await proxied.close()
    }
  })
})
