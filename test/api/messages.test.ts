import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startDeliveries } from '../../src/jobs/deliver-webhooks.ts'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { sendRound } from '../../src/jobs/send-messages.ts'
import { emailPasswordReset } from '../../src/operations/auth/email-links.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { type MailServer, refusal, startMailServer, textOf } from '../support/mail-server.ts'
import { createQuickPerson } from '../support/people.ts'
import { answerWith, type Receiver, startReceiver } from '../support/receiver.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let mail: MailServer
let receiver: Receiver
let campaign: string | undefined

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

beforeEach(async () => {
  service.setTime(new Date())
  merchant = await service.createMerchant()
  campaign = undefined
  mail = await startMailServer()
  receiver = await startReceiver()
})
afterEach(async () => {
  await mail.close()
  await receiver.close()
})

const setEmail = (more: object = {}) =>
  merchant.call('PUT', '/v1/senders/email', {
    host: '127.0.0.1',
    port: mail.port,
    security: 'none',
    from: 'Bean & Leaf <hello@example.com>',
    ...more,
  })

async function register(data: object = { email: 'ada@example.com', fullname: 'Ada' }, consents?: object) {
  campaign ??= await merchant.publishCampaign()
  const reply = await merchant.call('POST', '/v1/customers/register', {
    campaignId: campaign,
    customer: { data, consents },
  })
  expect(reply.status, reply.text).toBe(201)
  return reply.body as { id: string; cards: { id: string; walletUrl: string }[] }
}

const send = (card: string, more: object = {}) => merchant.call('POST', '/v1/messages', { card, ...more })
const shown = async (id: string) => (await merchant.call('GET', `/v1/messages/${id}`)).body
const round = () => sendRound(service.deps)

test('the link to the own card goes to the address of the customer', async () => {
  await setEmail()
  const { cards } = await register()
  expect((await merchant.call('GET', '/v1/till/organization')).body.channels).toEqual(['email'])
  const { status, body } = await send(cards[0]!.id)
  expect(status).toBe(201)
  expect(body).toMatchObject({ kind: 'card_link', channel: 'email', status: 1 })
  await round()
  expect(mail.mails).toHaveLength(1)
  const [first] = mail.mails
  expect(first).toMatchObject({ from: 'hello@example.com', to: ['ada@example.com'] })
  expect(first!.headers.get('message-id')).toContain(body.id)
  expect(textOf(first!)).toContain('Hello Ada,')
  expect(textOf(first!)).toContain(cards[0]!.walletUrl)
  // It is not marketing: nobody can unsubscribe from the own card.
  expect(first!.headers.has('list-unsubscribe')).toBe(false)
  expect(await shown(body.id)).toMatchObject({
    status: 3,
    attempts: [{ response: expect.stringMatching(/^250/) }],
  })
  await round()
  expect(mail.mails).toHaveLength(1)
})

test('a message that the server defers is tried again, one that it refuses is not', async () => {
  await setEmail()
  const { cards } = await register()
  mail.onMail = () => {
    throw refusal(451, 'Try again later')
  }
  const { body } = await send(cards[0]!.id)
  await round()
  expect(await shown(body.id)).toMatchObject({ status: 1, attempts: [{ response: '451 Try again later' }] })
  mail.onMail = () => {}
  await round()
  expect(mail.mails).toHaveLength(0)
  service.advance(90_000)
  await round()
  expect(mail.mails).toHaveLength(1)
  expect(await shown(body.id)).toMatchObject({ status: 3, attempts: [{}, {}] })

  mail.onMail = () => {
    throw refusal(550, 'No such user ADA@example.com, <ada@example.com>')
  }
  const refused = (await send(cards[0]!.id)).body
  await round()
  const { data } = (await merchant.call('GET', '/v1/events?types=message.sent&types=message.failed')).body
  expect(data.map(({ type, data }: { type: string; data: object }) => [type, data])).toEqual([
    ['message.sent', { message: body.id, kind: 'card_link', channel: 'email', customer: body.customer }],
    ['message.failed', { message: refused.id, kind: 'card_link', channel: 'email', customer: body.customer }],
  ])
  expect(await shown(refused.id)).toMatchObject({
    status: 4,
    attempts: [{ response: '550 No such user [redacted], <[redacted]>' }],
  })
})

test('a connection that ends after the content is not taken as permission to send it again', async () => {
  await setEmail()
  const { cards } = await register()
  // The server has everything, and dies before it says so.
  mail.onMail = () => {
    mail.disconnect()
    return new Promise(() => {})
  }
  const { body } = await send(cards[0]!.id)
  await round()
  expect(await shown(body.id)).toMatchObject({ status: 5 })
  mail.onMail = () => {}
  service.advance(86_400_000)
  merchant.call = await merchant.signIn()
  await round()
  expect(mail.mails).toHaveLength(0)
  // Somebody decides that twice is better than never.
  expect((await merchant.call('POST', `/v1/messages/${body.id}/retry`)).status).toBe(200)
  await round()
  expect(mail.mails).toHaveLength(1)
  expectRefusal(await merchant.call('POST', `/v1/messages/${body.id}/retry`), 409, 'message_already_sent')
})

test('a server that is away holds up its messages without using up their attempts', async () => {
  await setEmail({ port: 1 })
  const { cards } = await register()
  const ids = [await send(cards[0]!.id), await send(cards[0]!.id)].map(({ body }) => body.id)
  await round()
  const [sender] = (await merchant.call('GET', '/v1/senders')).body.data
  expect(sender).toMatchObject({
    failingSince: expect.any(String),
    lastError: expect.stringContaining('127.0.0.1:1'),
  })
  expect((await shown(ids[0]!)).attempts).toHaveLength(1)
  expect((await shown(ids[1]!)).attempts).toHaveLength(0)
  await setEmail()
  service.advance(90_000)
  await round()
  expect(mail.mails).toHaveLength(2)
  const [again] = (await merchant.call('GET', '/v1/senders')).body.data
  expect(again.failingSince).toBeUndefined()
})

test('what a process that died was sending is given up by email, and sent again by SMS', async () => {
  await setEmail()
  await merchant.call('PUT', '/v1/senders/sms', { url: receiver.url })
  const { cards } = await register({ email: 'ada@example.com', phone: '+12025550123' })
  const [email, sms] = [await send(cards[0]!.id), await send(cards[0]!.id, { channel: 'sms' })]
  await service.database.pool.query(
    'UPDATE messages SET status = 2, started_at = $1, next_attempt_at = NULL',
    [service.deps.clock()],
  )
  service.advance(301_000)
  await round()
  expect(await shown(email.body.id)).toMatchObject({ status: 5 })
  service.advance(90_000)
  await round()
  expect(await shown(sms.body.id)).toMatchObject({ status: 3 })
  expect(mail.mails).toHaveLength(0)
  expect(receiver.received).toHaveLength(1)
})

test('an SMS is a signed request with the ID of the message', async () => {
  const { status, body: sender } = await merchant.call('PUT', '/v1/senders/sms', { url: receiver.url })
  expect(status).toBe(200)
  const { cards } = await register({ phone: '+12025550123' })
  const { body } = await send(cards[0]!.id)
  expect(body.channel).toBe('sms')
  receiver.answer = answerWith(503)
  await round()
  service.advance(90_000)
  receiver.answer = answerWith(204)
  await round()
  expect(receiver.received).toHaveLength(2)
  for (const { headers, body: text } of receiver.received) {
    new Verifier(sender.secret).verify(
      text,
      headers as Record<string, string>,
      {
        now: service.deps.clock(),
      } as never,
    )
    expect(headers['webhook-id']).toBe(body.id)
    expect(JSON.parse(text)).toMatchObject({ id: body.id, data: { to: '+12025550123' } })
  }
  expect(JSON.parse(receiver.received[0]!.body).data.text).toContain(cards[0]!.walletUrl)
  // The secret is shown once, and stays the same.
  const again = await merchant.call('PUT', '/v1/senders/sms', { url: receiver.url })
  expect(again.body.secret).toBeUndefined()
})

test('no more are sent within an hour than the merchant allows', async () => {
  await setEmail({ perHour: 2 })
  const { cards } = await register()
  for (let i = 0; i < 3; i++) await send(cards[0]!.id)
  await round()
  await round()
  expect(mail.mails).toHaveLength(2)
  service.advance(3_600_000 + 1_000)
  await round()
  expect(mail.mails).toHaveLength(3)
})

test('several processes never send the same message', async () => {
  await setEmail({ perHour: 1_000 })
  const { cards } = await register()
  const ids = new Set<string>()
  for (let i = 0; i < 30; i++) ids.add((await send(cards[0]!.id)).body.id)
  await Promise.all([round(), round(), round(), round()])
  await round()
  const sent = mail.mails.map(({ headers }) => headers.get('message-id')!)
  expect(sent).toHaveLength(30)
  expect(new Set(sent).size).toBe(30)
})

test('nobody can be written to without a sender or an address', async () => {
  const { cards } = await register({ phone: '+12025550123' })
  expectRefusal(await send(cards[0]!.id), 400, 'sender_not_found')
  await setEmail()
  expectRefusal(await send(cards[0]!.id), 400, 'customer_not_reachable')
  expectRefusal(await send(cards[0]!.id, { channel: 'sms' }), 400, 'sender_not_found')
})

test('an erased customer gets nothing any more, and no address is kept', async () => {
  await setEmail()
  const { id, cards } = await register({ email: 'zoe@example.com', fullname: 'Zoe' })
  const { body } = await send(cards[0]!.id)
  await merchant.call('POST', `/v1/customers/${id}/erase`)
  await round()
  expect(mail.mails).toHaveLength(0)
  expect(await shown(body.id)).toMatchObject({
    status: 4,
    attempts: [{ code: 'customer_erased', error: 'The customer has been erased.' }],
  })
  const { rows } = await service.database.pool.query('SELECT row_to_json(m)::text AS row FROM messages m')
  expect(rows.map(({ row }: { row: string }) => row).join()).not.toMatch(/zoe|@/i)
})

describe('a message that came back', () => {
  const bounce = (id: string) => merchant.call('POST', `/v1/messages/${id}/bounced`)
  const bouncedOf = async (id: string) => (await merchant.call('GET', `/v1/customers/${id}`)).body.bounced

  test('ends the use of its address, until that changes', async () => {
    await setEmail()
    const { id, cards } = await register({ email: 'old@example.com', fullname: 'Ada' })
    const { body } = await send(cards[0]!.id)
    expectRefusal(await bounce('msg_x'), 404, 'message_not_found')
    await round()
    const reply = await bounce(body.id)
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({ status: 6, attempts: [{}, { code: 'bounced' }] })
    expect(reply.body.attempts.every((attempt: object) => !('address' in attempt))).toBe(true)
    expect((await bounce(body.id)).body).toEqual(reply.body)
    expect(await bouncedOf(id)).toEqual({ email: true, phone: false })
    const events = await merchant.call('GET', '/v1/events?types=message.bounced')
    expect(events.body.data.map(({ data }: { data: object }) => data)).toEqual([
      { message: body.id, kind: 'card_link', channel: 'email', customer: id },
    ])
    expectRefusal(await send(cards[0]!.id), 400, 'customer_not_reachable')
    expectRefusal(await merchant.call('POST', `/v1/messages/${body.id}/retry`), 409, 'message_already_sent')

    // Something else about the customer changes, and then the address does.
    await merchant.call('PATCH', `/v1/customers/${id}`, { data: { fullname: 'Ada L.' } })
    expect(await bouncedOf(id)).toEqual({ email: true, phone: false })
    await merchant.call('PATCH', `/v1/customers/${id}`, { data: { email: 'new@example.com' } })
    expect(await bouncedOf(id)).toEqual({ email: false, phone: false })
    expect((await send(cards[0]!.id)).status).toBe(201)
    await round()
    expect(mail.mails.map(({ to }) => to)).toEqual([['old@example.com'], ['new@example.com']])
    const { rows } = await service.database.pool.query('SELECT row_to_json(m)::text AS row FROM messages m')
    expect(rows.map(({ row }: { row: string }) => row).join()).not.toContain('@example.com')
  })

  test('says nothing about an address that the customer has got since', async () => {
    await setEmail()
    const { id, cards } = await register()
    const { body } = await send(cards[0]!.id)
    await round()
    await merchant.call('PATCH', `/v1/customers/${id}`, { data: { email: 'new@example.com' } })
    expect((await bounce(body.id)).body.status).toBe(6)
    expect(await bouncedOf(id)).toEqual({ email: false, phone: false })
  })

  test('leaves the other way to the customer, and stops what waits', async () => {
    await setEmail()
    await merchant.call('PUT', '/v1/senders/sms', { url: receiver.url })
    const { id, cards } = await register({ email: 'both@example.com', phone: '+12025550123' })
    const first = (await send(cards[0]!.id, { channel: 'email' })).body
    await round()
    const waiting = (await send(cards[0]!.id, { channel: 'email' })).body
    await bounce(first.id)
    await round()
    expect(await shown(waiting.id)).toMatchObject({ status: 4, attempts: [{ code: 'address_bounced' }] })
    expect((await send(cards[0]!.id)).body.channel).toBe('sms')
    expect(await bouncedOf(id)).toEqual({ email: true, phone: false })
  })
})

describe('the settings of a sender', () => {
  test('a password goes only to the server that it was given for', async () => {
    expect((await setEmail({ user: 'loyalty', password: 'correct horse battery' })).status).toBe(200)
    const { body } = await setEmail({ user: 'loyalty', replyTo: 'care@example.com' })
    expect(body.email).toMatchObject({ hasPassword: true, replyTo: 'care@example.com' })
    expect(JSON.stringify(body)).not.toContain('correct horse')
    expectRefusal(await setEmail({ host: '127.0.0.2', user: 'loyalty' }), 400, '_invalid_payload')
    const { rows } = await service.database.pool.query('SELECT row_to_json(s)::text AS row FROM senders s')
    expect(rows.map(({ row }: { row: string }) => row).join()).not.toContain('correct horse')
  })

  test.each([
    ['a host that only this machine can reach', { host: '10.0.0.1', security: 'tls' }],
    ['no encryption on the internet', { host: 'smtp.example.com' }],
    ['an address that is none', { from: 'nobody' }],
    ['two headers in one', { from: 'a@example.com\r\nBcc: b@example.com' }],
  ])('refuses %s', async (_, more) => {
    expectRefusal(await setEmail(more), 400, '_invalid_payload')
  })

  test('a test says what is wrong, and is tried once', async () => {
    const tryOut = async (password: string) => {
      await setEmail({ user: 'loyalty', password })
      const { status, body } = await merchant.call('POST', '/v1/senders/email/test', {
        email: 'me@example.com',
      })
      expect(status).toBe(201)
      await round()
      return shown(body.id)
    }
    const wrong = await tryOut('wrong')
    expect(wrong).toMatchObject({ status: 4, attempts: [{ error: expect.stringContaining('password') }] })
    expect(await tryOut('correct horse battery')).toMatchObject({ status: 3 })
    expect(mail.mails.map(({ to }) => to)).toEqual([['me@example.com']])
  })
})

describe('messages that are sent by themselves', () => {
  const switchOn = (kind: string, more: object = {}) =>
    merchant.call('PATCH', `/v1/message-kinds/${kind}`, { channels: ['email'], ...more })

  test('are off until they are switched on, and begin with what happens next', async () => {
    await setEmail()
    await register()
    await round()
    expect((await switchOn('card_opened')).status).toBe(200)
    await round()
    expect(mail.mails).toHaveLength(0)
    await register({ email: 'grace@example.com' })
    await register({ phone: '+12025550123' })
    await round()
    await round()
    expect(mail.mails.map(({ to }) => to)).toEqual([['grace@example.com']])
    await switchOn('card_opened', { channels: [] })
    await register({ email: 'joan@example.com' })
    await round()
    expect(mail.mails).toHaveLength(1)
  })

  test('what is marketing goes only to those who agreed, with a way to stop it', async () => {
    await setEmail()
    await switchOn('reward_earned')
    const agreed = await register({ email: 'ada@example.com' }, { marketing: true })
    const refused = await register({ email: 'grace@example.com' }, { marketing: false })
    for (const { id } of [agreed, refused]) {
      const reply = await merchant.call('POST', '/v1/coupons', {
        customer: id,
        reward: 'free-coffee',
        campaign,
      })
      expect(reply.status, reply.text).toBe(201)
    }
    await round()
    expect(mail.mails.map(({ to }) => to)).toEqual([['ada@example.com']])
    const [first] = mail.mails
    expect(textOf(first!)).toContain('Free coffee')
    expect(first!.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    expect(first!.headers.get('list-unsubscribe')).toMatch(/^<https:\/\/loyalty\.example\.com\/u\/[\w-]+>$/)
    // Opening the link in the message counts; opening the page to unsubscribe changes nothing.
    const link = new URL(/https:\S+\/w\/\S+/.exec(textOf(first!))![0])
    expect((await service.call('GET', link.pathname + link.search)).status).toBe(200)
    const stop = new URL(first!.headers.get('list-unsubscribe')!.slice(1, -1)).pathname
    const asked = await service.call('GET', stop, { headers: { 'accept-language': 'de-AT,en' } })
    expect(asked).toMatchObject({ status: 200, text: expect.stringContaining('Abmelden') })
    const consentsOf = async () => (await merchant.call('GET', `/v1/customers/${agreed.id}`)).body.consents
    expect((await consentsOf()).marketing).toBe(true)
    const oneClick = await service.app.inject({
      method: 'POST',
      url: stop,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'List-Unsubscribe=One-Click',
    })
    expect(oneClick.statusCode).toBe(200)
    expect(await consentsOf()).toMatchObject({
      marketing: false,
      history: [{}, { given: false, via: 'message' }],
    })
    expect((await service.call('GET', `${stop}x`)).status).toBe(404)
    await merchant.call('POST', '/v1/coupons', { customer: agreed.id, reward: 'free-coffee', campaign })
    await round()
    expect(mail.mails).toHaveLength(1)
    const { body } = await merchant.call('GET', '/v1/message-kinds')
    const counted = body.data.find(({ kind }: { kind: string }) => kind === 'reward_earned')
    expect(counted.counts).toEqual({ pending: 0, sent: 1, failed: 0, clicked: 1 })
    expect(counted.placeholders).toEqual(['greeting', 'name', 'merchant', 'link', 'reward', 'date'])
  })
})

describe('reminders', () => {
  const day = 86_400_000
  const daily = () => runRound(service.deps, { kinds: ['reminders'] })
  /** Until ten in the morning has passed once. */
  const nextMorning = async () => {
    service.advance(day)
    await daily()
    await round()
  }
  const switchOn = (kind: string, days?: number) =>
    merchant.call('PATCH', `/v1/message-kinds/${kind}`, { channels: ['email'], days })

  test('are found once a day, once for each reason', async () => {
    await setEmail()
    await switchOn('birthday')
    await switchOn('not_seen', 30)
    const tomorrow = new Date(service.deps.clock().getTime() + day).toISOString().slice(5, 10)
    const { id } = await register({ email: 'ada@example.com' }, { marketing: true })
    await register({ email: 'grace@example.com' }, { marketing: false })
    await merchant.call('PATCH', `/v1/customers/${id}`, { metaData: { birthday: `1990-${tomorrow}` } })
    await nextMorning()
    await daily()
    await round()
    expect(mail.mails.map(({ headers }) => headers.get('subject'))).toEqual(['Happy birthday!'])
    await nextMorning()
    expect(mail.mails).toHaveLength(1)
  })

  test('of coupons and points that expire, with the amount and the day', async () => {
    await setEmail()
    await switchOn('coupon_expiring', 3)
    await switchOn('points_expiring', 3)
    campaign = await merchant.publishCampaign({
      name: 'Club',
      balances: [{ key: 'points', name: 'Points', expires: { after: 'P10D' } }],
      rules: [{ id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }],
      rewards: [{ key: 'free-coffee', name: 'Free coffee', kind: 'amount_off', amount: 5, validDays: 10 }],
    })
    const { id, cards } = await register({ email: 'ada@example.com' }, { marketing: true })
    await merchant.call('POST', '/v1/coupons', { customer: id, reward: 'free-coffee', campaign })
    const sale = await merchant.call('POST', '/v1/transactions/process', {
      customer: id,
      card: cards[0]!.id,
      amount: 12,
    })
    expect(sale.status, sale.text).toBe(201)
    for (let i = 0; i < 6; i++) await nextMorning()
    expect(mail.mails).toHaveLength(0)
    for (let i = 0; i < 3; i++) await nextMorning()
    const subjects = mail.mails.map(({ headers }) => headers.get('subject')!).toSorted()
    expect(subjects).toEqual([
      expect.stringMatching(/^12 Points expire on \w+ \d+/),
      expect.stringMatching(/^Free coffee: use it by \w+ \d+/),
    ])
  })
})

describe('texts', () => {
  test('are in the language of the organization, in words of ours or of the merchant', async () => {
    await setEmail()
    await merchant.call('PATCH', '/v1/organization', { locale: 'de-AT' })
    const { cards } = await register()
    await send(cards[0]!.id)
    await round()
    expect(textOf(mail.mails[0]!)).toContain('Hallo Ada,')
    const path = '/v1/message-kinds/card_link/texts/email/de'
    const own = { subject: 'Karte', body: 'Servus {name}: {link}' }
    expect((await merchant.call('PUT', path, own)).status).toBe(200)
    await send(cards[0]!.id)
    await round()
    expect(textOf(mail.mails[1]!)).toContain('Servus Ada: https://')
    await merchant.call('DELETE', path)
    await send(cards[0]!.id)
    await round()
    expect(textOf(mail.mails[2]!)).toContain('Hallo Ada,')
  })

  test('say which placeholders they do not know, and need the link', async () => {
    const path = '/v1/message-kinds/card_link/texts/email/en'
    const wrong = { subject: 'Hi', body: 'Hello {firstname} {link}' }
    const reply = await merchant.call('PUT', path, wrong)
    expect(reply.body.description).toMatch(/\{firstname\} is not known here\. Use .*\{link\}/)
    expectRefusal(await merchant.call('PUT', path, { subject: 'Hi', body: 'Hello' }), 400, '_invalid_payload')
    expectRefusal(await merchant.call('PUT', path, { body: '{link}' }), 400, '_invalid_payload')
  })

  test('a preview shows them, with what customers wrote as text', async () => {
    const { body } = await merchant.call('POST', '/v1/message-kinds/reward_earned/preview', {
      channel: 'email',
      language: 'en',
      subject: '{reward}',
      body: '<b>Hi</b> {name}\n\n{link}',
    })
    expect(body.subject).toBe('Free coffee')
    expect(body.html).toContain('&#60;b&#62;Hi&#60;/b&#62; Ada')
    expect(body.html).toContain('/u/')
  })
})

describe('messages to those who work for the merchant', () => {
  const linkIn = () => /https:\S+\/console\/join#(\S+)/.exec(textOf(mail.mails.at(-1)!))
  const forgot = (email: string) => service.call('POST', '/auth/forgotten-password', { body: { email } })

  test('an invitation is emailed as well, with the link that the inviter sees', async () => {
    const before = await merchant.call('POST', '/v1/people', { email: 'one@example.com', role: 'cashier' })
    expect(before.body.invitation.emailed).toBe(false)
    await setEmail()
    const { body } = await merchant.call('POST', '/v1/people', { email: 'two@example.com', role: 'cashier' })
    expect(body.invitation.emailed).toBe(true)
    await round()
    expect(mail.mails.map(({ to }) => to)).toEqual([['two@example.com']])
    expect(textOf(mail.mails[0]!)).toContain(body.invitation.url)
    const { rows } = await service.database.pool.query('SELECT sealed FROM messages')
    expect(rows.filter(({ sealed }) => sealed !== null)).toEqual([])
  })

  test('a forgotten password is replaced with the link in an email, and the old one works until then', async () => {
    const person = await createQuickPerson(service, merchant)
    await setEmail()
    const signIn = (password: string) =>
      service.call('POST', '/auth/session', { body: { email: person.email, password } })
    const unknown = await forgot('nobody@example.com')
    const known = await forgot(person.email)
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body])
    await vi.waitFor(async () => {
      await round()
      expect(mail.mails).toHaveLength(1)
    })
    // A second request soon after the first neither sends another one nor ends the first.
    await emailPasswordReset(service.deps, person.email)
    await round()
    expect(mail.mails).toHaveLength(1)
    expect(mail.mails[0]!.to).toEqual([person.email])
    expect((await signIn(person.password)).status).toBe(200)
    const token = linkIn()![1]!
    const password = 'staple battery wallet'
    const accepted = await service.call('POST', '/auth/invitation', { body: { token, password } })
    expect(accepted.status, accepted.text).toBe(200)
    expect((await signIn(person.password)).status).toBe(401)
    expect((await signIn(password)).status).toBe(200)
  })

  test('the link for a forgotten password is valid for an hour', async () => {
    const person = await createQuickPerson(service, merchant)
    await setEmail()
    await emailPasswordReset(service.deps, person.email)
    await round()
    service.advance(3_600_001)
    const body = { token: linkIn()![1]!, password: 'staple battery wallet' }
    expectRefusal(await service.call('POST', '/auth/invitation', { body }), 400, 'invalid_invitation')
  })

  test('owners are told of a webhook that was paused, by its host', async () => {
    const owner = await createQuickPerson(service, merchant)
    await setEmail()
    receiver.answer = answerWith(410)
    await merchant.call('POST', '/v1/webhooks', { url: `${receiver.url}?token=hidden` })
    await merchant.call('POST', '/v1/customers', { data: { fullname: 'Ada' } })
    const deliveries = startDeliveries(service.deps, { pauseMs: 10 })
    await vi.waitFor(async () => {
      await round()
      expect(mail.mails.map(({ to }) => to)).toEqual([[owner.email]])
    }, 30_000)
    await deliveries.stop()
    expect(textOf(mail.mails[0]!)).toContain(new URL(receiver.url).host)
    expect(textOf(mail.mails[0]!)).not.toContain('hidden')
  })
})
