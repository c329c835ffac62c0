import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPool } from '../../src/database/pool.ts'
import { Refused } from '../../src/domain/refusal.ts'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { createGuessLimit } from '../../src/operations/auth/guess-limit.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import {
  cookieIn,
  createQuickPerson,
  createTestPerson,
  signIn,
  type TestPerson,
  withSession,
} from '../support/people.ts'
import { withRealPasswordCost } from '../support/quick-argon2.ts'
import {
  adminToken,
  type Merchant,
  type Reply,
  startTestService,
  type TestService,
} from '../support/service.ts'

let service: TestService
let merchant: Merchant
let owner: TestPerson
let cashier: TestPerson
let visitor: TestPerson

beforeAll(async () => {
  service = await startTestService()
  // What was guessed is forgiven with time, and what is counted here must not depend on how long it takes.
  service.holdTime()
  merchant = await service.createMerchant()
  owner = await createTestPerson(service, merchant)
  cashier = await createTestPerson(service, merchant, 'cashier')
  visitor = await createTestPerson(service, merchant)
})
afterAll(() => service.close())

const hour = 3_600_000
const minute = 60_000
let visitors = 0
/** Each from somewhere else: who fails often from one place is told to wait. */
const elsewhere = () => `10.1.${Math.floor(++visitors / 250)}.${visitors % 250}`

async function atAnotherTime<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    service.setTime(new Date())
  }
}

/** A session of its own, which the test may end. */
async function newSession(of: TestPerson = visitor): Promise<Pick<TestPerson, 'call' | 'cookie'>> {
  // Newer than those before it, which go first when a person has too many.
  service.advance(1)
  return withSession(service, await signIn(service, of, elsewhere()))
}

describe('signing in', () => {
  test('opens a session that tells who it is, where, and what they may do', async () => {
    const reply = await signIn(service, { ...owner, email: `  ${owner.email.toUpperCase()} ` })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      person: { id: owner.id, email: owner.email, role: 'owner' },
      organization: {
        id: merchant.id,
        name: 'Test',
        country: 'US',
        currency: 'USD',
        timezone: 'UTC',
        locale: 'en',
        isDemo: false,
        mode: 'live',
        aheadSeconds: 0,
      },
      scopes: ['pos', 'manage', 'people'],
      user: expect.stringMatching(/^usr_/),
      branch: expect.stringMatching(/^brn_/),
      expiresAt: expect.any(String),
    })
    expect(new Date(reply.body.expiresAt).getTime() - Date.now()).toBeGreaterThan(11.9 * hour)
    expect((await withSession(service, reply).call('GET', '/auth/session')).body).toEqual({
      ...reply.body,
      expiresAt: expect.any(String),
    })
  })

  test('sets a cookie that no script reads and no other site sends, for TLS only where there is TLS', async () => {
    const plain = (await signIn(service, owner)).headers['set-cookie']
    expect(plain).toEqual([
      expect.stringMatching(
        /^lw_session=lwp_\d+-[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
      ),
      expect.stringMatching(/^lw_device=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Strict$/),
    ])
    const behindProxy = await startTestService({ isBehindProxy: true, sharing: service })
    try {
      const reply = await signIn(behindProxy, owner)
      expect(reply.headers['set-cookie']).toEqual([
        expect.stringMatching(/^__Host-lw_session=lwp_.*; Path=\/; HttpOnly; SameSite=Strict; Secure$/),
        expect.stringMatching(/^__Host-lw_device=.*; Path=\/; HttpOnly; SameSite=Strict; Secure$/),
      ])
      const own = withSession(behindProxy, reply)
      expect((await own.call('GET', '/auth/session')).status).toBe(200)
      // What a neighboring subdomain could plant is not even looked at.
      const planted = { cookie: own.cookie.replace('__Host-', '') }
      expectRefusal(
        await behindProxy.call('GET', '/auth/session', { headers: planted }),
        401,
        '_unauthorized',
      )
      const both = { cookie: `lw_session=x; ${own.cookie}` }
      expect((await behindProxy.call('GET', '/auth/session', { headers: both })).status).toBe(200)
    } finally {
      await behindProxy.close()
    }
  })

  test('is refused in the same words for a wrong password, an unknown address and one who never joined', async () => {
    const invited = await owner.call('POST', '/v1/people', { email: 'late@example.com', role: 'cashier' })
    expect(invited.status).toBe(201)
    const replies = await Promise.all([
      signIn(service, { ...owner, password: 'something else' }, elsewhere()),
      signIn(service, { email: 'nobody@example.com', password: owner.password }, elsewhere()),
      signIn(service, { email: 'late@example.com', password: owner.password }, elsewhere()),
    ])
    for (const reply of replies) {
      expectRefusal(reply, 401, '_invalid_credentials', /^The email address or the password is wrong\.$/)
      expect(reply.headers['set-cookie']).toBeUndefined()
    }
  })

  test('costs as much for an address that nobody has, and for one who never joined', () =>
    withRealPasswordCost(async () => {
      const costly = await startTestService({ sharing: service })
      try {
        const { id, email } = await createTestPerson(costly, merchant, 'cashier')
        const { rows } = await service.database.pool.query(
          'SELECT password_hash AS hash FROM people WHERE id = $1',
          [id.replace('psn_', '')],
        )
        expect(rows[0].hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
        await owner.call('POST', '/v1/people', { email: 'later@example.com', role: 'cashier' })
        const known: number[] = []
        const nobody: number[] = []
        const neverJoined: number[] = []
        for (let i = 0; i < 6; i++) {
          known.push(await costOf(costly, email))
          nobody.push(await costOf(costly, 'nobody-else@example.com'))
          neverJoined.push(await costOf(costly, 'later@example.com'))
        }
        // The cheapest of each: the first also compile what they run, and others clear up after tests before them.
        const half = Math.min(...known) / 2
        // Hashing is nearly all of it; without it the others would take a tenth.
        expect(Math.min(...nobody)).toBeGreaterThan(half)
        expect(Math.min(...neverJoined)).toBeGreaterThan(half)
      } finally {
        await costly.close()
      }
    }))

  /** Processor time of this process, hashing included: what else runs on the computer does not count. */
  async function costOf(of: TestService, email: string): Promise<number> {
    const before = process.cpuUsage()
    await signIn(of, { email, password: 'something else' }, elsewhere())
    const { user, system } = process.cpuUsage(before)
    return user + system
  }

  test.each([
    { body: {}, member: /email/ },
    { body: { email: 'a@example.com' }, member: /password/ },
    { body: { email: '   ', password: 'x' }, member: /email/ },
    { body: { email: 'a@example.com', password: '' }, member: /password/ },
    { body: { email: ['a@example.com'], password: 'x' }, member: /email/ },
    { body: { email: 'a@example.com', password: 'x'.repeat(1_001) }, member: /password/ },
  ])('$body is refused for its shape', async ({ body, member }) => {
    expectRefusal(await service.call('POST', '/auth/session', { body }), 400, '_invalid_payload', member)
  })

  test('is told of a subscription that is off only with the right password', async () => {
    const other = await service.createMerchant()
    const person = await createTestPerson(service, other)
    await setSubscription(other, false)
    expectRefusal(await signIn(service, person, elsewhere()), 403, 'invalid_subscription')
    const wrong = await signIn(service, { ...person, password: 'something else' }, elsewhere())
    expectRefusal(wrong, 401, '_invalid_credentials')
    await setSubscription(other, true)
    expect((await signIn(service, person, elsewhere())).status).toBe(200)
  })
})

const setSubscription = (of: Merchant, active: boolean) =>
  service.call('POST', `/admin/v1/organizations/${of.id}/subscription`, {
    body: { active },
    token: adminToken,
  })

describe('guessing', () => {
  test('an account that was guessed at too often is not even compared, wherever it is tried from', async () => {
    const victim = await createTestPerson(service, merchant, 'cashier')
    const guess = (password: string) => signIn(service, { ...victim, password }, elsewhere())
    // At once: one after the other would say nothing about those that pass each other by.
    const guesses = Array.from({ length: 15 }, (_, i) => `guess ${i} of many`)
    const [right, ...replies] = (await Promise.all([...guesses, victim.password].map(guess))).toReversed()
    expect(replies.map(({ status }) => status).toSorted()).toEqual([
      ...Array(10).fill(401),
      ...Array(5).fill(429),
    ])
    expectRefusal(right!, 429, '_too_many_requests')
    expect(Number(right!.headers['retry-after'])).toBeGreaterThan(0)
    // Who is signed in does not notice, and others do not either.
    expect((await victim.call('GET', '/auth/session')).status).toBe(200)
    expect((await signIn(service, cashier, elsewhere())).status).toBe(200)
    await atAnotherTime(async () => {
      service.advance(11_000)
      expect((await guess(victim.password)).status).toBe(200)
    })
  })

  test('wrong ones that come one after the other count as well', async () => {
    const victim = await createTestPerson(service, merchant, 'cashier')
    const statuses: number[] = []
    for (let i = 0; i < 14; i++)
      statuses.push((await signIn(service, { ...victim, password: 'something' }, elsewhere())).status)
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401))
    expect(statuses).toContain(429)
  })

  test('an address that guessed too often at many accounts has to wait', async () => {
    const address = elsewhere()
    const guesses = Array.from({ length: 22 }, (_, i) => `guessed-${i}@example.com`)
    const tries = [...guesses.map((email) => ({ email, password: 'something' })), owner]
    const replies = await Promise.all(tries.map((attempt) => signIn(service, attempt, address)))
    expect(replies.slice(0, 22).filter(({ status }) => status === 429)).toHaveLength(2)
    expectRefusal(replies[22]!, 429, '_too_many_requests')
    expect((await signIn(service, owner, elsewhere())).status).toBe(200)
  })

  test('however many sign in at once, nobody else waits for the database', async () => {
    const { pool } = service.deps
    let mostWaiting = 0
    const watch = setInterval(() => {
      mostWaiting = Math.max(mostWaiting, pool.waitingCount)
    }, 1)
    const replies = await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        signIn(service, { email: `flood-${i}@example.com`, password: 'something' }, elsewhere()),
      ),
    )
    clearInterval(watch)
    const statuses = new Set(replies.map(({ status }) => status))
    expect([...statuses].toSorted()).toEqual([401, 503])
    expect(mostWaiting).toBe(0)
  })

  test('what was not compared, because the database was away, is not counted', async () => {
    const pool = openPool({ host: '127.0.0.1', port: 1, user: 'a', password: 'a', database: 'a' }, {})
    const { clock, credentials, passwords } = service.deps
    const away = createGuessLimit({ pool, clock, credentials, workers: 1, inTurn: passwords.inTurn })
    const somebody = { account: 'somebody@example.com', address: '10.9.9.9' }
    for (let i = 0; i < 25; i++) {
      const attempt = away.tryPassword(somebody, async () => undefined)
      await expect(attempt).rejects.not.toBeInstanceOf(Refused)
    }
    await pool.end()
  })

  describe('does not keep out a browser that has signed in before', () => {
    const deviceOf = (reply: Reply) => (reply.headers['set-cookie'] as string[])[1]!.split(';')[0]!
    const sign = (cookie: string, who: { email: string; password: string }, address = elsewhere()) =>
      service.call('POST', '/auth/session', {
        body: { email: who.email, password: who.password },
        headers: { cookie },
        address,
      })
    const wrong = (who: { email: string }) => ({ email: who.email, password: 'a wrong one' })
    /** A stranger uses up what the account has, from many addresses. */
    async function guessAt(who: { email: string; password: string }): Promise<void> {
      for (let i = 0; i < 12; i++) await signIn(service, wrong(who), elsewhere())
      expectRefusal(await signIn(service, who, elsewhere()), 429, '_too_many_requests')
    }

    test('by the account or the address', async () => {
      const person = await createTestPerson(service, merchant)
      const device = deviceOf(person.joined)
      await guessAt(person)
      expect((await sign(device, person)).status).toBe(200)
      const address = elsewhere()
      for (let i = 0; i < 25; i++) await signIn(service, wrong({ email: `n${i}@example.com` }), address)
      expectRefusal(await signIn(service, person, address), 429, '_too_many_requests')
      expect((await sign(device, person, address)).status).toBe(200)
    })

    test('also if others have signed in there since, up to eight', async () => {
      const people = []
      for (let i = 0; i < 9; i++) people.push(await createQuickPerson(service, merchant))
      const [first, ...others] = people
      let cookie = ''
      for (const person of people.slice(0, 8)) {
        const reply = await sign(cookie, person)
        expect(reply.status).toBe(200)
        cookie = deviceOf(reply)
      }
      await guessAt(first!)
      const again = await sign(cookie, first!)
      expect(again.status).toBe(200)
      // Whoever signs in again moves to the front and takes no second place; the ninth replaces the oldest.
      cookie = deviceOf(await sign(deviceOf(again), others.at(-1)!))
      expect(cookie.split('~')).toHaveLength(8)
      expect(cookie.length).toBeLessThan(700)
      expect((await sign(cookie, first!)).status).toBe(200)
      await guessAt(others[0]!)
      expectRefusal(await sign(cookie, others[0]!), 429, '_too_many_requests')
    })

    test('and a cookie full of other things becomes no longer', async () => {
      const person = await createTestPerson(service, merchant)
      const device = deviceOf(person.joined)
      const mark = device.split('=')[1]!
      const junk = [
        'x'.repeat(500),
        ...Array.from({ length: 40 }, () => mark.replace(/.{43}$/, 'A'.repeat(43))),
      ]
      const reply = await sign(`lw_device=${junk.join('~')}`, person)
      expect(deviceOf(reply).split('~')).toHaveLength(8)
      expect(deviceOf(reply).length).toBeLessThan(700)
      await guessAt(person)
      expect((await sign(deviceOf(reply), person)).status).toBe(200)
    })

    test('and it has its own limit, which its failures alone use up', async () => {
      const person = await createTestPerson(service, merchant)
      const [first, second] = [deviceOf(person.joined), deviceOf(await signIn(service, person, elsewhere()))]
      const replies = []
      for (let i = 0; i < 12; i++) replies.push((await sign(first, wrong(person))).status)
      expect(new Set(replies.slice(0, 10))).toEqual(new Set([401]))
      expect(replies.at(-1)).toBe(429)
      expectRefusal(await sign(first, person), 429, '_too_many_requests')
      for (const cookie of [second, '']) expect((await sign(cookie, person)).status).toBe(200)
    })

    test('but what was forged, is of another account or has expired gives nothing', async () => {
      const person = await createTestPerson(service, merchant)
      const other = await createTestPerson(service, merchant)
      const device = deviceOf(person.joined)
      await guessAt(person)
      const [content, signature] = [device.slice(0, -44), device.slice(-43)]
      const forged = [
        deviceOf(other.joined),
        `${content}.${'A'.repeat(43)}`,
        `${content.replace('=', '=z')}.${signature}`,
        `${device}A`,
        `${device}; ${device}`,
        'lw_device=',
        person.cookie.replace('lw_session', 'lw_device'),
      ]
      for (const cookie of forged) expectRefusal(await sign(cookie, person), 429, '_too_many_requests')
      expectRefusal(await sign(device, wrong(person)), 401, '_invalid_credentials')
      expectRefusal(
        await service.call('GET', '/auth/session', { headers: { cookie: device } }),
        401,
        '_unauthorized',
      )
      await atAnotherTime(async () => {
        service.advance(180 * 24 * hour)
        await guessAt(person)
        expectRefusal(await sign(device, person), 429, '_too_many_requests')
        await service.database.pool.query('DELETE FROM password_guesses')
      })
    })

    test('nor a signed-in person from changing the password', async () => {
      const person = await createTestPerson(service, merchant)
      await guessAt(person)
      const change = (currentPassword: string) =>
        person.call('POST', '/auth/password', { currentPassword, password: 'quite another phrase' })
      expectRefusal(await change('a wrong one'), 401, '_invalid_credentials')
      expect((await change(person.password)).status).toBe(204)
    })
  })

  test('right passwords use nothing up', async () => {
    const address = elsewhere()
    for (let i = 0; i < 25; i++) expect((await signIn(service, visitor, address)).status).toBe(200)
  })

  test('what was counted names nobody, and is gone once it is forgotten', async () => {
    const email = 'counted@example.com'
    await signIn(service, { email, password: 'something' }, elsewhere())
    const counted = async () => (await service.database.pool.query('SELECT * FROM password_guesses')).rows
    const hash = service.deps.credentials.hash(email)
    expect((await counted()).map(({ account }) => account)).toContainEqual(hash)
    await runRound(service.deps)
    expect((await counted()).map(({ account }) => account)).toContainEqual(hash)
    await atAnotherTime(async () => {
      service.advance(101_000)
      await runRound(service.deps)
      expect(await counted()).toEqual([])
    })
  })
})

describe('the cookie in place of a token', () => {
  test('makes the calls that the role allows, and no others', async () => {
    const manager = await createTestPerson(service, merchant, 'manager')
    const statuses = async ({ call }: TestPerson) => [
      (await call('GET', '/v1/campaigns')).status,
      (await call('GET', '/v1/customers')).status,
      (await call('PATCH', '/v1/organization', { name: 'Test' })).status,
      (await call('GET', '/v1/people')).status,
    ]
    expect(await statuses(owner)).toEqual([200, 200, 200, 200])
    expect(await statuses(manager)).toEqual([200, 200, 200, 403])
    expect(await statuses(cashier)).toEqual([200, 403, 403, 403])
    expectRefusal(await cashier.call('GET', '/v1/customers'), 403, '_forbidden', /scope "manage"/)
    expect((await cashier.call('GET', '/auth/session')).body.scopes).toEqual(['pos'])
  })

  test('books a sale under the user of the person, at its branch', async () => {
    const campaign = await merchant.publishCampaign()
    const { customer, card } = await merchant.register(campaign)
    const { user, branch } = (await cashier.call('GET', '/auth/session')).body
    const sale = await cashier.call('POST', '/v1/transactions/process', { customer, card, amount: 5 })
    expect(sale.status).toBe(201)
    const { rows } = await service.database.pool.query(
      'SELECT user_id, branch_id FROM transactions WHERE id = $1',
      [sale.body.id.replace('txn_', '')],
    )
    const plain = (id: string) => id.replaceAll('-', '')
    expect([plain(rows[0].user_id), plain(rows[0].branch_id)]).toEqual([user.slice(4), branch.slice(4)])
    const entry = await merchant.call('GET', `/v1/users/${user}`)
    expect(entry.body).toMatchObject({ opaqueId: cashier.id, branchOpaqueId: 'main' })
  })

  test('loses against a token, also against a wrong one', async () => {
    const { cookie } = await newSession(cashier)
    const withToken = await merchant.call('GET', '/v1/customers', undefined, { cookie })
    expect(withToken.status).toBe(200)
    const wrong = (authorization: string) =>
      service.call('GET', '/v1/campaigns', { headers: { cookie, authorization } })
    expectRefusal(await wrong('Bearer x'), 401, '_jwt_malformed')
    expectRefusal(await wrong('Basic x'), 401, '_unauthorized', /^Send "Authorization: Bearer/)
  })

  test('opens nothing of the operator, and a token is no session', async () => {
    expectRefusal(await owner.call('GET', '/admin/v1/organizations'), 401, '_unauthorized')
    for (const [method, path] of [
      ['GET', '/auth/session'],
      ['DELETE', '/auth/sessions'],
      ['POST', '/auth/password'],
    ] as const)
      expectRefusal(await merchant.call(method, path), 401, '_unauthorized', /^Sign in/)
  })

  test('another cookie is none: the call is answered as without any', async () => {
    const bare = await service.call('GET', '/v1/campaigns')
    for (const cookie of ['theme=dark', 'xlw_session=1', 'lw_session', 'LW_SESSION=x', '', ';;;=']) {
      const reply = await service.call('GET', '/v1/campaigns', { headers: { cookie } })
      if (cookie === 'lw_session') expectRefusal(reply, 401, '_unauthorized')
      else
        expect([cookie, reply.status, reply.body.description]).toEqual([cookie, 401, bare.body.description])
    }
  })

  test('is found among others, and refused when it is there twice', async () => {
    const { cookie } = await newSession()
    const get = (header: string) => service.call('GET', '/auth/session', { headers: { cookie: header } })
    expect((await get(`a=b; ${cookie};c=d`)).status).toBe(200)
    expectRefusal(await get(`${cookie}; ${cookie}`), 401, '_unauthorized')
    expectRefusal(await get(`lw_session=x; ${cookie}`), 401, '_unauthorized')
  })

  test('counts only as it was given out: not in another organization, not with a character changed', async () => {
    const { cookie } = await newSession()
    const [, org, secret] = /^lw_session=lwp_(\d+)-(.+)$/.exec(cookie)!
    const other = await service.createMerchant()
    const neighbour = /^lw_session=lwp_(\d+)-/.exec((await createTestPerson(service, other)).cookie)![1]
    const last = secret!.endsWith('A') ? 'B' : 'A'
    for (const value of [
      `lwp_${neighbour}-${secret}`,
      `lwp_0-${secret}`,
      `lwp_0${org}-${secret}`,
      `lwp_99999999999-${secret}`,
      `lwp_4294967297-${secret}`,
      `lwi_${org}-${secret}`,
      `lwp_${org}-${secret!.slice(0, -1)}${last}`,
      `lwp_${org}-${secret!.toUpperCase()}`,
      `lwp_${org}-${secret} OR 1=1`,
      `"lwp_${org}-${secret}"`,
      '',
    ]) {
      const reply = await service.call('GET', '/auth/session', { headers: { cookie: `lw_session=${value}` } })
      expect([value, reply.status, reply.body.message]).toEqual([value, 401, '_unauthorized'])
    }
  })

  test('made up sessions are slowed down by their address, and use up no calls of the organization', async () => {
    const limited = await startTestService({
      rateLimits: { organization: 1_000, address: 5 },
      sharing: service,
    })
    try {
      limited.holdTime()
      const [, org] = /lwp_(\d+)-/.exec(owner.cookie)!
      const forged = { cookie: `lw_session=lwp_${org}-${'x'.repeat(43)}` }
      const replies = await Promise.all(
        Array.from({ length: 10 }, () =>
          limited.call('GET', '/v1/campaigns', { headers: forged, address: '10.9.9.9' }),
        ),
      )
      expect(replies.filter(({ status }) => status === 429)).toHaveLength(5)
      const reply = await limited.call('GET', '/v1/campaigns', { headers: { cookie: owner.cookie } })
      expect([reply.status, reply.headers.ratelimit]).toEqual([200, '"organization";r=999;t=1'])
    } finally {
      await limited.close()
    }
  })
})

describe('a page of another site', () => {
  const origins: [string, Record<string, string>, number][] = [
    ['a browser of before', {}, 200],
    ['this site', { origin: 'http://localhost:80', 'sec-fetch-site': 'same-origin' }, 200],
    ['an address typed in', { 'sec-fetch-site': 'none' }, 200],
    ['this site by another scheme', { origin: 'https://localhost' }, 403],
    ['another site', { origin: 'https://evil.example' }, 403],
    ['another site that hides', { origin: 'null' }, 403],
    ['a site whose name begins like ours', { origin: 'http://localhost.evil.example' }, 403],
    ['another port', { origin: 'http://localhost:81' }, 403],
    ['no address', { origin: 'localhost:80' }, 403],
    ['an empty origin', { origin: '' }, 403],
    ['a neighbour', { 'sec-fetch-site': 'same-site' }, 403],
    ['another site, by the browser', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a liar', { origin: 'http://localhost:80', 'sec-fetch-site': 'cross-site' }, 403],
  ]

  test.each(origins)('%s: %j gets %i where something changes', async (_who, headers, expected) => {
    const sent = { host: 'localhost:80', ...headers }
    const write = await owner.call('PATCH', '/v1/organization', { name: 'Test' }, sent)
    expect(write.status).toBe(expected)
    if (expected === 403) expectRefusal(write, 403, '_forbidden', /same-origin requests/)
    // Reading says nothing to a page of another site: the browser keeps the answer from it.
    expect((await owner.call('GET', '/v1/organization', undefined, sent)).status).toBe(200)
    const own = await newSession()
    expect((await own.call('DELETE', '/auth/session', undefined, sent)).status).toBe(
      expected === 200 ? 204 : 403,
    )
    const { email, password } = owner
    const into = { body: { email, password }, headers: sent, address: elsewhere() }
    expect((await service.call('POST', '/auth/session', into)).status).toBe(expected)
  })

  test('with a public address, that is the only one that is ours, whatever host a request names', async () => {
    const there = await startTestService({
      sharing: service,
      publicUrl: 'https://loyalty.example.com',
      isBehindProxy: true,
    })
    const { email, password } = owner
    const from = async (origin: string, host: string) =>
      (
        await there.call('POST', '/auth/session', {
          body: { email, password },
          headers: { origin, 'x-forwarded-host': host, 'x-forwarded-for': elsewhere() },
        })
      ).status
    expect(await from('https://loyalty.example.com', 'internal:8080')).toBe(200)
    expect(await from('https://loyalty.example.com:443', 'loyalty.example.com')).toBe(200)
    expect(await from('http://loyalty.example.com', 'loyalty.example.com')).toBe(403)
    expect(await from('https://evil.example', 'evil.example')).toBe(403)
    expect(await from('http://localhost', 'localhost')).toBe(403)
    await there.close()
  })

  test('a token is no cookie: it may come from anywhere', async () => {
    const headers = { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' }
    expect((await merchant.call('PATCH', '/v1/organization', { name: 'Test' }, headers)).status).toBe(200)
  })
})

describe('the life of a session', () => {
  const status = async (call: TestPerson['call']) => (await call('GET', '/auth/session')).status

  test('ends twelve hours after its last use, and not before', async () => {
    const { call } = await newSession()
    await atAnotherTime(async () => {
      for (let i = 0; i < 3; i++) {
        service.advance(12 * hour - 2 * minute)
        expect(await status(call)).toBe(200)
      }
      service.advance(12 * hour + minute)
      expectRefusal(await call('GET', '/v1/campaigns'), 401, '_unauthorized', /ended/)
    })
  })

  test('ends after thirty days, however often it was used', async () => {
    const { call } = await newSession()
    await atAnotherTime(async () => {
      for (let day = 0; day < 59; day++) {
        service.advance(12 * hour - 2 * minute)
        expect(await status(call)).toBe(200)
      }
      const { expiresAt } = (await call('GET', '/auth/session')).body
      service.advance(6 * hour)
      expect(await status(call)).toBe(200)
      service.advance(9 * hour)
      expect(await status(call)).toBe(401)
      expect(new Date(expiresAt).getTime()).toBeGreaterThan(Date.now() + 29 * 24 * hour)
    })
  })

  test('its use is written once a minute, not with every call', async () => {
    const { call } = await newSession(cashier)
    const uses = async () => {
      const { rows } = await service.database.pool.query(
        'SELECT max(last_used_at) AS at FROM person_sessions WHERE person_id = $1',
        [cashier.id.replace('psn_', '')],
      )
      return rows[0].at.getTime()
    }
    const opened = await uses()
    await call('GET', '/v1/campaigns')
    expect(await uses()).toBe(opened)
    await atAnotherTime(async () => {
      service.advance(2 * minute)
      await Promise.all([call('GET', '/v1/campaigns'), call('GET', '/v1/campaigns')])
      expect((await uses()) - opened).toBeGreaterThanOrEqual(2 * minute)
    })
  })

  test('signing out ends it, and can be repeated, or done without one', async () => {
    const { call } = await newSession()
    const other = await newSession()
    const out = await call('DELETE', '/auth/session')
    expect([out.status, out.text]).toEqual([204, ''])
    expect(String(out.headers['set-cookie'])).toMatch(/^lw_session=; Max-Age=0; Path=\/; HttpOnly/)
    expect(await status(call)).toBe(401)
    expect((await call('DELETE', '/auth/session')).status).toBe(204)
    expect((await service.call('DELETE', '/auth/session')).status).toBe(204)
    expect(await status(other.call)).toBe(200)
  })

  test('signing out everywhere ends all of the person, and nobody else’s', async () => {
    const person = await createTestPerson(service, merchant)
    const [first, second] = [await newSession(person), await newSession(person)]
    expect((await first.call('DELETE', '/auth/sessions')).status).toBe(204)
    for (const { call } of [person, first, second]) expect(await status(call)).toBe(401)
    expect(await status(owner.call)).toBe(200)
    expectRefusal(await service.call('DELETE', '/auth/sessions'), 401, '_unauthorized')
  })

  test('a person has twenty; the one that was not used longest goes', async () => {
    const person = await createTestPerson(service, merchant)
    const later = await atAnotherTime(async () => {
      const sessions = []
      for (let i = 0; i < 20; i++) {
        service.advance(1_000)
        sessions.push(await newSession(person))
      }
      return sessions
    })
    expect(await status(person.call)).toBe(401)
    for (const { call } of later) expect(await status(call)).toBe(200)
    // Also by a clock that has gone back, as it has here.
    expect(await status((await newSession(person)).call)).toBe(200)
  })

  test('a subscription that is switched off counts on the next call', async () => {
    const other = await service.createMerchant()
    const person = await createTestPerson(service, other)
    await setSubscription(other, false)
    expectRefusal(await person.call('GET', '/v1/campaigns'), 403, 'invalid_subscription')
    expectRefusal(await person.call('GET', '/auth/session'), 403, 'invalid_subscription')
    expect((await person.call('DELETE', '/auth/session')).status).toBe(204)
    await setSubscription(other, true)
    expect(await status(person.call)).toBe(401)
  })

  test('only a hash of it is stored', async () => {
    const { cookie } = await newSession()
    const { rows } = await service.database.pool.query('SELECT t::text AS row FROM person_sessions t')
    const secret = cookie.split('-').slice(1).join('-')
    expect(rows.length).toBeGreaterThan(0)
    for (const { row } of rows) {
      expect(row).not.toContain(secret)
      expect(row).not.toContain(Buffer.from(secret).toString('hex'))
    }
  })
})

describe('changing the password', () => {
  test.each(['aaaaaaaaaa', '1234567890', 'password12', 'passwordpassword', 'PERSON 12345'])(
    '%s is easy to guess: it is refused, and the old one stays',
    async (password) => {
      const person = await createTestPerson(service, merchant)
      const change = { currentPassword: person.password, password }
      expectRefusal(await person.call('POST', '/auth/password', change), 400, 'weak_password')
      expect((await signIn(service, person, elsewhere())).status).toBe(200)
    },
  )

  const change = (call: TestPerson['call'], currentPassword: string, password: string): Promise<Reply> =>
    call('POST', '/auth/password', { currentPassword, password })

  test('ends all sessions but this one, and the old password', async () => {
    const person = await createTestPerson(service, merchant)
    const other = await newSession(person)
    expect((await change(person.call, person.password, 'quite another phrase')).status).toBe(204)
    expect((await person.call('GET', '/auth/session')).status).toBe(200)
    expect((await other.call('GET', '/auth/session')).status).toBe(401)
    expectRefusal(await signIn(service, person, elsewhere()), 401, '_invalid_credentials')
    const again = await signIn(service, { ...person, password: 'quite another phrase' }, elsewhere())
    expect(again.status).toBe(200)
    expect(cookieIn(again)).not.toBe(person.cookie)
  })

  test('of two at once one wins, and the other is told that the password is wrong', async () => {
    const person = await createTestPerson(service, merchant)
    const passwords = ['the first of two', 'the second of two']
    const replies = await Promise.all(passwords.map((item) => change(person.call, person.password, item)))
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([204, 401])
    const winner = passwords[replies.findIndex((reply) => reply.status === 204)]!
    expect((await signIn(service, { ...person, password: winner }, elsewhere())).status).toBe(200)
  })

  test('needs the current one, and one that is not the address, of ten to two hundred characters', async () => {
    const { call, password, email } = owner
    expectRefusal(await change(call, 'something else', 'quite another phrase'), 401, '_invalid_credentials')
    expectRefusal(await change(call, password, 'x'.repeat(9)), 400, '_invalid_payload', /password/)
    expectRefusal(await change(call, password, 'x'.repeat(201)), 400, '_invalid_payload', /password/)
    expectRefusal(await change(call, password, email.toUpperCase()), 400, '_invalid_payload', /email address/)
    const nobody = await service.call('POST', '/auth/password', {
      body: { currentPassword: password, password: 'quite another phrase' },
    })
    expectRefusal(nobody, 401, '_unauthorized')
    expect((await signIn(service, owner, elsewhere())).status).toBe(200)
  })

  test('the same keys are the same password, however a computer composes them', async () => {
    const person = await createTestPerson(service, merchant)
    expect((await change(person.call, person.password, 'caf\u00e9 au lait')).status).toBe(204)
    const composed = await signIn(service, { ...person, password: 'cafe\u0301 au lait' }, elsewhere())
    expect(composed.status).toBe(200)
  })
})
