/** What is shown once is in the answer, and from then on nowhere: no table, and so no log that others read, has it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestPerson, signIn, type TestPerson, tokenIn } from '../support/people.ts'
import {
  adminToken,
  type Merchant,
  type Reply,
  startTestService,
  type TestService,
} from '../support/service.ts'

let service: TestService
let merchant: Merchant
let owner: TestPerson
let manager: TestPerson
let colleague: TestPerson
beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  owner = await createTestPerson(service, merchant)
  manager = await createTestPerson(service, merchant, 'manager')
  colleague = await createTestPerson(service, merchant)
})
afterAll(() => service.close())

const operator = (path: string, body: object) =>
  service.call('POST', `/admin/v1${path}`, { body, token: adminToken })
const ofMerchant = () => `/organizations/${merchant.id}`

/** Each operation whose answer the OpenAPI document says is shown once. */
const calls: Record<string, () => Promise<Reply>> = {
  invitePerson: () => owner.call('POST', '/v1/people', { email: 'new@example.com', role: 'cashier' }),
  renewInvitation: () => owner.call('POST', `/v1/people/${colleague.id}/invitation`, {}),
  addConnection: () => manager.call('POST', '/v1/connections', { name: 'Web shop' }),
  addTestOrganization: () => manager.call('POST', '/v1/test-organizations', { name: 'Try-out' }),
  rotateConnection: () => manager.call('POST', `/v1/connections/${merchant.connection}/rotate`, {}),
  addWebhook: () => manager.call('POST', '/v1/webhooks', { url: 'https://example.com/events' }),
  addSource: () => manager.call('POST', '/v1/sources', { kind: 'json', name: 'Till', mapping: '$' }),
  rotateWebhookSecret: async () => {
    const { id } = (await calls.addWebhook!()).body
    return manager.call('POST', `/v1/webhooks/${id}/rotate`, {})
  },
  invitePersonToOrganization: () =>
    operator(`${ofMerchant()}/people`, { email: 'first@example.com', role: 'owner' }),
  createIntegration: () => operator('/integrations', { name: 'Shop' }),
  rotateIntegrationKey: () => operator(`/integrations/${merchant.integration}/rotate`, {}),
  createConnection: () =>
    operator(`${ofMerchant()}/connections`, { integration: merchant.integration, scopes: ['pos'] }),
  rotateConnectionSecret: () => operator(`/connections/${merchant.connection}/rotate`, {}),
}

type Json = Record<string, unknown>

/** Operations that answer with a member of which its description says so, however deep. */
function listShownOnce(): string[] {
  const { paths, components } = service.app.swagger() as unknown as {
    paths: Record<string, Record<string, { operationId: string; responses: Json }>>
    components: { schemas: Json }
  }
  const shows = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return false
    const { $ref, description } = value as Json
    if (typeof $ref === 'string') return shows(components.schemas[$ref.split('/').at(-1)!])
    return /\bshown once\b/i.test(String(description)) || Object.values(value).some(shows)
  }
  return Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .filter(({ responses }) => shows(responses))
    .map(({ operationId }) => operationId)
}

/** Every credential of ours in any table, with what stands around it. */
async function findInClear(): Promise<string[]> {
  const { pool } = service.database
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  )
  expect(tables.length).toBeGreaterThan(25)
  const found = await Promise.all(
    tables.map(({ name }) =>
      pool.query<{ row: string }>(
        `SELECT t::text AS row FROM "${name}" t WHERE t::text ~ 'lw[kasrpi]_[\\w-]{8}|whsec_'`,
      ),
    ),
  )
  return found.flatMap(({ rows }) => rows.map(({ row }) => row))
}

test('every operation that shows something once is called here', () => {
  expect(listShownOnce().sort()).toEqual(Object.keys(calls).sort())
})

test.each(Object.keys(calls))('what %s shows is in no table', async (operation) => {
  const reply = await calls[operation]!()
  expect(reply.text).toMatch(/lw[ksi]_[\w-]{43}|whsec_[\w+/]{43}=/)
  await service.flushRequests()
  expect(await findInClear()).toEqual([])
})

test('nor is what those get who sign in', async () => {
  const pair = { 'x-api-key': merchant.apiKey, 'x-api-secret': merchant.apiSecret }
  await service.call('POST', '/auth/token', { headers: pair })
  expect((await signIn(service, owner)).status).toBe(200)
  await merchant.call('GET', '/v1/organization', undefined, {
    cookie: owner.cookie,
    'x-request-id': owner.cookie,
  })
  await service.flushRequests()
  expect(await findInClear()).toEqual([])
})

test('such a call is in the request log without its answer, unless it was refused', async () => {
  const read = async (path: string) => {
    await service.flushRequests()
    const [row] = (await manager.call('GET', '/v1/requests?limit=1')).body.data
    expect(row.path).toBe(path)
    return (await manager.call('GET', `/v1/requests/${row.id}`)).body
  }
  await calls.addConnection!()
  const added = await read('/v1/connections')
  expect(added).toMatchObject({ status: 201, requestBody: { name: 'Web shop' } })
  for (const member of ['replyBody', 'isTruncated']) expect(added).not.toHaveProperty(member)
  await calls.rotateConnection!()
  expect(await read(`/v1/connections/${merchant.connection}/rotate`)).not.toHaveProperty('replyBody')
  await calls.renewInvitation!()
  expect(await read(`/v1/people/${colleague.id}/invitation`)).not.toHaveProperty('replyBody')
  const person = { email: 'one.more@example.com', role: 'cashier' }
  await owner.call('POST', '/v1/people', person)
  expect(await read('/v1/people')).not.toHaveProperty('replyBody')
  const refused = await owner.call('POST', '/v1/people', person)
  expect(await read('/v1/people')).toMatchObject({
    errorCode: 'existing_person_with_email',
    replyBody: { message: refused.body.message },
  })
})

test('nobody becomes an owner by reading the logs', async () => {
  const renewed = await calls.renewInvitation!()
  await service.flushRequests()
  const seen: string[] = []
  for (const { id } of (await manager.call('GET', '/v1/requests?limit=100')).body.data)
    seen.push((await manager.call('GET', `/v1/requests/${id}`)).text)
  seen.push((await manager.call('GET', '/v1/audit?limit=100')).text)
  expect(seen.join()).toContain('/invitation')
  expect(seen.join()).not.toContain(tokenIn(renewed))
})
