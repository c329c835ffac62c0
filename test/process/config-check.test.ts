import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settingList } from '../../src/config.ts'
import { urlOf } from '../support/checkout.ts'
import { startCollector } from '../support/collector.ts'
import { createTestDatabase } from '../support/database.ts'
import { runCommand, runForJson } from '../support/run-command.ts'

const secrets = {
  ADMIN_TOKEN: 'lwa_7Q2mXc9vKp41ZtRb8WnY',
  JWT_SECRET: '5f0c1b7e9a3d4826b1c0e7f2a9d8435c6e1f0b2a7d9c8e3f',
}
const production = {
  ...secrets,
  DATABASE_URL: 'postgres://wallet:hunter2@db.example.com:5432/wallet',
  TRUST_PROXY: '1',
  HOST: '0.0.0.0',
  PUBLIC_URL: 'https://loyalty.example.com',
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lw-config-check-'))
})
afterAll(() => rm(folder, { recursive: true }))

const check = (env: Record<string, string>) => runForJson(['config', 'check'], { DATA_DIR: folder, ...env })
const settingOf = async (env: Record<string, string>, name: string) => {
  const { settings, code } = await check(env)
  return { code, ...settings.find((setting: { name: string }) => setting.name === name) }
}

test('every setting is shown with its value, where it comes from and what it means', async () => {
  const { code, ok, settings } = await check({ ...production, PORT: '9000' })
  expect([code, ok]).toEqual([0, true])
  expect(settings.map(({ name }: { name: string }) => name)).toEqual(Object.keys(settingList))
  const byName = Object.fromEntries(settings.map((setting: { name: string }) => [setting.name, setting]))
  expect(byName.PORT).toEqual({
    name: 'PORT',
    value: '9000',
    origin: 'environment',
    meaning: settingList.PORT.meaning,
    status: 'ok',
    findings: [],
  })
  expect(byName.EVENT_RETENTION).toMatchObject({ value: '90', origin: 'default' })
  expect(byName.READ_DATABASE_URL).toMatchObject({ origin: 'not set' })
  expect(byName.DATABASE_URL).toMatchObject({ value: '"wallet" at db.example.com:5432' })
  const { stdout, code: told } = await runCommand(['config', 'check'], { ...production, DATA_DIR: folder })
  expect(told).toBe(0)
  expect(stdout).toMatch(/^ok {7}EVENT_RETENTION: 90 \(default\)\n {9}days for which events can be read/m)
  expect(stdout).toMatch(/No problems found\.\n$/)
})

test('the secrets of an installation that made its own are told to be in their file, without creating one', async () => {
  expect(await settingOf({}, 'JWT_SECRET')).toMatchObject({ code: 0, origin: 'default' })
  await writeFile(join(folder, 'secrets.json'), '{"jwtSecret":"hunter2-jwt","adminToken":"hunter2-admin"}')
  expect(await settingOf({}, 'JWT_SECRET')).toMatchObject({
    code: 0,
    origin: 'secrets.json',
    value: '(secret)',
  })
  await writeFile(join(folder, 'secrets.json'), 'hunter2')
  const damaged = await settingOf({}, 'DATA_DIR')
  expect(damaged).toMatchObject({ code: 1, status: 'problem' })
  expect(damaged.findings[0].advice).toMatch(/Restore it from a backup/)
  await rm(join(folder, 'secrets.json'))
})

test('no secret is ever printed, valid or not', async () => {
  const env = {
    DATABASE_URL: 'mysql://wallet:hunter2@db.example.com/wallet',
    READ_DATABASE_URL: 'postgres://wallet:hunter2@one,two/wallet',
    PUBLIC_URL: 'https://wallet:hunter2@loyalty.example.com/path',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://wallet:hunter2@collector.example.com',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hunter2,%%%hunter2',
    ADMIN_TOKEN: 'hunter2',
    JWT_SECRET: 'hunter2-hunter2-hunter2-hunter2-hunter2',
    CREDENTIAL_PEPPER: 'hunter2 '.repeat(8),
  }
  for (const args of [
    ['config', 'check'],
    ['config', 'check', '--json'],
    ['doctor', '--json'],
  ]) {
    const { code, stdout, stderr } = await runCommand(args, { DATA_DIR: folder, ...env })
    expect(code).toBe(1)
    expect(stdout + stderr).not.toContain('hunter2')
  }
})

describe('exits with 1, and says what to do, for', () => {
  test.each<[what: string, name: string, env: Record<string, string>, message: RegExp]>([
    ['what is not valid', 'PORT', { PORT: 'eighty' }, /whole number from 0 to 65535/],
    ['a secret that is missing', 'JWT_SECRET', { DATABASE_URL: 'postgres://a@b/c' }, /required/],
    ['plain HTTP for others', 'HOST', { HOST: '0.0.0.0' }, /HTTPS/],
    [
      'plain HTTP that is allowed',
      'ALLOW_HTTP',
      { ...production, TRUST_PROXY: '0', ALLOW_HTTP: '1' },
      /unencrypted/,
    ],
    [
      'a public address without TLS',
      'PUBLIC_URL',
      { ...production, PUBLIC_URL: 'http://loyalty.example.com' },
      /http/,
    ],
    [
      'a secret of one character',
      'JWT_SECRET',
      { ...production, JWT_SECRET: 'a'.repeat(40) },
      /can be guessed/,
    ],
    [
      'a secret of the manual',
      'ADMIN_TOKEN',
      { ...production, ADMIN_TOKEN: 'change-me-please-0123' },
      /can be guessed/,
    ],
    [
      'one secret for two',
      'CREDENTIAL_PEPPER',
      { ...production, CREDENTIAL_PEPPER: secrets.JWT_SECRET },
      /same as JWT_SECRET/,
    ],
    ['a demo for everybody', 'DEMO', { ...production, DEMO: '1' }, /The demo is on/],
    ['no limits for everybody', 'RATE_LIMIT', { ...production, RATE_LIMIT: 'off' }, /guess credentials/],
    [
      'webhooks to the metadata of a cloud',
      'WEBHOOK_ALLOWED_RANGES',
      { ...production, WEBHOOK_ALLOWED_RANGES: '169.254.0.0/16' },
      /hand out credentials/,
    ],
    [
      'webhooks to everything',
      'WEBHOOK_ALLOWED_RANGES',
      { ...production, WEBHOOK_ALLOWED_RANGES: '0.0.0.0/0' },
      /this computer/,
    ],
    [
      'credentials of a collector in plaintext',
      'OTEL_EXPORTER_OTLP_HEADERS',
      {
        ...production,
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example.com:4318',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=x',
      },
      /unencrypted/,
    ],
    [
      'tokens that outlive their renewal',
      'REFRESH_TOKEN_TTL',
      { REFRESH_TOKEN_TTL: '60' },
      /shorter than ACCESS_TOKEN_TTL/,
    ],
    [
      'a setting without the one it is for',
      'MAX_DATA_AGE',
      { ...production, MAX_DATA_AGE: '5' },
      /no effect without READ_DATABASE_URL/,
    ],
    [
      'responses kept for less than clients rely on',
      'REPLY_RETENTION',
      { REPLY_RETENTION: '1' },
      /from 3 to 90/,
    ],
  ])('%s', async (_what, name, env, message) => {
    const { code, status, findings } = await settingOf(env, name)
    expect(code).toBe(1)
    expect(status).not.toBe('ok')
    expect(findings[0].message).toMatch(message)
    expect(findings[0].advice).not.toBe('')
  })
})

test.each<[what: string, env: Record<string, string>]>([
  ['no settings at all', {}],
  ['a service behind a proxy', production],
  [
    'a collector beside the service',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_EXPORTER_OTLP_HEADERS: 'a=b' },
  ],
  ['receivers in a private network', { ...production, WEBHOOK_ALLOWED_RANGES: '10.1.0.0/16' }],
  ['a benchmark on this computer', { RATE_LIMIT: 'off' }],
])('%s is in order', async (_what, env) => {
  const { code, settings } = await check(env)
  expect(settings.flatMap(({ findings }: { findings: object[] }) => findings)).toEqual([])
  expect(code).toBe(0)
})

test('the doctor tries the collector of traces', async () => {
  const collector = await startCollector()
  const examine = async (endpoint: string) => {
    const { checks } = await runForJson(['doctor'], {
      DATA_DIR: folder,
      PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    })
    return checks.find((found: { check: string }) => found.check === 'tracing')
  }
  expect(await examine(collector.endpoint)).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/accepts/),
  })
  await collector.close()
  expect(await examine(collector.endpoint)).toMatchObject({
    status: 'warning',
    message: expect.stringMatching(/cannot be reached \(ECONNREFUSED\)/),
  })
})

test('the doctor finds background work that is late or fails, and webhooks that are paused', async () => {
  const { connection, pool, close } = await createTestDatabase()
  const env = { ...secrets, DATABASE_URL: urlOf(connection), PORT: '0' }
  const found = async () => {
    const { checks } = await runForJson(['doctor'], env)
    const byName = Object.fromEntries(checks.map((each: { check: string }) => [each.check, each]))
    return [byName['background work'], byName.webhooks]
  }
  try {
    await runForJson(['organization', 'create', 'Kaffeehaus'], env)
    await pool.query(`UPDATE due_work SET due_at = now() + interval '1 hour'`)
    expect(await found()).toMatchObject([{ status: 'ok' }, { status: 'ok', message: 'there are none' }])
    await pool.query(`UPDATE due_work SET due_at = now() - interval '1 hour' WHERE kind = 'events'`)
    await pool.query(
      `INSERT INTO webhooks (org_id, id, url, status, created_at, updated_at, position)
       SELECT org_id, gen_random_uuid(), 'https://example.com', 2, now(), now(), 0 FROM organizations`,
    )
    expect(await found()).toMatchObject([
      { status: 'warning', message: 'has been due for more than 15 minutes: events (1)' },
      { status: 'warning', message: expect.stringMatching(/^0 failing, 1 paused/) },
    ])
    await pool.query(`UPDATE due_work SET last_error = 'Error 57014' WHERE kind = 'events'`)
    expect((await found())[0]).toMatchObject({
      status: 'warning',
      message: 'fails and is retried: events (1)',
      advice: expect.stringMatching(/loyalty-wallet jobs/),
    })
  } finally {
    await close()
  }
})
