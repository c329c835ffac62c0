import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CustomerId } from '../../src/domain/ids.ts'
import { sendRound } from '../../src/jobs/send-messages.ts'
import { sendCode } from '../../src/operations/customers/contact-codes.ts'
import { type MailServer, startMailServer, textOf } from '../support/mail-server.ts'
import type { Reply } from '../support/service.ts'
import { many, startTwoInstances, type TwoInstances } from '../support/two-instances.ts'

let two: TwoInstances
let mail: MailServer
let campaign: string

beforeAll(async () => {
  two = await startTwoInstances()
  mail = await startMailServer()
  campaign = await two.merchant.publishCampaign()
  const sender = { host: '127.0.0.1', port: mail.port, security: 'none', from: 'hello@example.com' }
  await two.call('PUT', '/v1/senders/email', sender)
})
afterAll(async () => {
  expect(await two.problems()).toEqual([])
  await mail.close()
  await two.close()
})

let made = 0

async function enroll(data: Record<string, string> = { email: `race-${++made}@example.com` }) {
  const { customer, card } = await two.merchant.register(campaign, data)
  const { body } = await two.merchant.call('GET', `/v1/cards/${card}`)
  return { customer: customer as CustomerId, card, path: new URL(body.walletUrl).pathname, ...data }
}

/** The requests of customers go to the two instances alternately, too. */
const post = (i: number, path: string, body: object): Promise<Reply> =>
  (i % 2 ? two.second : two.service).call('POST', path, { body })

async function codeFor(path: string, purpose: string): Promise<string> {
  expect((await post(0, `${path}/codes`, { purpose, channel: 'email' })).status).toBe(202)
  return latestCode()
}

async function latestCode(): Promise<string> {
  await sendRound(two.service.deps)
  return /\b\d{6}\b/.exec(textOf(mail.mails.at(-1)!))![0]
}

const count = (replies: readonly Reply[], is: (reply: Reply) => boolean) => replies.filter(is).length

test('a code that comes back 20 times at once opens one session', async () => {
  const { path } = await enroll()
  const code = await codeFor(path, 'change')
  const replies = await many(20, (i) => post(i, `${path}/sessions`, { channel: 'email', code }))
  expect(count(replies, ({ status }) => status === 201)).toBe(1)
  expect(count(replies, ({ body }) => body.message === 'code_expired')).toBe(19)
})

test('of 50 guesses at once five are compared, and the right code is worth nothing after that', async () => {
  const { path } = await enroll()
  const code = await codeFor(path, 'erase')
  const wrong = (i: number) => String((Number(code) + 1 + i) % 1_000_000).padStart(6, '0')
  const replies = await many(50, (i) => post(i, `${path}/erase`, { channel: 'email', code: wrong(i) }))
  expect(count(replies, ({ body }) => body.message === 'invalid_code')).toBe(5)
  expect(count(replies, ({ body }) => body.message === 'code_expired')).toBe(45)
  expect((await post(0, `${path}/erase`, { channel: 'email', code })).body.message).toBe('code_expired')
  expect((await two.service.call('GET', `${path}/card`)).status).toBe(200)
})

test('a customer who is erased while they buy is erased once, and the books agree', async () => {
  const held = await enroll()
  const code = await codeFor(held.path, 'erase')
  const [erased, sales] = await Promise.all([
    many(10, (i) => post(i, `${held.path}/erase`, { channel: 'email', code })),
    many(20, () => two.call('POST', '/v1/transactions/process', { ...sale(held), amount: 5 })),
  ])
  expect(count(erased, ({ status }) => status === 204)).toBe(1)
  const outcomes = new Set(sales.map(({ status, body }) => (status === 201 ? 'sold' : body.message)))
  for (const outcome of outcomes) expect(['sold', 'customer_not_found']).toContain(outcome)
  expect((await two.call('GET', `/v1/customers/${held.customer}`)).status).toBe(404)
})

const sale = ({ customer, card }: { customer: string; card: string }) => ({ customer, card })

test('an address that two customers confirm at once belongs to one of them', async () => {
  const address = 'shared@example.com'
  const claims: { customer: CustomerId; path: string; code: string }[] = []
  for (const phone of ['+12025550141', '+12025550142']) {
    const held = await enroll({ phone })
    const { org } = two.service.deps.walletTokens.read(held.path.slice('/w/'.length))!
    const request = { customer: held.customer, channel: 'email', purpose: 'contact', address } as const
    await sendCode(two.service.deps, org, request)
    claims.push({ ...held, code: await latestCode() })
  }
  const replies = await many(2, (i) =>
    post(i, `${claims[i]!.path}/contacts/confirm`, { channel: 'email', code: claims[i]!.code }),
  )
  expect(count(replies, ({ body }) => body.isAttached === true)).toBe(1)
  for (const { status } of replies) expect(status).toBeLessThan(500)
  const owners = await Promise.all(
    claims.map(async ({ customer }) => (await two.call('GET', `/v1/customers/${customer}`)).body.data.email),
  )
  expect(owners.filter((email) => email === address)).toHaveLength(1)
})
