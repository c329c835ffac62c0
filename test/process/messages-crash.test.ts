import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Checkout, makeCheckout, ownSecrets, type Service, urlOf } from '../support/checkout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFull } from '../support/full.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { runForJson } from '../support/run-command.ts'
import { coffeeClub } from '../support/service.ts'

let checkout: Checkout
let database: TestDatabase
let mail: MailServer
let env: Record<string, string>
let services: Service[] = []

beforeAll(async () => {
  ;[checkout, database, mail] = await Promise.all([makeCheckout(), createTestDatabase(), startMailServer()])
  env = {
    DATABASE_URL: urlOf(database.connection),
    DATA_DIR: await checkout.newDataDir(),
    WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
    ...ownSecrets,
  }
  services = [await checkout.start(env), await checkout.start(env)]
})

afterAll(async () => {
  await Promise.all(services.map((service) => service.end('SIGTERM')))
  await mail.close()
  await checkout.remove()
  await database.close()
})

async function connect(): Promise<string> {
  const organization = await runForJson(['organization', 'create', 'Kaffeehaus'], env)
  const integration = await runForJson(['integration', 'create', 'Shop'], env)
  const args = ['--organization', organization.id, '--integration', integration.id, '--scopes', 'pos,manage']
  const { apiSecret } = await runForJson(['connection', 'create', ...args], env)
  const credentials = { API_KEY: integration.apiKey, API_SECRET: apiSecret }
  return (await runForJson(['token', '--url', services[0]!.baseUrl], credentials)).accessToken
}

test('two services, killed again and again in the middle of sending: no message is lost or arrives twice', async () => {
  const token = await connect()
  const call = async (method: string, path: string, body?: object) => {
    const reply = await fetch(`${services[0]!.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    })
    expect(reply.status).toBeLessThan(300)
    // biome-ignore lint/suspicious/noExplicitAny: read the way a client would.
    return (await reply.json()) as any
  }
  const server = { host: '127.0.0.1', port: mail.port, security: 'none', from: 'hello@example.com' }
  await call('PUT', '/v1/senders/email', { ...server, perHour: 10_000 })
  const { id: campaignId } = await call('POST', '/v1/campaigns', coffeeClub)
  await call('POST', `/v1/campaigns/${campaignId}/publish`)
  const customer = { data: { email: 'ada@example.com' } }
  const { cards } = await call('POST', '/v1/customers/register', { campaignId, customer })
  mail.onMail = () => sleep(10)
  const kills = isFull ? 12 : 3
  const perKill = 30
  const ordered: string[] = []
  for (let i = 0; i < kills; i++) {
    const before = mail.mails.length
    for (let n = 0; n < perKill; n++) {
      ordered.push((await call('POST', '/v1/messages', { card: cards[0].id })).id)
    }
    await vi.waitFor(() => expect(mail.mails.length).toBeGreaterThan(before + 3), { timeout: 30_000 })
    await sleep(Math.random() * 30)
    // Who sends is not known, so both are killed.
    await Promise.all(services.map((service) => service.end('SIGKILL')))
    services = [await checkout.start(env), await checkout.start(env)]
    // A lease of the dead ends after a minute, and their attempts are given up after five: here both at once.
    await database.pool.query("UPDATE due_work SET leased_until = now() WHERE kind = 'sending'")
    await database.pool.query(
      "UPDATE messages SET started_at = started_at - interval '10 minutes' WHERE status = 2",
    )
  }
  const statusOf = new Map<string, number>()
  await vi.waitFor(
    async () => {
      for (const id of ordered) statusOf.set(id, (await call('GET', `/v1/messages/${id}`)).status)
      expect([...statusOf.values()].filter((status) => status !== 3 && status !== 5)).toEqual([])
    },
    { timeout: 60_000, interval: 500 },
  )
  const arrived = mail.mails.map(({ headers }) => /msg_[0-9a-f]{32}/.exec(headers.get('message-id')!)![0])
  expect(new Set(arrived).size).toBe(arrived.length)
  const sent = ordered.filter((id) => statusOf.get(id) === 3)
  expect(sent.filter((id) => !arrived.includes(id))).toEqual([])
  // One at a time: a kill leaves one in doubt at most.
  expect(ordered.length - sent.length).toBeLessThanOrEqual(kills)
})
