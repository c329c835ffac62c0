/**
 * One organization has as many webhooks as it may, another has one: whatever the receivers of the first do, the
 * events of the second arrive. It prints how long they took.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startDeliveries } from '../../src/jobs/deliver-webhooks.ts'
import type { Jobs } from '../../src/jobs/run-jobs.ts'
import { isFull } from '../support/full.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

const count = isFull ? 1_000 : 200
const samples = isFull ? 40 : 3
const pauseMs = isFull ? undefined : 20

let service: TestService
let crowd: Merchant
let single: Merchant
let crowded: Receiver
let healthy: Receiver
let closedUrl: string
let deliveries: Jobs | undefined

beforeAll(async () => {
  service = await startTestService()
  ;[crowd, single, crowded, healthy] = await Promise.all([
    service.createMerchant(),
    service.createMerchant(),
    startReceiver(),
    startReceiver(),
  ])
  const closed = await startReceiver()
  await closed.close()
  closedUrl = closed.url
  await succeed(single, '/v1/webhooks', { url: healthy.url })
  for (let i = 0; i < count; i += 20) {
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        succeed(crowd, '/v1/webhooks', { url: `${crowded.url}/${i + n}` }),
      ),
    )
  }
})
afterAll(async () => {
  await Promise.all([crowded.close(), healthy.close()])
  await service.close()
})

async function succeed(merchant: Merchant, path: string, body: object) {
  const reply = await merchant.call('POST', path, body)
  expect(reply.status, reply.text).toBe(201)
  return reply.body
}

/** How long events of the one took to arrive, one after the other, in milliseconds. */
async function measure(what: string): Promise<void> {
  const took: number[] = []
  for (let i = 0; i < samples; i++) {
    const before = healthy.received.length
    const startedAt = performance.now()
    await succeed(single, '/v1/customers', { data: {} })
    await vi.waitFor(() => expect(healthy.received.length).toBeGreaterThan(before), {
      timeout: 200_000,
      interval: 2,
    })
    took.push(performance.now() - startedAt)
    await sleep(Math.random() * 100)
  }
  took.sort((a, b) => a - b)
  const at = (share: number) => Math.round(took[Math.min(took.length - 1, Math.floor(took.length * share))]!)
  console.info(`${what}: median ${at(0.5)} ms, slowest ${at(1)} ms of ${samples}`)
}

const happen = async (events: number) => {
  for (let i = 0; i < events; i++) await succeed(crowd, '/v1/customers', { data: {} })
}

/** Nothing of the crowd's ends before the end of the test: what waits for it never arrives. */
const start = () => {
  deliveries = startDeliveries(service.deps, { timeoutMs: 3_600_000, pauseMs })
}

const stop = async () => {
  await deliveries?.stop()
  await service.database.pool.query(
    'UPDATE webhooks SET leased_until = NULL, lease = NULL, hold_until = NULL',
  )
}

const orgOf = async (merchant: Merchant) => {
  const { rows } = await service.database.pool.query('SELECT org_id FROM organizations WHERE id = $1', [
    merchant.id.slice(4),
  ])
  return rows[0].org_id
}

test.runIf(isFull)('without anything to send for the other', async () => {
  start()
  await measure('alone')
  await stop()
})

test('receivers that never answer', async () => {
  crowded.answer = () => {}
  await happen(1)
  start()
  await vi.waitFor(() => expect(crowded.received.length).toBeGreaterThanOrEqual(10), { timeout: 100_000 })
  await measure(`beside ${count} that never answer`)
  await stop()
})

test.runIf(isFull)('receivers that cannot be reached', async () => {
  await service.database.pool.query('UPDATE webhooks SET url = $2, failing_since = NULL WHERE org_id = $1', [
    await orgOf(crowd),
    closedUrl,
  ])
  await happen(1)
  start()
  await measure(`beside ${count} that cannot be reached`)
  await stop()
})

test('receivers that answer at once, and have much to receive', async () => {
  await service.database.pool.query(
    'UPDATE webhooks SET url = $2, failing_since = NULL, hold_until = NULL WHERE org_id = $1',
    [await orgOf(crowd), crowded.url],
  )
  const before = crowded.received.length
  crowded.answer = (response) => response.writeHead(204).end()
  await happen(isFull ? 30 : 10)
  start()
  await measure(`beside ${count} that receive as fast as they can`)
  console.info(`meanwhile the others received ${crowded.received.length - before}`)
  await stop()
})

test('a receiver that many organizations send to, and that does not answer any more', async () => {
  await service.database.pool.query('DELETE FROM webhooks WHERE org_id = $1', [await orgOf(crowd)])
  crowded.answer = () => {}
  const others = await Promise.all(Array.from({ length: 6 }, () => service.createMerchant()))
  for (const other of others) {
    await succeed(other, '/v1/webhooks', { url: crowded.url })
    await succeed(other, '/v1/customers', { data: {} })
  }
  await service.database.pool.query('UPDATE webhooks SET failing_since = now() WHERE url = $1', [crowded.url])
  const before = crowded.received.length
  // They have room for two of themselves: with all four, nothing else would ever be sent.
  deliveries = startDeliveries(service.deps, { timeoutMs: 3_600_000, maxRunning: 4, pauseMs: 10 })
  await vi.waitFor(() => expect(crowded.received).toHaveLength(before + 2), { timeout: 100_000 })
  await measure('beside one that all others send to, and that fails')
  expect(crowded.received).toHaveLength(before + 2)
  await stop()
})
