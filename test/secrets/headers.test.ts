import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSocket } from '../support/open-socket.ts'
import { adminToken, type Method, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let token: string
beforeAll(async () => {
  service = await startTestService()
  ;({ token } = await service.createMerchant())
})
afterAll(() => service.close())

async function listen(): Promise<number> {
  const { server } = service.app
  if (!server.listening) await service.app.listen({ port: 0, host: '127.0.0.1' })
  return (server.address() as AddressInfo).port
}

const expected = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

function expectNothingTold(headers: Record<string, unknown>): void {
  for (const name of ['server', 'x-powered-by', 'via', 'strict-transport-security'])
    expect(headers).not.toHaveProperty(name)
}

describe('every answer has the security headers', () => {
  test.each<[string, Method, string, number, () => object]>([
    ['a success', 'GET', '/v1/transactions', 200, () => ({ token })],
    ['one without a body', 'HEAD', '/v1/transactions', 200, () => ({ token })],
    ['health', 'GET', '/livez', 200, () => ({})],
    ['metrics', 'GET', '/metrics', 200, () => ({})],
    ['no token', 'GET', '/v1/transactions', 401, () => ({})],
    ['a wrong token', 'GET', '/v1/transactions', 401, () => ({ token: 'x' })],
    ['the operator', 'GET', '/admin/v1/organizations', 200, () => ({ token: adminToken })],
    ['no such path', 'GET', '/nowhere', 404, () => ({})],
    ['no such method', 'PUT', '/v1/transactions', 405, () => ({})],
    ['no JSON', 'POST', '/v1/customers', 400, () => ({ token, body: '{' })],
    ['too large', 'POST', '/v1/customers', 413, () => ({ token, body: { data: 'x'.repeat(300_000) } })],
  ])('%s', async (_what, method, path, status, options) => {
    const given = options() as { body?: unknown }
    const headers = typeof given.body === 'string' ? { 'content-type': 'application/json' } : undefined
    const reply = await service.call(method, path, { ...given, headers })
    expect(reply.status).toBe(status)
    expect(reply.headers).toMatchObject(expected)
    expectNothingTold(reply.headers)
  })

  test.each(['/docs', '/docs/reference.js', '/docs/reference.css', '/openapi.json'])(
    '%s, with a policy of its own that lets nothing in from elsewhere',
    async (path) => {
      const { headers } = await service.call('GET', path)
      const { 'cache-control': _cache, 'content-security-policy': _policy, ...others } = expected
      expect(headers).toMatchObject(others)
      const policy = String(headers['content-security-policy'])
      expect(policy).toMatch(/^default-src 'none';.*frame-ancestors 'none'/)
      expect(policy).not.toMatch(/unsafe|https?:|\*|upgrade-insecure-requests/)
      expectNothingTold(headers)
    },
  )

  test('a request that is not HTTP', async () => {
    const socket = await openSocket(await listen())
    socket.send('hello\r\n\r\n')
    const [head] = (await socket.ended).split('\r\n\r\n')
    const headers = Object.fromEntries(
      head!
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(': ') as [string, string]),
    )
    expect(headers).toMatchObject(expected)
    expectNothingTold(headers)
  })
})

describe('what a proxy may read in another way is refused', () => {
  // Newer versions of Node.js refuse the last one themselves.
  test.each([
    ['no Host', [], /The Host header is missing/],
    ['several Hosts', ['Host: a', 'host: b'], /The Host header was sent more than once/],
    ['a header without a name', ['Host: a', ': b'], /A header has no name\.|not valid HTTP/],
  ])('%s', async (_what, lines, message) => {
    const socket = await openSocket(await listen())
    socket.send(['GET /livez HTTP/1.1', ...lines, 'Connection: close', '', ''].join('\r\n'))
    const [head, body] = (await socket.ended).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    expect(body).toMatch(message)
  })
})

test('over TLS browsers are told to come back over TLS, and on plain HTTP not', async () => {
  const proxied = await startTestService({ isBehindProxy: true })
  try {
    for (const path of ['/livez', '/docs', '/nowhere']) {
      const { headers } = await proxied.call('GET', path, { headers: { 'x-forwarded-proto': 'https' } })
      expect(headers['strict-transport-security']).toBe('max-age=31536000')
    }
  } finally {
    await proxied.close()
  }
})
