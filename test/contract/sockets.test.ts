import { once } from 'node:events'
import { METHODS } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '../support/audit.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'
import { type Changes, watchChanges } from './watch-changes.ts'

let service: TestService
let merchant: Merchant
let port: number
let changes: Changes
let slow: { sockets: Socket[]; ended: Promise<unknown>[] }

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  changes = await watchChanges(service.database.pool)
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  port = (service.app.server.address() as AddressInfo).port
  slow = await openSlowSockets(500)
})
afterAll(async () => {
  for (const socket of slow.sockets) socket.destroy()
  expect(await audit(service.database.pool)).toEqual([])
  await service.close()
})

const auth = () => `Host: x\r\nAuthorization: Bearer ${merchant.token}\r\nConnection: close\r\n`
const json = 'Content-Type: application/json\r\n'

/** How clients begin that never finish: some say nothing, some stop in the headers, some in the body. */
const beginnings = () => [
  '',
  'GET /v1/transactions HT',
  `GET /v1/transactions HTTP/1.1\r\n${auth()}X-Slow: `,
  `POST /v1/customers HTTP/1.1\r\n${auth()}${json}Content-Length: 1000\r\n\r\n{"data":`,
  `POST /v1/customers HTTP/1.1\r\n${auth()}${json}Transfer-Encoding: chunked\r\n\r\n5\r\n{"da`,
]

async function openSlowSockets(count: number) {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'))
  const ended = sockets.map((socket) => {
    socket.on('error', () => {})
    socket.resume()
    return new Promise((resolve) => socket.once('close', resolve))
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const texts = beginnings()
  for (const [i, socket] of sockets.entries()) socket.write(texts[i % texts.length]!)
  return { sockets, ended }
}

/** Sends bytes and returns everything that comes back until the connection closes. */
async function exchange(request: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  let reply = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk) => {
    reply += chunk
  })
  socket.on('error', () => {})
  socket.write(request)
  await once(socket, 'close')
  return reply
}

/** A 4xx in the body that every error has. */
function expectRefused(reply: string): { message: string; headers: string } {
  const [headers = '', body = ''] = reply.split('\r\n\r\n')
  expect(headers).toMatch(/^HTTP\/1\.1 4\d\d /)
  expect(headers).toMatch(/content-type: application\/json; charset=utf-8/i)
  const members = ['description', 'errorcode', 'message', 'method', 'path', 'statuscode', 'timestamp']
  const { requestId, help, field: _field, ...error } = JSON.parse(body)
  expect(Object.keys(error).sort()).toEqual(members)
  expect(help).toBe(`/docs/errors#${error.message}`)
  expect(headers.toLowerCase()).toContain(`x-request-id: ${requestId}`.toLowerCase())
  expect(headers).toContain(` ${error.statuscode} `)
  return { message: error.message, headers }
}

async function serves(): Promise<void> {
  const headers = { authorization: `Bearer ${merchant.token}` }
  const reply = await fetch(`http://127.0.0.1:${port}/v1/transactions`, { headers })
  expect([reply.status, await reply.json()]).toEqual([200, { data: [] }])
}

test('while 500 clients dawdle, others are served', async () => {
  // On a busy computer they may be sent away before so many calls are done.
  let served = 0
  for (; served < 50 && slow.sockets.some((socket) => !socket.destroyed); served++) await serves()
  expect(served).toBeGreaterThan(0)
})

describe('what is no HTTP, or two things at once, is refused and changes nothing', () => {
  const post = (headers: string, body = '') =>
    `POST /v1/customers HTTP/1.1\r\n${auth()}${json}${headers}\r\n${body}`
  const get = (headers: string) => `GET /v1/transactions HTTP/1.1\r\n${auth()}${headers}\r\n`
  const hidden = () => `POST /v1/customers HTTP/1.1\r\n${auth()}${json}Content-Length: 11\r\n\r\n{"data":{}}`

  test.each<[string, () => string | Buffer]>([
    ['headers over 16 KB', () => get(`X-Large: ${'x'.repeat(20_000)}\r\n`)],
    ['a token of 100 KB', () => get(`Authorization: Bearer ${'x'.repeat(100_000)}\r\n`)],
    ['10,000 headers', () => get('X-A: b\r\n'.repeat(10_000))],
    ['an address of 20 KB', () => `GET /v1/${'x'.repeat(20_000)} HTTP/1.1\r\n${auth()}\r\n`],
    ['two different lengths', () => post('Content-Length: 11\r\nContent-Length: 5\r\n', '{"data":{}}')],
    ['two lengths in one header', () => post('Content-Length: 11, 5\r\n', '{"data":{}}')],
    [
      'a length and chunks',
      () => post('Content-Length: 11\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden()}`),
    ],
    [
      'chunks and a length',
      () => post('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', `0\r\n\r\n${hidden()}`),
    ],
    [
      'chunks that are not the last coding',
      () => post('Transfer-Encoding: chunked, gzip\r\n', `0\r\n\r\n${hidden()}`),
    ],
    ['an unknown coding', () => post('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${hidden()}`)],
    ['a space before the colon', () => post('Transfer-Encoding : chunked\r\n', `0\r\n\r\n${hidden()}`)],
    ['a folded header', () => post('X-A: b\r\n Content-Length: 0\r\n', hidden())],
    ['a length that is no number', () => post('Content-Length: many\r\n', '{}')],
    ['a negative length', () => post('Content-Length: -1\r\n', '{}')],
    ['a length with a sign', () => post('Content-Length: +11\r\n', '{"data":{}}')],
    ['a length in hexadecimal', () => post('Content-Length: 0xb\r\n', '{"data":{}}')],
    ['a length beyond all numbers', () => post('Content-Length: 99999999999999999999999\r\n', '{}')],
    ['a length of a gigabyte', () => post('Content-Length: 1000000000\r\n', '{"data":{}}')],
    ['a broken chunk', () => post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n')],
    [
      'a chunk of a size beyond all numbers',
      () => post('Transfer-Encoding: chunked\r\n', `${'f'.repeat(20)}\r\n{}`),
    ],
    [
      'chunks of a megabyte',
      () => post('Transfer-Encoding: chunked\r\n', `100000\r\n${'x'.repeat(1 << 20)}\r\n0\r\n\r\n`),
    ],
    ['a method there is not', () => `BREW /v1/customers HTTP/1.1\r\n${auth()}\r\n`],
    ['a method in small letters', () => `get /v1/customers HTTP/1.1\r\n${auth()}\r\n`],
    ['no HTTP at all', () => 'hello\r\n\r\n'],
    ['an HTTP without headers', () => 'GET /v1/transactions\r\n\r\n'],
    ['another version of it', () => `GET /v1/transactions HTTP/3.7\r\n${auth()}\r\n`],
    ['HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['another protocol', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['bytes', () => Buffer.from(Array.from({ length: 512 }, (_, i) => (i * 37) % 256))],
    ['a NUL in a header', () => get('X-Bad: a\0b\r\n')],
    ['a header without a name', () => get(': x\r\n')],
    [
      'line ends of another kind',
      () => `GET /v1/transactions HTTP/1.1\n${auth().replaceAll('\r\n', '\n')}X\n\n`,
    ],
    ['a space in the address', () => `GET /v1/trans actions HTTP/1.1\r\n${auth()}\r\n`],
    ['no host', () => get('').replace('Host: x\r\n', '')],
    ['two hosts', () => get('').replace('Host: x\r\n', 'Host: x\r\nhost: y\r\n')],
  ])('%s', async (_what, request) => {
    await changes()
    expectRefused(await exchange(request()))
    expect(await changes()).toEqual([])
  })

  test('a request hidden in the body of another is body, and nothing else', async () => {
    await changes()
    const inner = hidden()
    const reply = await exchange(post(`Content-Length: ${inner.length}\r\n`, inner))
    expect(reply.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expectRefused(reply)
    expect(await changes()).toEqual([])
  })

  test('a client that leaves in the middle of its body has changed nothing', async () => {
    await changes()
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.end(post('Content-Length: 100\r\n', '{"data":{}}'))
    socket.resume()
    await once(socket, 'close')
    expect(await changes()).toEqual([])
  })
})

describe('odd addresses', () => {
  test.each([
    '*',
    '/../../etc/passwd',
    '//',
    '//evil.example/v1/transactions',
    '/v1/./transactions',
    '/v1/%2e%2e/transactions',
    '/v1//transactions',
    '/v1/transactions/..',
    '/v1\\transactions',
    '/\u00e4',
    '/%00',
    '/v1/customers/%00',
    '/v1/customers/%2f',
    '/v1/customers/%252e',
    '/v1/customers/;x=1',
    `/v1/customers/${'%41'.repeat(3_000)}`,
    '/v1/customers/find?q=a%',
    `/v1/customers/find?${'&'.repeat(10_000)}`,
    '/v1/customers/find?__proto__=1&constructor[prototype]=1',
    '/v1/transactions?a',
    '/v1/transactions?=&==&a[]=1',
    '/v1/transactions#x',
    'http://evil.example/nowhere',
    'evil.example:443',
    '?',
    '#',
  ])('%s is refused in the body that every error has', async (path) => {
    expectRefused(await exchange(Buffer.from(`GET ${path} HTTP/1.1\r\n${auth()}\r\n`, 'utf8')))
  })

  test.each(['/v1/transactions?', '/v1/transactions?&&', '/livez?a', '/livez?=&==&a[]=1', '/livez#x'])(
    '%s is still what it was',
    async (path) => {
      expect(await exchange(`GET ${path} HTTP/1.1\r\n${auth()}\r\n`)).toMatch(/^HTTP\/1\.1 200 /)
    },
  )
})

describe('methods', () => {
  // CONNECT asks for a tunnel: Node closes the connection without a word, and so it should.
  const others = METHODS.filter((method) => !['GET', 'HEAD', 'POST', 'CONNECT'].includes(method))
  const usual = ['DELETE', 'OPTIONS', 'PATCH', 'PUT', 'TRACE']

  test.each(usual)(
    '%s of a path that has others is _method_not_allowed, and Allow names them',
    async (method) => {
      const reply = await exchange(`${method} /v1/customers HTTP/1.1\r\n${auth()}\r\n`)
      const { message, headers } = expectRefused(reply)
      expect(message).toBe('_method_not_allowed')
      expect(headers).toMatch(/^allow: GET, HEAD, POST\r?$/im)
    },
  )

  test.each(others.filter((method) => !usual.includes(method)))(
    '%s, which no HTTP API uses, is refused',
    async (method) => {
      const reply = await exchange(`${method} /v1/customers HTTP/1.1\r\n${auth()}\r\n`)
      // QUERY must have a body, which is looked at first.
      expect(expectRefused(reply).message).toBe(method === 'QUERY' ? '_invalid_payload' : '_not_found')
    },
  )

  test('CONNECT is never answered with anything of ours', async () => {
    expect(await exchange(`CONNECT /v1/customers HTTP/1.1\r\n${auth()}\r\n`)).toBe('')
  })

  test('HEAD is answered like GET, without a body', async () => {
    const reply = await exchange(`HEAD /v1/customers HTTP/1.1\r\n${auth()}\r\n`)
    expect(reply).toMatch(/^HTTP\/1\.1 200 /)
    expect(reply.split('\r\n\r\n')[1]).toBe('')
  })
})

describe('unusual, and fine', () => {
  test('an upgrade that nobody offers is answered as if it had not been asked for', async () => {
    for (const upgrade of ['websocket', 'h2c']) {
      const asked = auth().replace('Connection: close', `Connection: Upgrade\r\nUpgrade: ${upgrade}`)
      const reply = await exchange(`GET /v1/transactions HTTP/1.1\r\n${asked}Connection: close\r\n\r\n`)
      expect(reply).toMatch(/^HTTP\/1\.1 200 /)
    }
  })

  test('a hundred requests in one breath are answered in their order', async () => {
    const kept = auth().replace('Connection: close\r\n', '')
    const one = (i: number, more = '') =>
      `GET /v1/transactions HTTP/1.1\r\n${kept}X-Request-Id: r${i}\r\n${more}\r\n`
    const all = Array.from({ length: 100 }, (_, i) => one(i, i === 99 ? 'Connection: close\r\n' : ''))
    const reply = await exchange(all.join(''))
    const ids = [...reply.matchAll(/x-request-id: (\w+)/gi)].map(([, id]) => id)
    expect(ids).toEqual(all.map((_, i) => `r${i}`))
  })

  test('a body in chunks of one byte is one body', async () => {
    const chunks = [...'{"data":{}}'].map((byte) => `1\r\n${byte}\r\n`).join('')
    const request = `POST /v1/customers HTTP/1.1\r\n${auth()}${json}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`
    expect(await exchange(request)).toMatch(/^HTTP\/1\.1 201 /)
  })
})

test('in the end those who dawdle are sent away, and the service serves on', async () => {
  await Promise.all(slow.ended)
  await serves()
})
