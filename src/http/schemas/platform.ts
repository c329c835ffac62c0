import { Type } from 'typebox'
import { named } from '../openapi/name-components.ts'
import { Scope } from './choices.ts'
import { connectionExample, exampleId, exampleSecret, integrationExample } from './examples.ts'
import { CreatedAt, Id, Optional, Text } from './fields.ts'

const region = {
  country: Optional(
    Text(2, { description: 'ISO 3166-1 code; also the region of national phone numbers. Defaults to US.' }),
  ),
  timezone: Optional(Text(64, { description: 'IANA name. Defaults to UTC.' })),
  locale: Optional(Text(35, { description: 'BCP 47 tag. Defaults to en.' })),
}

export const Scopes = Type.Array(Scope, {
  description: 'What the connection may do.',
  minItems: 1,
  maxItems: 2,
  uniqueItems: true,
})

export const rotationAbout =
  'The old secret, and all tokens opened with it, stop working immediately or after the overlap, in which they can no longer create, rotate or revoke connections. At most ten secrets of a connection are valid at a time.'

export const keyRotationAbout =
  'The old key, and all tokens opened with it in every organization, stop working immediately or after the overlap, in which they can no longer create, rotate or revoke connections.'

export const Rotation = Type.Object(
  {
    overlapSeconds: Optional(
      Type.Integer({
        minimum: 0,
        maximum: 31_536_000,
        description: 'How many seconds the old one keeps working (default 0).',
      }),
    ),
  },
  { ...named('Rotation'), examples: [{ overlapSeconds: 3600 }] },
)

export const IntegrationPath = Type.Object({ id: Id('int') })

export const IntegrationReply = Type.Object(
  {
    id: Id('int'),
    name: Type.String({ description: 'What the software is called.' }),
    createdAt: CreatedAt,
  },
  {
    ...named('Integration'),
    examples: [integrationExample],
  },
)
export const ConnectionReply = Type.Object(
  {
    id: Id('con'),
    organization: Id('org'),
    integration: Id('int'),
    scopes: Scopes,
    createdAt: CreatedAt,
  },
  {
    ...named('Connection'),
    examples: [connectionExample],
  },
)
export const IntegrationWithKey = Type.Object(
  {
    ...IntegrationReply.properties,
    apiKey: Type.String({ description: 'The API key; shown once.' }),
  },
  {
    ...named('IntegrationWithKey'),
    examples: [{ ...integrationExample, apiKey: `lwk_${exampleSecret}` }],
  },
)
export const ConnectionWithSecret = Type.Object(
  {
    ...ConnectionReply.properties,
    apiSecret: Type.String({ description: 'The API secret; shown once.' }),
  },
  {
    ...named('ConnectionWithSecret'),
    examples: [{ ...connectionExample, apiSecret: `lws_${exampleSecret}` }],
  },
)

export const NewOrganizationBody = Type.Object(
  {
    name: Text(200, { minLength: 1, description: 'The name that customers know.' }),
    currency: Optional(
      Text(3, { description: 'ISO 4217 code. Defaults to USD; it cannot be changed later.' }),
    ),
    ...region,
  },
  {
    ...named('NewOrganization'),
    examples: [{ name: 'Blue Cup', country: 'US', currency: 'USD', timezone: 'America/New_York' }],
  },
)

export const OrganizationRegionPatchBody = Type.Object(
  {
    name: Optional(Text(200, { minLength: 1, description: 'The name that customers know.' })),
    ...region,
  },
  { ...named('OrganizationRegionPatch'), examples: [{ name: 'Blue Cup Coffee' }] },
)

export const SubscriptionChangeBody = Type.Object(
  { active: Type.Boolean({ description: 'Whether the organization may use the service.' }) },
  { ...named('SubscriptionChange'), examples: [{ active: true }] },
)

export const NewIntegrationBody = Type.Object(
  { name: Text(200, { minLength: 1, description: 'What the software is called.' }) },
  { ...named('NewIntegration'), examples: [{ name: 'ACME POS' }] },
)

export const NewOrganizationConnectionBody = Type.Object(
  { integration: Id('int', 'The software to connect.'), scopes: Optional(Scopes) },
  {
    ...named('NewOrganizationConnection'),
    examples: [{ integration: exampleId('int'), scopes: ['pos'] }],
  },
)
