import { readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { releasedSize } from '../support/released-size.ts'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const get = (url: string, headers: Record<string, string> = {}) => service.app.inject({ url, headers })
const getAs = (url: string, encoding: string) => get(url, { 'accept-encoding': encoding })

/** The properties of a schema, and of all schemas within it. */
function countProperties(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return 0
  const { properties } = schema as { properties?: unknown }
  const own = typeof properties === 'object' && properties !== null ? Object.keys(properties).length : 0
  return Object.values(schema).reduce((sum, part) => sum + countProperties(part), own)
}

const decoders = { br: brotliDecompressSync, gzip: gunzipSync }

describe('the API reference and the OpenAPI document', () => {
  const { paths, components } = JSON.parse(
    readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
  )
  const operations = Object.values<object>(paths).flatMap((path) => Object.keys(path)).length
  const properties = countProperties(components.schemas)
  // What they may take on the wire, in KB. The first two grow with what they describe, and with nothing else.
  const bound = (operation: number, property: number) => operation * operations + property * properties
  test.each([
    ['/openapi.json', { br: bound(0.14, 0.0161), gzip: bound(0.19, 0.0218) }],
    // The page shows the properties of a schema wherever it is used.
    ['/docs', { br: bound(0.1, 0.038), gzip: bound(0.2, 0.068) }],
    ['/docs/reference.css', { br: 3, gzip: 3 }],
    ['/docs/reference.js', { br: 2, gzip: 2 }],
    ['/docs/guide.css', { br: 1.5, gzip: 1.5 }],
    ['/docs/search.js', { br: 2, gzip: 2 }],
    // What a reader who searches waits for.
    ['/docs/search-index.js', { br: 50, gzip: 58 }],
    ['/docs/guides/coupons', { br: 8, gzip: 9 }],
  ])('%s is sent compressed, is small then, and the same thing', async (url, bounds) => {
    const { rawPayload: plain, headers } = await get(url)
    expect(headers['content-encoding']).toBeUndefined()
    expect(headers.vary).toBe('accept-encoding')
    for (const encoding of ['br', 'gzip'] as const) {
      const reply = await getAs(url, encoding)
      expect(reply.headers).toMatchObject({
        'content-encoding': encoding,
        'content-length': String(reply.rawPayload.length),
        'content-type': headers['content-type'],
        vary: 'accept-encoding',
      })
      expect(decoders[encoding](reply.rawPayload).equals(plain)).toBe(true)
      const isBuilt = encoding === 'br' && /\.(?:json|js|css)$/.test(url)
      const size = isBuilt ? await releasedSize(plain) : reply.rawPayload.length
      expect(size).toBeLessThan(bounds[encoding] * 1024)
      // What a checkout's build saves on time may cost a little on the wire.
      if (isBuilt) expect(reply.rawPayload.length).toBeLessThan(size * 1.2)
    }
  })

  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['*', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['br;q=0.001', 'br'],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
    ['br;q=0, gzip;q=0.0', undefined],
    ['*;q=0', undefined],
    ['deflate, zstd', undefined],
    ['brotli, gzipped', undefined],
    ['br;q=much', 'br'],
    ['', undefined],
    [';;,=,', undefined],
  ])('to Accept-Encoding "%s" the answer is %s', async (accepted, encoding) => {
    const { statusCode, headers } = await getAs('/docs/reference.css', accepted)
    expect([statusCode, headers['content-encoding']]).toEqual([200, encoding])
  })

  test.each(['/openapi.json', '/docs'])(
    '%s has a mark for each encoding, and is not sent to whoever has it',
    async (url) => {
      const marks = new Set<string>()
      for (const encoding of ['identity', 'gzip', 'br']) {
        const { headers } = await getAs(url, encoding)
        const etag = String(headers.etag)
        expect(etag).toMatch(/^"[\w-]+"$/)
        marks.add(etag)
        const again = await get(url, { 'accept-encoding': encoding, 'if-none-match': `W/${etag}` })
        expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag])
        expect(again.headers.vary).toBe('accept-encoding')
        expect(again.headers['content-encoding']).toBeUndefined()
      }
      expect(marks.size).toBe(3)
      const [first] = marks
      const other = await get(url, { 'accept-encoding': 'br', 'if-none-match': first! })
      expect([other.statusCode, other.headers['content-encoding']]).toEqual([200, 'br'])
    },
  )

  test('HEAD tells the size of what GET would send', async () => {
    const headers = { 'accept-encoding': 'br' }
    const head = await service.app.inject({ method: 'HEAD', url: '/openapi.json', headers })
    const { rawPayload } = await get('/openapi.json', headers)
    expect([head.headers['content-length'], head.body]).toEqual([String(rawPayload.length), ''])
  })

  test('a page for another address has another mark, and its address also when it is compressed', async () => {
    const at = async (host: string) => {
      const reply = await get('/docs', { host, 'accept-encoding': 'br' })
      const text = brotliDecompressSync(reply.rawPayload).toString()
      return { etag: reply.headers.etag, base: /BASE=(\S+)/.exec(text)?.[1] }
    }
    const [one, other] = [await at('one.example'), await at('other.example')]
    expect([one.base, other.base]).toEqual(['http://one.example', 'http://other.example'])
    expect(one.etag).not.toBe(other.etag)
  })

  test('replies of the API are not compressed: what packs well beside a secret would tell of it', async () => {
    const { headers } = await getAs('/livez', 'br, gzip')
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined])
  })
})

test('who makes up addresses cannot make the service compress for each, nor take that from its own', async () => {
  const fresh = await startTestService({ isBehindProxy: true, sharing: service })
  try {
    const encodingAt = async (host: string) => {
      const headers = { host, 'x-forwarded-proto': 'https', 'accept-encoding': 'br' }
      const reply = await fresh.app.inject({ url: '/docs', headers })
      expect(reply.statusCode).toBe(200)
      return reply.headers['content-encoding']
    }
    const made = []
    for (let n = 0; n < 20; n++) made.push(await encodingAt(`made-up-${n}.example`))
    expect(made.filter((encoding) => encoding === 'br')).toHaveLength(8)
    expect(await encodingAt(new URL(fresh.deps.publicUrl()).host)).toBe('br')
  } finally {
    await fresh.close()
  }
})
