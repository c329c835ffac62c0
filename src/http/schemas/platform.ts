import { Type } from 'typebox'
import { named } from '../openapi/name-components.ts'
import { connectionExample, integrationExample } from './examples.ts'
import { Id, Optional, Text, Timestamp } from './fields.ts'

export const region = {
  country: Optional(
    Text(2, { description: 'ISO 3166-1 code; also the region of national phone numbers. Defaults to US.' }),
  ),
  timezone: Optional(Text(64, { description: 'IANA name. Defaults to UTC.' })),
  locale: Optional(Text(35, { description: 'BCP 47 tag. Defaults to en.' })),
}

export const Scopes = Type.Array(Type.Union([Type.Literal('pos'), Type.Literal('manage')]), {
  minItems: 1,
  maxItems: 2,
  uniqueItems: true,
})

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
  { examples: [{ overlapSeconds: 3600 }] },
)

export const IntegrationReply = Type.Object(
  { id: Id('int'), name: Type.String(), createdAt: Timestamp() },
  { ...named('Integration'), examples: [integrationExample] },
)
export const ConnectionReply = Type.Object(
  {
    id: Id('con'),
    organization: Id('org'),
    integration: Id('int'),
    scopes: Scopes,
    createdAt: Timestamp(),
  },
  { ...named('Connection'), examples: [connectionExample] },
)
export const IntegrationWithKey = Type.Object(
  {
    ...IntegrationReply.properties,
    apiKey: Type.String({ description: 'Shown once.' }),
  },
  {
    ...named('IntegrationWithKey'),
    examples: [{ ...integrationExample, apiKey: 'lwk_8Jd1mW3rXb7yVt0pQz5nLs2uEaKc4hGf9iRoTj6xYvB' }],
  },
)
export const ConnectionWithSecret = Type.Object(
  {
    ...ConnectionReply.properties,
    apiSecret: Type.String({ description: 'Shown once.' }),
  },
  {
    ...named('ConnectionWithSecret'),
    examples: [{ ...connectionExample, apiSecret: 'lws_2uEaKc4hGf9iRoTj6xYvB8Jd1mW3rXb7yVt0pQz5nLs' }],
  },
)
