import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type Config, readConfig } from '../../src/config.ts'

const JWT_SECRET = 'j'.repeat(32)
const ADMIN_TOKEN = 'a'.repeat(16)
const DATABASE_URL = 'postgres://user:pass@db.example/loyalty'
const SECRETS = { JWT_SECRET, ADMIN_TOKEN }

const folder = mkdtempSync(join(tmpdir(), 'lw-config-'))
const cert = join(folder, 'cert.pem')
const key = join(folder, 'key.pem')
const noPem = join(folder, 'cert.der')
writeFileSync(cert, '-----BEGIN CERTIFICATE-----\n')
writeFileSync(key, '-----BEGIN PRIVATE KEY-----\n')
writeFileSync(noPem, '\x30\x82')
afterAll(() => rmSync(folder, { recursive: true }))

describe('settings', () => {
  test('without any, the demo runs on this computer with an embedded database', () => {
    expect(readConfig({}, '/srv/app')).toEqual({
      ok: true,
      config: {
        port: 8080,
        host: '127.0.0.1',
        dataDir: '/srv/app/data',
        databaseUrl: undefined,
        readDatabaseUrl: undefined,
        clusterDirect: false,
        maxDataAgeSeconds: 10,
        adminToken: undefined,
        jwtSecret: undefined,
        otherJwtSecret: undefined,
        credentialPepper: undefined,
        publicUrl: undefined,
        accessTokenTtlSeconds: 3600,
        refreshTokenTtlSeconds: 2592000,
        eventRetentionDays: 90,
        requestRetentionDays: 7,
        replyRetentionDays: 3,
        demo: true,
        demoDays: 90,
        rateLimits: { organization: 1000, connection: 1000, address: 200 },
        workers: 1,
        tls: undefined,
        trustProxy: false,
        allowHttp: false,
        postgresBin: undefined,
        deliveryRetentionDays: 30,
        messageRetentionDays: 90,
        webhookRanges: [
          { address: '127.0.0.0', bits: 8 },
          { address: '::1', bits: 128 },
        ],
        passes: {
          apple: undefined,
          google: undefined,
          hosts: {
            applePush: 'https://api.push.apple.com',
            googleApi: 'https://walletobjects.googleapis.com',
            googleToken: 'https://oauth2.googleapis.com/token',
          },
        },
        logLevel: 'info',
        tracing: undefined,
      } satisfies Config,
    })
  })

  test.each<{ rule: string; env: Record<string, string>; config: Partial<Config> }>([
    { rule: 'port 0 asks for a free one', env: { PORT: '0' }, config: { port: 0 } },
    {
      rule: 'an empty value counts as not set',
      env: { PORT: '', DEMO: ' ' },
      config: { port: 8080, demo: true },
    },
    {
      rule: 'DATA_DIR is relative to where we start',
      env: { DATA_DIR: 'x' },
      config: { dataDir: '/srv/app/x' },
    },
    { rule: 'DATABASE_URL turns the demo off', env: { DATABASE_URL, ...SECRETS }, config: { demo: false } },
    { rule: 'DEMO=1 turns it on again', env: { DATABASE_URL, DEMO: '1' }, config: { demo: true } },
    { rule: 'secrets may be given to the demo', env: SECRETS, config: { jwtSecret: JWT_SECRET, demo: true } },
    { rule: 'the pepper follows JWT_SECRET', env: SECRETS, config: { credentialPepper: JWT_SECRET } },
    {
      rule: 'the pepper can be its own, so that JWT_SECRET can change',
      env: { ...SECRETS, CREDENTIAL_PEPPER: 'p'.repeat(32) },
      config: { jwtSecret: JWT_SECRET, credentialPepper: 'p'.repeat(32) },
    },
    {
      rule: 'a second secret may be accepted while the first is changed, and is no pepper',
      env: { ...SECRETS, OTHER_JWT_SECRET: 'o'.repeat(32) },
      config: { otherJwtSecret: 'o'.repeat(32), jwtSecret: JWT_SECRET, credentialPepper: JWT_SECRET },
    },
    {
      rule: 'PUBLIC_URL is kept without the slash at its end',
      env: { PUBLIC_URL: 'https://Loyalty.example.com:8443/' },
      config: { publicUrl: 'https://loyalty.example.com:8443' },
    },
    {
      rule: 'a replica is read while its data is at most this old',
      env: { DATABASE_URL, READ_DATABASE_URL: `${DATABASE_URL}-2`, MAX_DATA_AGE: '60', ...SECRETS },
      config: { readDatabaseUrl: `${DATABASE_URL}-2`, maxDataAgeSeconds: 60 },
    },
    { rule: 'RATE_LIMIT=off turns all of them off', env: { RATE_LIMIT: 'off' }, config: { rateLimits: {} } },
    {
      rule: 'unless another is set',
      env: { RATE_LIMIT: 'off', CONNECTION_RATE_LIMIT: '7', ADDRESS_RATE_LIMIT: '8' },
      config: { rateLimits: { connection: 7, address: 8 } },
    },
    {
      rule: 'a connection may do what its organization may',
      env: { RATE_LIMIT: '5' },
      config: { rateLimits: { organization: 5, connection: 5, address: 200 } },
    },
    {
      rule: 'each rate limit can be off',
      env: { CONNECTION_RATE_LIMIT: 'off', ADDRESS_RATE_LIMIT: 'off' },
      config: { rateLimits: { organization: 1000 } },
    },
    { rule: 'how long events are kept', env: { EVENT_RETENTION: '7' }, config: { eventRetentionDays: 7 } },
    { rule: 'token lifetimes', env: { ACCESS_TOKEN_TTL: '1' }, config: { accessTokenTtlSeconds: 1 } },
    { rule: 'POSTGRES_BIN', env: { POSTGRES_BIN: '/opt/pg/bin' }, config: { postgresBin: '/opt/pg/bin' } },
    { rule: 'LOG_LEVEL', env: { LOG_LEVEL: 'silent' }, config: { logLevel: 'silent' } },
    {
      rule: 'spans are sent to a collector once it is named',
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/',
        OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20dTpw, x-team = till',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
      },
      config: {
        tracing: {
          endpoint: 'http://127.0.0.1:4318',
          headers: { authorization: 'Basic dTpw', 'x-team': 'till' },
          serviceName: 'loyalty-wallet',
          sampleRatio: 0.25,
        },
      },
    },
    {
      rule: 'and without a collector, what is set for other services is not read',
      env: { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER_ARG: 'often', OTEL_EXPORTER_OTLP_HEADERS: '?' },
      config: { tracing: undefined },
    },
    { rule: 'all of 127/8 is loopback', env: { HOST: '127.8.9.1' }, config: { host: '127.8.9.1' } },
    { rule: 'so is ::1', env: { HOST: '[::1]' }, config: { host: '::1' } },
    { rule: 'so is localhost', env: { HOST: 'localhost' }, config: { host: 'localhost' } },
    { rule: 'a proxy may end TLS', env: { HOST: '0.0.0.0', TRUST_PROXY: '1' }, config: { trustProxy: true } },
    { rule: 'an operator may know', env: { HOST: '0.0.0.0', ALLOW_HTTP: '1' }, config: { allowHttp: true } },
    {
      rule: 'a certificate allows any address',
      env: { HOST: '::', TLS_CERT: cert, TLS_KEY: key },
      config: {
        tls: {
          cert: Buffer.from('-----BEGIN CERTIFICATE-----\n'),
          key: Buffer.from('-----BEGIN PRIVATE KEY-----\n'),
        },
      },
    },
  ])('$rule', ({ env, config }) => {
    expect(readConfig(env, '/srv/app')).toMatchObject({ ok: true, config })
  })
})

describe('problems', () => {
  test.each<{ env: Record<string, string>; problems: RegExp[] }>([
    { env: { PORT: '65536' }, problems: [/^PORT .* 0 to 65535/] },
    { env: { PORT: '80a' }, problems: [/^PORT /] },
    { env: { PORT: '-1' }, problems: [/^PORT /] },
    { env: { PORT: '1e3' }, problems: [/^PORT /] },
    { env: { DEMO: 'yes', ...SECRETS }, problems: [/^DEMO must be 1 or 0, not "yes"/] },
    { env: { DEMO_DAYS: '367' }, problems: [/^DEMO_DAYS must be a whole number from 0 to 366, not "367"/] },
    { env: { TRUST_PROXY: 'true' }, problems: [/^TRUST_PROXY must be 1 or 0/] },
    { env: { RATE_LIMIT: '0' }, problems: [/^RATE_LIMIT /] },
    { env: { RATE_LIMIT: 'OFF' }, problems: [/^RATE_LIMIT /] },
    {
      env: { CONNECTION_RATE_LIMIT: '-1', ADDRESS_RATE_LIMIT: 'none' },
      problems: [/^CONNECTION_RATE_LIMIT /, /^ADDRESS_RATE_LIMIT /],
    },
    { env: { ACCESS_TOKEN_TTL: '0' }, problems: [/^ACCESS_TOKEN_TTL /] },
    { env: { REFRESH_TOKEN_TTL: '1h' }, problems: [/^REFRESH_TOKEN_TTL /] },
    { env: { LOG_LEVEL: 'loud' }, problems: [/^LOG_LEVEL .*info.*"loud"/] },
    {
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: '127.0.0.1:4318',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization',
        OTEL_TRACES_SAMPLER_ARG: '10',
      },
      problems: [
        /^OTEL_EXPORTER_OTLP_ENDPOINT .*http:/,
        /^OTEL_TRACES_SAMPLER_ARG /,
        /^OTEL_EXPORTER_OTLP_HEADERS /,
      ],
    },
    {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://u:hidden@collector:4318' },
      problems: [/^OTEL_EXPORTER_OTLP_ENDPOINT (?!.*hidden)/],
    },
    { env: { PUBLIC_URL: 'loyalty.example.com' }, problems: [/^PUBLIC_URL .*https:/] },
    { env: { PUBLIC_URL: 'https://example.com/loyalty' }, problems: [/^PUBLIC_URL .*without a path/] },
    { env: { PUBLIC_URL: 'https://user@example.com' }, problems: [/^PUBLIC_URL /] },
    { env: { PUBLIC_URL: 'javascript:alert(1)' }, problems: [/^PUBLIC_URL /] },
    { env: { JWT_SECRET: 'short' }, problems: [/^JWT_SECRET is too short.*32/] },
    { env: { OTHER_JWT_SECRET: 'short' }, problems: [/^OTHER_JWT_SECRET is too short.*32/] },
    { env: { ADMIN_TOKEN: 'short' }, problems: [/^ADMIN_TOKEN is too short.*16/] },
    { env: { CREDENTIAL_PEPPER: 'short' }, problems: [/^CREDENTIAL_PEPPER is too short/] },
    { env: { DEMO: '0' }, problems: [/^JWT_SECRET is required/, /^ADMIN_TOKEN is required/] },
    { env: { DATABASE_URL }, problems: [/^JWT_SECRET is required/, /^ADMIN_TOKEN is required/] },
    { env: { DATABASE_URL: 'mysql://x', ...SECRETS }, problems: [/^DATABASE_URL must start with postgres/] },
    {
      env: { DATABASE_URL: 'postgres://u:a[b@h:x/d', ...SECRETS },
      problems: [/^DATABASE_URL is not a valid URL/],
    },
    { env: { HOST: '0.0.0.0' }, problems: [/^HOST=0.0.0.0 .*TLS_CERT.*TRUST_PROXY=1.*ALLOW_HTTP=1/] },
    { env: { HOST: '::' }, problems: [/^HOST=:: /] },
    { env: { HOST: 'localhost.example.com' }, problems: [/^HOST=/] },
    { env: { HOST: '127.0.0.1.example.com' }, problems: [/^HOST=/] },
    { env: { TLS_CERT: cert }, problems: [/^TLS_CERT is set without TLS_KEY/] },
    { env: { TLS_KEY: key, HOST: '0.0.0.0' }, problems: [/^TLS_KEY is set without TLS_CERT/] },
    {
      env: { TLS_CERT: join(folder, 'none'), TLS_KEY: key },
      problems: [/^TLS_CERT=.*cannot be read \(ENOENT\)/],
    },
    { env: { TLS_CERT: noPem, TLS_KEY: key }, problems: [/^TLS_CERT=.*not a PEM file/] },
  ])('$env', ({ env, problems }) => {
    const result = readConfig(env, '/srv/app')
    expect(result).toEqual({ ok: false, problems: problems.map((pattern) => expect.stringMatching(pattern)) })
  })

  test('all of them are reported at once', () => {
    const result = readConfig(
      { PORT: 'x', HOST: '0.0.0.0', DEMO: '0', LOG_LEVEL: 'x', TLS_CERT: '' },
      '/srv/app',
    )
    expect(result).toMatchObject({ ok: false, problems: { length: 5 } })
  })

  test('no message repeats a secret', () => {
    const result = readConfig({
      JWT_SECRET: 'hunter2',
      ADMIN_TOKEN: 'hunter2',
      DATABASE_URL: 'mysql://u:hunter2@h',
    })
    expect(JSON.stringify(result)).not.toContain('hunter2')
  })

  test('keys for passes are files, and are set together', () => {
    const google = { GOOGLE_WALLET_ISSUER: '123', GOOGLE_WALLET_KEY: key }
    const apple = {
      APPLE_PASS_CERT: cert,
      APPLE_PASS_KEY: key,
      APPLE_PASS_ISSUER_CERT: cert,
      APPLE_TEAM: 'T1',
    }
    const read = readConfig({ ...google, ...apple })
    expect(read.ok && read.config.passes).toMatchObject({
      apple: { certificate: '-----BEGIN CERTIFICATE-----\n', team: 'T1' },
      google: { issuer: '123', serviceAccount: '-----BEGIN PRIVATE KEY-----\n' },
    })
    const { problems } = readConfig({
      APPLE_PASS_CERT: cert,
      GOOGLE_WALLET_ISSUER: '1',
      GOOGLE_WALLET_KEY: join(folder, 'none.json'),
      APPLE_PUSH_URL: 'nowhere',
    }) as { problems: string[] }
    expect(problems).toEqual([
      'APPLE_PASS_CERT is set without APPLE_PASS_KEY and APPLE_PASS_ISSUER_CERT: set all of them, or none.',
      `GOOGLE_WALLET_KEY=${join(folder, 'none.json')} cannot be read (ENOENT).`,
      'APPLE_PUSH_URL must be a URL, such as https://api.push.apple.com.',
    ])
  })
})
