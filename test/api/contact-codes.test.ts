import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { CustomerId } from '../../src/domain/ids.ts'
import { sendRound } from '../../src/jobs/send-messages.ts'
import { acceptCode, confirmContact, sendCode } from '../../src/operations/customers/contact-codes.ts'
import { type MailServer, startMailServer, textOf } from '../support/mail-server.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let mail: MailServer
let org: number

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

beforeEach(async () => {
  service.setTime(new Date())
  merchant = await service.createMerchant()
  mail = await startMailServer()
  await merchant.call('PUT', '/v1/senders/email', {
    host: '127.0.0.1',
    port: mail.port,
    security: 'none',
    from: 'hello@example.com',
  })
  const { rows } = await service.database.pool.query('SELECT org_id FROM organizations WHERE id = $1', [
    merchant.id.slice('org_'.length),
  ])
  org = rows[0].org_id
})
afterEach(() => mail.close())

interface Shown {
  readonly id: CustomerId
  readonly data: { readonly email?: string }
  readonly verified: { readonly email: boolean; readonly phone: boolean }
}

async function create(data: object, more: object = {}): Promise<Shown> {
  const { body, status, text } = await merchant.call('POST', '/v1/customers', { data, ...more })
  expect(status, text).toBe(201)
  return body as Shown
}

const read = async (id: string) => (await merchant.call('GET', `/v1/customers/${id}`)).body as Shown

async function latestCode(): Promise<string> {
  await sendRound(service.deps)
  return /\b\d{6}\b/.exec(textOf(mail.mails.at(-1)!))![0]
}

const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
const refused = (code: string) => expect.objectContaining({ code })

test('a code from the address on file verifies it, once', async () => {
  const { id } = await create({ email: 'ada@example.com' })
  const key = { customer: id, channel: 'email', purpose: 'change' } as const
  await sendCode(service.deps, org, key)
  const code = await latestCode()
  expect(mail.mails.at(-1)!.to).toEqual(['ada@example.com'])
  expect(textOf(mail.mails.at(-1)!)).toContain(`${code} is your code to change your details`)
  // For another purpose it is none.
  await expect(acceptCode(service.deps, org, { ...key, purpose: 'erase', code })).rejects.toEqual(
    refused('code_expired'),
  )
  expect((await read(id)).verified.email).toBe(false)
  const results = await Promise.allSettled([
    acceptCode(service.deps, org, { ...key, code }),
    acceptCode(service.deps, org, { ...key, code }),
  ])
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect((await read(id)).verified).toEqual({ email: true, phone: false })
  await merchant.call('PATCH', `/v1/customers/${id}`, { data: { email: 'ADA@example.com' } })
  expect((await read(id)).verified.email).toBe(true)
  await merchant.call('PATCH', `/v1/customers/${id}`, { data: { email: 'lovelace@example.com' } })
  expect((await read(id)).verified.email).toBe(false)
})

test('a code is valid for ten minutes and five attempts', async () => {
  const { id } = await create({ email: 'ada@example.com' })
  const key = { customer: id, channel: 'email', purpose: 'change' } as const
  await sendCode(service.deps, org, key)
  const first = await latestCode()
  for (let i = 0; i < 5; i++) {
    await expect(acceptCode(service.deps, org, { ...key, code: other(first) })).rejects.toEqual(
      refused('invalid_code'),
    )
  }
  await expect(acceptCode(service.deps, org, { ...key, code: first })).rejects.toEqual(
    refused('code_expired'),
  )
  service.advance(61_000)
  await sendCode(service.deps, org, key)
  const second = await latestCode()
  service.advance(600_000)
  await expect(acceptCode(service.deps, org, { ...key, code: second })).rejects.toEqual(
    refused('code_expired'),
  )
})

test('the address that a code went to must still be the one on file', async () => {
  const { id } = await create({ email: 'ada@example.com' })
  const key = { customer: id, channel: 'email', purpose: 'change' } as const
  await sendCode(service.deps, org, key)
  const code = await latestCode()
  await merchant.call('PATCH', `/v1/customers/${id}`, { data: { email: 'other@example.com' } })
  await expect(acceptCode(service.deps, org, { ...key, code })).rejects.toEqual(refused('code_expired'))
  expect((await read(id)).verified.email).toBe(false)
})

test('an address gets one code a minute and a few an hour, whoever asks', async () => {
  const { id } = await create({ email: 'ada@example.com' })
  const key = { customer: id, channel: 'email', purpose: 'change' } as const
  await sendCode(service.deps, org, key)
  await expect(sendCode(service.deps, org, key)).rejects.toEqual(refused('_too_many_requests'))
  for (let i = 0; i < 4; i++) {
    const { id: somebody } = await create({})
    const claim = { customer: somebody, channel: 'email', purpose: 'contact', address: 'Ada@example.com' }
    await sendCode(service.deps, org, claim as never)
  }
  const { id: last } = await create({})
  const claim = { customer: last, channel: 'email', purpose: 'contact', address: 'ada@example.com' } as const
  await expect(sendCode(service.deps, org, claim)).rejects.toEqual(
    expect.objectContaining({ code: '_too_many_requests', retryAfterSeconds: expect.any(Number) }),
  )
})

test('a new address belongs to the customer once its code came back', async () => {
  const { id } = await create({ email: 'old@example.com' }, { language: 'de' })
  const address = 'new@example.com'
  await sendCode(service.deps, org, { customer: id, channel: 'email', purpose: 'contact', address })
  const code = await latestCode()
  expect(mail.mails.at(-1)!.to).toEqual([address])
  expect(textOf(mail.mails.at(-1)!)).toContain('zum Bestätigen dieser Adresse')
  expect((await read(id)).data.email).toBe('old@example.com')
  await expect(
    confirmContact(service.deps, org, { customer: id, channel: 'email', code: other(code) }),
  ).rejects.toEqual(refused('invalid_code'))
  expect(await confirmContact(service.deps, org, { customer: id, channel: 'email', code })).toEqual({
    kind: 'attached',
  })
  expect(await read(id)).toMatchObject({ data: { email: address }, verified: { email: true } })
})

test('an address that somebody has leads to them, and what was just opened is erased', async () => {
  const { id: known } = await create({ email: 'ada@example.com' })
  const { id: fresh } = await create({ fullname: 'Ada' })
  const { id: established } = await create({ phone: '+12025550123' })
  const address = 'ada@example.com'
  for (const customer of [fresh, established]) {
    await sendCode(service.deps, org, { customer, channel: 'email', purpose: 'contact', address })
    const code = await latestCode()
    const confirmed = await confirmContact(service.deps, org, { customer, channel: 'email', code })
    expect(confirmed).toMatchObject({ kind: 'known', view: { customer: { id: known } } })
  }
  expect((await merchant.call('GET', `/v1/customers/${fresh}`)).status).toBe(404)
  expect((await read(established)).data).toEqual({ phone: '+12025550123' })
  expect((await read(known)).data.email).toBe(address)
})

test('without a sender or an address there is no code', async () => {
  const { id } = await create({ phone: '+12025550123' })
  const key = { customer: id, purpose: 'change' } as const
  await expect(sendCode(service.deps, org, { ...key, channel: 'sms' })).rejects.toEqual(
    refused('sender_not_found'),
  )
  await expect(sendCode(service.deps, org, { ...key, channel: 'email' })).rejects.toEqual(
    refused('customer_not_reachable'),
  )
})
