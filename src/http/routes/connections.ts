import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import {
  addConnection,
  revokeConnection,
  rotateOwnConnection,
} from '../../operations/auth/manage-connections.ts'
import {
  listConnectionsShownTo,
  listOwnConnections,
  type OwnConnection,
} from '../../store/own-connections.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { named } from '../openapi/name-components.ts'
import { listPage, PageQuery } from '../requests/paging.ts'
import { respondToWrite } from '../respond.ts'
import { ConnectionStatus } from '../schemas/choices.ts'
import { exampleId, exampleSecret, ownConnectionExample } from '../schemas/examples.ts'
import { CreatedAt, Id, Optional, PageOf, Text, Timestamp } from '../schemas/fields.ts'
import { Rotation, rotationAbout, Scopes } from '../schemas/platform.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Connections']
const ConnectionPath = Type.Object({ id: Id('con') })

const OwnConnectionReply = Type.Object(
  {
    id: Id('con'),
    name: Optional(Type.String({ description: 'What the software is called.' })),
    integration: Id('int'),
    scopes: Scopes,
    user: Id('usr', 'The user that its requests act as.'),
    status: ConnectionStatus,
    createdAt: CreatedAt,
    issuedTo: Optional(
      Id(
        'usr',
        'The user that its newest secret was shown to; omitted if that was the operator or is unknown.',
      ),
    ),
    lastUsedAt: Optional(Timestamp('Time of its last request; to the hour if that was long ago.')),
  },
  {
    ...named('OwnConnection'),
    examples: [ownConnectionExample],
  },
)

function toOwnConnectionReply({ id, name, integration, scopes, user, issuedTo, ...times }: OwnConnection) {
  return {
    id,
    name,
    integration,
    scopes: [...scopes],
    user,
    status: times.revokedAt ? ('revoked' as const) : ('active' as const),
    createdAt: times.createdAt.toISOString(),
    issuedTo,
    lastUsedAt: times.lastUsedAt?.toISOString(),
  }
}

const NewConnectionBody = Type.Object(
  {
    name: Text(200, { minLength: 1, description: 'What the software is called.' }),
    scopes: Optional(Scopes),
  },
  { ...named('NewConnection'), examples: [{ name: 'Web shop', scopes: ['pos'] }] },
)

const OwnConnectionWithCredentialsReply = Type.Object(
  {
    ...OwnConnectionReply.properties,
    apiKey: Type.String({ description: 'The API key; shown once.' }),
    apiSecret: Type.String({ description: 'The API secret; shown once.' }),
  },
  {
    ...named('OwnConnectionWithCredentials'),
    examples: [
      {
        ...ownConnectionExample,
        apiKey: `lwk_${exampleSecret}`,
        apiSecret: `lws_${exampleSecret}`,
      },
    ],
  },
)

const NewSecretReply = Type.Object(
  { id: Id('con'), apiSecret: Type.String({ description: 'The API secret; shown once.' }) },
  {
    ...named('NewSecret'),
    examples: [{ id: exampleId('con'), apiSecret: `lws_${exampleSecret}` }],
  },
)

const RevocationBody = Type.Object(
  {
    revokeConnections: Optional(
      Type.Boolean({
        description:
          'Also revokes the active connections with a secret that was shown to this one, and so on (default false).',
      }),
    ),
  },
  { ...named('Revocation'), examples: [{ revokeConnections: true }] },
)

export function connectionRoutes(app: Server, options: ServerOptions): void {
  listRoute(app, options)
  addRoute(app, options)
  rotateRoute(app, options)
  revokeRoute(app, options)
}

function listRoute(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/connections',
    {
      config: { access: ['manage'] },
      schema: {
        operationId: 'listOwnConnections',
        summary: 'List the connections of the organization, newest first',
        tags,
        querystring: Type.Object({
          ...PageQuery,
          person: Optional(
            Id(
              'psn',
              'Only active connections with a valid secret that this person was shown, or that a connection made with such a secret was.',
            ),
          ),
        }),
        response: { 200: PageOf(OwnConnectionReply) },
      },
    },
    async (request) => {
      const tenant = tenantOf(deps.pool, request.caller.organization.orgId)
      const { person: named } = request.query
      if (named === undefined) {
        return listPage(
          'con',
          request.query,
          (page) => listOwnConnections(tenant, page),
          toOwnConnectionReply,
        )
      }
      const person = parseId('psn', named)
      const list: typeof listOwnConnections = async (own, page) =>
        person ? listConnectionsShownTo(own, person, deps.clock(), page) : []
      return listPage('con', request.query, (page) => list(tenant, page), toOwnConnectionReply)
    },
  )
}

function addRoute(app: Server, { deps }: ServerOptions): void {
  const { clock, credentials } = deps

  app.post(
    '/v1/connections',
    {
      config: { access: ['manage'], hidesReply: true, refusals: ['too_many_connections'] },
      schema: {
        operationId: 'addConnection',
        summary: 'Create a connection for your own software; its API key and secret are shown once',
        description:
          'The scopes default to `pos`, and you cannot grant a scope you do not have. An organization has at most 100 active connections.',
        tags,
        body: NewConnectionBody,
        response: {
          201: OwnConnectionWithCredentialsReply,
        },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => addConnection(tenant, credentials, request.caller, request.body, clock()),
        status: 201,
        render: ({ apiKey, apiSecret, ...connection }) => ({
          ...toOwnConnectionReply(connection),
          apiKey,
          apiSecret,
        }),
      }),
  )
}

function rotateRoute(app: Server, { deps }: ServerOptions): void {
  const { clock, credentials } = deps

  app.post(
    '/v1/connections/:id/rotate',
    {
      config: {
        access: ['manage'],
        hidesReply: true,
        refusals: ['connection_not_found', 'connection_revoked'],
      },
      schema: {
        operationId: 'rotateConnection',
        summary: "Rotate a connection's API secret",
        description: rotationAbout,
        tags,
        params: ConnectionPath,
        body: Rotation,
        response: {
          200: NewSecretReply,
        },
      },
    },
    (request, reply) => {
      const id = parseId('con', request.params.id)
      const overlap = request.body.overlapSeconds ?? 0
      return respondToWrite(deps, request, reply, {
        work: (tenant) => rotateOwnConnection(tenant, credentials, id, overlap, clock(), request.caller),
        status: 200,
        render: ({ id, apiSecret }) => ({ id, apiSecret }),
      })
    },
  )
}

function revokeRoute(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/v1/connections/:id/revoke',
    {
      config: { access: ['manage'], isRepeatable: true, refusals: ['connection_not_found'] },
      schema: {
        operationId: 'revokeConnection',
        summary: 'Revoke a connection permanently',
        description:
          'Its secrets and all tokens opened with them stop working immediately. Connections made with its tokens, and those whose secret was rotated with one, stay, unless `revokeConnections` is set.',
        tags,
        params: ConnectionPath,
        body: RevocationBody,
        response: { 200: OwnConnectionReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) =>
          revokeConnection(
            tenant,
            parseId('con', request.params.id),
            request.caller,
            request.body,
            deps.clock(),
          ),
        status: 200,
        render: toOwnConnectionReply,
      }),
  )
}
