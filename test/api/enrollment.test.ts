import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sendRound } from '../../src/jobs/send-messages.ts'
import { createChallenges } from '../../src/operations/enrollment/challenges.ts'
import { enroll, getOffer, openWallet, type Proof, prove } from '../support/enrollment.ts'
import { type MailServer, startMailServer, textOf } from '../support/mail-server.ts'
import { createQuickPerson } from '../support/people.ts'
import {
  coffeeClub,
  type Merchant,
  type Reply,
  startTestService,
  type TestService,
} from '../support/service.ts'

let service: TestService
let merchant: Merchant
let campaign: string
let page: string
let pages = 0
let roundTrips = 0

/** A solution takes a millisecond and not fifty. */
const proofBits = 10

beforeAll(async () => {
  service = await startTestService({ proofBits })
  service.deps.pool.on('connect', (client) => {
    // The server says that it is ready once for each time that it was waited for.
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
    connection.on('readyForQuery', () => roundTrips++)
  })
})
afterAll(() => service.close())

beforeEach(async () => {
  service.setTime(new Date())
  await service.database.pool.query('DELETE FROM password_guesses')
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign(coffeeClub)
  page = `page-${++pages}`
  await set({ shortName: page, mode: 'open' })
})

const set = (body: object, id = campaign) => merchant.call('PATCH', `/v1/campaigns/${id}/enrollment`, body)
const customers = async (query = ''): Promise<Shown[]> =>
  (await merchant.call('GET', `/v1/customers${query}`)).body.data
const count = async () => (await customers('?limit=100')).length

interface Shown {
  readonly id: string
  readonly data: { readonly email?: string; readonly phone?: string; readonly fullname?: string }
  readonly cards: { readonly id: string; readonly status: number; readonly awaitsApproval?: true }[]
  readonly language?: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses the way a client would.
  readonly consents?: any
}

/** How often the service waits for the database, which is most of the time that a request takes. */
async function roundTripsFor(email: string): Promise<number> {
  const proof = prove((await getOffer(service, page)).body)
  const before = roundTrips
  expect((await enroll(service, page, { email, ...proof })).status).toBe(201)
  return roundTrips - before
}

/** What somebody can learn from a response who does not know its card. */
const shapeOf = ({ status, body, headers }: Reply) => ({
  status,
  body: JSON.stringify(body).replaceAll(/\/w\/[\w-]{54}"/g, '/w/<token>"'),
  headers: Object.keys(headers).sort(),
})

describe('the settings', () => {
  test('are off at first, with a name that is free', async () => {
    const fresh = await merchant.publishCampaign({ ...coffeeClub, name: 'Café für alle' })
    const { body } = await merchant.call('GET', `/v1/campaigns/${fresh}/enrollment`)
    expect(body).toEqual({ id: fresh, mode: 'off', suggestion: expect.stringMatching(/-cafe-fuer-alle$/) })
    expect((await set({ mode: 'open' }, fresh)).body).toEqual({
      id: fresh,
      mode: 'open',
      shortName: body.suggestion,
      url: expect.stringMatching(new RegExp(`/j/${body.suggestion}$`)),
    })
  })

  test('suggest another name where that is taken, also in another script', async () => {
    const names = new Set<string>()
    for (let i = 0; i < 5; i++) {
      const id = await merchant.publishCampaign({ ...coffeeClub, name: 'قهوة' })
      names.add((await set({ mode: 'open' }, id)).body.shortName)
    }
    expect(names.size).toBe(5)
    for (const name of names) expect(name).toMatch(/^[a-z0-9][a-z0-9-]{1,38}[a-z0-9]$/)
  })

  test('refuse a name that another organization has, and say which is free', async () => {
    const other = await service.createMerchant()
    const theirs = await other.publishCampaign(coffeeClub)
    const reply = await other.call('PATCH', `/v1/campaigns/${theirs}/enrollment`, { shortName: page })
    expect(reply.status).toBe(409)
    expect(reply.body.message).toBe('short_name_taken')
    const free = /"([a-z0-9-]+)" is free/.exec(reply.body.description)![1]
    const taken = await other.call('PATCH', `/v1/campaigns/${theirs}/enrollment`, { shortName: free })
    expect(taken.status, taken.text).toBe(200)
    // One's own name can be sent again.
    expect((await set({ shortName: page })).status).toBe(200)
  })

  test.each(['ab', 'Blue', 'a_b_c', '-abc', 'abc-', 'a b c', 'ä-b-c', 'x'.repeat(41), '', 5, null])(
    'refuse %j as a name',
    async (shortName) => {
      expect((await set({ shortName })).status).toBe(400)
      expect((await merchant.call('GET', `/v1/campaigns/${campaign}/enrollment`)).body.shortName).toBe(page)
    },
  )

  test('belong to one organization, need the scope manage, and are audited', async () => {
    const other = await service.createMerchant()
    expect((await other.call('GET', `/v1/campaigns/${campaign}/enrollment`)).status).toBe(404)
    expect((await other.call('PATCH', `/v1/campaigns/${campaign}/enrollment`, { mode: 'off' })).status).toBe(
      404,
    )
    const till = await merchant.connect(['pos'])
    expect((await till('PATCH', `/v1/campaigns/${campaign}/enrollment`, { mode: 'off' })).status).toBe(403)
    const { body } = await merchant.call('GET', '/v1/audit')
    const entry = body.data.find(({ action }: { action: string }) => action === 'patchEnrollment')
    expect(entry).toMatchObject({ subject: { kind: 'campaign', id: campaign } })
    expect(entry.details).toEqual({ shortName: page, mode: 'open' })
  })

  test('with another name the old address ends', async () => {
    await set({ shortName: `${page}-new` })
    expect((await getOffer(service, page)).status).toBe(404)
    expect((await getOffer(service, `${page}-new`)).status).toBe(200)
  })
})

describe('the page', () => {
  test('shows the merchant, the rewards and the consent, and asks for work', async () => {
    await merchant.call('PATCH', '/v1/organization', {
      color: '#aa3311',
      contact: { termsUrl: 'https://example.com/terms', consentText: 'Yes, write to me.' },
    })
    const { body } = await getOffer(service, page)
    expect(body).toMatchObject({
      organization: { color: '#aa3311', termsUrl: 'https://example.com/terms' },
      campaignName: 'Coffee club',
      rewards: [
        { name: 'Free coffee', needed: 10, balanceName: 'Stamps' },
        { name: '5 off', needed: 500, balanceName: 'Points' },
      ],
      isOpen: true,
      needsApproval: false,
      channels: [],
      consent: { en: 'Yes, write to me.', de: 'Yes, write to me.', ar: 'Yes, write to me.' },
      challenge: { bits: proofBits },
    })
  })

  test('is HTML for a browser, and says with its status whether it exists', async () => {
    const there = await service.call('GET', `/j/${page}`)
    expect([there.status, there.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect((await service.call('GET', '/j/nobody-has-this')).status).toBe(404)
    for (const name of ['x', 'A'.repeat(900), '%00', '..%2f', "a'b"])
      expect((await service.call('GET', `/j/${name}/page`)).status, name).toBe(404)
  })

  test.each([
    ['is off', () => set({ mode: 'off' })],
    ['belongs to a paused campaign', () => merchant.call('POST', `/v1/campaigns/${campaign}/pause`)],
    ['belongs to an archived campaign', () => merchant.call('POST', `/v1/campaigns/${campaign}/archive`)],
    ['belongs to a campaign that has ended', () => end()],
  ])('is closed and opens no card while it %s', async (_state, close) => {
    const proof = prove((await getOffer(service, page)).body)
    const reply = await close()
    expect(reply.status, reply.text).toBe(200)
    expect((await getOffer(service, page)).body).toMatchObject({ isOpen: false, campaignName: 'Coffee club' })
    const refused = await enroll(service, page, { email: 'ada@example.com', ...proof })
    expect([refused.status, refused.body.message]).toEqual([409, 'enrollment_closed'])
    expect(await count()).toBe(0)
  })

  async function end(): Promise<Reply> {
    const endsAt = new Date(service.deps.clock().getTime() - 60_000).toISOString()
    await merchant.call('PATCH', `/v1/campaigns/${campaign}`, { endsAt })
    return merchant.call('POST', `/v1/campaigns/${campaign}/publish`)
  }

  test('does not exist while the campaign was never published, or without a subscription', async () => {
    const draft = await merchant.call('POST', '/v1/campaigns', coffeeClub)
    await set({ shortName: `${page}-draft`, mode: 'open' }, draft.body.id)
    expect((await getOffer(service, `${page}-draft`)).status).toBe(404)
    await service.database.pool.query('UPDATE organizations SET is_subscribed = false WHERE id = $1', [
      merchant.id.slice(4),
    ])
    await service.database.pool.query(
      'UPDATE setup_versions SET version = version + 1 WHERE org_id = (SELECT org_id FROM organizations WHERE id = $1)',
      [merchant.id.slice(4)],
    )
    expect((await getOffer(service, page)).status).toBe(404)
  })
})

describe('enrolling without a sender', () => {
  test('opens a card that can be used at once, with the consent in its words', async () => {
    const reply = await enroll(service, page, {
      email: 'ada@example.com',
      language: 'de',
      consents: { marketing: true },
    })
    expect(reply.status, reply.text).toBe(201)
    const { body: wallet } = await openWallet(service, reply.body.walletUrl)
    expect(wallet).toMatchObject({ firstName: 'Ada', card: { status: 1, campaignName: 'Coffee club' } })
    const [customer] = await customers()
    expect(customer).toMatchObject({
      data: { email: 'ada@example.com', fullname: 'Ada Lovelace' },
      language: 'de',
      verified: { email: false, phone: false },
      consents: {
        marketing: true,
        history: [{ purpose: 'marketing', given: true, via: 'enrollment' }],
      },
    })
    expect(customer!.consents.history[0].wording).toMatch(/darf mir Angebote und Neuigkeiten senden/)
    const sale = {
      barcode: wallet.card.barcode,
      items: [{ id: 'a', product: 'latte', quantity: 1, amount: 3 }],
    }
    const sold = await merchant.call('POST', '/v1/transactions/process', sale)
    expect(sold.status, sold.text).toBe(201)
    expect((await openWallet(service, reply.body.walletUrl)).body.balances).toContainEqual(
      expect.objectContaining({ key: 'stamps', value: 1 }),
    )
  })

  test('understands a phone number of the merchant’s country, and refuses another', async () => {
    expect((await enroll(service, page, { phone: '(202) 555-0123' })).status).toBe(201)
    expect((await customers())[0]!.data.phone).toBe('+12025550123')
    const refused = await enroll(service, page, { phone: '12' })
    expect([refused.status, refused.body.message]).toEqual([400, 'invalid_phone'])
  })

  test.each([
    ['email', 'ada@example.com'],
    ['phone', '+12025550123'],
  ])('reveals nothing about a known %s, and never opens its card', async (field, value) => {
    const known = await merchant.register(campaign, { [field]: value, fullname: 'Grace Hopper' })
    const unknown = field === 'email' ? 'nobody@example.com' : '+12025550124'
    const [first, second] = [
      await enroll(service, page, { [field]: value }),
      await enroll(service, page, { [field]: unknown }),
    ]
    expect(shapeOf(first)).toEqual(shapeOf(second))
    const { body: wallet } = await openWallet(service, first.body.walletUrl)
    expect(wallet.card.barcode).not.toBe(known.barcode)
    expect(wallet.firstName).toBe('Ada')
    const all = await customers()
    expect(all.filter(({ data }) => data[field as 'email'] === value).map(({ id }) => id)).toEqual([
      known.customer,
    ])
    expect(all).toHaveLength(3)
  })

  test('takes as long for a known address as for an unknown one', async () => {
    await roundTripsFor('first@example.com')
    await merchant.register(campaign, { email: 'known@example.com' })
    const known = await roundTripsFor('known@example.com')
    expect(await roundTripsFor('unknown@example.com')).toBe(known)
  })

  test('two who enroll with the same address at once get a card each, and one of them the address', async () => {
    const replies = await Promise.all(
      [1, 2, 3].map(() => enroll(service, page, { email: 'same@example.com' })),
    )
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201])
    const all = await customers()
    expect(all).toHaveLength(3)
    expect(all.filter(({ data }) => data.email === 'same@example.com')).toHaveLength(1)
  })
})

describe('enrolling with a sender', () => {
  let mail: MailServer
  beforeEach(async () => {
    mail = await startMailServer()
    await merchant.call('PUT', '/v1/senders/email', {
      host: '127.0.0.1',
      port: mail.port,
      security: 'none',
      from: 'hello@example.com',
    })
  })
  afterEach(() => mail.close())

  test('sends a code to the address, which is the customer’s only once it came back', async () => {
    const known = await merchant.register(campaign, { email: 'known@example.com' })
    const replies = [
      await enroll(service, page, { email: 'known@example.com' }),
      await enroll(service, page, { email: 'unknown@example.com' }),
    ]
    expect(shapeOf(replies[0]!)).toEqual(shapeOf(replies[1]!))
    await sendRound(service.deps)
    const codes = mail.mails.filter((each) => /\b\d{6}\b/.test(textOf(each)))
    expect(codes).toHaveLength(2)
    const all = await customers()
    expect(all).toHaveLength(3)
    for (const { id, data } of all) if (id !== known.customer) expect(data.email).toBeUndefined()
    expect((await getOffer(service, page)).body.channels).toEqual(['email'])
  })

  test('takes as long for a known address as for an unknown one', async () => {
    await roundTripsFor('first@example.com')
    await merchant.register(campaign, { email: 'known@example.com' })
    const known = await roundTripsFor('known@example.com')
    expect(await roundTripsFor('unknown@example.com')).toBe(known)
  })

  test('a request that is sent again sends no second code', async () => {
    const proof = prove((await getOffer(service, page)).body)
    const body = { email: 'unknown@example.com', ...proof }
    const [first, second] = [await enroll(service, page, body), await enroll(service, page, body)]
    expect(second.body).toEqual(first.body)
    await sendRound(service.deps)
    expect(mail.mails).toHaveLength(1)
  })

  test('a lost link goes to the address on file, and nobody learns whether there is one', async () => {
    const known = await merchant.register(campaign, { email: 'known@example.com' })
    const ask = async (email: string) => {
      const proof = prove((await getOffer(service, page)).body)
      return service.call('POST', `/j/${page}/link`, { body: { email, ...proof } })
    }
    const replies = [await ask('known@example.com'), await ask('unknown@example.com')]
    expect(shapeOf(replies[0]!)).toEqual(shapeOf(replies[1]!))
    expect(replies[0]).toMatchObject({ status: 202, body: {} })
    await expect
      .poll(async () => {
        await sendRound(service.deps)
        return mail.mails.length
      })
      .toBe(1)
    const { body } = await merchant.call('GET', '/v1/messages?kind=card_link')
    expect(body.data).toMatchObject([{ customer: known.customer, kind: 'card_link' }])
    const used = prove((await getOffer(service, page)).body)
    const body2 = { email: 'known@example.com', ...used }
    expect((await service.call('POST', `/j/${page}/link`, { body: body2 })).status).toBe(202)
    const again = await service.call('POST', `/j/${page}/link`, { body: body2 })
    expect([again.status, again.body.message]).toEqual([400, 'invalid_proof'])
  })

  test('approving a card sends its link', async () => {
    await service.call('DELETE', '/v1/senders/email', { token: merchant.token })
    await set({ mode: 'approval' })
    await enroll(service, page, { email: 'ada@example.com' })
    await merchant.call('PUT', '/v1/senders/email', {
      host: '127.0.0.1',
      port: mail.port,
      security: 'none',
      from: 'hello@example.com',
    })
    const [{ cards }] = (await customers()) as [Shown]
    await Promise.all([1, 2].map(() => merchant.call('POST', `/v1/cards/${cards[0]!.id}/unblock`)))
    const { body } = await merchant.call('GET', '/v1/messages?kind=card_link')
    expect(body.data).toHaveLength(1)
  })
})

/** Whether it would do; of a thousand nonces one does by chance. */
const solves = ({ challenge, nonce }: Proof) =>
  createHash('sha256').update(`${challenge}.${nonce}`).digest().readUInt16BE() >> (16 - proofBits) === 0

describe('the proof of work', () => {
  const email = 'ada@example.com'
  const refusedWith = async (body: object) => {
    const reply = await enroll(service, page, { email, ...body })
    expect(await count()).toBe(0)
    return [reply.status, reply.body.message]
  }

  test('takes 65,536 attempts on average where nothing else is set', () => {
    const { bits, create, solved } = createChallenges('pepper')
    const of = { org: 1, shortName: page, wording: 'Yes.' }
    const challenge = create(of, new Date())
    expect(bits).toBe(16)
    expect(solved(of, prove({ challenge: { text: challenge, bits } }), new Date())).toMatch(/^cus_/)
    const tooEasy = 'abcdefgh'.split('').find((nonce) => !solves({ challenge, nonce }))!
    expect(() => solved(of, { challenge, nonce: tooEasy }, new Date())).toThrow(/does not solve/)
  })

  test('has to be there, and right, for this page, and not too old', async () => {
    const proof = prove((await getOffer(service, page)).body)
    expect(await refusedWith({ ...proof, nonce: undefined })).toEqual([400, '_invalid_payload'])
    const nonce = ['0', '1', '2', '3']
      .map((end) => proof.nonce + end)
      .find((other) => !solves({ ...proof, nonce: other }))
    expect(await refusedWith({ ...proof, nonce })).toEqual([400, 'invalid_proof'])
    const forged = proof.challenge.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'))
    expect(await refusedWith(prove({ challenge: { text: forged, bits: proofBits } }))).toEqual([
      400,
      'invalid_proof',
    ])
    await service.createMerchant()
    const other = await merchant.publishCampaign(coffeeClub)
    await set({ shortName: `${page}-other`, mode: 'open' }, other)
    const ofOther = prove((await getOffer(service, `${page}-other`)).body)
    expect(await refusedWith(ofOther)).toEqual([400, 'invalid_proof'])
    service.advance(20 * 60_000 + 2_000)
    expect(await refusedWith(proof)).toEqual([400, 'invalid_proof'])
  })

  test('is for the words of the consent that were shown', async () => {
    const proof = prove((await getOffer(service, page)).body)
    await merchant.call('PATCH', '/v1/organization', { contact: { consentText: 'Other words.' } })
    expect(await refusedWith(proof)).toEqual([400, 'invalid_proof'])
  })

  test('counts once: the same request again, also at once, returns the same card', async () => {
    const proof = prove((await getOffer(service, page)).body)
    const replies = await Promise.all([1, 2, 3, 4].map(() => enroll(service, page, { email, ...proof })))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    const other = await enroll(service, page, { email: 'other@example.com', fullname: 'Other', ...proof })
    expect(other.body).toEqual(replies[0]!.body)
    const all = await customers()
    expect(all.map(({ data }) => data)).toEqual([{ email, fullname: 'Ada Lovelace' }])
  })

  test('does not bring back a customer who was erased', async () => {
    const proof = prove((await getOffer(service, page)).body)
    await enroll(service, page, { email, ...proof })
    await merchant.call('POST', `/v1/customers/${(await customers())[0]!.id}/erase`)
    expect(await refusedWith(proof)).toEqual([400, 'invalid_proof'])
  })
})

test.each([
  {},
  { email: 'a@example.com', phone: '+12025550123' },
  { email: 'not an address' },
  { email: '' },
  { email: 5 },
  { email: 'a@example.com', fullname: '' },
  { email: 'a@example.com', fullname: '   ' },
  { email: 'a@example.com', fullname: 'x'.repeat(201) },
  { email: 'a@example.com', fullname: 'nul\0' },
  { email: 'a@example.com', language: 'xx' },
  { email: 'a@example.com', language: undefined },
  { email: 'a@example.com', consents: { other: true } },
  { email: 'a@example.com', consents: { marketing: 'yes' } },
  { email: 'a@example.com', consents: [] },
  { email: 'a@example.com', status: 1 },
  { email: 'a@example.com', challenge: { $gt: '' }, nonce: 'x' },
  { email: 'a@example.com', challenge: 'x'.repeat(101), nonce: 'x' },
  { email: 'a@example.com', challenge: '\u202e', nonce: 'x' },
])('nonsense changes nothing: %j', async (body) => {
  const reply = await enroll(service, page, body)
  expect(reply.status, reply.text).toBe(400)
  expect(await count()).toBe(0)
})

describe('the limits', () => {
  test('hold for a network, whichever page and process, and say when to come again', async () => {
    const second = await startTestService({ sharing: service, proofBits })
    service.holdTime()
    second.holdTime()
    second.setTime(service.deps.clock())
    let refused: Reply | undefined
    let done = 0
    for (; done < 40 && !refused; done++) {
      const via = done % 2 ? second : service
      const reply = await enroll(via, page, { email: `a${done}@example.com` }, '203.0.113.7')
      if (reply.status !== 201) refused = reply
    }
    expect(done).toBe(31)
    expect(refused!.body).toMatchObject({
      statuscode: 429,
      description: expect.stringContaining('try again a little later'),
    })
    expect(Number(refused!.headers['retry-after'])).toBeGreaterThan(0)
    expect((await enroll(service, page, { email: 'b@example.com' }, '203.0.113.8')).status).toBe(201)
    service.advance(15_000)
    expect((await enroll(service, page, { email: 'c@example.com' }, '203.0.113.7')).status).toBe(201)
    await second.close()
  })

  test('hold for a page, from whatever network', async () => {
    service.holdTime()
    const { enrollmentLimits } = service.deps
    const visit = (n: number) =>
      enrollmentLimits.take({ address: `198.51.${n >> 8}.${n & 255}`, shortName: page, costsSms: false })
    for (let n = 0; n < 200; n++) await visit(n)
    await expect(visit(200)).rejects.toMatchObject({ code: '_too_many_requests' })
    expect((await enroll(service, page, { email: 'a@example.com' })).status).toBe(429)
    expect(await count()).toBe(0)
  })

  test('hold for SMS, which the merchant pays for', async () => {
    service.holdTime()
    const visit = (n: number, costsSms: boolean) =>
      service.deps.enrollmentLimits.take({ address: `198.51.100.${n}`, shortName: page, costsSms })
    for (let n = 0; n < 30; n++) await visit(n, true)
    await expect(visit(30, true)).rejects.toMatchObject({ code: '_too_many_requests' })
    await visit(31, false)
  })
})

describe('with approval', () => {
  beforeEach(() => set({ mode: 'approval' }))

  test('the card waits, is found by that, and works once it is unblocked', async () => {
    const { body } = await enroll(service, page, { email: 'ada@example.com' })
    await merchant.register(campaign, { email: 'other@example.com' })
    const { body: wallet } = await openWallet(service, body.walletUrl)
    expect(wallet.card).toEqual({ status: 2, awaitsApproval: true, campaignName: 'Coffee club' })
    const waiting = await customers('?awaitsApproval=true')
    expect(waiting).toHaveLength(1)
    const [card] = waiting[0]!.cards
    expect(card).toMatchObject({ status: 2, awaitsApproval: true })
    const pay = () =>
      merchant.call('POST', '/v1/transactions/process', {
        customer: waiting[0]!.id,
        card: card!.id,
        amount: 5,
      })
    expect((await pay()).body.message).toBe('card_not_active')
    const person = await createQuickPerson(service, merchant)
    const approved = await service.call('POST', `/v1/cards/${card!.id}/unblock`, {
      headers: { cookie: person.cookie },
    })
    expect(approved.status, approved.text).toBe(200)
    expect(approved.body).toMatchObject({ status: 1 })
    expect(approved.body.awaitsApproval).toBeUndefined()
    expect((await pay()).status).toBe(201)
    expect(await customers('?awaitsApproval=true')).toEqual([])
    const log = await merchant.call('GET', '/v1/audit')
    expect(log.body.data[0]).toMatchObject({ action: 'unblockCard', subject: { kind: 'card', id: card!.id } })
    // Blocked again for another reason, it waits for nothing.
    await merchant.call('POST', `/v1/cards/${card!.id}/block`)
    expect(await customers('?awaitsApproval=true')).toEqual([])
  })

  test('replacing a card does not approve it', async () => {
    await enroll(service, page, { email: 'ada@example.com' })
    const [{ cards }] = (await customers()) as [Shown]
    const { body } = await merchant.call('POST', `/v1/cards/${cards[0]!.id}/replace`)
    expect(body).toMatchObject({ status: 2, awaitsApproval: true })
    expect(await customers('?awaitsApproval=true')).toHaveLength(1)
  })

  test('declining erases the customer, and the address is free again', async () => {
    const { body } = await enroll(service, page, { email: 'ada@example.com' })
    await merchant.call('POST', `/v1/customers/${(await customers())[0]!.id}/erase`)
    expect(await customers('?awaitsApproval=true')).toEqual([])
    expect((await openWallet(service, body.walletUrl)).status).toBe(404)
    await enroll(service, page, { email: 'ada@example.com' })
    expect((await customers())[0]!.data.email).toBe('ada@example.com')
  })
})
