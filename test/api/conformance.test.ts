import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toHtml, toText } from '../../src/conformance/report.ts'
import { checkConformance } from '../../src/conformance/run.ts'
import { isFull } from '../support/full.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let other: Merchant
let campaign: string
let proxy: Server

beforeAll(async () => {
  service = await startTestService()
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  merchant = await service.createMerchant()
  other = await service.createMerchant()
  campaign = await merchant.publishCampaign()
  proxy = createServer(forward).listen(0, '127.0.0.1')
})
afterAll(async () => {
  proxy.close()
  await service.close()
})

const addressOf = (server: { address(): string | AddressInfo | null }) =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const check = (target: string, more: object = {}) =>
  checkConformance({
    target,
    campaign,
    apiKey: merchant.apiKey,
    apiSecret: merchant.apiSecret,
    otherSecret: other.apiSecret,
    ...more,
  })

/** An implementation that gets one thing wrong: it changes what the service has answered. */
let spoil: (path: string, status: number, body: string) => { status: number; body: string }

async function forward(request: IncomingMessage, reply: ServerResponse): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const response = await fetch(addressOf(service.app.server) + request.url, {
    method: request.method!,
    headers: Object.fromEntries(
      Object.entries(request.headers).filter(
        ([name]) => !['host', 'connection', 'content-length'].includes(name),
      ),
    ) as Record<string, string>,
    body: request.method === 'GET' || parts.length === 0 ? undefined : Buffer.concat(parts),
  })
  const { status, body } = spoil(request.url!, response.status, await response.text())
  reply.writeHead(status, { 'content-type': 'application/json' }).end(body)
}

test('our own service conforms, in every clause', async () => {
  const told: number[] = []
  const report = await check(addressOf(service.app.server), {
    onVerdict: (_verdict: unknown, done: number) => told.push(done),
  })
  expect(report.verdicts.filter(({ outcome }) => outcome !== 'holds')).toEqual([])
  expect(report.isConforming).toBe(true)
  expect(told).toHaveLength(report.verdicts.length)
  expect(told.length).toBeGreaterThan(40)
  expect(toText(report)).toContain('The service conforms')
  expect(toHtml(report)).toContain('<code>_invalid_credentials</code>')
})

const on =
  (start: string, change: (status: number, body: string) => [number, string]) =>
  (path: string, status: number, body: string) => {
    const [changed, text] = path.startsWith(start) ? change(status, body) : [status, body]
    return { status: changed, body: text }
  }

const mistakes: [string, typeof spoil, string][] = [
  [
    'a duration for expiresIn',
    on('/auth/token', (status, body) => [status, body.replace(/"expiresIn":\d+/, '"expiresIn":3600')]),
    'token.expiry',
  ],
  [
    '200 for 201',
    on('/v1/customers/register', (status, body) => [status === 201 ? 200 : status, body]),
    'register.response',
  ],
  [
    'a card that is another each time',
    on('/v1/customers/register', (status, body) => [
      status,
      body.replace(/"barcode":"\d+"/, `"barcode":"${Math.random()}"`),
    ]),
    'register.again',
  ],
  [
    'null where there is nothing',
    on('/v1/customers/register', (status, body) => [
      status,
      body.replace('"status":1', '"status":1,"note":null'),
    ]),
    'register.omitted',
  ],
  [
    'another code for an unknown customer',
    on('/v1/customers/register', (status, body) => [status, body.replace('customer_not_found', 'not_found')]),
    'register.customer-not-found',
  ],
  [
    'no executedActions',
    on('/v1/transactions/process', (status, body) => [status, body.replace('executedActions', 'actions')]),
    'process.actions',
  ],
  [
    'errors without a body',
    (_path, status, body) => ({ status, body: status >= 400 ? '' : body }),
    'error.body',
  ],
]

test.each(isFull ? mistakes : mistakes.slice(-2))('%s is noticed', async (_what, wrong, clause) => {
  spoil = wrong
  const report = await check(addressOf(proxy))
  expect(report.isConforming).toBe(false)
  const broken = report.verdicts.filter(({ outcome }) => outcome === 'broken')
  expect(broken.map(({ id }) => id)).toContain(clause)
  expect(broken.every(({ reason }) => reason !== undefined)).toBe(true)
})

test('a target that is not there, and what cannot be tried, are told', async () => {
  const nobody = await check('http://127.0.0.1:9')
  expect(nobody.isConforming).toBe(false)
  expect(nobody.verdicts[0]!.reason).toMatch(/ECONNREFUSED|fetch failed|bad port/)
  const alone = await check(addressOf(service.app.server), { otherSecret: undefined })
  expect(alone.verdicts.find(({ outcome }) => outcome === 'untried')).toMatchObject({ id: 'token.pair' })
  expect(alone.verdicts.filter(({ outcome }) => outcome === 'broken')).toEqual([])
})
