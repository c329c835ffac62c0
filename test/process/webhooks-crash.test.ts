import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Checkout, makeCheckout, ownSecrets, type Service, urlOf } from '../support/checkout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFull } from '../support/full.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { runForJson } from '../support/run-command.ts'

let checkout: Checkout
let database: TestDatabase
let receiver: Receiver
let env: Record<string, string>
let services: Service[] = []

beforeAll(async () => {
  ;[checkout, database, receiver] = await Promise.all([makeCheckout(), createTestDatabase(), startReceiver()])
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
  await receiver.close()
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

test('two services, killed again and again in the middle of sending: every event arrives', async () => {
  const token = await connect()
  const call = async (path: string, body?: object) => {
    const reply = await fetch(`${services[0]!.baseUrl}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    })
    expect(reply.status).toBeLessThan(300)
    // biome-ignore lint/suspicious/noExplicitAny: read the way a client would.
    return (await reply.json()) as any
  }
  const webhooks = ['a', 'b', 'c']
  for (const name of webhooks) await call('/v1/webhooks', { url: `${receiver.url}/${name}` })
  receiver.answer = (response) => setTimeout(() => response.writeHead(204).end(), 3)
  const kills = isFull ? 12 : 3
  const perKill = 40
  for (let i = 0; i < kills; i++) {
    await Promise.all(
      Array.from({ length: perKill }, () => call('/v1/customers', { data: { fullname: 'Ada' } })),
    )
    const target = (i + 1) * 60
    await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(target), { timeout: 30_000 })
    await sleep(Math.random() * 30)
    // The one that answers is killed as well as the other.
    const victim = i % 2
    await services[victim]!.end('SIGKILL')
    services[victim] = await checkout.start(env)
    // A lease of the dead ends after a minute. Here all of them end earlier, also those of the living, and only now:
    // what the dead has sent to the database may still have been on its way.
    await database.pool.query('UPDATE webhooks SET leased_until = now()')
  }
  const { data } = await call('/v1/events?limit=1000&types=customer.created')
  expect(data).toHaveLength(kills * perKill)
  const expected = data.map(({ id }: { id: string }) => id)
  for (const name of webhooks) {
    await vi.waitFor(
      () => {
        const ids = receiver.received.flatMap(({ path, headers }) =>
          path.endsWith(`/${name}`) ? [headers['webhook-id']] : [],
        )
        expect(new Set(expected.filter((id: string) => !ids.includes(id))).size).toBe(0)
      },
      { timeout: 120_000, interval: 100 },
    )
  }
})
