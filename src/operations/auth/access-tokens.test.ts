import { expect, test } from 'vitest'
import { newId } from '../../store/new-id.ts'
import { createAccessTokens, type NewClaims } from './access-tokens.ts'

const now = new Date('2026-03-01T08:00:00Z')
const [former, next] = ['f'.repeat(32), 'n'.repeat(32)]
const claims: NewClaims = {
  organization: newId('org', now),
  user: newId('usr', now),
  session: newId('ses', now),
  scopes: ['pos'],
  credentials: { secret: newId('sec', now), key: newId('key', now) },
}

/** The services of an installation, one after the other, while the secret is changed without ending a token. */
const stages = {
  before: createAccessTokens(former, 60),
  prepared: createAccessTokens(former, 60, next),
  changed: createAccessTokens(next, 60, former),
  after: createAccessTokens(next, 60),
}
type Stage = keyof typeof stages

const accepts = async (verifier: Stage, signer: Stage) => {
  const { token } = await stages[signer].sign(claims, now)
  const check = await stages[verifier].verify(token, now)
  return check.ok ? check.claims.session === claims.session : check.reason
}

test.each<[Stage, Stage]>([
  ['before', 'prepared'],
  ['prepared', 'changed'],
  ['changed', 'after'],
])('services that are %s and %s accept the tokens of each other', async (one, other) => {
  expect([await accepts(one, other), await accepts(other, one)]).toEqual([true, true])
})

test('without the other secret, its tokens are foreign, whichever it is', async () => {
  expect(await accepts('after', 'before')).toBe('foreign')
  expect(await accepts('before', 'after')).toBe('foreign')
})

test('a token of the other secret expires like any other', async () => {
  const { token, expiresAtMs } = await stages.before.sign(claims, now)
  expect(await stages.changed.verify(token, new Date(expiresAtMs - 1))).toMatchObject({ ok: true })
  expect(await stages.changed.verify(token, new Date(expiresAtMs))).toMatchObject({ reason: 'expired' })
})
