import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSocket } from '../support/open-socket.ts'
import { createQuickPerson } from '../support/people.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'
import { watchStatements } from '../support/watch-statements.ts'

let service: TestService
let second: TestService
let url: string
let merchant: Merchant
let watch: ReturnType<typeof watchStatements>

/** How long a call may take, and a connection be silent. */
const limitMs = 1_500

beforeAll(async () => {
  service = await startTestService({ maxCallMs: limitMs, replyTimeoutMs: limitMs })
  watch = watchStatements(service.deps.pool)
  second = await startTestService({ sharing: service })
  url = await service.app.listen({ port: 0, host: '127.0.0.1' })
  merchant = await service.createMerchant()
})
afterAll(async () => {
  await second.close()
  await service.close()
})

interface Waited {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses the way a client would.
  readonly body: any
  readonly headers: Headers
  readonly ms: number
  readonly endedMs: number
}

async function read(query: string, { token }: { token: string } = merchant): Promise<Waited> {
  const startedMs = performance.now()
  const reply = await fetch(`${url}/v1/events?${query}`, { headers: { authorization: `Bearer ${token}` } })
  const body = await reply.json()
  const endedMs = performance.now()
  return { status: reply.status, body, headers: reply.headers, ms: endedMs - startedMs, endedMs }
}

/** Something happens, on the other instance. */
const addCustomer = (token = merchant.token) =>
  second.call('POST', '/v1/customers', { token, body: { data: {} } })

const latest = async ({ token }: { token: string } = merchant) =>
  (await read('after=latest', { token })).body.cursor

/** How long a reader that has waited for so long hears of an event later than the commit. */
async function hear(afterMs: number, { token }: { token: string } = merchant): Promise<number> {
  const waiting = read(`after=${await latest({ token })}&wait=30`, { token })
  await sleep(afterMs)
  await addCustomer(token)
  const committedMs = performance.now()
  const { status, body, endedMs } = await waiting
  expect([status, body.data.length, body.data[0].type]).toEqual([200, 1, 'customer.created'])
  return endedMs - committedMs
}

test('a reader hears within a second of an event that another process commits', async () => {
  // A computer that stalls may be late, but not every time.
  let ms = await hear(0)
  for (let i = 0; i < 10 && ms >= 1_000; i++) ms = await hear(0)
  expect(ms).toBeLessThan(1_000)
})

test('a reader that asks for others sleeps through an event, and has passed it in the end', async () => {
  const cursor = await latest()
  const waiting = read(`after=${cursor}&wait=1&types=campaign.published`)
  await addCustomer()
  const { body, ms } = await waiting
  expect(ms).toBeGreaterThan(950)
  expect(body).toEqual({ data: [], cursor: await latest(), hasMore: false })
})

test('what is there already is returned at once', async () => {
  const cursor = await latest()
  await addCustomer()
  const { body, ms } = await read(`after=${cursor}&wait=30`)
  expect(body.data).toHaveLength(1)
  expect(ms).toBeLessThan(15_000)
})

test('readers that wait hold no connection and no slot, and share their question', async () => {
  const others = await Promise.all(Array.from({ length: 3 }, () => service.createMerchant()))
  const readers = others.flatMap(({ token }) =>
    Array.from({ length: 10 }, () => read('after=latest&wait=2', { token })),
  )
  await sleep(700)
  const startedMs = performance.now()
  const { statements } = await watch(async () => {
    await sleep(900)
    expect((await merchant.call('GET', '/v1/customers')).status).toBe(200)
    const { totalCount, idleCount, waitingCount } = service.deps.pool
    // One of them may be asking just now.
    expect([totalCount - idleCount < 2, waitingCount]).toEqual([true, 0])
  })
  const inMs = performance.now() - startedMs
  const polls = statements.filter((text) => text.includes('FROM event_counters WHERE org_id = ANY'))
  expect(polls.length).toBeGreaterThan(0)
  expect(polls.length).toBeLessThan(inMs / 300 + 1)
  for (const { status, ms } of await Promise.all(readers)) {
    expect(status).toBe(200)
    expect(ms).toBeGreaterThan(1_900)
  }
})

test('the time that a reader waits is not in the metrics', async () => {
  const countSlow = async () => {
    const { text } = await service.call('GET', '/metrics')
    const upTo = (le: string) =>
      Number(
        new RegExp(`^http_request_duration_seconds_bucket\\{le="${le}",[^\n]*events[^\n]* (\\d+)$`, 'm').exec(
          text,
        )?.[1],
      )
    return upTo('\\+Inf') - upTo('0.5')
  }
  const countSlowOfOne = async () => {
    const before = await countSlow()
    expect((await read('after=latest&wait=1')).ms).toBeGreaterThan(950)
    return (await countSlow()) - before
  }
  // The first request of a route is what makes its series.
  await latest()
  // As above, not every time.
  let slow = await countSlowOfOne()
  for (let i = 0; i < 10 && slow > 0; i++) slow = await countSlowOfOne()
  expect(slow).toBe(0)
})

// Each with a merchant of its own, so that they need not wait for one another.
describe.concurrent('a wait', () => {
  test('may be longer than a call may take and a connection be silent', async () => {
    await hear(limitMs + 600, await service.createMerchant())
  })

  test('is for ten of an organization; the next is told when to come again, and a place is free when a client leaves', async () => {
    const { token } = await service.createMerchant()
    const { port } = new URL(url)
    const sockets = await Promise.all(Array.from({ length: 11 }, () => openSocket(Number(port))))
    for (const socket of sockets) {
      socket.send(
        `GET /v1/events?after=latest&wait=30 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      )
    }
    const answered = () => sockets.filter((socket) => socket.received() !== '')
    while (answered().length === 0) await sleep(50)
    expect(answered().map((socket) => socket.received())).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 429 [\s\S]*retry-after: 5\r\n[\s\S]*_too_many_requests/),
    ])
    expect((await read('after=latest', { token })).status).toBe(200)
    sockets.find((socket) => socket.received() === '')!.close()
    let next = await read('after=latest&wait=1', { token })
    while (next.status === 429) next = await read('after=latest&wait=1', { token })
    expect(next.status).toBe(200)
    expect(answered()).toHaveLength(1)
    for (const socket of sockets) socket.close()
  })

  test('ends when the access of its caller ends, who reads nothing more', async () => {
    const other = await service.createMerchant()
    const waiting = read('after=latest&wait=30', other)
    await sleep(300)
    const revoke = await other.call('POST', `/v1/connections/${other.connection}/revoke`)
    expect(revoke.status).toBe(200)
    const { status, body, ms } = await waiting
    expect([status, body.message]).toEqual([401, '_unauthorized'])
    expect(ms).toBeLessThan(20_000)
  })

  test('ends when the person signs out', async () => {
    const { cookie } = await createQuickPerson(service, await service.createMerchant())
    const waiting = fetch(`${url}/v1/events?after=latest&wait=30`, { headers: { cookie } })
    await sleep(300)
    expect((await service.call('DELETE', '/auth/session', { headers: { cookie } })).status).toBe(204)
    const reply = await waiting
    expect([reply.status, ((await reply.json()) as { message: string }).message]).toEqual([
      401,
      '_unauthorized',
    ])
  })

  test('ends when the service stops, with a cursor to go on with', async () => {
    const third = await startTestService({ sharing: service })
    const own = await third.app.listen({ port: 0, host: '127.0.0.1' })
    const waiting = fetch(`${own}/v1/events?after=latest&wait=30`, {
      headers: { authorization: `Bearer ${merchant.token}` },
    })
    await sleep(700)
    const startedMs = performance.now()
    await third.close()
    const reply = await waiting
    expect([reply.status, Object.keys((await reply.json()) as object)]).toEqual([
      200,
      ['data', 'cursor', 'hasMore'],
    ])
    expect(performance.now() - startedMs).toBeLessThan(5_000)
  })
})
