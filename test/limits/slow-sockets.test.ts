import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fastify, { type FastifyRequest } from 'fastify'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { endLateRequests } from '../../src/http/plugins/end-late-requests.ts'
import { isFull } from '../support/full.ts'
import { openSocket } from '../support/open-socket.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let port: number

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  port = (service.app.server.address() as AddressInfo).port
})
afterAll(() => service.close())

const head = (length: number) =>
  `POST /v1/customers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${merchant.token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

const bodyOf = (reply: string) => JSON.parse(reply.split('\r\n\r\n')[1]!)

// Ten seconds of patience, looked at every two; the tests wait side by side.
describe.concurrent('a request must arrive within its time', () => {
  const slowMs = 25_000

  test('whoever sends nothing is cut off without a word, which a browser would take as an answer', {
    timeout: slowMs,
  }, async () => {
    const socket = await openSocket(port)
    expect(await socket.ended).toBe('')
  })

  test('headers that come a line at a time are answered and cut off', { timeout: slowMs }, async () => {
    const socket = await openSocket(port)
    socket.send('GET /v1/transactions HTTP/1.1\r\n')
    const trickle = setInterval(() => socket.send('X-Slow: 1\r\n'), 500)
    const reply = await socket.ended
    clearInterval(trickle)
    expect(reply).toMatch(/^HTTP\/1\.1 400 /)
    expect(bodyOf(reply)).toMatchObject({
      message: '_invalid_payload',
      description: expect.stringMatching(/10 seconds/),
    })
  })

  test('a body that comes a character at a time is answered and cut off', { timeout: slowMs }, async () => {
    const socket = await openSocket(port)
    socket.send(head(200_000))
    const trickle = setInterval(() => socket.send(' '), 500)
    const reply = await socket.ended
    clearInterval(trickle)
    expect(reply).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('500 such clients keep nobody else from being served', {
    skip: !isFull,
    timeout: slowMs,
  }, async () => {
    const slow = await Promise.all(Array.from({ length: 500 }, () => openSocket(port)))
    for (const socket of slow) socket.send(head(1_000))
    for (let i = 0; i < 5; i++) {
      const reply = await fetch(`http://127.0.0.1:${port}/v1/transactions`, {
        headers: { authorization: `Bearer ${merchant.token}` },
      })
      expect(reply.status).toBe(200)
    }
    await Promise.all(slow.map((socket) => socket.ended))
  })
})

describe('sizes', () => {
  const exchange = async (request: string) => {
    const socket = await openSocket(port)
    socket.send(request.replace('\r\n', '\r\nConnection: close\r\n'))
    return socket.ended
  }

  test('a body announced too large is refused before it is sent', async () => {
    const reply = await exchange(head(300_000))
    expect(reply).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('a body that turns out too large is refused without being kept', async () => {
    const start = head(1).replace('Content-Length: 1', 'Transfer-Encoding: chunked')
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    const reply = await exchange(start + chunk.repeat(5))
    expect(reply).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('a body that is nested too deep is refused, however small', async () => {
    const body = `{"data":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
    const reply = await exchange(head(body.length) + body)
    expect(reply).toMatch(/^HTTP\/1\.1 400 /)
    expect(bodyOf(reply).description).toMatch(/nested more than 32/)
  })

  test('headers over 16 KB are refused', async () => {
    const reply = await exchange(`GET /livez HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(17_000)}\r\n\r\n`)
    expect(bodyOf(reply).description).toMatch(/larger than 16 KB/)
  })

  test('beyond ten thousand connections new ones are closed at once', () => {
    expect(service.app.server.maxConnections).toBe(10_000)
  })
})

describe('a client that has gone', () => {
  test('while its call waits or runs takes no place with it, and is not counted', async () => {
    const campaign = await merchant.publishCampaign()
    const holder = await service.database.pool.connect()
    await holder.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE customers')
    const body = JSON.stringify({ campaignId: campaign, customer: { data: {} } })
    const request = head(body.length).replace('/v1/customers', '/v1/customers/register') + body
    const sockets = await Promise.all(Array.from({ length: 40 }, () => openSocket(port)))
    // Three on each connection, so that some are pipelined behind one whose answer never comes.
    for (const socket of sockets) socket.send(request.repeat(3))
    await sleep(300)
    for (const socket of sockets) socket.close()
    await sleep(300)
    await holder.query('ROLLBACK')
    holder.release()
    // More than there are places: were one lost with each of those clients, these would wait in vain.
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => merchant.call('POST', '/v1/customers', { data: {} })),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(40).fill(201))
    // Nor is it counted: an alert on the service's failures is not for those who have left.
    const { text } = await service.call('GET', '/metrics')
    expect(text).toMatch(/^http_request_duration_seconds_count.*"\/v1\/customers"/m)
    expect(text).not.toMatch(/^http_request_duration_seconds_count.*"\/v1\/customers\/register"/m)
  })

  test('in the middle of its body, while its call waits, is forgotten once its time is over', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const app = fastify()
    const patience = { timeout: 20_000 }
    const requests: WeakRef<FastifyRequest>[] = []
    app.addHook('onRequest', (request, _reply, done) => {
      requests.push(new WeakRef(request))
      done()
    })
    endLateRequests(app, 300)
    // Like one that waits for a place: the framework begins to read the body when nothing more can come.
    app.addHook('onRequest', ({ raw }, _reply, done) => {
      raw.once('close', () => done())
    })
    app.post('/v1/customers', () => ({}))
    await app.listen({ port: 0, host: '127.0.0.1' })
    const socket = await openSocket((app.server.address() as AddressInfo).port)
    try {
      socket.send(`${head(1_000)}{`)
      await vi.waitFor(() => expect(requests).toHaveLength(1), patience)
      socket.close()
      await vi.waitFor(() => {
        collect()
        expect(requests[0]!.deref() === undefined).toBe(true)
      }, patience)
    } finally {
      socket.close()
      await app.close()
    }
  })
})
