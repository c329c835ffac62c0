import { Writable } from 'node:stream'
import pino from 'pino'
import { expect, test } from 'vitest'
import { loggerOptions, redactText } from '../../src/http/redaction/logger.ts'
import { createCredentials } from '../../src/operations/auth/credentials.ts'

/** What a log at its most talkative writes. */
function logged(write: (log: pino.Logger) => void): string {
  let text = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  write(pino(loggerOptions('trace'), stream))
  return text
}

const { create, createFor } = createCredentials('pepper')
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c3JfMSJ9.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg'
const secrets = {
  key: create('lwk'),
  secret: create('lws'),
  refresh: create('lwr'),
  session: createFor('lwp', 1),
  invitation: createFor('lwi', 4711),
  jwt,
  phone: '+1 (202) 555-0123',
  plainPhone: '+12025550123',
  email: 'ada.lovelace+wallet@mail.example.co.uk',
  umlauts: 'jörg@bücher.example',
  password: 'postgres://wallet:hunter2@db.example.com:5432/wallet',
}
const clear = [...Object.values(secrets).slice(0, -1), 'hunter2']

function expectNothingOf(text: string): void {
  expect(text).toContain('[redacted]')
  for (const one of clear) expect(text).not.toContain(one)
}

test.each(['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const)(
  'texts are blotted at level %s: the message, and members of any name',
  (level) => {
    const text = logged((log) => log[level]({ odd: secrets }, Object.values(secrets).join(' and ')))
    expectNothingOf(text)
    expect(JSON.parse(text).odd.password).toBe('[redacted]')
  },
)

test.each([
  ...Object.entries(secrets),
  ['admin', `lwa_${create('lwk').slice(4)}`],
  ['bearer', 'bearer known-admin-token'],
  ['basic', 'Basic dXNlcjpwYXNz'],
  ['wallet', `/w/${'aB3-_x'.repeat(9)}`],
])('a text with nothing else in it is blotted: %s', (_kind, secret) => {
  expect(redactText(secret)).toContain('[redacted]')
  for (const line of [secret, `(${secret})`, `a message\n${secret}\nof three lines`, `a\tb\t${secret}`]) {
    const text = logged((log) => log.info(line))
    expect(text).toContain('[redacted]')
    expect(text).not.toContain(secret)
    expect(text).not.toContain('hunter2')
  }
})

test('an error is blotted in its message and in its stack, and so is the error within a member', () => {
  const error = new Error(`invalid input: "${secrets.email}", Bearer ${jwt}, ${secrets.secret}`)
  const text = logged((log) => {
    log.error({ err: error }, 'a fault')
    log.error({ deep: { cause: error } }, 'a fault')
    log.error(error)
  })
  expect(text).not.toContain(jwt)
  expectNothingOf(text)
  expect(text).toMatch(/log\.test\.ts/)
})

test('what PostgreSQL says beside its message is left out', () => {
  const details = { detail: 'Key (phone)=(secret-value) already exists.', where: 'secret-value' }
  const error = Object.assign(new Error('duplicate key'), details, { code: '23505', constraint: 'unique' })
  const text = logged((log) => log.error({ err: error, nested: { err: error } }, 'a fault'))
  expect(text).not.toContain('secret-value')
  expect(JSON.parse(text).err).toMatchObject({ code: '23505', constraint: 'unique' })
})

test.each([
  'authorization',
  'Authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'x-api-secret',
  'apiKey',
  'api_secret',
  'accessToken',
  'refreshToken',
  'adminToken',
  'jwtSecret',
  'credentialPepper',
  'password',
  'newPassword',
  'consolePassword',
  'invitation',
  'walletUrl',
  'key',
  'firstName',
  'last_name',
  'phone',
  'email',
  'fullname',
  'metaData',
  'q',
])('a member %s is blotted wherever it stands', (name) => {
  const value = 'looks like nothing'
  const text = logged((log) => {
    log.info({ [name]: value, headers: { [name]: value }, list: [{ deep: { er: { [name]: value } } }] }, 'x')
  })
  expect(text).not.toContain(value)
  expect(text.match(/\[redacted\]/g)).toHaveLength(3)
})

test('the address of a wallet page is blotted, wherever it stands', () => {
  const token = 'AAAAAQGag_LB0nIKnl9tfIuaDx4AAAABmx7Yd0gk2c4pQvJt6LrSgw'
  const text = logged((log) => {
    log.info({ path: `/w/${token}/card`, url: `https://loyalty.example.com/w/${token}` }, `GET /w/${token}`)
  })
  expect(text).not.toContain(token)
  expect(text.match(/\/w\/\[redacted\]/g)).toHaveLength(3)
})

test('the body of a call and its query are never written', () => {
  const request = {
    id: 'r1',
    method: 'GET',
    url: '/v1/customers/find?q=hidden',
    raw: {},
    body: { a: 'hidden' },
  }
  const text = logged((log) => {
    log.info({ req: request }, 'x')
    log.info({ body: { a: 'hidden' }, query: { q: 'hidden' } }, 'x')
  })
  expect(text).not.toContain('hidden')
  expect(JSON.parse(text.split('\n')[0]!).req).toEqual({
    id: 'r1',
    method: 'GET',
    path: '/v1/customers/find',
  })
})

test('what is no secret stays readable', () => {
  const details = {
    organization: 'org_0197a1b2c3d4e5f60718293a4b5c6d7e',
    session: 'ses_0197a1b2c3d4e5f60718293a4b5c6d7e',
    at: '2026-03-14T15:09:26.535+02:00',
    file: '/srv/node_modules/@fastify/swagger/index.js:10:20',
    ms: 123456789012,
    key: undefined,
  }
  const {
    level: _l,
    time: _t,
    pid: _p,
    hostname: _h,
    msg,
    ...rest
  } = JSON.parse(logged((log) => log.info(details, 'the database is not available')))
  expect(msg).toBe('the database is not available')
  const { key: _key, ...kept } = details
  expect(rest).toMatchObject(kept)
})
