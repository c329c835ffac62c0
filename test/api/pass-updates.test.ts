import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Jobs } from '../../src/jobs/run-jobs.ts'
import { startPassUpdates } from '../../src/jobs/update-passes.ts'
import { publicHosts } from '../../src/operations/passes/installation.ts'
import {
  createPassAuthority,
  hasOpenssl,
  type PassAuthority,
  readZip,
  testPassType,
} from '../support/pass-keys.ts'
import { type PushService, startPushService } from '../support/push-service.ts'
import { coffeeClub, type Method, startTestService, type TestService } from '../support/service.ts'
import { openShop, type Person, type Shop } from '../support/shop.ts'

interface Held extends Person {
  readonly path: string
  readonly token: string
}

/** A process that found nothing looks again only after seconds. */
const soon = <T>(read: () => T) => expect.poll(read, { timeout: 30_000 })

let made = 0
const newPhone = () => ({ device: `device${++made}`, pushToken: `abcdef${String(made).padStart(10, '0')}` })

// Without the openssl command there are no certificates to connect with.
describe.skipIf(!hasOpenssl)('a phone with a pass', () => {
  let authority: PassAuthority
  let apple: PushService
  let service: TestService
  let shop: Shop
  let campaign: string
  let jobs: Jobs | undefined

  beforeAll(async () => {
    authority = createPassAuthority()
    apple = await startPushService(authority)
    const hosts = { ...publicHosts, applePush: apple.url }
    service = await startTestService({ passes: { apple: authority.issue(), hosts } })
  })
  afterAll(async () => {
    await service.close()
    await apple.close()
    authority.remove()
  })
  beforeEach(async () => {
    apple.answer = () => ({ status: 200 })
    shop = await openShop(service)
    campaign = await shop.publish(coffeeClub)
    return async () => {
      await jobs?.stop()
      jobs = undefined
    }
  })

  const startJobs = () => {
    jobs ??= startPassUpdates(service.deps, { ca: apple.ca, pauseMs: 20 })
  }

  async function takePass(): Promise<Held> {
    const person = await shop.register(campaign)
    const { walletUrl } = await shop.get(`/v1/cards/${person.card}`)
    const reply = await service.app.inject({ url: `${new URL(walletUrl).pathname}/pass.pkpass` })
    const pass = JSON.parse(readZip(reply.rawPayload).get('pass.json')!.toString())
    return { ...person, path: new URL(pass.webServiceURL).pathname, token: pass.authenticationToken }
  }

  const ask = (method: Method, { path, token }: Held, rest: string, body?: object, headers: object = {}) =>
    service.app.inject({
      method: method as 'GET',
      url: `${path}/v1/${rest}`,
      headers: { authorization: `ApplePass ${token}`, ...headers },
      ...(body && { payload: body }),
    })
  const register = (held: Held, { device, pushToken }: ReturnType<typeof newPhone>) =>
    ask('POST', held, `devices/${device}/registrations/${testPassType}/${held.card}`, { pushToken })
  const unregister = (held: Held, { device }: { device: string }) =>
    ask('DELETE', held, `devices/${device}/registrations/${testPassType}/${held.card}`)
  const changedOn = (held: Held, { device }: { device: string }, since?: string) =>
    ask(
      'GET',
      { ...held, token: 'none is sent by phones' },
      `devices/${device}/registrations/${testPassType}${since ? `?passesUpdatedSince=${since}` : ''}`,
    )
  const newest = (held: Held, since?: string) =>
    ask(
      'GET',
      held,
      `passes/${testPassType}/${held.card}`,
      undefined,
      since ? { 'if-modified-since': since } : {},
    )
  const passOf = async (held: Held) =>
    JSON.parse(
      readZip((await newest(held)).rawPayload)
        .get('pass.json')!
        .toString(),
    )
  const pushesTo = ({ pushToken }: { pushToken: string }) =>
    apple.pushed.filter(({ token }) => token === pushToken)

  test('registers once, is told so, and is forgotten when the pass is deleted', async () => {
    const [held, phone] = [await takePass(), newPhone()]
    expect((await register(held, phone)).statusCode).toBe(201)
    expect((await register(held, phone)).statusCode).toBe(200)
    expect((await unregister(held, phone)).statusCode).toBe(200)
    expect((await unregister(held, phone)).statusCode).toBe(200)
    const data = { customer: held.customer, card: held.card, wallet: 'apple' }
    expect(await shop.events('pass.added', held)).toEqual([data])
    expect(await shop.events('pass.removed', held)).toEqual([data])
    expect((await changedOn(held, phone)).statusCode).toBe(204)
  })

  test('needs the token of its own pass', async () => {
    const [held, other, phone] = [await takePass(), await takePass(), newPhone()]
    for (const token of [other.token, `${held.token}x`, '', 'x'.repeat(500)]) {
      expect((await register({ ...held, token }, phone)).statusCode).toBe(401)
      expect((await newest({ ...held, token })).statusCode).toBe(401)
      expect((await unregister({ ...held, token }, phone)).statusCode).toBe(401)
    }
    const elsewhere = (await service.createMerchant()).id
    const path = `/passes/${elsewhere}`
    expect((await register({ ...held, path }, phone)).statusCode).toBe(401)
    expect((await newest({ ...held, path })).statusCode).toBe(401)
    expect((await changedOn({ ...held, path: '/passes/org_x' }, phone)).statusCode).toBe(204)
    expect((await register(held, { ...phone, pushToken: '../../evil' })).statusCode).toBe(400)
  })

  test('is told of a sale, learns which pass has changed, and gets it only once', async () => {
    const [held, phone] = [await takePass(), newPhone()]
    await register(held, phone)
    startJobs()
    await soon(() => pushesTo(phone).length).toBe(1)
    const first = await changedOn(held, phone)
    expect(first.json()).toMatchObject({ serialNumbers: [held.card] })
    const before = await newest(held)
    const known = String(before.headers['last-modified'])
    expect((await newest(held, known)).statusCode).toBe(304)
    expect((await changedOn(held, phone, first.json().lastUpdated)).statusCode).toBe(204)

    // Within the same second: what the phone knows is older all the same.
    await shop.process(held, { amount: 42 })
    await soon(() => pushesTo(phone).length).toBe(2)
    expect(pushesTo(phone)[1]).toMatchObject({
      topic: testPassType,
      sender: testPassType,
      pushType: 'background',
      body: '{}',
    })
    const changed = await changedOn(held, phone, first.json().lastUpdated)
    expect(changed.json().serialNumbers).toEqual([held.card])
    const after = await newest(held, known)
    expect(after.statusCode).toBe(200)
    expect(after.headers['content-type']).toBe('application/vnd.apple.pkpass')
    const pass = JSON.parse(readZip(after.rawPayload).get('pass.json')!.toString())
    expect(pass.storeCard.headerFields[0]).toMatchObject({ label: 'Points', value: '42' })
    expect((await newest(held, String(after.headers['last-modified']))).statusCode).toBe(304)
  })

  test('is told over one connection, and others are not told', async () => {
    const [held, other] = [await takePass(), await takePass()]
    const [phone, watch, stranger] = [newPhone(), newPhone(), newPhone()]
    for (const one of [phone, watch]) await register(held, one)
    await register(other, stranger)
    startJobs()
    await soon(() => pushesTo(stranger).length).toBe(1)
    await soon(() => pushesTo(watch).length).toBe(1)
    const { connections } = apple
    await shop.adjust(held, 'points', 5)
    await soon(() => pushesTo(phone).length).toBe(2)
    await soon(() => pushesTo(watch).length).toBe(2)
    expect(pushesTo(stranger)).toHaveLength(1)
    expect(apple.connections).toBe(connections)
  })

  test('is told once of each change by several processes, and by another one if the first is lost', async () => {
    const [held, phone] = [await takePass(), newPhone()]
    const others = await Promise.all(
      [1, 2].map(() => startTestService({ sharing: service, passes: service.deps.passes })),
    )
    const running = others.map(({ deps }) => startPassUpdates(deps, { ca: apple.ca, pauseMs: 20 }))
    await register(held, phone)
    await soon(() => pushesTo(phone).length).toBe(1)
    // One of them has taken the organization, and never comes back.
    const { org } = service.deps.passTokens.read(held.token)!
    const take = (period: string) =>
      service.database.pool.query(
        'UPDATE pass_feeds SET lease = $3, leased_until = now() + $2::interval WHERE org_id = $1',
        [org, period, randomUUID()],
      )
    await take('1 hour')
    await shop.adjust(held, 'points', 5)
    const marker = newPhone()
    await register(held, marker)
    expect(pushesTo(marker)).toHaveLength(0)
    await take('0 seconds')
    await soon(() => pushesTo(marker).length).toBe(1)
    await soon(() => pushesTo(phone).length).toBe(2)
    await Promise.all(running.map((jobs) => jobs.stop()))
    await Promise.all(others.map((other) => other.close()))
    expect(pushesTo(phone)).toHaveLength(2)
  })

  test('is told of a new version of the campaign', async () => {
    const [held, phone] = [await takePass(), newPhone()]
    await register(held, phone)
    startJobs()
    await soon(() => pushesTo(phone).length).toBe(1)
    await shop.republish(campaign, { name: 'Tea club' })
    await soon(() => pushesTo(phone).length).toBe(2)
  })

  test('is told when the merchant looks different, or the card is blocked or unblocked', async () => {
    const [held, phone] = [await takePass(), newPhone()]
    await register(held, phone)
    startJobs()
    await soon(() => pushesTo(phone).length).toBe(1)
    const name = `Blue Cup ${held.card}`
    await shop.call('PATCH', '/v1/organization', { name, color: '#a61e4d' })
    await soon(() => pushesTo(phone).length).toBe(2)
    expect(await passOf(held)).toMatchObject({
      organizationName: name,
      backgroundColor: 'rgb(166, 30, 77)',
    })
    await shop.post(`/v1/cards/${held.card}/block`, {})
    await soon(() => pushesTo(phone).length).toBe(3)
    expect(await passOf(held)).toMatchObject({ voided: true })
    await shop.post(`/v1/cards/${held.card}/block`, {})
    await shop.post(`/v1/cards/${held.card}/unblock`, {})
    await soon(() => pushesTo(phone).length).toBe(4)
    expect((await passOf(held)).voided).toBeUndefined()
    const by = { kind: 'connection', id: expect.stringMatching(/^usr_/) }
    const fact = { customer: held.customer, card: held.card, changed: ['status'], by }
    expect(await shop.events('card.changed', held)).toEqual([fact, fact])
    // What is the same as before changes nothing.
    await shop.call('PATCH', '/v1/organization', { name, color: '#a61e4d' })
    const changes = (await shop.get('/v1/events?types=organization.changed')).data
    expect(changes.map(({ data }: { data: object }) => data)).toMatchObject([{ changed: ['name', 'color'] }])
  })

  test.each(['renew', 'revoke'])('becomes void when its link is no longer valid (%s)', async (action) => {
    const [held, phone] = [await takePass(), newPhone()]
    await register(held, phone)
    startJobs()
    await soon(() => pushesTo(phone).length).toBe(1)
    await shop.adjust(held, 'points', 77)
    await soon(() => pushesTo(phone).length).toBe(2)
    const { walletUrl } = await shop.post(`/v1/cards/${held.card}/wallet/${action}`, {})
    await soon(() => pushesTo(phone).length).toBe(3)
    const changed = await changedOn(held, phone)
    expect(changed.json().serialNumbers).toEqual([held.card])
    const reply = await newest(held)
    const pass = await passOf(held)
    expect(pass).toMatchObject({ voided: true, serialNumber: held.card })
    expect(pass.barcodes).toBeUndefined()
    expect(pass.storeCard.headerFields).toEqual([])
    if (walletUrl) expect(JSON.stringify(pass)).not.toContain(walletUrl)
    expect(pass.storeCard.secondaryFields[0].label).toBe('No longer valid')
    expect((await newest(held, String(reply.headers['last-modified']))).statusCode).toBe(304)
    expect((await register(held, newPhone())).statusCode).toBe(401)
  })

  test('is in the export of its customer', async () => {
    const [held, phone] = [await takePass(), newPhone()]
    await register(held, phone)
    const { passes } = await shop.get(`/v1/customers/${held.customer}/export`)
    expect(passes).toEqual([
      { wallet: 'apple', card: held.card, isHeld: true, phones: 1, changedAt: expect.any(String) },
    ])
    const other = await shop.register(campaign)
    expect((await shop.get(`/v1/customers/${other.customer}/export`)).passes).toEqual([])
  })

  test.each([
    { status: 410, reason: 'Unregistered' },
    { status: 400, reason: 'BadDeviceToken' },
  ])('that is gone ($reason) is forgotten', async (answer) => {
    const [held, phone] = [await takePass(), newPhone()]
    await register(held, phone)
    apple.answer = ({ token }) => (token === phone.pushToken ? answer : { status: 200 })
    startJobs()
    await soon(() => shop.events('pass.removed', held)).toHaveLength(1)
    await shop.adjust(held, 'points', 5)
    const [next, phone2] = [await takePass(), newPhone()]
    await register(next, phone2)
    await soon(() => pushesTo(phone2).length).toBe(1)
    expect(pushesTo(phone)).toHaveLength(1)
  })

  test('is told again after a failure, and all wait while Apple refuses the certificate', async () => {
    service.holdTime()
    const [held, phone] = [await takePass(), newPhone()]
    await register(held, phone)
    apple.answer = () => ({ status: 503 })
    startJobs()
    await soon(() => pushesTo(phone).length).toBe(1)
    const dueAt = async () => {
      const sql = 'SELECT due_at FROM passes WHERE card_id = $1'
      const { rows } = await service.database.pool.query(sql, [held.card.slice(5)])
      return rows[0].due_at as Date | null
    }
    await soon(async () => (await dueAt())! > service.deps.clock()).toBe(true)
    apple.answer = () => ({ status: 403, reason: 'BadCertificate' })
    service.advance(10_000)
    await soon(() => pushesTo(phone).length).toBe(2)
    const isHeld = () =>
      service.logged.some(
        ({ message, details }) =>
          message === 'passes cannot be updated' &&
          'reason' in details &&
          details.reason === 'BadCertificate',
      )
    await soon(isHeld).toBe(true)
    apple.answer = () => ({ status: 200 })
    service.advance(60_000)
    await shop.adjust(held, 'points', 5)
    service.advance(15 * 60_000)
    await soon(() => pushesTo(phone).length).toBe(3)
    await soon(dueAt).toBe(null)
  })

  test('is forgotten when its customer is erased, and can no longer ask', async () => {
    const [held, phone] = [await takePass(), newPhone()]
    await register(held, phone)
    await shop.post(`/v1/customers/${held.customer}/erase`, {})
    const left = async (table: string) => {
      const { rows } = await service.database.pool.query(`SELECT 1 FROM ${table} WHERE card_id = $1`, [
        held.card.slice(5),
      ])
      return rows.length
    }
    expect([await left('passes'), await left('pass_registrations')]).toEqual([0, 0])
    expect((await newest(held)).statusCode).toBe(401)
    expect((await register(held, phone)).statusCode).toBe(401)
  })

  test('is forgotten as well if an earlier version erased its customer', async () => {
    const [held, phone] = [await takePass(), newPhone()]
    await register(held, phone)
    const values = [held.card.slice(5)]
    const kept = await service.database.pool.query('SELECT * FROM passes WHERE card_id = $1', values)
    await shop.post(`/v1/customers/${held.customer}/erase`, {})
    const { org_id, customer_id } = kept.rows[0]
    await service.database.pool.query(
      `INSERT INTO passes (org_id, card_id, wallet, customer_id, changed_position, changed_at)
       VALUES ($1, $2, 'apple', $3, 0, now())`,
      [org_id, ...values, customer_id],
    )
    startJobs()
    const left = async () =>
      (await service.database.pool.query('SELECT 1 FROM passes WHERE card_id = $1', values)).rows.length
    await soon(left).toBe(0)
  })

  test('shows the new card when its card is replaced', async () => {
    const [held, phone] = [await takePass(), newPhone()]
    await register(held, phone)
    const { barcode } = await shop.post(`/v1/cards/${held.card}/replace`, {})
    const pass = JSON.parse(
      readZip((await newest(held)).rawPayload)
        .get('pass.json')!
        .toString(),
    )
    expect(pass.barcodes[0].message).toBe(barcode)
    expect(pass.serialNumber).toBe(held.card)
  })

  test('can tell what goes wrong', async () => {
    const held = await takePass()
    const reply = await ask('POST', { ...held, token: '' }, 'log', { logs: ['x'.repeat(5_000)] })
    expect(reply.statusCode).toBe(200)
    const [entry] = service.logged.filter(({ message }) => message.includes('reports a problem'))
    expect(JSON.stringify(entry!.details).length).toBeLessThan(400)
  })
})
