import { Type } from 'typebox'
import { modeOf, type ShownOrganization } from '../../domain/organization.ts'
import { patchOrganization } from '../../operations/organizations/manage-organizations.ts'
import { findShownOrganization } from '../../store/organizations.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { named } from '../openapi/name-components.ts'
import { respondToWrite } from '../respond.ts'
import { OrganizationMode } from '../schemas/choices.ts'
import { organizationExample } from '../schemas/examples.ts'
import { CreatedAt, Id, Nullable, Optional, Text } from '../schemas/fields.ts'
import { OrganizationContact, OrganizationContactPatch, organizationFields } from '../schemas/organization.ts'
import type { ServerOptions } from '../server-options.ts'

export const OrganizationReply = Type.Object(
  {
    id: Id('org'),
    ...organizationFields,
    contact: OrganizationContact,
    strictReferences: Type.Boolean({
      description: 'Whether products, users and branches that are not in the directory are refused.',
    }),
    maxBackdateDays: Type.Integer({
      description: 'How many days in the past the `occurredAt` of a sale may be.',
    }),
    subscription: Type.Object(
      { active: Type.Boolean({ description: 'Whether the organization may use the service.' }) },
      { description: 'The subscription to the service.' },
    ),
    isDemo: Type.Boolean({ description: 'Whether this is the demo organization.' }),
    mode: OrganizationMode,
    createdAt: CreatedAt,
  },
  { ...named('Organization'), examples: [organizationExample] },
)

export function toOrganizationReply(organization: ShownOrganization) {
  const { id, name, country, currency, timezone, locale, color, logo, strictReferences, maxBackdateDays } =
    organization
  return {
    id,
    name,
    country,
    currency,
    timezone,
    locale,
    color,
    logo,
    contact: organization.contact,
    strictReferences,
    maxBackdateDays,
    subscription: { active: organization.isSubscribed },
    isDemo: organization.isDemo,
    mode: modeOf(organization),
    createdAt: organization.createdAt.toISOString(),
  }
}

const tags = ['Organization']

/** A URL, or the image itself: in a format that every browser shows, and small enough to store inline. */
const Logo = Text(65_536, {
  pattern: '^(?:https://.{1,1992}|data:image/(?:png|jpeg|webp|svg\\+xml);base64,[A-Za-z0-9+/]+={0,2})$',
  description:
    'An https URL of up to 2,000 characters, or the image itself as `data:image/png;base64,…` (png, jpeg, webp or svg+xml) of up to 64 KB.',
  examples: ['https://example.com/logo.png'],
})

const MaxBackdateDays = Type.Integer({
  minimum: 0,
  maximum: 3650,
  description:
    'How many days in the past the `occurredAt` of a sale may be. ' +
    'Starts at 30. With 0, a sale must be sent within 5 minutes.',
})

const OrganizationPatchBody = Type.Object(
  {
    name: Optional(Text(200, { minLength: 1, description: 'The name that customers know.' })),
    locale: Optional(Text(35, { description: 'BCP 47 tag.' })),
    timezone: Optional(Text(64, { description: 'IANA name.' })),
    color: Optional(
      Nullable(
        Text(7, { pattern: '^#[0-9a-fA-F]{6}$', examples: ['#0b7285'] }),
        'The color of cards and pages; `null` for the default.',
      ),
    ),
    logo: Optional(Nullable(Logo, 'The logo; `null` removes it.')),
    contact: Optional(
      Nullable(OrganizationContactPatch, 'What customers are told; `null` removes all of it.'),
    ),
    strictReferences: Optional(
      Type.Boolean({
        description: 'Whether products, users and branches that are not in the directory are refused.',
      }),
    ),
    maxBackdateDays: Optional(MaxBackdateDays),
  },
  {
    ...named('OrganizationPatch'),
    description: 'JSON Merge Patch: what is left out stays as it is.',
    examples: [{ color: '#0b7285', maxBackdateDays: 45 }],
  },
)

export function organizationRoutes(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/organization',
    {
      config: { access: ['manage'] },
      schema: {
        operationId: 'getOrganization',
        summary: 'Get the organization of the token',
        tags,
        response: { 200: OrganizationReply },
      },
    },
    async (request) => {
      const { organization } = request.caller
      return toOrganizationReply(
        await findShownOrganization(tenantOf(deps.pool, organization.orgId), organization),
      )
    },
  )

  app.patch(
    '/v1/organization',
    {
      config: { access: ['manage'] },
      schema: {
        operationId: 'patchOrganization',
        summary: 'Change the organization of the token',
        tags,
        body: OrganizationPatchBody,
        response: { 200: OrganizationReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) =>
          patchOrganization(
            tenant,
            request.caller.organization.id,
            request.body,
            request.caller,
            deps.clock(),
          ),
        status: 200,
        render: toOrganizationReply,
      }),
  )
}
