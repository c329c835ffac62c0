import { expect } from 'vitest'
import { type Checkout, makeCheckout, ownSecrets, type Service, urlOf } from './checkout.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { runForJson } from './run-command.ts'

/** Two services on one database, to be killed and started again. */
export interface KillableServices {
  readonly database: TestDatabase
  /** Kills these, and starts new ones in their place. */
  restart(which: readonly number[]): Promise<void>
  /** Sends a request of a till to the first of them, and expects it to succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: read the way a client would.
  call(method: string, path: string, body?: object): Promise<any>
  close(): Promise<void>
}

export async function startKillableServices(): Promise<KillableServices> {
  const [checkout, database] = await Promise.all([makeCheckout(), createTestDatabase()])
  const env: Record<string, string> = {
    DATABASE_URL: urlOf(database.connection),
    DATA_DIR: await checkout.newDataDir(),
    WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
    ...ownSecrets,
  }
  const services = [await checkout.start(env), await checkout.start(env)]
  const token = await connect(env, services[0]!)
  return {
    database,
    async restart(which) {
      await Promise.all(which.map((i) => services[i]!.end('SIGKILL')))
      for (const i of which) services[i] = await checkout.start(env)
    },
    async call(method, path, body) {
      const reply = await fetch(`${services[0]!.baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        body: body && JSON.stringify(body),
      })
      expect(reply.status).toBeLessThan(300)
      return reply.json()
    },
    close: () => closeAll(checkout, database, services),
  }
}

async function connect(env: Record<string, string>, { baseUrl }: Service): Promise<string> {
  const organization = await runForJson(['organization', 'create', 'Kaffeehaus'], env)
  const integration = await runForJson(['integration', 'create', 'Shop'], env)
  const args = ['--organization', organization.id, '--integration', integration.id, '--scopes', 'pos,manage']
  const { apiSecret } = await runForJson(['connection', 'create', ...args], env)
  const credentials = { API_KEY: integration.apiKey, API_SECRET: apiSecret }
  return (await runForJson(['token', '--url', baseUrl], credentials)).accessToken
}

async function closeAll(checkout: Checkout, database: TestDatabase, services: readonly Service[]) {
  await Promise.all(services.map((service) => service.end('SIGTERM')))
  await checkout.remove()
  await database.close()
}
