import { type Clause, must, mustAccept, mustRefuse, Untried } from '../clause.ts'

export const authentication: readonly Clause[] = [
  {
    id: 'token.response',
    text: 'A token response has `accessToken`, `tokenType` `Bearer`, `expiresIn` and `refreshToken`.',
    async check({ send, apiKey, apiSecret }) {
      const answer = await send('POST', '/auth/token', { headers: credentialHeaders(apiKey, apiSecret) })
      mustAccept(answer, 200)
      mustBeTokens(answer.body)
    },
  },
  {
    id: 'token.expiry',
    text: '`expiresIn` is an absolute time in milliseconds, not a duration.',
    async check({ send, apiKey, apiSecret }) {
      const { body } = await send('POST', '/auth/token', { headers: credentialHeaders(apiKey, apiSecret) })
      const ahead = body?.expiresIn - Date.now()
      must(ahead > 0, `expiresIn is ${body?.expiresIn}, which is in the past`)
      must(ahead < 366 * 86_400_000, `expiresIn is ${body?.expiresIn}, which is more than a year ahead`)
    },
  },
  {
    id: 'token.jwt',
    text: 'The access token is a JWT.',
    async check(till) {
      const parts = (await till.token()).split('.')
      must(parts.length === 3, `it has ${parts.length} parts, not 3`)
      const header = JSON.parse(Buffer.from(parts[0]!, 'base64url').toString())
      must(typeof header.alg === 'string' && header.alg !== 'none', 'its header names no algorithm')
    },
  },
  ...(['x-api-key', 'x-api-secret'] as const).map(
    (missing): Clause => ({
      id: `token.without-${missing}`,
      text: `Without \`${missing}\`, \`/auth/token\` answers 400 \`_invalid_payload\`.`,
      async check({ send, apiKey, apiSecret }) {
        const { [missing]: _, ...headers } = credentialHeaders(apiKey, apiSecret)
        mustRefuse(await send('POST', '/auth/token', { headers }), 400, '_invalid_payload')
      },
    }),
  ),
  {
    id: 'token.wrong-secret',
    text: 'An invalid pair of key and secret is refused with 401 `_invalid_credentials`.',
    async check({ send, apiKey, apiSecret, unique }) {
      const wrongSecret = credentialHeaders(apiKey, `lws_${unique()}`)
      mustRefuse(await send('POST', '/auth/token', { headers: wrongSecret }), 401, '_invalid_credentials')
      const wrongKey = credentialHeaders(`lwk_${unique()}`, apiSecret)
      mustRefuse(await send('POST', '/auth/token', { headers: wrongKey }), 401, '_invalid_credentials')
    },
  },
  {
    id: 'token.pair',
    text: 'The pair is validated together: a secret of another integration is refused.',
    async check({ send, apiKey, otherSecret }) {
      if (otherSecret === undefined)
        throw new Untried('set OTHER_API_SECRET to a secret of another integration')
      const headers = credentialHeaders(apiKey, otherSecret)
      mustRefuse(await send('POST', '/auth/token', { headers }), 401, '_invalid_credentials')
    },
  },
  {
    id: 'refresh.rotation',
    text: 'A refresh returns a new pair, and the refresh token sent is invalid at once.',
    async check({ send, apiKey, apiSecret }) {
      const { body: first } = await send('POST', '/auth/token', {
        headers: credentialHeaders(apiKey, apiSecret),
      })
      const sent = { accessToken: first.accessToken, refreshToken: first.refreshToken }
      const second = await send('POST', '/auth/refreshtoken', { body: sent })
      mustAccept(second, 200)
      mustBeTokens(second.body)
      must(second.body.refreshToken !== sent.refreshToken, 'the refresh token is the same as before')
      mustRefuse(await send('POST', '/auth/refreshtoken', { body: sent }), 400, '_invalid_refresh_token')
    },
  },
  {
    id: 'refresh.unknown',
    text: 'An unknown refresh token is refused with 400 `_invalid_refresh_token`.',
    async check(till) {
      const body = { accessToken: await till.token(), refreshToken: `lwr_${till.unique()}` }
      mustRefuse(await till.send('POST', '/auth/refreshtoken', { body }), 400, '_invalid_refresh_token')
    },
  },
  {
    id: 'bearer.missing',
    text: 'A request without a token is refused with 401.',
    async check({ send }) {
      mustRefuse(await send('GET', '/v1/customers/find?q=x'), 401)
    },
  },
  {
    id: 'bearer.malformed',
    text: 'An access token that is not a JWT is refused with 401 `_jwt_malformed`.',
    async check({ send }) {
      mustRefuse(await send('GET', '/v1/customers/find?q=x', { token: 'not-a-jwt' }), 401, '_jwt_malformed')
    },
  },
  {
    id: 'bearer.forged',
    text: 'A token with another signature is refused with 401.',
    async check(till) {
      const token = await till.token()
      const forged = `${token.slice(0, token.lastIndexOf('.'))}.${Buffer.alloc(32, 7).toString('base64url')}`
      mustRefuse(await till.send('GET', '/v1/customers/find?q=x', { token: forged }), 401)
    },
  },
  {
    id: 'error.body',
    text: 'Every error has `statuscode`, `errorcode`, `message`, `description`, `timestamp`, `path` and `method`.',
    async check({ send }) {
      const { body } = await send('POST', '/auth/token', { headers: { 'x-api-key': 'x' } })
      const types = {
        statuscode: 'number',
        errorcode: 'number',
        message: 'string',
        description: 'string',
        timestamp: 'number',
        path: 'string',
        method: 'string',
      }
      for (const [name, type] of Object.entries(types)) {
        must(typeof body?.[name] === type, `${name} is ${JSON.stringify(body?.[name])}, not a ${type}`)
      }
      must(body.statuscode === 400 && body.errorcode === 400, 'statuscode and errorcode are not the status')
      must(body.path === '/auth/token' && body.method === 'POST', `it names ${body.method} ${body.path}`)
      must(Math.abs(body.timestamp - Date.now()) < 3_600_000, `timestamp ${body.timestamp} is not now, in ms`)
    },
  },
]

const credentialHeaders = (apiKey: string, apiSecret: string) => ({
  'x-api-key': apiKey,
  'x-api-secret': apiSecret,
})

function mustBeTokens(body: Record<string, unknown>): void {
  for (const name of ['accessToken', 'refreshToken']) {
    must(typeof body[name] === 'string' && body[name] !== '', `${name} is not a text`)
  }
  must(body.tokenType === 'Bearer', `tokenType is ${JSON.stringify(body.tokenType)}`)
  must(Number.isInteger(body.expiresIn), 'expiresIn is not a whole number')
}
