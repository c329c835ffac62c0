import { afterAll, beforeAll, expect, test } from 'vitest'
import { createQuickPerson } from '../support/people.ts'
import { adminToken, type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let cookie: string
let wallet: string
const logo = 'data:image/png;base64,'.padEnd(65_534, 'A')

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  cookie = (await createQuickPerson(service, merchant)).cookie
  const { card } = await merchant.register(await merchant.publishCampaign())
  wallet = new URL((await merchant.call('GET', `/v1/cards/${card}`)).body.walletUrl).pathname
  expect((await merchant.call('PATCH', '/v1/organization', { logo })).body.logo).toBe(logo)
})
afterAll(() => service.close())

const asOwner = (path: string) => service.call('GET', path, { headers: { cookie } })
const asOperator = (path: string) => service.call('GET', path, { token: adminToken })

/** What the database sends while the work is done. */
async function bytesRead(work: () => Promise<unknown>): Promise<number> {
  const { pool } = service.deps
  let bytes = 0
  const count = (row: { length: number }) => {
    bytes += row.length
  }
  interface Client {
    connection: { on(event: string, listener: typeof count): void; off: Client['connection']['on'] }
  }
  const listened = new Set<Client>()
  const listen = (client: unknown) => {
    if (listened.has(client as Client)) return
    listened.add(client as Client)
    ;(client as Client).connection.on('dataRow', count)
  }
  pool.on('acquire', listen)
  await work()
  pool.off('acquire', listen)
  for (const { connection } of listened) connection.off('dataRow', count)
  return bytes
}

test('a logo is shown to those who look after the organization, and to its customers', async () => {
  const listed = (await asOperator('/admin/v1/organizations?limit=100')).body.data
  const shown = {
    own: (await merchant.call('GET', '/v1/organization')).body,
    session: (await asOwner('/auth/session')).body.organization,
    wallet: (await service.call('GET', `${wallet}/card`)).body.organization,
    operator: (await asOperator(`/admin/v1/organizations/${merchant.id}`)).body,
    listed: listed.find(({ id }: { id: string }) => id === merchant.id),
  }
  for (const [where, organization] of Object.entries(shown))
    expect(organization.logo === logo, where).toBe(true)
})

test('no other call reads it: not with a token, not with a session, not at a wallet address', async () => {
  const calls = {
    token: () => merchant.call('GET', '/v1/campaigns'),
    write: () => merchant.call('POST', '/v1/products', { opaqueId: 'latte' }),
    session: () => asOwner('/v1/customers'),
    wallet: () => service.call('GET', `${wallet}/code128.svg`),
  }
  for (const [what, call] of Object.entries(calls)) {
    const bytes = await bytesRead(call)
    expect(bytes, what).toBeGreaterThan(50)
    expect(bytes, what).toBeLessThan(20_000)
  }
  expect(await bytesRead(() => merchant.call('GET', '/v1/organization'))).toBeGreaterThan(logo.length)
})
