import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRequestLog } from '../../src/http/plugins/request-log.ts'
import { loggerOptions } from '../../src/http/redaction/logger.ts'
import { buildServer } from '../../src/http/server.ts'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { createBasketProcessor } from '../../src/operations/baskets/process.ts'
import { runIn, traceHeaders } from '../../src/tracing/spans.ts'
import { createTracer, type Tracer } from '../../src/tracing/tracer.ts'
import { type Collector, type SentSpan, startCollector } from '../support/collector.ts'
import { adminToken, type Merchant, startTestService, type TestService } from '../support/service.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'
/** On a computer that is busy with something else. */
const patiently = { timeout: 30_000 }
const recorded = { traceparent: `00-${traceId}-${spanId}-01` }

let collector: Collector
let service: TestService
let shop: Merchant
let baseUrl: string
let tracer: Tracer
let buyer: Awaited<ReturnType<Merchant['register']>>
let campaign: string

const tracerOf = (options: object = {}) =>
  createTracer({
    endpoint: collector.endpoint,
    headers: { 'x-team': 'till' },
    serviceName: 'wallet',
    sampleRatio: 1,
    version: '1.2.3',
    log: { info() {}, warn() {} },
    everyMs: 3_600_000,
    ...options,
  })

beforeAll(async () => {
  collector = await startCollector()
  tracer = tracerOf()
  service = await startTestService({ tracer })
  baseUrl = await service.app.listen({ port: 0, host: '127.0.0.1' })
  shop = await service.createMerchant()
  campaign = await shop.publishCampaign()
  buyer = await shop.register(campaign)
  // Everything that is cached is now, so that the next basket takes two round trips.
  await buy(buyer, 'first')
})

beforeEach(async () => {
  await tracer.flush()
  collector.spans.length = 0
  collector.requests.length = 0
})

afterAll(async () => {
  await service.close()
  await collector.close()
})

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const buy = (
  { customer, card }: Pick<typeof buyer, 'customer' | 'card'>,
  opaqueId: string,
  headers?: Record<string, string>,
) =>
  post(
    '/v1/transactions/process',
    { customer, card, opaqueId, items: [{ product: 'latte', quantity: 1, unitPrice: 3 }] },
    headers,
  )

/** The spans once all of these requests have ended, which their clients do not see. */
async function spansOf(requests: number): Promise<SentSpan[]> {
  const isRequest = ({ kind }: SentSpan) => kind === 2
  await expect
    .poll(async () => {
      await tracer.flush()
      return collector.spans.filter(isRequest).length
    }, patiently)
    .toBe(requests)
  return collector.spans
}

const childrenOf = (spans: readonly SentSpan[], parent: SentSpan) =>
  spans.filter((span) => span.parentSpanId === parent.spanId && span.traceId === parent.traceId)

const attributesOf = ({ attributes }: SentSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

describe('spans', () => {
  test('a basket is a span of its caller, with its group and the round trips of the group below it', async () => {
    const response = await buy(buyer, 'traced-1', {
      ...recorded,
      'x-request-id': '0123456789abcdef0123456789abcdef',
    })
    expect(response.status).toBe(201)
    const spans = await spansOf(1)
    const request = spans.find(({ kind }) => kind === 2)!
    expect(request).toMatchObject({
      traceId,
      parentSpanId: spanId,
      name: 'POST /v1/transactions/process',
      status: {},
    })
    expect(attributesOf(request)).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/transactions/process',
      'http.response.status_code': '201',
      'loyalty_wallet.request_id': '0123456789abcdef0123456789abcdef',
      'loyalty_wallet.organization': shop.id,
    })
    const [group] = childrenOf(spans, request).filter(({ name }) => name === 'basket group')
    expect(childrenOf(spans, request).map(({ name }) => name)).not.toContain('wait for a turn')
    const trips = childrenOf(spans, group!).filter(({ name }) => name === 'database')
    expect(trips).toHaveLength(2)
    expect(attributesOf(trips[0]!)['db.query.summary']).toMatch(/^begin, .*commit$/)
    for (const { startTimeUnixNano: start, endTimeUnixNano: end } of spans) {
      expect(BigInt(start)).toBeLessThanOrEqual(BigInt(end))
      expect(Math.abs(Number(BigInt(start) / 1_000_000n) - Date.now())).toBeLessThan(600_000)
    }
  })

  /** Those who come first wait here, and the others for them: how fast they arrive does not matter. */
  async function whileLocked(table: string, start: () => Promise<unknown>): Promise<void> {
    const holder = await service.database.pool.connect()
    await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
    const done = start()
    await sleep(1_500)
    await holder.query('ROLLBACK')
    holder.release()
    await done
  }

  test('baskets that share a group each have it in their trace, and the traces are linked', async () => {
    const guests = await Promise.all(Array.from({ length: 12 }, () => shop.register(campaign)))
    await spansOf(12)
    collector.spans.length = 0
    await whileLocked('event_counters', () =>
      Promise.all(guests.map((guest, i) => buy(guest, `shared-${i}`))),
    )
    const spans = await spansOf(12)
    expect(new Set(spans.map((span) => span.traceId)).size).toBe(12)
    const groups = spans.filter(({ name }) => name === 'basket group')
    expect(groups).toHaveLength(12)
    const shared = groups.filter((group) => attributesOf(group)['loyalty_wallet.shared_by'] !== '1')
    expect(shared.length).toBeGreaterThan(1)
    for (const group of shared) {
      // Those that do the work are linked with all others, which are linked with them.
      const linked = group.links.map((link) => groups.find((other) => other.spanId === link.spanId)!)
      expect(linked.length).toBeGreaterThan(0)
      for (const other of linked)
        expect(other.links).toContainEqual(expect.objectContaining({ spanId: group.spanId }))
    }
    const working = groups.filter((group) => childrenOf(spans, group).length > 0)
    expect(working.length).toBeLessThan(12)
    expect(working.reduce((sum, group) => sum + 1 + group.links.length, 0)).toBe(12)
    expect(spans.some(({ name }) => name === 'wait for a group')).toBe(true)
  })

  test('a request that waits for its turn shows the wait, and works in its own trace afterwards', async () => {
    const list = () =>
      fetch(`${baseUrl}/v1/customers?limit=1`, { headers: { authorization: `Bearer ${shop.token}` } })
    await whileLocked('customers', () => Promise.all(Array.from({ length: 24 }, list)))
    const spans = await spansOf(24)
    const waiting = spans.filter(({ name }) => name === 'wait for a turn')
    expect(waiting.length).toBeGreaterThan(0)
    for (const request of spans.filter(({ kind }) => kind === 2))
      expect(childrenOf(spans, request).some(({ name }) => name === 'database')).toBe(true)
  })

  test('a trace that is not recorded stays so, and an invalid one is replaced', async () => {
    await buy(buyer, 'unrecorded', { traceparent: `00-${traceId}-${spanId}-00` })
    await buy(buyer, 'invalid', { traceparent: 'nonsense' })
    const spans = await spansOf(1)
    expect(spans.find(({ kind }) => kind === 2)!.traceId).not.toBe(traceId)
    expect(new Set(spans.map((span) => span.traceId)).size).toBe(1)
  })

  test('background work has traces of its own, and those whom it calls become part of them', async () => {
    service.advance(8 * 24 * 3_600_000)
    await runRound(service.deps)
    await tracer.flush()
    const [job] = collector.spans.filter(({ name }) => name.startsWith('job '))
    expect(childrenOf(collector.spans, job!).length).toBeGreaterThan(0)
    const span = tracer.begin({ name: 'job' })
    expect(runIn(span, () => traceHeaders())).toEqual({
      traceparent: `00-${span.traceId}-${span.spanId}-01`,
    })
  })

  test('no span contains a token, a path or what a customer has said', async () => {
    await post('/v1/customers/register', { campaignId: campaign, customer: { data: { fullname: 'Zaphod' } } })
    await fetch(`${baseUrl}/w/${'aB3-_x'.repeat(9)}?q=Zaphod`)
    await spansOf(2)
    const sent = collector.requests.map(({ body }) => body).join('')
    for (const secret of ['Zaphod', shop.token, 'aB3-_x', buyer.customer]) expect(sent).not.toContain(secret)
    expect(sent).toContain('{"key":"service.name","value":{"stringValue":"wallet"}}')
    expect(collector.requests[0]).toMatchObject({
      url: '/v1/traces',
      headers: { 'content-type': 'application/json', 'x-team': 'till' },
    })
  })
})

describe('the export', () => {
  const record = (one: Tracer, spans: number) => {
    for (let i = 0; i < spans; i++) void one.run({ name: `span ${i}` }, async () => {})
    return Promise.resolve()
  }
  const named = () => collector.spans.map(({ name }) => name)

  test('what does not fit the queue is dropped and counted', async () => {
    const small = tracerOf({ maxQueued: 3 })
    await record(small, 5)
    expect(small.counts).toEqual({ sent: 0, dropped: 2 })
    await small.flush()
    expect(small.counts).toEqual({ sent: 3, dropped: 2 })
    expect(named()).toEqual(['span 0', 'span 1', 'span 2'])
  })

  test('a busy collector gets the same spans again, and one that refuses them does not', async () => {
    const warned: object[] = []
    const patient = tracerOf({ log: { info() {}, warn: (details: object) => warned.push(details) } })
    collector.answers.push(503, 400)
    await record(patient, 1)
    await patient.flush()
    expect(patient.counts).toEqual({ sent: 0, dropped: 0 })
    await patient.flush()
    expect(patient.counts).toEqual({ sent: 0, dropped: 1 })
    await record(patient, 1)
    await patient.flush()
    expect(patient.counts).toEqual({ sent: 1, dropped: 1 })
    expect(warned).toEqual([{ reason: 'the collector answered with 503' }])
  })

  test('a collector that is away delays nothing, and a full batch is sent without waiting for the timer', async () => {
    const gone = await startCollector()
    await gone.close()
    const away = tracerOf({ endpoint: gone.endpoint })
    await record(away, 600)
    await away.flush()
    expect(away.counts).toEqual({ sent: 0, dropped: 0 })
    const busy = tracerOf()
    await record(busy, 512)
    await expect.poll(() => busy.counts.sent, patiently).toBe(512)
  })

  test('a share of the traces is recorded', async () => {
    const choosy = tracerOf({ sampleRatio: 0.25 })
    await record(choosy, 2_000)
    await choosy.flush()
    expect(choosy.counts.sent).toBeGreaterThan(300)
    expect(choosy.counts.sent).toBeLessThan(700)
  })
})

test('every line of a request has its id and the trace of its caller, also without a tracer', async () => {
  let text = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  const deps = { ...service.deps, tracer: undefined }
  const requestLog = createRequestLog(deps)
  const app = await buildServer({
    deps,
    baskets: createBasketProcessor({ deps }),
    requestLog,
    adminToken,
    logger: pino(loggerOptions('info'), stream),
    isReady: async () => false,
  })
  await app.inject({ url: '/readyz', headers: { ...recorded, 'x-request-id': 'mine' } })
  await app.inject({ url: '/readyz', headers: { traceparent: 'nonsense' } })
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toEqual([
    expect.objectContaining({ reqId: 'mine', traceId }),
    expect.not.objectContaining({ traceId: expect.anything() }),
  ])
  const refused = await app.inject({
    method: 'POST',
    url: '/auth/refreshtoken',
    headers: { ...recorded, 'x-request-id': 'stale' },
    payload: { accessToken: shop.token, refreshToken: 'lwr_unknown' },
  })
  expect(refused.statusCode).toBe(400)
  expect(service.logged.at(-1)!.details).toMatchObject({ reqId: 'stale', traceId })
  await app.close()
  await requestLog.stop()
})
