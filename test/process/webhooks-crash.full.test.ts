import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type KillableServices, startKillableServices } from '../support/killable-services.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

let services: KillableServices
let receiver: Receiver

beforeAll(async () => {
  ;[services, receiver] = await Promise.all([startKillableServices(), startReceiver()])
})

afterAll(async () => {
  await services.close()
  await receiver.close()
})

test('two services, killed again and again in the middle of sending: every event arrives', async () => {
  const { call, database, restart } = services
  const webhooks = ['a', 'b', 'c']
  for (const name of webhooks) await call('POST', '/v1/webhooks', { url: `${receiver.url}/${name}` })
  receiver.answer = (response) => setTimeout(() => response.writeHead(204).end(), 3)
  const kills = 12
  const perKill = 40
  for (let i = 0; i < kills; i++) {
    await Promise.all(
      Array.from({ length: perKill }, () => call('POST', '/v1/customers', { data: { fullname: 'Ada' } })),
    )
    const target = (i + 1) * 60
    await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(target), { timeout: 30_000 })
    await sleep(Math.random() * 30)
    // The one that answers is killed as well as the other.
    await restart([i % 2])
    // A lease of the dead ends after a minute. Here all of them end earlier, also those of the living, and only now:
    // what the dead has sent to the database may still have been on its way.
    await database.pool.query('UPDATE webhooks SET leased_until = now()')
  }
  const { data } = await call('GET', '/v1/events?limit=1000&types=customer.created')
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
