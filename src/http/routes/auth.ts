import { Type } from 'typebox'
import { Refused } from '../../domain/refusal.ts'
import { issueToken, type TokenPair } from '../../operations/auth/issue-token.ts'
import { refreshToken } from '../../operations/auth/refresh-token.ts'
import type { Server } from '../fastify-server.ts'
import { named } from '../openapi/name-components.ts'
import { tokenExample } from '../schemas/examples.ts'
import { Timestamp } from '../schemas/fields.ts'
import type { ServerOptions } from '../server-options.ts'

const Token = Type.Object(
  {
    accessToken: Type.String({ description: 'JWT; send it as `Authorization: Bearer …`.' }),
    tokenType: Type.Literal('Bearer', { description: 'How to send it.' }),
    expiresIn: Type.Number({
      description: 'When it expires: Unix time in milliseconds, not a duration.',
      examples: [1_773_480_000_000],
    }),
    expiresAt: Timestamp('The same time in ISO 8601.'),
    refreshToken: Type.String({ description: 'Good for one call of `POST /auth/refreshtoken`.' }),
  },
  { ...named('Token'), examples: [tokenExample] },
)

const toTokenReply = (pair: TokenPair) => ({
  accessToken: pair.accessToken,
  tokenType: 'Bearer' as const,
  expiresIn: pair.expiresAtMs,
  expiresAt: new Date(pair.expiresAtMs).toISOString(),
  refreshToken: pair.refreshToken,
})

const tags = ['Authentication']

const TokenPairBody = Type.Object(
  {
    accessToken: Type.String({ maxLength: 8192, description: 'May have expired.' }),
    refreshToken: Type.String({ maxLength: 8192, description: 'The most recent refresh token.' }),
  },
  {
    ...named('TokenPair'),
    examples: [{ accessToken: tokenExample.accessToken, refreshToken: tokenExample.refreshToken }],
  },
)

export function authRoutes(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/auth/token',
    {
      config: {
        access: 'public',
        lane: 'connection',
        refusals: ['_invalid_credentials', 'invalid_subscription'],
      },
      schema: {
        operationId: 'issueToken',
        summary: 'Exchange an API key and an API secret for a token',
        tags,
        headers: Type.Object({
          'x-api-key': Type.Optional(
            Type.String({ description: 'Identifies the integration.', 'x-required': true }),
          ),
          'x-api-secret': Type.Optional(
            Type.String({ description: 'Identifies the organization.', 'x-required': true }),
          ),
        }),
        response: { 200: Token },
      },
    },
    async (request) => {
      const { 'x-api-key': apiKey, 'x-api-secret': apiSecret } = request.headers
      if (!apiKey) throw new Refused('_invalid_payload', 'The x-api-key header is missing.')
      if (!apiSecret) throw new Refused('_invalid_payload', 'The x-api-secret header is missing.')
      return toTokenReply(await issueToken(deps, apiKey, apiSecret, request.ip))
    },
  )

  app.post(
    '/auth/refreshtoken',
    {
      config: {
        access: 'public',
        lane: 'connection',
        refusals: ['_invalid_refresh_token', 'invalid_subscription'],
      },
      schema: {
        operationId: 'refreshToken',
        summary: 'Refresh a token',
        description: 'The refresh token you send becomes invalid immediately; store both new tokens.',
        tags,
        body: TokenPairBody,
        response: { 200: Token },
      },
    },
    async (request) => {
      const { accessToken, refreshToken: token } = request.body
      return toTokenReply(await refreshToken(deps, accessToken, token, request))
    },
  )
}
