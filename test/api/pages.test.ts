import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  // Does nothing when the pages are built.
  await promisify(execFile)(process.execPath, [join(packageRoot, 'build.mjs')])
  service = await startTestService()
})
afterAll(() => service.close())

const get = (url: string, headers: Record<string, string> = {}) => service.app.inject({ url, headers })

describe('pages', () => {
  test.each(['/console', '/console/', '/console/customers/cus_1', '/till'])(
    '%s is a page with a policy that runs no script from elsewhere and none inline',
    async (path) => {
      const reply = await get(path)
      expect(reply.statusCode).toBe(200)
      expect(reply.headers['content-type']).toBe('text/html; charset=utf-8')
      const policy = String(reply.headers['content-security-policy'])
      expect(policy).toContain("default-src 'none'")
      expect(/script-src ([^;]*)/.exec(policy)?.[1]).toBe("'self' 'wasm-unsafe-eval'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(reply.body).toContain('<script')
      expect(reply.body).not.toMatch(/<script(?![^>]* src=)/)
      expect(reply.body).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    },
  )

  test('they are built for those who use them, whoever started the build', () => {
    const folder = join(packageRoot, 'dist/web/assets')
    const react = readdirSync(folder).filter((name) => /^react-.*\.js$/.test(name))
    expect(react).not.toEqual([])
    for (const name of react) expect(readFileSync(join(folder, name), 'utf8')).not.toContain('Rules of Hooks')
  })

  test('a browser that comes to the root is led to the console, anything else gets the usual answer', async () => {
    const led = await get('/', { accept: 'text/html,*/*' })
    expect([led.statusCode, led.headers.location]).toEqual([302, '/console'])
    expectRefusal(await service.call('GET', '/'), 404, '_not_found')
  })

  test.each(['/docs/', '/docs/guides', '/docs/guides/'])('%s leads to the docs', async (url) => {
    const { statusCode, headers } = await get(url)
    expect([statusCode, headers.location]).toEqual([308, '/docs'])
  })

  test('the icon that a browser asks for by itself is there, and is the one of the pages', async () => {
    const [icon, asked] = [await get('/icon.svg'), await get('/favicon.ico')]
    expect([asked.statusCode, asked.headers['content-type']]).toEqual([200, 'image/svg+xml'])
    expect(asked.body).toBe(icon.body)
  })

  test('what has a hash in its name is kept for ever, the page itself is asked for each time', async () => {
    const page = await get('/console')
    expect(page.headers['cache-control']).toBe('no-cache')
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page.body)![1]!
    const reply = await get(script)
    expect(reply.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(reply.headers['content-type']).toBe('text/javascript; charset=utf-8')
    const again = await get(script, { 'if-none-match': String(reply.headers.etag) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    const weakened = await get(script, { 'if-none-match': `"other", W/${reply.headers.etag}` })
    expect(weakened.statusCode).toBe(304)
  })

  test('is sent compressed to whoever can read that, and is the same thing', async () => {
    const plain = (await get('/console')).rawPayload
    const br = await get('/console', { 'accept-encoding': 'gzip, deflate, br' })
    const gzip = await get('/console', { 'accept-encoding': 'gzip' })
    expect([br.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual(['br', 'gzip'])
    expect(brotliDecompressSync(br.rawPayload)).toEqual(plain)
    expect(gunzipSync(gzip.rawPayload)).toEqual(plain)
    expect(br.headers.vary).toBe('accept-encoding')
    const neither = await get('/console', { 'accept-encoding': 'br;q=0, gzip;q=0.0, identity' })
    expect(neither.headers['content-encoding']).toBeUndefined()
  })

  test.each([
    '/assets/../../../package.json',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/assets/%2e%2e/console.html',
    '/assets/',
    '/assets/nothing.js',
    '/assets/__proto__',
  ])('%s leads nowhere', async (path) => {
    const reply = await get(path)
    expect([reply.statusCode, reply.json().message]).toEqual([404, '_not_found'])
  })

  test('every built file can be asked for', async () => {
    const names = readdirSync(join(packageRoot, 'dist/web/assets')).filter(
      (name) => !/\.(?:br|gz)$/.test(name),
    )
    expect(names.length).toBeGreaterThan(20)
    for (const name of names) expect((await get(`/assets/${name}`)).statusCode, name).toBe(200)
  })
})
