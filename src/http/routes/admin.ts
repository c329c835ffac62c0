import { Type } from 'typebox'
import { type OrganizationId, parseId } from '../../domain/ids.ts'
import { notFound } from '../../domain/refusal.ts'
import { actorOf } from '../../operations/actor.ts'
import { rotateConnectionSecret } from '../../operations/auth/manage-connections.ts'
import {
  createConnection,
  createIntegration,
  createOrganization,
  patchOrganization,
  rotateIntegrationKey,
} from '../../operations/organizations/manage-organizations.ts'
import {
  type Connection,
  findConnection,
  findIntegration,
  type Integration,
  listConnections,
  listIntegrations,
} from '../../store/credentials.ts'
import {
  findOrganization,
  findShownOrganization,
  listOrganizations,
  listShownOrganizations,
  type OrganizationPatch,
} from '../../store/organizations.ts'
import { inTransaction, platformOrg, platformTenant, type Tenant, tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { listPage, PageQuery } from '../requests/paging.ts'
import { respondToWrite } from '../respond.ts'
import { Id, PageOf } from '../schemas/fields.ts'
import {
  ConnectionReply,
  ConnectionWithSecret,
  IntegrationPath,
  IntegrationReply,
  IntegrationWithKey,
  keyRotationAbout,
  NewIntegrationBody,
  NewOrganizationBody,
  NewOrganizationConnectionBody,
  OrganizationRegionPatchBody,
  Rotation,
  rotationAbout,
  SubscriptionChangeBody,
} from '../schemas/platform.ts'
import type { ServerOptions } from '../server-options.ts'
import { OrganizationReply, toOrganizationReply } from './organization.ts'

const tags = ['Platform']
const access = 'operator' as const
const querystring = Type.Object(PageQuery)

const toIntegrationReply = ({ id, name, createdAt }: Integration) => ({
  id,
  name,
  createdAt: createdAt.toISOString(),
})
const toConnectionReply = ({ id, organization, integration, scopes, createdAt }: Connection) => ({
  id,
  organization,
  integration,
  scopes: [...scopes],
  createdAt: createdAt.toISOString(),
})
const toConnectionWithSecret = (connection: Connection & { apiSecret: string }) => ({
  ...toConnectionReply(connection),
  apiSecret: connection.apiSecret,
})

export function adminRoutes(app: Server, options: ServerOptions): void {
  organizationAdministration(app, options)
  integrationAdministration(app, options)
  connectionAdministration(app, options)
  rotationAdministration(app, options)
}

function organizationAdministration(app: Server, { deps }: ServerOptions): void {
  const { pool, clock } = deps
  const OrganizationPath = Type.Object({ id: Id('org') })

  app.post(
    '/admin/v1/organizations',
    {
      config: { access, isRepeatable: true },
      schema: {
        operationId: 'createOrganization',
        summary: 'Create an organization',
        tags,
        body: NewOrganizationBody,
        response: { 201: OrganizationReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => createOrganization(tenant, request.body, clock()),
        status: 201,
        render: toOrganizationReply,
        orgOf: ({ orgId }) => orgId,
      }),
  )

  app.get(
    '/admin/v1/organizations',
    {
      config: { access },
      schema: {
        operationId: 'listOrganizations',
        summary: 'List organizations',
        tags,
        querystring,
        response: { 200: PageOf(OrganizationReply) },
      },
    },
    async (request) => {
      const tenant = platformTenant(pool)
      return listPage(
        'org',
        request.query,
        async (page) => listShownOrganizations(tenant, await listOrganizations(tenant, page)),
        toOrganizationReply,
      )
    },
  )

  app.get(
    '/admin/v1/organizations/:id',
    {
      config: { access, refusals: ['organization_not_found'] },
      schema: {
        operationId: 'getOrganizationById',
        summary: 'Get an organization',
        tags,
        params: OrganizationPath,
        response: { 200: OrganizationReply },
      },
    },
    async (request) => {
      const id = parseId('org', request.params.id)
      const tenant = platformTenant(pool)
      const organization = id && (await findOrganization(tenant, id))
      if (!organization) throw notFound('organization_not_found')
      return toOrganizationReply(await findShownOrganization(tenant, organization))
    },
  )

  app.patch(
    '/admin/v1/organizations/:id',
    {
      config: { access, refusals: ['organization_not_found'] },
      schema: {
        operationId: 'patchOrganizationById',
        summary: 'Change an organization',
        tags,
        params: OrganizationPath,
        body: OrganizationRegionPatchBody,
        response: { 200: OrganizationReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => patchAsOperator(tenant, parseId('org', request.params.id), request.body, clock()),
        status: 200,
        render: toOrganizationReply,
        orgOf: ({ orgId }) => orgId,
      }),
  )

  app.post(
    '/admin/v1/organizations/:id/subscription',
    {
      config: { access, isRepeatable: true, refusals: ['organization_not_found'] },
      schema: {
        operationId: 'setSubscription',
        summary: "Turn an organization's subscription on or off",
        description: "Takes effect with the organization's next request.",
        tags,
        params: OrganizationPath,
        body: SubscriptionChangeBody,
        response: { 200: OrganizationReply },
      },
    },
    (request, reply) => {
      const id = parseId('org', request.params.id)
      return respondToWrite(deps, request, reply, {
        work: (tenant) => patchAsOperator(tenant, id, { isSubscribed: request.body.active }, clock()),
        status: 200,
        render: toOrganizationReply,
        orgOf: ({ orgId }) => orgId,
      })
    },
  )
}

function integrationAdministration(app: Server, { deps }: ServerOptions): void {
  const { pool, clock, credentials } = deps

  app.post(
    '/admin/v1/integrations',
    {
      config: { access, hidesReply: true },
      schema: {
        operationId: 'createIntegration',
        summary: 'Create an integration; its API key is shown once',
        tags,
        body: NewIntegrationBody,
        response: { 201: IntegrationWithKey },
      },
    },
    async (request, reply) => {
      const created = await inTransaction(pool, platformOrg, (tenant) =>
        createIntegration(tenant, credentials, request.body.name, clock()),
      )
      return reply.code(201).send({ ...toIntegrationReply(created), apiKey: created.apiKey })
    },
  )

  app.get(
    '/admin/v1/integrations',
    {
      config: { access },
      schema: {
        operationId: 'listIntegrations',
        summary: 'List integrations',
        tags,
        querystring,
        response: { 200: PageOf(IntegrationReply) },
      },
    },
    async (request) => {
      const tenant = platformTenant(pool)
      return listPage('int', request.query, (page) => listIntegrations(tenant, page), toIntegrationReply)
    },
  )

  app.get(
    '/admin/v1/integrations/:id',
    {
      config: { access, refusals: ['integration_not_found'] },
      schema: {
        operationId: 'getIntegration',
        summary: 'Get an integration',
        tags,
        params: IntegrationPath,
        response: { 200: IntegrationReply },
      },
    },
    async (request) => {
      const id = parseId('int', request.params.id)
      const integration = id && (await findIntegration(platformTenant(pool), id))
      if (!integration) throw notFound('integration_not_found')
      return toIntegrationReply(integration)
    },
  )
}

function connectionAdministration(app: Server, { deps }: ServerOptions): void {
  const { pool, clock, credentials } = deps

  app.post(
    '/admin/v1/organizations/:id/connections',
    {
      config: {
        access,
        hidesReply: true,
        refusals: ['organization_not_found', 'integration_not_found', 'too_many_connections'],
      },
      schema: {
        operationId: 'createConnection',
        summary: 'Connect an integration to an organization; the API secret is shown once',
        tags,
        params: Type.Object({ id: Id('org') }),
        body: NewOrganizationConnectionBody,
        response: { 201: ConnectionWithSecret },
      },
    },
    (request, reply) => {
      const input = {
        organization: parseId('org', request.params.id),
        integration: parseId('int', request.body.integration),
        scopes: request.body.scopes,
      }
      return respondToWrite(deps, request, reply, {
        work: (tenant) => createConnection(tenant, credentials, input, clock()),
        status: 201,
        render: toConnectionWithSecret,
        orgOf: ({ org }) => org,
      })
    },
  )

  app.get(
    '/admin/v1/organizations/:id/connections',
    {
      config: { access, refusals: ['organization_not_found'] },
      schema: {
        operationId: 'listConnections',
        summary: "List an organization's connections",
        tags,
        params: Type.Object({ id: Id('org') }),
        querystring,
        response: { 200: PageOf(ConnectionReply) },
      },
    },
    async (request) => {
      const id = parseId('org', request.params.id)
      const organization = id && (await findOrganization(platformTenant(pool), id))
      if (!organization) throw notFound('organization_not_found')
      const tenant = tenantOf(pool, organization.orgId)
      return listPage('con', request.query, (page) => listConnections(tenant, page), toConnectionReply)
    },
  )

  app.get(
    '/admin/v1/connections/:id',
    {
      config: { access, refusals: ['connection_not_found'] },
      schema: {
        operationId: 'getConnection',
        summary: 'Get a connection',
        tags,
        params: Type.Object({ id: Id('con') }),
        response: { 200: ConnectionReply },
      },
    },
    async (request) => {
      const id = parseId('con', request.params.id)
      const connection = id && (await findConnection(platformTenant(pool), id))
      if (!connection) throw notFound('connection_not_found')
      return toConnectionReply(connection)
    },
  )
}

function rotationAdministration(app: Server, { deps }: ServerOptions): void {
  const { pool, clock, credentials } = deps

  app.post(
    '/admin/v1/integrations/:id/rotate',
    {
      config: { access, hidesReply: true, refusals: ['integration_not_found'] },
      schema: {
        operationId: 'rotateIntegrationKey',
        summary: "Rotate an integration's API key",
        description: keyRotationAbout,
        tags,
        params: IntegrationPath,
        body: Rotation,
        response: { 200: IntegrationWithKey },
      },
    },
    async (request) => {
      const id = parseId('int', request.params.id)
      const rotated = await inTransaction(pool, platformOrg, (tenant) =>
        rotateIntegrationKey(tenant, credentials, id, request.body.overlapSeconds ?? 0, clock()),
      )
      return { ...toIntegrationReply(rotated), apiKey: rotated.apiKey }
    },
  )

  app.post(
    '/admin/v1/connections/:id/rotate',
    {
      config: { access, hidesReply: true, refusals: ['connection_not_found', 'connection_revoked'] },
      schema: {
        operationId: 'rotateConnectionSecret',
        summary: "Rotate a connection's API secret",
        description: rotationAbout,
        tags,
        params: Type.Object({ id: Id('con') }),
        body: Rotation,
        response: { 200: ConnectionWithSecret },
      },
    },
    (request, reply) => {
      const id = parseId('con', request.params.id)
      const overlap = request.body.overlapSeconds ?? 0
      return respondToWrite(deps, request, reply, {
        work: (tenant) => rotateConnectionSecret(tenant, credentials, id, overlap, clock()),
        status: 200,
        render: toConnectionWithSecret,
        orgOf: ({ org }) => org,
      })
    },
  )
}

const patchAsOperator = (
  tenant: Tenant,
  id: OrganizationId | undefined,
  patch: OrganizationPatch,
  now: Date,
) => patchOrganization(tenant, id, patch, actorOf(undefined), now)
