/** What happened in an organization, for software that follows it. */
import { Type } from 'typebox'
import type { CustomerId } from '../../domain/ids.ts'
import { parseEventStart, readEvents } from '../../operations/events/read-events.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { EventList, EventTypes } from '../schemas/events.ts'
import { OfCustomer, Optional } from '../schemas/fields.ts'
import type { ServerOptions } from '../server-options.ts'

const defaultLimit = 100
const maxLimit = 1_000

const EventsQuery = Type.Object({
  after: Optional(
    Type.String({
      maxLength: 100,
      description:
        'The `cursor` of the previous response, or of the last event that you have handled. Without it, from the oldest event that is kept; `latest` for what happens from now on.',
      examples: ['1042-8b9a0f1e'],
    }),
  ),
  limit: Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxLimit,
      description: `The most events in a response (default ${defaultLimit}); there may be fewer.`,
    }),
  ),
  types: Optional(
    Type.Array(EventTypes, { maxItems: 50, description: 'Only these types. Repeat it for several.' }),
  ),
  customer: OfCustomer,
})

export function eventRoutes(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/events',
    {
      config: { access: ['manage'], skipsRequestLog: true, refusals: ['cursor_expired'] },
      schema: {
        operationId: 'listEvents',
        summary: 'Read the events, in order',
        description:
          'Every event exactly once, if you store the `cursor` together with what you make of the events and send it as `after`. ' +
          'While `hasMore` is true, ask again at once. The operator sets how long events are kept.',
        tags: ['Events'],
        querystring: EventsQuery,
        response: { 200: EventList },
      },
    },
    async ({ caller: { organization }, query }) => {
      const { after, limit = defaultLimit, types, customer } = query
      const start = parseEventStart(organization, after)
      // A malformed ID is that of no customer, and of no event.
      const wanted = { types, customer: customer as CustomerId | undefined, limit }
      const tenant = tenantOf(deps.pool, organization.orgId)
      const { events, cursor, hasMore } = await readEvents(tenant, organization, start, wanted)
      return { data: [...events], cursor, hasMore }
    },
  )
}
