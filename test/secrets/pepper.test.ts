import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recognizePepper, WrongPepperError } from '../../src/operations/auth/recognize-pepper.ts'
import { type Checkout, makeCheckout, ownSecrets, readDemo, urlOf } from '../support/checkout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFull } from '../support/full.ts'
import { runForJson } from '../support/run-command.ts'

let checkout: Checkout
let database: TestDatabase
let right: Record<string, string>
let wrong: Record<string, string>

beforeAll(async () => {
  ;[checkout, database] = await Promise.all([makeCheckout(), createTestDatabase()])
  const DATA_DIR = await checkout.newDataDir()
  right = { DATABASE_URL: urlOf(database.connection), DATA_DIR, DEMO: '0', ...ownSecrets }
  wrong = { ...right, JWT_SECRET: 'another-jwt-secret-of-the-tests-0123456789' }
})
afterAll(async () => {
  await checkout.remove()
  await database.close()
})

const finding = async (env: Record<string, string>) => {
  const { checks } = await runForJson(['doctor'], env)
  return checks.find(({ check }: { check: string }) => check === 'pepper')
}

// One story on one database.
test('before anything was made there is nothing to compare with, and any pepper will do', async () => {
  expect(await finding(wrong)).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/no credentials/),
  })
})

test('the first that makes a key leaves its mark, and the service is of the same opinion', async () => {
  expect(await runForJson(['integration', 'create', 'Till'], right)).toMatchObject({ code: 0 })
  expect(await finding(right)).toMatchObject({ status: 'ok' })
  const service = await checkout.start(right)
  await service.end('SIGTERM')
})

test('with another pepper the service does not start, and says what to do', async () => {
  const { code, stderr } = await checkout.run(['serve'], wrong)
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^CREDENTIAL_PEPPER \(which defaults to JWT_SECRET.*Set it to the previous value.*adopt-pepper/,
  )
  expect(stderr).not.toMatch(/\n\s+at /)
  for (const secret of [wrong.JWT_SECRET!, ownSecrets.JWT_SECRET]) expect(stderr).not.toContain(secret)
})

test('nor does the command line make credentials that would never work', async () => {
  expect(await runForJson(['integration', 'create', 'Till'], wrong)).toMatchObject({
    code: 1,
    error: { code: 'wrong_pepper' },
  })
  const connect = ['connection', 'create', '--organization', 'org_1', '--integration', 'int_1']
  expect(await runForJson(connect, wrong)).toMatchObject({ code: 1, error: { code: 'wrong_pepper' } })
})

test('the doctor finds it', async () => {
  expect(await finding(wrong)).toMatchObject({
    status: 'problem',
    advice: expect.stringMatching(/previous value/),
  })
})

test('JWT_SECRET may change when the pepper is set apart', async () => {
  const apart = { ...wrong, CREDENTIAL_PEPPER: ownSecrets.JWT_SECRET }
  expect(await finding(apart)).toMatchObject({ status: 'ok' })
})

test('whoever has lost it can go on with another, and the former one is then the wrong one', async () => {
  expect(await runForJson(['adopt-pepper'], wrong)).toMatchObject({ code: 0, adopted: true })
  expect(await finding(wrong)).toMatchObject({ status: 'ok' })
  expect(await finding(right)).toMatchObject({ status: 'problem' })
})

test('of two that come at once with different ones exactly one is recognized', async () => {
  const fresh = await createTestDatabase()
  try {
    const results = await Promise.allSettled(
      ['a', 'b', 'a', 'b'].map((letter) => recognizePepper(fresh.pool, letter.repeat(32), new Date())),
    )
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    expect(refused).toHaveLength(2)
    for (const reason of refused) expect(reason).toBeInstanceOf(WrongPepperError)
  } finally {
    await fresh.close()
  }
})

test.runIf(isFull)('a demo whose secrets were deleted starts with new ones', async () => {
  const DATA_DIR = await checkout.newDataDir()
  const first = await checkout.start({ DATA_DIR })
  const before = await readDemo(DATA_DIR)
  await first.end('SIGTERM')
  await rm(join(DATA_DIR, 'secrets.json'))
  const second = await checkout.start({ DATA_DIR })
  const after = await readDemo(DATA_DIR)
  expect(after.organizationId).toBe(before.organizationId)
  expect(after.apiKey).not.toBe(before.apiKey)
  const reply = await fetch(`${second.baseUrl}/auth/token`, {
    method: 'POST',
    headers: { 'x-api-key': after.apiKey, 'x-api-secret': after.apiSecret },
  })
  expect(reply.status).toBe(200)
  await second.end('SIGTERM')
})
