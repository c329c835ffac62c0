/**
 * The web service that phones with a pass use, as Apple has specified it: paths, statuses and headers are not ours to
 * choose. It is part of no client's API, and so not of the reference.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Refused } from '../../domain/refusal.ts'
import type { Deps } from '../../operations/deps.ts'
import { pkpassType } from '../../operations/passes/apple-pass.ts'
import {
  listPhonePasses,
  type PhoneRequest,
  readNewestPass,
  readPassToken,
  registerPhone,
  unregisterPhone,
} from '../../operations/passes/apple-web-service.ts'
import type { Server } from '../fastify-server.ts'
import type { ServerOptions } from '../server-options.ts'

const PhonePath = Type.Object({
  organization: Type.String(),
  device: Type.String({ pattern: '^[A-Za-z0-9._-]{1,100}$' }),
  passType: Type.String(),
  serial: Type.String(),
})
const PassPath = Type.Object({ organization: Type.String(), passType: Type.String(), serial: Type.String() })
const ListPath = Type.Object({
  organization: Type.String(),
  device: Type.String({ pattern: '^[A-Za-z0-9._-]{1,100}$' }),
  passType: Type.String(),
})

/** It becomes a part of the address that changes are sent to. */
const PushToken = Type.Object({ pushToken: Type.String({ pattern: '^[0-9A-Fa-f]{8,200}$' }) })
const Logs = Type.Object({ logs: Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 100 }) })
const Since = Type.Object({ passesUpdatedSince: Type.Optional(Type.String({ maxLength: 100 })) })

const shownLogs = 10
const shownCharacters = 300

export function applePassRoutes(app: Server, { deps }: ServerOptions): void {
  const asPass = { config: { access: 'public', lane: 'connection' } as const, onRequest: checkToken(deps) }
  const asAnyone = { config: { access: 'public', lane: 'connection' } as const }
  const phones = '/passes/:organization/v1/devices/:device/registrations/:passType'

  app.post(
    `${phones}/:serial`,
    { ...asPass, schema: hidden({ params: PhonePath, body: PushToken }) },
    async (request, reply) => {
      const { pushToken } = request.body as Static<typeof PushToken>
      const isNew = await registerPhone(deps, phoneOf(request), pushToken)
      return reply.code(isNew ? 201 : 200).send()
    },
  )

  app.delete(
    `${phones}/:serial`,
    { ...asPass, schema: hidden({ params: PhonePath }) },
    async (request, reply) => {
      await unregisterPhone(deps, phoneOf(request))
      return reply.code(200).send()
    },
  )

  app.get(
    phones,
    { ...asAnyone, schema: hidden({ params: ListPath, querystring: Since }) },
    async (request, reply) => {
      const { organization, device } = request.params as Static<typeof ListPath>
      const { passesUpdatedSince } = request.query as Static<typeof Since>
      const found = await listPhonePasses(deps, organization, device, passesUpdatedSince)
      if (!found) return reply.code(204).send()
      return reply.send({ serialNumbers: found.serials, lastUpdated: found.tag })
    },
  )

  app.get(
    '/passes/:organization/v1/passes/:passType/:serial',
    { ...asPass, schema: hidden({ params: PassPath }) },
    (request, reply) => sendNewest(deps, request, reply),
  )

  app.post(
    '/passes/:organization/v1/log',
    { config: { access: 'public' }, schema: hidden({ body: Logs }) },
    async (request, reply) => {
      const { logs } = request.body as Static<typeof Logs>
      for (const message of logs.slice(0, shownLogs)) {
        deps.log.info({ message: message.slice(0, shownCharacters) }, 'a phone reports a problem with a pass')
      }
      return reply.code(200).send()
    },
  )
}

const hidden = (schema: object) => ({ hide: true, ...schema }) as object

/** `Authorization: ApplePass <token>`, for the pass in the path. */
function checkToken(deps: Deps) {
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
    const token = /^ApplePass +(\S{1,200})$/.exec(request.headers.authorization ?? '')?.[1]
    const { serial } = request.params as { serial: string }
    request.wallet = token === undefined ? undefined : readPassToken(deps, token, serial)
    done(
      request.wallet
        ? undefined
        : new Refused('_unauthorized', 'Send "Authorization: ApplePass <token>", as the pass has it.'),
    )
  }
}

function phoneOf({ params, wallet }: FastifyRequest): PhoneRequest {
  const { organization, device } = params as Static<typeof PhonePath>
  return { organization, device, key: wallet! }
}

async function sendNewest(deps: Deps, request: FastifyRequest, reply: FastifyReply) {
  const { organization } = request.params as Static<typeof PassPath>
  const since = Date.parse(request.headers['if-modified-since'] ?? '')
  const known = Number.isNaN(since) ? undefined : new Date(since)
  const newest = await readNewestPass(deps, organization, request.wallet!, known)
  if (newest.kind === 'unchanged') return reply.code(304).send()
  reply.header('last-modified', newest.changedAt.toUTCString()).header('content-type', pkpassType)
  return reply.send(newest.pass)
}
