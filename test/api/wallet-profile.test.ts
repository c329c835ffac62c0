import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sendRound } from '../../src/jobs/send-messages.ts'
import { sendCode } from '../../src/operations/customers/contact-codes.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { type MailServer, startMailServer, textOf } from '../support/mail-server.ts'
import {
  coffeeClub,
  type Merchant,
  type Method,
  type Reply,
  startTestService,
  type TestService,
} from '../support/service.ts'

let service: TestService
let merchant: Merchant
let mail: MailServer
let campaign: string

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

beforeEach(async () => {
  service.setTime(new Date())
  mail = await startMailServer()
  merchant = await openMerchant()
  campaign = await merchant.publishCampaign()
})
afterEach(() => mail.close())

async function openMerchant(): Promise<Merchant> {
  const opened = await service.createMerchant()
  await opened.call('PUT', '/v1/senders/email', {
    host: '127.0.0.1',
    port: mail.port,
    security: 'none',
    from: 'hello@example.com',
  })
  return opened
}

interface Held {
  readonly customer: `cus_${string}`
  readonly card: string
  readonly path: string
}

async function enroll(data: Record<string, string>, of = merchant, into = campaign): Promise<Held> {
  const { customer, card } = await of.register(into, data)
  const { body } = await of.call('GET', `/v1/cards/${card}`)
  return { customer: customer as Held['customer'], card, path: new URL(body.walletUrl).pathname }
}

const ada = { fullname: 'Ada Lovelace', email: 'ada@example.com' }
const call = (method: Method, path: string, body?: object, session?: string): Promise<Reply> =>
  service.call(method, path, {
    body,
    ...(session !== undefined && { headers: { authorization: `Bearer ${session}` } }),
  })
const ask = (path: string, purpose: string, more: object = {}, session?: string) =>
  call('POST', `${path}/codes`, { purpose, channel: 'email', ...more }, session)
const answer = (path: string, action: string, code: string) =>
  call('POST', `${path}/${action}`, { channel: 'email', code })
const read = async ({ customer }: Held, of = merchant) =>
  (await of.call('GET', `/v1/customers/${customer}`)).body

async function latestCode(): Promise<string> {
  await sendRound(service.deps)
  return /\b\d{6}\b/.exec(textOf(mail.mails.at(-1)!))![0]
}
const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

async function codeFor(path: string, purpose: string): Promise<string> {
  const sent = await ask(path, purpose)
  expect(sent.status, sent.text).toBe(202)
  return latestCode()
}

async function open(path: string): Promise<string> {
  const { status, body, text } = await answer(path, 'sessions', await codeFor(path, 'change'))
  expect(status, text).toBe(201)
  return body.session
}

const orgOf = ({ path }: Held) => service.deps.walletTokens.read(path.slice('/w/'.length))!.org
const eventsOf = async ({ customer }: Held, type: string) =>
  (await merchant.call('GET', `/v1/events?customer=${customer}&types=${type}&limit=100`)).body.data

describe('the link alone', () => {
  test('shows no more of an address than its owner recognizes', async () => {
    const held = await enroll({ ...ada, phone: '+12025550123' })
    const { body, text } = await call('GET', `${held.path}/card`)
    expect(body.contacts).toEqual([
      { channel: 'email', address: 'a•••@e•••.com', isVerified: false, canReceive: true },
      { channel: 'sms', address: '+1 ••• ••23', isVerified: false, canReceive: false },
    ])
    expect(body.unconfirmed).toEqual([])
    for (const hidden of ['ada@example', '2025550123', 'Lovelace']) expect(text).not.toContain(hidden)
    const sent = await ask(held.path, 'change')
    expect(sent.body).toMatchObject({ channel: 'email', address: 'a•••@e•••.com' })
    expect(sent.text).not.toContain('ada@example')
  })

  test('changes and reads nothing', async () => {
    const held = await enroll(ada)
    const before = await read(held)
    for (const session of [undefined, 'x', held.path.slice('/w/'.length)]) {
      expectRefusal(await call('GET', `${held.path}/profile`, undefined, session), 401, '_unauthorized')
      const patch = { fullname: 'Mallory', consents: { marketing: true } }
      expectRefusal(await call('PATCH', `${held.path}/profile`, patch, session), 401, '_unauthorized')
      const address = { address: 'mallory@example.com' }
      expectRefusal(await ask(held.path, 'contact', address, session), 401, '_unauthorized')
    }
    for (const action of ['sessions', 'contacts/confirm', 'download', 'erase'])
      expectRefusal(await answer(held.path, action, '123456'), 400, 'code_expired')
    expectRefusal(await ask(held.path, 'contact'), 400, 'customer_not_reachable')
    expect(await read(held)).toEqual(before)
    expect(mail.mails).toEqual([])
  })

  test('that was never ours, or is over, gets nothing at all', async () => {
    const held = await enroll(ada)
    await merchant.call('POST', `/v1/cards/${held.card}/wallet/renew`)
    for (const path of [held.path, '/w/never-ours']) {
      expectRefusal(await ask(path, 'change'), 404, '_not_found')
      for (const action of ['sessions', 'contacts/confirm', 'download', 'erase'])
        expectRefusal(await answer(path, action, '123456'), 404, '_not_found')
      expectRefusal(await call('GET', `${path}/profile`), 404, '_not_found')
    }
  })

  test('says what is wrong with a request', async () => {
    const { path } = await enroll(ada)
    expectRefusal(await ask(path, 'nothing'), 400, '_invalid_payload', /purpose/)
    expectRefusal(await ask(path, 'change', { channel: 'pigeon' }), 400, '_invalid_payload', /channel/)
    expectRefusal(await ask(path, 'change', { address: 'x@example.com' }), 400, '_invalid_payload', /address/)
    expectRefusal(await ask(path, 'change', { channel: 'sms' }), 400, 'sender_not_found')
    expectRefusal(
      await call('POST', `${path}/sessions`, { channel: 'email' }),
      400,
      '_invalid_payload',
      /code/,
    )
  })
})

test('a card that waits for approval has no code to scan, and says so', async () => {
  const held = await enroll(ada)
  await service.database.pool.query('UPDATE cards SET status = 2, awaits_approval = true WHERE id = $1', [
    held.card.slice('card_'.length),
  ])
  const { body } = await call('GET', `${held.path}/card`)
  expect(body.card).toEqual({ status: 2, campaignName: 'Coffee club', awaitsApproval: true })
})

test('nonsense is refused, and changes nothing', async () => {
  const held = await enroll(ada)
  const session = await open(held.path)
  const before = await read(held)
  const texts = ['', ' ', '\u0000', '\u202e', '6️⃣'.repeat(6), '-1', 'x'.repeat(10_000), '%00', "' OR 1=1 --"]
  const bodies = [
    null,
    [],
    7,
    'text',
    { channel: null, code: null },
    { channel: ['email'], code: ['123456'] },
  ]
  const codes = texts.map((code) => ({ channel: 'email', code }))
  for (const action of ['codes', 'sessions', 'contacts/confirm', 'download', 'erase', 'link'])
    for (const body of [...bodies, ...(action === 'link' ? [] : codes)]) {
      const { status } = await call('POST', `${held.path}/${action}`, body as object)
      expect([action, body, status >= 400 && status < 500]).toEqual([action, body, true])
    }
  for (const text of ['\u0000', 'x'.repeat(10_000)])
    for (const body of [
      { fullname: text },
      { language: text },
      { consents: { [text]: true } },
      { shownIn: text },
    ])
      expectRefusal(await call('PATCH', `${held.path}/profile`, body, session), 400, '_invalid_payload')
  for (const authorization of [
    '',
    'Bearer',
    'Basic x',
    `bearer ${session}x`,
    `Bearer ${session.toUpperCase()}`,
  ])
    expectRefusal(
      await service.call('GET', `${held.path}/profile`, { headers: { authorization } }),
      401,
      '_unauthorized',
    )
  expect(await read(held)).toEqual(before)
})

describe('a code', () => {
  test('opens a session for a quarter of an hour, for this customer alone, and verifies the address', async () => {
    const held = await enroll(ada)
    const code = await codeFor(held.path, 'change')
    expectRefusal(await answer(held.path, 'sessions', other(code)), 400, 'invalid_code')
    const { status, body } = await answer(held.path, 'sessions', ` ${code.slice(0, 3)} ${code.slice(3)} `)
    expect(status).toBe(201)
    expect((await read(held)).verified).toEqual({ email: true, phone: false })
    // It counts once.
    expectRefusal(await answer(held.path, 'sessions', code), 400, 'code_expired')
    const profile = await call('GET', `${held.path}/profile`, undefined, body.session)
    expect(profile.body).toMatchObject({
      fullname: 'Ada Lovelace',
      contacts: [{ channel: 'email', address: 'ada@example.com', isVerified: true, canReceive: true }],
      consents: { history: [] },
    })
    expect(profile.headers['cache-control']).toBe('no-store')

    const neighbor = await enroll({ email: 'grace@example.com' })
    expectRefusal(
      await call('GET', `${neighbor.path}/profile`, undefined, body.session),
      401,
      '_unauthorized',
    )
    const rival = await openMerchant()
    const foreign = await enroll(ada, rival, await rival.publishCampaign())
    expectRefusal(await call('GET', `${foreign.path}/profile`, undefined, body.session), 401, '_unauthorized')

    service.advance(14 * 60_000)
    expect((await call('GET', `${held.path}/profile`, undefined, body.session)).status).toBe(200)
    service.advance(61_000)
    expectRefusal(await call('GET', `${held.path}/profile`, undefined, body.session), 401, '_unauthorized')
  })

  test('is none of another customer, nor of another organization, nor for another purpose', async () => {
    const held = await enroll(ada)
    const code = await codeFor(held.path, 'change')
    const neighbor = await enroll({ email: 'grace@example.com' })
    const rival = await openMerchant()
    const foreign = await enroll(ada, rival, await rival.publishCampaign())
    for (const { path } of [neighbor, foreign])
      expectRefusal(await answer(path, 'sessions', code), 400, 'code_expired')
    for (const action of ['download', 'erase', 'contacts/confirm'])
      expectRefusal(await answer(held.path, action, code), 400, 'code_expired')
    expect((await answer(held.path, 'sessions', code)).status).toBe(201)
  })

  test('is good for ten minutes and five attempts, and one is sent a minute', async () => {
    const { path } = await enroll(ada)
    const first = await codeFor(path, 'change')
    const again = await ask(path, 'change')
    expectRefusal(again, 429, '_too_many_requests')
    expect(Number(again.headers['retry-after'])).toBeGreaterThan(0)
    for (let i = 0; i < 5; i++)
      expectRefusal(await answer(path, 'sessions', other(first)), 400, 'invalid_code')
    expectRefusal(await answer(path, 'sessions', first), 400, 'code_expired')
    service.advance(61_000)
    const second = await codeFor(path, 'change')
    service.advance(600_000)
    expectRefusal(await answer(path, 'sessions', second), 400, 'code_expired')
  })

  test('that comes back twice at once counts once', async () => {
    const { path } = await enroll(ada)
    const code = await codeFor(path, 'change')
    const statuses = (await Promise.all([1, 2, 3].map(() => answer(path, 'sessions', code)))).map(
      ({ status }) => status,
    )
    expect(statuses.sort()).toEqual([201, 400, 400])
  })

  test('does not reach a customer who is blocked', async () => {
    const held = await enroll(ada)
    const session = await open(held.path)
    await merchant.call('POST', `/v1/customers/${held.customer}/block`)
    expectRefusal(await ask(held.path, 'erase'), 400, 'customer_not_active')
    expectRefusal(
      await call('PATCH', `${held.path}/profile`, { fullname: 'A' }, session),
      400,
      'customer_not_active',
    )
  })
})

describe('in a session', () => {
  test('name, language and consents change, with the words that were shown', async () => {
    const held = await enroll(ada)
    const session = await open(held.path)
    const patch = { fullname: 'Ada King', language: 'de', consents: { marketing: true }, shownIn: 'de' }
    const { status, body, text } = await call('PATCH', `${held.path}/profile`, patch, session)
    expect(status, text).toBe(200)
    const wording = body.consentWords.de
    expect(body).toMatchObject({ fullname: 'Ada King', language: 'de', consents: { marketing: true } })
    const customer = await read(held)
    expect(customer).toMatchObject({
      data: { fullname: 'Ada King', email: 'ada@example.com' },
      language: 'de',
    })
    expect(customer.consents.history).toEqual([
      { purpose: 'marketing', given: true, via: 'wallet', at: expect.any(String), wording },
    ])
    const by = { kind: 'customer' }
    expect((await eventsOf(held, 'consent.changed')).at(-1).data).toEqual({ customer: held.customer, by })
    expect((await eventsOf(held, 'customer.changed')).at(-1).data).toMatchObject({
      changed: ['data.fullname', 'consents', 'language'],
      by,
    })

    const words = 'Blue Cup may write to me.'
    await merchant.call('PATCH', '/v1/organization', { contact: { consentText: words } })
    await call('PATCH', `${held.path}/profile`, { consents: { marketing: false } }, session)
    await call('PATCH', `${held.path}/profile`, { consents: { marketing: true }, shownIn: 'ar' }, session)
    const { history } = (await read(held)).consents
    expect(history.slice(1)).toEqual([
      { purpose: 'marketing', given: false, via: 'wallet', at: expect.any(String) },
      { purpose: 'marketing', given: true, via: 'wallet', at: expect.any(String), wording: words },
    ])
    expect((await read(held)).verified.email).toBe(true)
  })

  test('only purposes that there are can be agreed to, and nothing else can be sent', async () => {
    const held = await enroll(ada)
    const session = await open(held.path)
    const before = await read(held)
    for (const body of [
      { consents: { spying: true } },
      { consents: { marketing: 'yes' } },
      { language: 'fr' },
      { fullname: 7 },
    ])
      expectRefusal(await call('PATCH', `${held.path}/profile`, body, session), 400, '_invalid_payload')
    await call('PATCH', `${held.path}/profile`, { email: 'mallory@example.com', opaqueId: 'x' }, session)
    const after = await read(held)
    expect([after.data, after.opaqueId, after.consents]).toEqual([
      before.data,
      before.opaqueId,
      before.consents,
    ])
    await merchant.call('PATCH', `/v1/customers/${held.customer}`, { consents: { photos: true } })
    const { body } = await call('PATCH', `${held.path}/profile`, { consents: { photos: false } }, session)
    expect(body.consents).toMatchObject({ photos: false })
  })

  test('a new address is theirs once the code that went there came back', async () => {
    const held = await enroll(ada)
    const session = await open(held.path)
    const sent = await ask(held.path, 'contact', { address: ' Countess@example.com ' }, session)
    expect([sent.status, sent.body.address]).toEqual([202, 'C•••@e•••.com'])
    const code = await latestCode()
    expect(mail.mails.at(-1)!.to).toEqual(['Countess@example.com'])
    expect((await read(held)).data.email).toBe('ada@example.com')
    const { body: card } = await call('GET', `${held.path}/card`)
    // The page does not ask for it by itself: there is an address already.
    expect(card.unconfirmed).toEqual([])
    const results = await Promise.all([1, 2].map(() => answer(held.path, 'contacts/confirm', code)))
    expect(results.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(results.find(({ status }) => status === 200)!.body).toEqual({ isAttached: true })
    expect(await read(held)).toMatchObject({
      data: { email: 'Countess@example.com' },
      verified: { email: true },
    })
    expectRefusal(
      await ask(held.path, 'contact', { channel: 'sms', address: '12' }, session),
      400,
      'invalid_phone',
    )
    expectRefusal(await ask(held.path, 'contact', { address: ' ' }, session), 400, '_invalid_payload')
    expectRefusal(await ask(held.path, 'contact', { address: 'nobody' }, session), 400, '_invalid_payload')
  })
})

describe('somebody who has just enrolled', () => {
  const claim = (held: Held, address: string) =>
    sendCode(service.deps, orgOf(held), {
      customer: held.customer,
      channel: 'email',
      purpose: 'contact',
      address,
    })

  test('confirms the address with the code, or has another sent', async () => {
    const held = await enroll({ fullname: 'Ada' })
    await claim(held, 'ada@example.com')
    const { body: card } = await call('GET', `${held.path}/card`)
    expect([card.contacts, card.unconfirmed]).toEqual([[], [{ channel: 'email', address: 'a•••@e•••.com' }]])
    expectRefusal(await ask(held.path, 'contact'), 429, '_too_many_requests')
    service.advance(61_000)
    expect((await ask(held.path, 'contact')).status).toBe(202)
    const code = await latestCode()
    expect((await answer(held.path, 'contacts/confirm', code)).body).toEqual({ isAttached: true })
    expect(await read(held)).toMatchObject({ data: { email: 'ada@example.com' }, verified: { email: true } })
  })

  test('is led to the card that they have, if somebody has the address', async () => {
    const known = await enroll(ada)
    const fresh = await enroll({ fullname: 'Ada' })
    await claim(fresh, 'ada@example.com')
    const { body } = await answer(fresh.path, 'contacts/confirm', await latestCode())
    expect(body.isAttached).toBe(false)
    expect(new URL(body.walletUrl).pathname).toBe(known.path)
    expectRefusal(await call('GET', `${fresh.path}/card`), 404, '_not_found')
    await merchant.call('POST', `/v1/cards/${known.card}/wallet/revoke`)
    const another = await enroll({ fullname: 'Ada' })
    service.advance(720_000)
    await claim(another, 'ada@example.com')
    expect((await answer(another.path, 'contacts/confirm', await latestCode())).body).toEqual({
      isAttached: false,
    })
  })

  test('gets the card of this campaign, if they have one of another', async () => {
    const known = await enroll(ada)
    const other = await merchant.publishCampaign({ ...coffeeClub, name: 'Tea club' })
    const fresh = await enroll({ fullname: 'Ada' }, merchant, other)
    await claim(fresh, 'ada@example.com')
    const { body } = await answer(fresh.path, 'contacts/confirm', await latestCode())
    const { body: shown } = await call('GET', `${new URL(body.walletUrl).pathname}/card`)
    expect(shown.card).toMatchObject({ campaignName: 'Tea club', status: 1 })
    const { cards } = await read(known)
    expect(cards).toHaveLength(2)
    expect(cards.map(({ campaignName }: { campaignName: string }) => campaignName)).toContain('Tea club')
  })
})

describe('data', () => {
  test('can be taken along, as the merchant would export it, with a code of its own', async () => {
    const held = await enroll(ada)
    await merchant.call('POST', '/v1/transactions/process', {
      customer: held.customer,
      card: held.card,
      items: [{ product: 'latte', quantity: 2, unitPrice: 3.5 }],
    })
    const code = await codeFor(held.path, 'download')
    const downloaded = await answer(held.path, 'download', code)
    expect(downloaded.status).toBe(200)
    expect(downloaded.headers['content-disposition']).toBe('attachment; filename="my-data.json"')
    const exported = await merchant.call('GET', `/v1/customers/${held.customer}/export`)
    expect(downloaded.body).toEqual(exported.body)
    expect(downloaded.body.transactions).toHaveLength(1)
    expectRefusal(await answer(held.path, 'download', code), 400, 'code_expired')
  })

  test('is erased once, with a code of its own, and the session is worth nothing after that', async () => {
    const held = await enroll(ada)
    const session = await open(held.path)
    const code = await codeFor(held.path, 'erase')
    const statuses = (await Promise.all([1, 2].map(() => answer(held.path, 'erase', code)))).map(
      ({ status }) => status,
    )
    expect([...statuses].sort()[0]).toBe(204)
    expect(statuses.filter((status) => status === 204)).toHaveLength(1)
    expect((await merchant.call('GET', `/v1/customers/${held.customer}`)).status).toBe(404)
    expectRefusal(await call('GET', `${held.path}/profile`, undefined, session), 404, '_not_found')
    expectRefusal(await call('GET', `${held.path}/card`), 404, '_not_found')
    expect(await eventsOf(held, 'customer.erased')).toHaveLength(1)
    // The address can be used again.
    await enroll(ada)
  })
})

describe('a lost link', () => {
  /** Nobody waits for the link to be ordered. */
  const patiently = { timeout: 30_000 }
  const lost = (path: string, body: object) => call('POST', `${path}/link`, body)
  const sent = async () => {
    await sendRound(service.deps)
    return mail.mails.map(({ to }) => to[0])
  }

  test('is sent to the address on file, with the same response for every address', async () => {
    const held = await enroll(ada)
    await merchant.call('POST', `/v1/cards/${held.card}/wallet/renew`)
    const { body } = await call('GET', `${held.path}/link`)
    expect(body).toMatchObject({ organization: { name: expect.any(String) }, channels: ['email'] })
    for (const email of ['nobody@example.com', ' ADA@example.com'])
      expect(await lost(held.path, { email })).toMatchObject({ status: 202, text: '{}' })
    await expect.poll(sent, patiently).toEqual(['ada@example.com'])
    const { body: card } = await merchant.call('GET', `/v1/cards/${held.card}`)
    expect(textOf(mail.mails[0]!)).toContain(card.walletUrl)
  })

  test('is sent once a minute and five times an hour, also if it is asked for at once', async () => {
    const { path } = await enroll(ada)
    const counts = [1, 2, 3, 4, 5, 5]
    for (const count of counts) {
      await Promise.all([1, 2, 3].map(() => lost(path, { email: 'ada@example.com' })))
      await expect.poll(async () => (await sent()).length, patiently).toBe(count)
      service.advance(61_000)
    }
    // What was asked for too often was dropped for good, and an hour later there is room again.
    service.advance(3_600_000)
    await lost(path, { email: 'ada@example.com' })
    await expect.poll(async () => (await sent()).length, patiently).toBe(6)
  })

  test('takes one address, and a link that was ours', async () => {
    const { path } = await enroll(ada)
    for (const body of [{}, { email: 'a@example.com', phone: '+12025550123' }, { email: 7 }])
      expectRefusal(await lost(path, body), 400, '_invalid_payload')
    expectRefusal(await lost('/w/never-ours', { email: 'ada@example.com' }), 404, '_not_found')
    expectRefusal(await call('GET', '/w/never-ours/link'), 404, '_not_found')
  })
})

describe('visits', () => {
  test('are listed to the first, each with its receipt, and none of anybody else', async () => {
    const held = await enroll(ada)
    await merchant.call('POST', '/v1/products', { opaqueId: 'latte', name: 'Caffè latte' })
    const sell = async (basket: object) =>
      (
        await merchant.call('POST', '/v1/transactions/process', {
          customer: held.customer,
          card: held.card,
          ...basket,
        })
      ).body
    const items = [
      { id: 'a', product: 'latte', quantity: 2, unitPrice: 3.5, discountAmount: 1 },
      { id: 'b', name: 'Tip', amount: 2 },
    ]
    const first = await sell({ items, opaqueId: 'T1-1' })
    await merchant.call('POST', `/v1/transactions/${first.id}/return`, { items: [{ id: 'a', quantity: 1 }] })
    for (let amount = 1; amount <= 12; amount++) await sell({ amount })
    const { body: card } = await call('GET', `${held.path}/card`)
    expect(card.visits).toHaveLength(10)
    const more = await call('GET', `${held.path}/visits?cursor=${card.moreVisits}`)
    expect(more.body.data.map(({ amount }: { amount: number }) => amount)).toEqual([2, 1, 8])
    expect(more.body.nextCursor).toBeUndefined()
    const page = await call('GET', `${held.path}/visits?limit=12`)
    expect(page.body.data).toHaveLength(12)
    const last = await call('GET', `${held.path}/visits?limit=12&cursor=${page.body.nextCursor}`)
    expect(last.body.data).toMatchObject([{ id: first.id, isPartlyReturned: true }])

    const { body: receipt } = await call('GET', `${held.path}/visits/${first.id}`)
    expect(receipt).toMatchObject({
      id: first.id,
      receiptNumber: 'T1-1',
      items: [
        { name: 'Caffè latte', quantity: 2, amount: 7, discount: 1 },
        { name: 'Tip', quantity: 1, amount: 2 },
      ],
      totals: { amount: 9, discounts: 1, coupons: 0, points: 0, due: 8 },
      redeemed: [],
      granted: [],
      returns: [
        { items: [{ name: 'Caffè latte', quantity: 1 }], refundAmount: 3, changes: expect.any(Object) },
      ],
    })
    const neighbor = await enroll({ email: 'grace@example.com' })
    expectRefusal(await call('GET', `${neighbor.path}/visits/${first.id}`), 404, '_not_found')
    expect((await call('GET', `${neighbor.path}/visits`)).body.data).toEqual([])
    const rival = await openMerchant()
    const foreign = await enroll({}, rival, await rival.publishCampaign())
    expectRefusal(await call('GET', `${foreign.path}/visits/${first.id}`), 404, '_not_found')
    expectRefusal(await call('GET', `${held.path}/visits/nothing`), 404, '_not_found')
    expectRefusal(await call('GET', `${held.path}/visits?cursor=x`), 400, '_invalid_payload')
  })
})
