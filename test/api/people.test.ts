import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenApiDocument } from '../../src/http/openapi/reference/document.ts'
import { expectDocumented } from '../support/expect-documented.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import {
  copyRows,
  createQuickPerson,
  createTestPerson,
  inviteTestPerson,
  signIn,
  type TestPerson,
  tokenIn,
  withSession,
} from '../support/people.ts'
import {
  adminToken,
  type Merchant,
  type Reply,
  startTestService,
  type TestService,
} from '../support/service.ts'

let service: TestService
let second: TestService
let document: OpenApiDocument
let merchant: Merchant
let owner: TestPerson

beforeAll(async () => {
  service = await startTestService()
  second = await startTestService({ sharing: service })
  document = (await service.call('GET', '/openapi.json')).body
  merchant = await service.createMerchant()
  owner = await createTestPerson(service, merchant)
})
afterAll(async () => {
  await second.close()
  await service.close()
})

let made = 0
const newEmail = () => `new-${++made}@example.com`
const day = 24 * 3_600_000
const password = 'correct horse battery'
let visitors = 0
const elsewhere = () => `10.2.0.${++visitors}`

const join = (token: string, body: object = {}, on = service): Promise<Reply> =>
  on.call('POST', '/auth/invitation', { body: { token, password, ...body }, address: elsewhere() })

async function invite(role = 'cashier', by = owner): Promise<Reply> {
  const reply = await by.call('POST', '/v1/people', { email: newEmail(), role })
  expect([reply.status, reply.body.message]).toEqual([201, undefined])
  expectDocumented(document, reply)
  return reply
}

describe('inviting', () => {
  test('adds a person and shows a link, once', async () => {
    const reply = await owner.call('POST', '/v1/people', {
      email: ' Grace.Hopper@Example.com ',
      name: 'Grace',
      role: 'manager',
    })
    expect(reply.status).toBe(201)
    expectDocumented(document, reply)
    expect(reply.body).toMatchObject({
      id: expect.stringMatching(/^psn_/),
      email: 'grace.hopper@example.com',
      name: 'Grace',
      role: 'manager',
      status: 'invited',
      invitation: {
        url: expect.stringMatching(/^https:\/\/loyalty\.example\.com\/console\/join#lwi_\d+-[\w-]{43}$/),
      },
    })
    const lives = new Date(reply.body.invitation.expiresAt).getTime() - Date.now()
    expect(Math.abs(lives - 7 * day)).toBeLessThan(60_000)
    const list = await owner.call('GET', '/v1/people')
    expectDocumented(document, list)
    const { invitation: _, ...shown } = reply.body
    expect(list.body.data.find(({ id }: { id: string }) => id === shown.id)).toEqual(shown)
    expect(list.text).not.toContain('lwi_')
  })

  test('lets the person join, under a user of its own', async () => {
    const invited = await invite('manager')
    const joined = await join(tokenIn(invited), { name: 'Ada' })
    expect(joined.status).toBe(200)
    expectDocumented(document, joined)
    expect(joined.body.person).toEqual({
      id: invited.body.id,
      email: invited.body.email,
      name: 'Ada',
      role: 'manager',
    })
    const { call } = withSession(service, joined)
    expect((await call('GET', '/v1/customers')).status).toBe(200)
    const user = await call('GET', `/v1/users/${joined.body.user}`)
    expect(user.body).toMatchObject({ opaqueId: invited.body.id, name: 'Ada', branchOpaqueId: 'main' })
    const listed = await owner.call('GET', '/v1/people?limit=100')
    const row = listed.body.data.find(({ id }: { id: string }) => id === invited.body.id)
    expect(row).toMatchObject({ status: 'active', lastSeenAt: expect.any(String) })
  })

  test('an address belongs to one person on the whole platform, whatever its case', async () => {
    const { email } = (await invite()).body
    const again = await owner.call('POST', '/v1/people', { email: email.toUpperCase(), role: 'cashier' })
    expectRefusal(again, 400, 'existing_person_with_email')
    const other = await createTestPerson(service, await service.createMerchant())
    const elsewhere = await other.call('POST', '/v1/people', { email, role: 'cashier' })
    expectRefusal(elsewhere, 400, 'existing_person_with_email')
    // Nothing is left of what was refused, not even a user in the directory.
    expect((await other.call('GET', '/v1/people')).body.data).toHaveLength(1)
    expect((await other.call('GET', '/v1/users')).body.data).toHaveLength(2)
  })

  test('of many invitations of one address at once, on two instances, one is made', async () => {
    const email = newEmail()
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        [service, second][i % 2]!.call('POST', '/v1/people', {
          body: { email, role: 'cashier' },
          headers: { cookie: owner.cookie },
        }),
      ),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400, 400, 400])
  })

  test('an organization has at most a thousand people, however many are invited at once', async () => {
    const crowded = await service.createMerchant()
    const boss = await createTestPerson(service, crowded)
    await copyRows(service, crowded, 'people', 997)
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        [service, second][i % 2]!.call('POST', '/v1/people', {
          body: { email: newEmail(), role: 'cashier' },
          headers: { cookie: boss.cookie },
        }),
      ),
    )
    const invited = replies.filter(({ status }) => status === 201)
    expect(invited).toHaveLength(3)
    for (const reply of replies) if (reply.status !== 201) expectRefusal(reply, 400, 'too_many_people')
    expect((await boss.call('GET', '/v1/users')).body.data).toHaveLength(2 + 3)
    const path = `/admin/v1/organizations/${crowded.id}/people`
    const body = { email: newEmail(), role: 'owner' }
    expectRefusal(await service.call('POST', path, { token: adminToken, body }), 400, 'too_many_people')
    await boss.call('DELETE', `/v1/people/${invited[0]!.body.id}`)
    expect((await service.call('POST', path, { token: adminToken, body })).status).toBe(201)
  })

  test.each([
    { body: { role: 'cashier' }, member: /email/ },
    { body: { email: 'a@example.com' }, member: /role/ },
    { body: { email: 'a@example.com', role: 'root' }, member: /role/ },
    { body: { email: 'a@b', role: 'cashier' }, member: /email/ },
    { body: { email: ' ', role: 'cashier' }, member: /email/ },
    { body: { email: 'ｏwner@example.com', role: 'cashier' }, member: /email: must be written in ordinary/ },
    { body: { email: 'a＠b@example.com', role: 'cashier' }, member: /email: must be written in ordinary/ },
    { body: { email: 'a@example.com', role: 'cashier', status: 'active' }, member: /status/ },
    { body: { email: 'a@example.com', role: 'cashier', password }, member: /password/ },
  ])('$body is refused for its shape', async ({ body, member }) => {
    expectRefusal(await owner.call('POST', '/v1/people', body), 400, '_invalid_payload', member)
  })
})

describe('an invitation', () => {
  test('is used once, also by ten at once on two instances', async () => {
    const token = tokenIn(await invite())
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        join(token, { password: `quite another phrase ${i}` }, [service, second][i % 2]),
      ),
    )
    const winner = replies.findIndex(({ status }) => status === 200)
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const [i, reply] of replies.entries()) {
      if (i !== winner) expectRefusal(reply, 400, 'invalid_invitation')
    }
    const { email } = replies[winner]!.body.person
    const signedIn = await signIn(service, { email, password: `quite another phrase ${winner}` }, elsewhere())
    expect(signedIn.status).toBe(200)
    expectRefusal(await join(token), 400, 'invalid_invitation')
  })

  test('ends after seven days', async () => {
    const token = tokenIn(await invite())
    try {
      service.advance(7 * day - 60_000)
      expectRefusal(await join(token, { password: 'short' }), 400, '_invalid_payload')
      service.advance(60_001)
      expectRefusal(await join(token), 400, 'invalid_invitation')
    } finally {
      service.setTime(new Date())
    }
    expect((await join(token)).status).toBe(200)
  })

  test('is replaced by a newer one', async () => {
    const invited = await invite()
    const renewed = await owner.call('POST', `/v1/people/${invited.body.id}/invitation`)
    expect(renewed.status).toBe(201)
    expectDocumented(document, renewed)
    expectRefusal(await join(tokenIn(invited)), 400, 'invalid_invitation')
    expect((await join(tokenIn(renewed))).status).toBe(200)
  })

  test('sets a forgotten password anew: the old one and its sessions count until it is used', async () => {
    const person = await createTestPerson(service, merchant, 'manager')
    const renewed = await owner.call('POST', `/v1/people/${person.id}/invitation`)
    expect((await signIn(service, person, elsewhere())).status).toBe(200)
    expect((await person.call('GET', '/auth/session')).status).toBe(200)
    const joined = await join(tokenIn(renewed))
    expect(joined.status).toBe(200)
    expect((await person.call('GET', '/auth/session')).status).toBe(401)
    expectRefusal(await signIn(service, person, elsewhere()), 401, '_invalid_credentials')
    expect((await signIn(service, { ...person, password }, elsewhere())).status).toBe(200)
    expect((await withSession(service, joined).call('GET', '/auth/session')).status).toBe(200)
  })

  test('is nothing to make for oneself: whoever finds a browser open would have the account', async () => {
    const other = await createTestPerson(service, merchant)
    const own = await other.call('POST', `/v1/people/${other.id}/invitation`)
    expectRefusal(own, 403, '_forbidden', /POST \/auth\/password/)
    expect((await signIn(service, other, elsewhere())).status).toBe(200)
    expect((await owner.call('POST', `/v1/people/${other.id}/invitation`)).status).toBe(201)
  })

  test('that nobody used in time gives its address free, in whichever organization', async () => {
    const [kept, lapsed, joined] = [await invite(), await invite(), await invite()]
    expect((await join(tokenIn(joined))).status).toBe(200)
    const other = await service.createMerchant()
    const inviteThere = (email: string, on = service) =>
      on.call('POST', `/admin/v1/organizations/${other.id}/people`, {
        body: { email, role: 'owner' },
        token: adminToken,
      })
    try {
      service.advance(7 * day - 60_000)
      second.advance(7 * day + 60_000)
      expectRefusal(await inviteThere(lapsed.body.email), 400, 'existing_person_with_email')
      const renewed = await createQuickPerson(service, merchant)
      const headers = { cookie: renewed.cookie }
      await service.call('POST', `/v1/people/${kept.body.id}/invitation`, { headers })
      for (const { body } of [kept, joined])
        expectRefusal(await inviteThere(body.email, second), 400, 'existing_person_with_email')
      const replies = await Promise.all(
        Array.from({ length: 4 }, () => inviteThere(lapsed.body.email, second)),
      )
      expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400])
      const left = (await service.call('GET', '/v1/people?limit=100', { headers })).text
      expect([kept, joined, lapsed].map(({ body }) => left.includes(body.id))).toEqual([true, true, false])
      const { rows } = await service.database.pool.query(
        `SELECT o.id::text, by_kind, action FROM audit_entries JOIN organizations o USING (org_id)
         WHERE subject_id = $1 AND action = 'endInvitation'`,
        [lapsed.body.id],
      )
      const id = rows[0]?.id.replaceAll('-', '')
      expect([rows.length, id, rows[0]?.by_kind]).toEqual([1, merchant.id.slice(4), 'operator'])
    } finally {
      service.setTime(new Date())
      second.setTime(new Date())
    }
  })

  test('ends when the person chooses a password otherwise', async () => {
    const person = await createTestPerson(service, merchant)
    const renewed = await owner.call('POST', `/v1/people/${person.id}/invitation`)
    await person.call('POST', '/auth/password', { currentPassword: person.password, password })
    expectRefusal(await join(tokenIn(renewed)), 400, 'invalid_invitation')
  })

  test('asks for a password that is one', async () => {
    const invited = await invite()
    const token = tokenIn(invited)
    for (const wrong of ['x'.repeat(9), 'x'.repeat(201), 7, undefined])
      expectRefusal(await join(token, { password: wrong }), 400, '_invalid_payload', /password/)
    expectRefusal(
      await join(token, { password: invited.body.email }),
      400,
      '_invalid_payload',
      /email address/,
    )
    expectRefusal(await join(token, { password: 'x'.repeat(200) }), 400, 'weak_password')
    expect((await join(token, { password: 'a phrase of its own '.repeat(10) })).status).toBe(200)
  })

  test('that was made up is refused, and counted against its address', async () => {
    const invited = await invite()
    const [, org] = /lwi_(\d+)-/.exec(tokenIn(invited))!
    const address = elsewhere()
    const guess = () =>
      service.call('POST', '/auth/invitation', {
        body: { token: `lwi_${org}-${'x'.repeat(43)}`, password },
        address,
      })
    expectRefusal(await guess(), 400, 'invalid_invitation')
    const replies = await Promise.all(Array.from({ length: 200 }, guess))
    expect(replies.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
    for (const token of ['', 'x', owner.cookie.replace('lw_session=', '')])
      expect((await join(token)).status).toBe(400)
  })

  test('does not count where the subscription is off, and is not used up by that', async () => {
    const other = await service.createMerchant()
    const invited = await inviteTestPerson(service, other)
    const subscribe = (active: boolean) =>
      service.call('POST', `/admin/v1/organizations/${other.id}/subscription`, {
        body: { active },
        token: adminToken,
      })
    await subscribe(false)
    expectRefusal(await join(tokenIn(invited)), 403, 'invalid_subscription')
    await subscribe(true)
    expect((await join(tokenIn(invited))).status).toBe(200)
  })
})

describe('changing people', () => {
  const patch = (id: string, body: object, by = owner) => by.call('PATCH', `/v1/people/${id}`, body)

  test('a role counts on the next call', async () => {
    const person = await createTestPerson(service, merchant, 'cashier')
    expect((await person.call('GET', '/v1/customers')).status).toBe(403)
    const reply = await patch(person.id, { role: 'manager', name: 'Ada' })
    expect(reply.body).toMatchObject({ role: 'manager', name: 'Ada', status: 'active' })
    expectDocumented(document, reply)
    expect((await person.call('GET', '/v1/customers')).status).toBe(200)
    const { user } = (await person.call('GET', '/auth/session')).body
    expect((await merchant.call('GET', `/v1/users/${user}`)).body.name).toBe('Ada')
    expect((await patch(person.id, { name: null })).body.name).toBeUndefined()
    expect((await merchant.call('GET', `/v1/users/${user}`)).body.name).toBeUndefined()
  })

  test('who is blocked is out at once, cannot sign in or use a link, and is let in again', async () => {
    const person = await createTestPerson(service, merchant, 'manager')
    const link = tokenIn(await owner.call('POST', `/v1/people/${person.id}/invitation`))
    expect((await patch(person.id, { status: 'blocked' })).body.status).toBe('blocked')
    expect((await person.call('GET', '/v1/campaigns')).status).toBe(401)
    expectRefusal(await signIn(service, person, elsewhere()), 401, '_invalid_credentials')
    expectRefusal(await join(link), 400, 'invalid_invitation')
    expect((await patch(person.id, { status: 'active' })).body.status).toBe('active')
    expect((await person.call('GET', '/v1/campaigns')).status).toBe(401)
    expect((await signIn(service, person, elsewhere())).status).toBe(200)
  })

  test('who was only invited is not active for being unblocked', async () => {
    const { id } = (await invite()).body
    expect((await patch(id, { status: 'blocked' })).body.status).toBe('blocked')
    expect((await patch(id, { status: 'active' })).body.status).toBe('invited')
  })

  test('who is removed is gone, and the address is free again; the user stays without a name', async () => {
    const person = await createTestPerson(service, merchant, 'manager')
    await patch(person.id, { name: 'Grace' })
    const { user } = person.joined.body
    const removed = await owner.call('DELETE', `/v1/people/${person.id}`)
    expect([removed.status, removed.text]).toEqual([204, ''])
    expect((await person.call('GET', '/auth/session')).status).toBe(401)
    expectRefusal(await signIn(service, person, elsewhere()), 401, '_invalid_credentials')
    expectRefusal(await owner.call('DELETE', `/v1/people/${person.id}`), 404, 'person_not_found')
    const left = await merchant.call('GET', `/v1/users/${user}`)
    expect([left.status, left.body.name]).toEqual([200, undefined])
    const again = await owner.call('POST', '/v1/people', { email: person.email, role: 'cashier' })
    expect(again.status).toBe(201)
  })

  test('an owner signs others out', async () => {
    const person = await createTestPerson(service, merchant, 'cashier')
    const reply = await owner.call('POST', `/v1/people/${person.id}/sign-out`)
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect((await person.call('GET', '/auth/session')).status).toBe(401)
    const listed = (await owner.call('GET', '/v1/people?limit=100')).body.data
    const { lastSeenAt } = listed.find(({ id }: { id: string }) => id === person.id)
    expect(Math.abs(Date.now() - new Date(lastSeenAt).getTime())).toBeLessThan(60_000)
  })

  test('when a person was last seen is kept through signing out', async () => {
    const person = await createTestPerson(service, merchant, 'cashier')
    const seen = async () => {
      const listed = (await owner.call('GET', '/v1/people?limit=100')).body.data
      return new Date(listed.find(({ id }: { id: string }) => id === person.id).lastSeenAt).getTime()
    }
    const joined = await seen()
    try {
      service.advance(3_600_000)
      await person.call('GET', '/v1/campaigns')
      expect((await seen()) - joined).toBeGreaterThanOrEqual(3_600_000)
      expect((await person.call('DELETE', '/auth/session')).status).toBe(204)
      expect((await seen()) - joined).toBeGreaterThanOrEqual(3_600_000)
    } finally {
      service.setTime(new Date())
    }
  })

  test('people of another organization look like people nobody has', async () => {
    const other = await service.createMerchant()
    const stranger = await createTestPerson(service, other)
    for (const id of [stranger.id, 'psn_0', `psn_${'0'.repeat(32)}`]) {
      expectRefusal(await patch(id, { role: 'cashier' }), 404, 'person_not_found')
      expectRefusal(await owner.call('DELETE', `/v1/people/${id}`), 404, 'person_not_found')
      expectRefusal(await owner.call('POST', `/v1/people/${id}/invitation`), 404, 'person_not_found')
      expectRefusal(await owner.call('POST', `/v1/people/${id}/sign-out`), 404, 'person_not_found')
    }
    expect((await stranger.call('GET', '/auth/session')).status).toBe(200)
    expect((await owner.call('GET', '/v1/people?limit=100')).text).not.toContain(stranger.id)
  })

  test('managers, cashiers and connections look after nobody', async () => {
    const target = (await invite()).body.id
    const callers = [
      (await createTestPerson(service, merchant, 'manager')).call,
      (await createTestPerson(service, merchant, 'cashier')).call,
      await merchant.connect(['pos', 'manage']),
    ]
    for (const call of callers) {
      for (const reply of [
        await call('GET', '/v1/people'),
        await call('POST', '/v1/people', { email: newEmail(), role: 'owner' }),
        await call('PATCH', `/v1/people/${target}`, { role: 'owner' }),
        await call('DELETE', `/v1/people/${target}`),
        await call('POST', `/v1/people/${target}/invitation`),
        await call('POST', `/v1/people/${target}/sign-out`),
      ])
        expectRefusal(reply, 403, '_forbidden', /^Only an owner who has signed in can do this\.$/)
    }
  })

  test('the list comes in pages', async () => {
    const other = await service.createMerchant()
    const { cookie } = await createQuickPerson(service, other)
    for (let i = 0; i < 4; i++) await inviteTestPerson(service, other, 'cashier')
    const headers = { cookie }
    const first = await service.call('GET', '/v1/people?limit=3', { headers })
    const rest = await service.call('GET', `/v1/people?limit=3&cursor=${first.body.nextCursor}`, { headers })
    const ids = [...first.body.data, ...rest.body.data].map(({ id }: { id: string }) => id)
    expect([ids.length, new Set(ids).size, rest.body.nextCursor]).toEqual([5, 5, undefined])
  })
})

describe('the last owner', () => {
  test('can be neither demoted, blocked nor removed, and invited owners do not count', async () => {
    const other = await service.createMerchant()
    const last = await createTestPerson(service, other)
    await last.call('POST', '/v1/people', { email: newEmail(), role: 'owner' })
    const path = `/v1/people/${last.id}`
    expectRefusal(await last.call('PATCH', path, { role: 'manager' }), 400, 'last_owner')
    expectRefusal(await last.call('PATCH', path, { status: 'blocked' }), 400, 'last_owner')
    expectRefusal(await last.call('DELETE', path), 400, 'last_owner')
    expect((await last.call('PATCH', path, { name: 'Ada', role: 'owner', status: 'active' })).status).toBe(
      200,
    )
    const next = await createTestPerson(service, other)
    expect((await last.call('PATCH', path, { role: 'manager' })).status).toBe(200)
    expect((await last.call('GET', '/v1/people')).status).toBe(403)
    expectRefusal(await next.call('DELETE', `/v1/people/${next.id}`), 400, 'last_owner')
  })

  test('of owners who end each other at once, on two instances, one is left each time', async () => {
    for (let round = 0; round < 8; round++) {
      const other = await service.createMerchant()
      const owners = await Promise.all(Array.from({ length: 3 }, () => createQuickPerson(service, other)))
      // In a circle: each would be ended by the one before.
      const replies = await Promise.all(
        owners.map(({ cookie }, i) => {
          const target = `/v1/people/${owners[(i + 1) % owners.length]!.id}`
          const on = [service, second][i % 2]!
          const headers = { cookie }
          if (round % 3 === 0) return on.call('DELETE', target, { headers })
          const body = round % 3 === 1 ? { role: 'manager' } : { status: 'blocked' }
          return on.call('PATCH', target, { body, headers })
        }),
      )
      const { rows } = await service.database.pool.query(
        `SELECT count(*)::int AS left FROM people p JOIN organizations o USING (org_id)
         WHERE o.id = $1 AND p.role = 'owner' AND NOT p.is_blocked AND p.password_hash IS NOT NULL`,
        [other.id.replace('org_', '')],
      )
      const done = replies.filter(({ status }) => status < 300).length
      expect(rows[0].left).toBe(owners.length - done)
      expect(rows[0].left).toBeGreaterThanOrEqual(1)
      for (const reply of replies) expect([200, 204, 400, 401, 403]).toContain(reply.status)
    }
  })

  test('demoted twice at once: one of two owners stays', async () => {
    const other = await service.createMerchant()
    const [a, b] = await Promise.all([createQuickPerson(service, other), createQuickPerson(service, other)])
    const demote = (on: TestService, by: { cookie: string }, id: string) =>
      on.call('PATCH', `/v1/people/${id}`, { body: { role: 'cashier' }, headers: { cookie: by.cookie } })
    const replies = await Promise.all([demote(service, a, a.id), demote(second, b, b.id)])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400])
    expectRefusal(replies.find(({ status }) => status === 400)!, 400, 'last_owner')
  })
})

describe('changes that meet a sign-in', () => {
  test('after a block, a removal or a new password no session of before is left, however they raced', async () => {
    for (let round = 0; round < 6; round++) {
      const person = await createTestPerson(service, merchant, 'cashier')
      const link = tokenIn(await owner.call('POST', `/v1/people/${person.id}/invitation`))
      const change = [
        () => owner.call('PATCH', `/v1/people/${person.id}`, { status: 'blocked' }),
        () => owner.call('DELETE', `/v1/people/${person.id}`),
        () => join(link),
      ][round % 3]!
      const [changed, ...tries] = await Promise.all([
        change(),
        signIn(second, person, elsewhere()),
        signIn(service, person, elsewhere()),
      ])
      expect(changed!.status).toBeLessThan(300)
      for (const reply of tries) {
        expect([200, 401]).toContain(reply.status)
        if (reply.status !== 200) continue
        expect((await withSession(service, reply).call('GET', '/auth/session')).status).toBe(401)
      }
    }
  })
})

describe('the operator', () => {
  const admin = (method: 'GET' | 'POST', path: string, body?: object) =>
    service.call(method, `/admin/v1${path}`, { token: adminToken, body })

  test('invites the first owner of an organization, and sees who is there', async () => {
    const other = await service.createMerchant()
    const email = newEmail()
    const invited = await admin('POST', `/organizations/${other.id}/people`, { email, role: 'owner' })
    expect(invited.status).toBe(201)
    expectDocumented(document, invited)
    expect((await join(tokenIn(invited))).body.organization.id).toBe(other.id)
    const list = await admin('GET', `/organizations/${other.id}/people`)
    expectDocumented(document, list)
    expect(list.body.data).toEqual([expect.objectContaining({ email, role: 'owner', status: 'active' })])
  })

  test('hears of an organization that is not there, and of an address that is taken', async () => {
    const body = { email: newEmail(), role: 'owner' }
    expectRefusal(await admin('POST', '/organizations/org_0/people', body), 404, 'organization_not_found')
    expectRefusal(await admin('GET', '/organizations/org_0/people'), 404, 'organization_not_found')
    const taken = { email: owner.email, role: 'owner' }
    const reply = await admin('POST', `/organizations/${merchant.id}/people`, taken)
    expectRefusal(reply, 400, 'existing_person_with_email')
  })
})
