import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Checkout, makeCheckout, ownSecrets, urlOf } from '../support/checkout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFull } from '../support/full.ts'

let checkout: Checkout
let database: TestDatabase
let external: Record<string, string>

beforeAll(async () => {
  ;[checkout, database] = await Promise.all([makeCheckout(), createTestDatabase()])
  external = { DATABASE_URL: urlOf(database.connection), DEMO: '0', ...ownSecrets }
})

afterAll(async () => {
  await checkout.remove()
  await database.close()
})

test('with DATABASE_URL it runs on that database, and starts none of its own', async () => {
  const dataDir = await checkout.newDataDir()
  const service = await checkout.start({ ...external, DATA_DIR: dataDir })
  expect(service.stdout()).not.toMatch(/lwk_|lws_/)
  const created = await fetch(`${service.baseUrl}/admin/v1/organizations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ownSecrets.ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Merchant' }),
  })
  expect(created.status).toBe(201)
  expect((await database.pool.query('SELECT name FROM organizations')).rows).toEqual([{ name: 'Merchant' }])
  expect(await service.end('SIGTERM')).toMatchObject({ code: 0 })
  expect(() => readFileSync(dataDir)).toThrow(/ENOENT/)
})

test('bad settings are all reported at once, with exit code 2', async () => {
  const { code, stderr, stdout } = await checkout.run(['serve'], {
    DATABASE_URL: 'mysql://nobody:hunter2@localhost',
    PORT: 'eighty',
    HOST: '0.0.0.0',
    TLS_CERT: '/nowhere.pem',
    JWT_SECRET: 'short',
  })
  expect(code).toBe(2)
  expect(stdout).toBe('')
  for (const name of ['DATABASE_URL', 'PORT', 'TLS_CERT', 'JWT_SECRET', 'ADMIN_TOKEN'])
    expect(stderr).toMatch(new RegExp(`^  - ${name}`, 'm'))
  expect(stderr).not.toContain('hunter2')
})

test('without the demo the secrets are required', async () => {
  const { code, stderr } = await checkout.run(['serve'], { DATABASE_URL: external.DATABASE_URL! })
  expect(code).toBe(2)
  expect(stderr).toMatch(/ADMIN_TOKEN is required/)
  expect(stderr).toMatch(/JWT_SECRET is required/)
})

test('plain HTTP on an address others can reach is refused', async () => {
  const { code, stderr } = await checkout.run(['serve'], { ...external, HOST: '0.0.0.0' })
  expect(code).toBe(2)
  expect(stderr).toMatch(/HOST=0\.0\.0\.0.*HTTPS/)
})

test.runIf(isFull)('unless the operator says so', async () => {
  const service = await checkout.start({ ...external, HOST: '0.0.0.0', ALLOW_HTTP: '1' })
  expect(service.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect((await fetch(`${service.baseUrl}/livez`)).status).toBe(200)
  expect(await service.end('SIGTERM')).toMatchObject({ code: 0 })
})

test.runIf(isFull)('behind a proxy, what the proxy marks as plain HTTP is refused', async () => {
  const service = await checkout.start({ ...external, HOST: '0.0.0.0', TRUST_PROXY: '1' })
  const issue = (protocol: string) =>
    fetch(`${service.baseUrl}/auth/token`, {
      method: 'POST',
      headers: { 'x-forwarded-proto': protocol, 'x-api-key': 'lwk_x', 'x-api-secret': 'lws_x' },
    })
  const plain = await issue('http')
  expect(plain.status).toBe(403)
  expect(await plain.json()).toMatchObject({
    message: '_forbidden',
    description: expect.stringMatching(/HTTPS/),
  })
  expect((await issue('https')).status).toBe(401)
  await service.end('SIGTERM')
})

test('with a certificate it speaks HTTPS', async (context) => {
  const files = makeCertificate(checkout.folder)
  if (!files) return context.skip('openssl is not installed, so there is no certificate to try')
  const service = await checkout.start({ ...external, HOST: '0.0.0.0', ...files })
  expect(service.baseUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  const { status, fingerprint } = await getOverTls(`${service.baseUrl}/readyz`)
  expect(status).toBe(200)
  expect(fingerprint).toBe(new X509Certificate(readFileSync(files.TLS_CERT)).fingerprint256)
  await service.end('SIGTERM')
})

test.runIf(isFull)('a certificate with the key of another is said plainly', async (context) => {
  const one = makeCertificate(checkout.folder, 'one')
  const other = makeCertificate(checkout.folder, 'other')
  if (!one || !other) return context.skip('openssl is not installed, so there is no certificate to try')
  const { code, stderr } = await checkout.run(['serve'], { ...external, ...one, TLS_KEY: other.TLS_KEY })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^TLS_CERT and TLS_KEY cannot be used/)
  expect(stderr).not.toMatch(/\n\s+at /)
})

test('a database that is away is said plainly, with a stack only for those who debug', async () => {
  const settings = { ...external, DATABASE_URL: 'postgres://wallet:hunter2@127.0.0.1:1/wallet' }
  const { code, stderr } = await checkout.run(['serve'], settings)
  expect(code).toBe(1)
  expect(stderr).toMatch(/^The database "wallet" at 127\.0\.0\.1:1 cannot be reached \(.*ECONNREFUSED.*\n$/)
  const debugged = await checkout.run(['serve'], { ...settings, LOG_LEVEL: 'debug' })
  expect(debugged.stderr).toMatch(/\n\s+at /)
  expect(stderr + debugged.stderr).not.toContain('hunter2')
})

/** Node can read certificates but not make them, so openssl does. */
function makeCertificate(folder: string, name = 'tls'): { TLS_CERT: string; TLS_KEY: string } | undefined {
  const files = { TLS_CERT: join(folder, `${name}.crt`), TLS_KEY: join(folder, `${name}.key`) }
  const key = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    files.TLS_KEY,
  ]
  const subject = ['-subj', '/CN=localhost', '-days', '2', '-out', files.TLS_CERT]
  try {
    execFileSync('openssl', ['req', '-x509', ...key, ...subject], { stdio: 'ignore' })
    return files
  } catch {
    return undefined
  }
}

function getOverTls(url: string): Promise<{ status: number | undefined; fingerprint: string }> {
  return new Promise((resolve, reject) => {
    const call = request(url, { rejectUnauthorized: false, agent: false }, (response) => {
      const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate()
      response.resume().on('end', () => resolve({ status: response.statusCode, fingerprint: fingerprint256 }))
    })
    call.on('error', reject).end()
  })
}
