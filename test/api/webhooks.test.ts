import { randomUUID } from 'node:crypto'
import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startDeliveries } from '../../src/jobs/deliver-webhooks.ts'
import type { Jobs } from '../../src/jobs/run-jobs.ts'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { createAddresses } from '../../src/operations/outbound/addresses.ts'
import { createSender } from '../../src/operations/outbound/send.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { answerWith, type Receiver, startReceiver } from '../support/receiver.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let receiver: Receiver
let deliveries: Jobs | undefined

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

beforeEach(async () => {
  merchant = await service.createMerchant()
  receiver = await startReceiver()
})
afterEach(async () => {
  await deliveries?.stop()
  deliveries = undefined
  await receiver.close()
})

const start = (options: Parameters<typeof startDeliveries>[1] = {}) => {
  deliveries = startDeliveries(service.deps, { pauseMs: 10, ...options })
}
const add = async (body: object = {}) => {
  const reply = await merchant.call('POST', '/v1/webhooks', { url: receiver.url, ...body })
  expect(reply.status, reply.text).toBe(201)
  return reply.body as { id: string; secret: string }
}
/** Makes `count` events of the type customer.created. */
const happen = async (count = 1) => {
  for (let i = 0; i < count; i++) await merchant.call('POST', '/v1/customers', { data: { fullname: 'Ada' } })
}
const received = (count: number) =>
  vi.waitFor(() => expect(receiver.received).toHaveLength(count), { timeout: 10_000, interval: 10 })
const shown = async (id: string) => (await merchant.call('GET', `/v1/webhooks/${id}`)).body
const logOf = async (id: string) => (await merchant.call('GET', `/v1/webhooks/${id}/deliveries`)).body.data
const untilLogged = (id: string, test: (log: Awaited<ReturnType<typeof logOf>>) => void) =>
  vi.waitFor(async () => test(await logOf(id)), { timeout: 10_000, interval: 20 })
const bodies = () => receiver.received.map(({ body }) => JSON.parse(body))
const types = () => bodies().map(({ type }) => type)

test('every event is sent once, as the list shows it, with a signature that the library accepts', async () => {
  start()
  await happen()
  const { id, secret } = await add()
  await happen(3)
  await received(3)
  const listed = (await merchant.call('GET', '/v1/events')).body.data
  expect(bodies().toSorted((a, b) => a.position - b.position)).toEqual(listed.slice(1))
  const verifier = new Verifier(secret)
  for (const { headers, body } of receiver.received) {
    verifier.verify(body, headers as Record<string, string>, { now: service.deps.clock() } as never)
    expect(headers['webhook-id']).toBe(JSON.parse(body).id)
    expect(headers['content-type']).toBe('application/json')
  }
  const [first] = receiver.received
  expect(() => verifier.verify(`${first!.body} `, first!.headers as Record<string, string>)).toThrow()
  await untilLogged(id, (log) =>
    expect(
      log.map(({ status, attempts }: never) => [status, (attempts as { status: number }[])[0]?.status]),
    ).toEqual([2, 2, 2].map((status) => [status, 204])),
  )
})

test('only the types that were asked for', async () => {
  start()
  await add({ types: ['campaign.published'] })
  await happen(2)
  await merchant.publishCampaign()
  await received(1)
  await happen()
  await merchant.publishCampaign()
  await received(2)
  expect(types()).toEqual(['campaign.published', 'campaign.published'])
})

test('after a rotation both secrets verify until the overlap ends', async () => {
  start()
  const { id, secret } = await add()
  const rotated = await merchant.call('POST', `/v1/webhooks/${id}/rotate`, { overlapSeconds: 60 })
  const accepts = (key: string) => {
    const { headers, body } = receiver.received.at(-1)!
    try {
      return Boolean(new Verifier(key).verify(body, headers as Record<string, string>))
    } catch {
      return false
    }
  }
  await happen()
  await received(1)
  expect([accepts(secret), accepts(rotated.body.secret)]).toEqual([true, true])
  service.advance(61_000)
  await happen()
  await received(2)
  // The library compares with its own clock, within five minutes.
  expect([accepts(secret), accepts(rotated.body.secret)]).toEqual([false, true])
})

test('a secret of another installation holds everything up until it is rotated', async () => {
  start()
  const { id } = await add()
  await service.database.pool.query(`UPDATE webhook_secrets SET sealed = '\\x00'`)
  await happen()
  await vi.waitFor(() =>
    expect(service.logged.at(-1)).toMatchObject({
      details: { webhook: id, reason: expect.stringMatching(/rotate it/) },
    }),
  )
  expect(receiver.received).toEqual([])
  await merchant.call('POST', `/v1/webhooks/${id}/rotate`, {})
  await received(1)
})

test('an event that is no longer kept is given up, which is not the fault of the receiver', async () => {
  const { id } = await add()
  await happen()
  const from = '2020-01-01T00:00:00Z'
  expect((await merchant.call('POST', `/v1/webhooks/${id}/replay`, { from })).body).toEqual({ deliveries: 1 })
  await service.database.pool.query('DELETE FROM events')
  await service.database.pool.query(
    'UPDATE webhooks SET position = (SELECT max(last_position) FROM event_counters)',
  )
  start()
  await untilLogged(id, ([delivery]) =>
    expect(delivery).toMatchObject({ status: 3, attempts: [{ error: 'The event is no longer kept.' }] }),
  )
  expect((await shown(id)).failingSince).toBeUndefined()
})

test('what fails is tried again, as late as the receiver asks, under the same ID', async () => {
  start()
  const { id } = await add()
  receiver.answer = answerWith(503, { 'retry-after': '60' })
  await happen()
  await received(1)
  await untilLogged(id, ([delivery]) => expect(delivery.attempts).toHaveLength(1))
  const [pending] = await logOf(id)
  expect(pending).toMatchObject({ status: 1, attempts: [{ status: 503, response: 'status 503' }] })
  const wait = Date.parse(pending.nextAttemptAt) - Date.parse(pending.attempts[0].at)
  expect(wait).toBeGreaterThanOrEqual(60_000)
  expect(wait).toBeLessThan(80_000)
  expect((await shown(id)).failingSince).toBeDefined()
  receiver.answer = answerWith(200)
  service.advance(80_000)
  await received(2)
  await untilLogged(id, ([delivery]) => expect(delivery).toMatchObject({ status: 2 }))
  expect((await logOf(id))[0].attempts.map(({ status }: { status: number }) => status)).toEqual([503, 200])
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect((await shown(id)).failingSince).toBeUndefined()
})

test('410 pauses a webhook, and an event says so; resumed, it gets what happened meanwhile', async () => {
  start()
  const { id } = await add({ types: ['customer.created'] })
  receiver.answer = answerWith(410)
  await happen()
  await vi.waitFor(async () =>
    expect(await shown(id)).toMatchObject({ status: 'paused', pausedBecause: 'gone' }),
  )
  await happen(2)
  const events = (await merchant.call('GET', '/v1/events?types=webhook.paused')).body.data
  expect(events).toMatchObject([{ data: { webhook: id, because: 'gone' } }])
  expectRefusal(await merchant.call('POST', `/v1/webhooks/${id}/test`), 409, 'webhook_paused')
  receiver.answer = answerWith(200)
  expect(receiver.received).toHaveLength(1)
  await merchant.call('PATCH', `/v1/webhooks/${id}`, { status: 'active' })
  await received(3)
})

test('five days of failures pause a webhook', async () => {
  await add({ types: ['customer.created'] })
  receiver.answer = answerWith(500)
  await happen()
  start()
  const state = async () =>
    (
      await service.database.pool.query(
        `SELECT w.paused_because, jsonb_array_length(d.attempts) AS attempts FROM webhooks w
         JOIN webhook_deliveries d ON d.org_id = w.org_id AND d.webhook_id = w.id WHERE w.url = $1`,
        [receiver.url],
      )
    ).rows[0]
  for (const [attempts, day] of [1, 2, 3, 4].entries()) {
    await vi.waitFor(async () =>
      expect(await state()).toEqual({ attempts: attempts + 1, paused_because: null }),
    )
    service.advance((day * 86_400_000) / 2)
  }
  await vi.waitFor(async () => expect(await state()).toEqual({ attempts: 5, paused_because: 'failing' }))
})

test('a test, one event again, and the events of a time again', async () => {
  start()
  const { id } = await add({ types: ['customer.created'] })
  const from = service.deps.clock().toISOString()
  const sent = await merchant.call('POST', `/v1/webhooks/${id}/test`)
  expect(sent.status).toBe(202)
  await received(1)
  expect(bodies()[0]).toMatchObject({ type: 'webhook.test', data: { webhook: id } })
  await happen(3)
  await received(4)
  await untilLogged(id, (log) =>
    expect(log.every(({ status }: { status: number }) => status === 2)).toBe(true),
  )
  const [last] = await logOf(id)
  expect((await merchant.call('POST', `/v1/deliveries/${last.id}/replay`)).body.event).toBe(last.event)
  await received(5)
  const to = service.deps.clock().toISOString()
  await happen()
  await received(6)
  expect((await merchant.call('POST', `/v1/webhooks/${id}/replay`, { from, to })).body).toEqual({
    deliveries: 3,
  })
  await received(9)
  expect((await merchant.call('GET', `/v1/deliveries/${last.id}`)).body).toMatchObject({ id: last.id })
  await merchant.call('DELETE', `/v1/webhooks/${id}`)
  expectRefusal(await merchant.call('GET', `/v1/deliveries/${last.id}`), 404, 'delivery_not_found')
})

test('a receiver that never answers holds up nobody else', async () => {
  start()
  const slow = await startReceiver()
  slow.answer = () => {}
  await add({ url: slow.url })
  await add()
  await happen(20)
  const before = performance.now()
  await received(20)
  // It has fifteen seconds.
  expect(performance.now() - before).toBeLessThan(10_000)
  await slow.close()
})

test('several processes at once, one of them lost in the middle: nothing is lost', async () => {
  await add()
  receiver.answer = (response) => setTimeout(() => response.writeHead(204).end(), 5)
  const events = 60
  const processes = [1, 2, 3].map(() => startDeliveries(service.deps, { pauseMs: 5 }))
  await happen(events / 2)
  // A process that ends without a word leaves its lease, and what it has sent without noting it.
  await service.database.pool.query(
    `UPDATE webhooks SET lease = $1, leased_until = now() + interval '1 second'`,
    [randomUUID()],
  )
  await happen(events / 2)
  const seen = () => new Set(bodies().map(({ position }) => position))
  await vi.waitFor(() => expect(seen().size).toBe(events), { timeout: 20_000 })
  await Promise.all(processes.map((each) => each.stop()))
  const listed = (await merchant.call('GET', '/v1/events')).body.data
  expect([...seen()].sort((a, b) => a - b)).toEqual(
    listed.map(({ position }: { position: number }) => position),
  )
})

test('what a lost process has taken up is sent by the next one, without a new event', async () => {
  await add()
  receiver.answer = () => {}
  await happen(3)
  const lost = startDeliveries(service.deps, { pauseMs: 5 })
  await received(3)
  // Its lease ends, and nothing else tells that it is gone.
  await service.database.pool.query('UPDATE webhooks SET leased_until = now()')
  receiver.answer = answerWith(204)
  start()
  await received(6)
  expect(new Set(bodies().map(({ id }) => id)).size).toBe(3)
  await lost.stop()
})

test('an organization with many webhooks leaves room for others', async () => {
  const slow = await startReceiver()
  slow.answer = () => {}
  const crowd = await service.createMerchant()
  for (let i = 0; i < 40; i++) await crowd.call('POST', '/v1/webhooks', { url: `${slow.url}/${i}` })
  await crowd.publishCampaign()
  start()
  await vi.waitFor(() => expect(slow.received.length).toBeGreaterThan(0))
  expect(slow.received.length).toBeLessThanOrEqual(16)
  await add()
  await happen()
  const before = performance.now()
  await received(1)
  expect(performance.now() - before).toBeLessThan(10_000)
  await slow.close()
})

describe('where to', () => {
  test.each([
    ['ftp://example.com/', /https/],
    ['http://example.com/', /https/],
    ['https://10.0.0.1/', /public internet/],
    ['https://[::1]/', /public internet/],
    ['https://169.254.169.254/latest/meta-data', /public internet/],
    ['https://user:secret@example.com/', /user or a password/],
    ['https://example.com/#x', /fragment/],
    ['example.com', /must be a URL/],
  ])('%s is refused', async (url, reason) => {
    expectRefusal(await merchant.call('POST', '/v1/webhooks', { url }), 400, '_invalid_payload', reason)
  })

  test('a name that leads to a forbidden address is refused when connecting', async () => {
    const { send, close } = createSender({ addresses: createAddresses([]) })
    const port = new URL(receiver.url).port
    for (const url of [`https://localhost:${port}/`, `http://localhost:${port}/`, receiver.url]) {
      const sent = await send({ url, headers: {}, body: '{}' }, new Date())
      expect(sent.error).toBe('The address is not on the public internet.')
    }
    expect(receiver.received).toEqual([])
    close()
  })

  test('a redirect is not followed, and a long or slow response is cut off', async () => {
    const addresses = createAddresses([{ address: '127.0.0.0', bits: 8 }])
    const patient = createSender({ addresses })
    const hasty = createSender({ addresses, timeoutMs: 300 })
    const post = ({ send } = patient) => send({ url: receiver.url, headers: {}, body: '{}' }, new Date())
    receiver.answer = answerWith(302, { location: receiver.url })
    expect(await post()).toMatchObject({ status: 302 })
    expect(receiver.received).toHaveLength(1)
    receiver.answer = (response) => response.writeHead(200).end('x'.repeat(10_000_000))
    const long = await post()
    expect(long).toMatchObject({ status: 200 })
    expect(long.response).toHaveLength(1_000)
    receiver.answer = (response) => response.writeHead(200).write('never ends')
    expect(await post(hasty)).toMatchObject({ error: 'No response within 0.3 seconds.' })
    await receiver.close()
    expect(await post()).toMatchObject({ error: 'Nothing accepts connections at this address.' })
    patient.close()
    hasty.close()
  })
})

test('the log is deleted when it is old', async () => {
  start()
  const { id } = await add()
  await happen()
  await received(1)
  await untilLogged(id, ([delivery]) => expect(delivery?.status).toBe(2))
  service.advance(29 * 86_400_000)
  await runRound(service.deps)
  const call = await merchant.signIn()
  expect((await call('GET', `/v1/webhooks/${id}/deliveries`)).body.data).toHaveLength(1)
  service.advance(2 * 86_400_000)
  await runRound(service.deps)
  expect((await (await merchant.signIn())('GET', `/v1/webhooks/${id}/deliveries`)).body.data).toHaveLength(0)
})
