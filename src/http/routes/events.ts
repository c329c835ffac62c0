/** What happened in an organization, for software that follows it. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { CustomerId } from '../../domain/ids.ts'
import { createEventWaiters, type EventPlace, type WaitEnd } from '../../operations/events/event-waiters.ts'
import {
  type EventStart,
  type EventsRead,
  parseEventStart,
  readEvents,
} from '../../operations/events/read-events.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { waitAside } from '../plugins/wait-aside.ts'
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
  wait: Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30,
      description:
        'If there is nothing to return, wait this many seconds for it (default 0). The response comes within a second of the event, or without events when the time is over. At most ten requests of an organization can wait at a time; others get 429.',
    }),
  ),
})

/** How often the access of a caller that waits is checked: one query for all that wait with a token. */
const checkEveryMs = 2_000

export function eventRoutes(app: Server, { deps }: ServerOptions): void {
  const waiters = createEventWaiters(deps.pool)
  app.addHook('preClose', async () => waiters.stop())
  app.get(
    '/v1/events',
    {
      config: { access: ['manage'], skipsRequestLog: true, refusals: ['cursor_expired'] },
      schema: {
        operationId: 'listEvents',
        summary: 'Read the events, in order',
        description:
          'Every event exactly once, if you store the `cursor` together with what you make of the events and send it as `after`. ' +
          'While `hasMore` is true, ask again at once; otherwise ask with `wait`, which spares you asking again and again. ' +
          'The operator sets how long events are kept.',
        tags: ['Events'],
        querystring: EventsQuery,
        response: { 200: EventList },
      },
    },
    async (request, reply) => {
      const { organization } = request.caller
      const { after, limit = defaultLimit, types, customer, wait = 0 } = request.query
      // A malformed ID is that of no customer, and of no event.
      const wanted = { types, customer: customer as CustomerId | undefined, limit }
      const tenant = tenantOf(deps.pool, organization.orgId)
      const read = (start: EventStart) => readEvents(tenant, organization, start, wanted)
      let found = await read(parseEventStart(organization, after))
      if (wait > 0 && isEmpty(found)) {
        const place = waiters.enter(organization.orgId)
        reply.raw.once('close', place.leave)
        try {
          found = await waitForMore(app, { request, reply }, place, found, read)
        } finally {
          place.leave()
        }
      }
      const { events, cursor, hasMore } = found
      return { data: [...events], cursor, hasMore }
    },
  )
}

const isEmpty = ({ events, hasMore }: EventsRead) => events.length === 0 && !hasMore

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Reads again whenever there are new events, until one of them is among those that are asked for. */
async function waitForMore(
  app: Server,
  { request, reply }: Exchange,
  place: EventPlace,
  before: EventsRead,
  read: (start: EventStart) => Promise<EventsRead>,
): Promise<EventsRead> {
  const { wait = 0 } = request.query as { wait?: number }
  const endsMs = performance.now() + wait * 1_000
  let found = before
  while (isEmpty(found)) {
    const { result, takeTurn } = await waitAside(request, () =>
      waitChecked(app, request, place, found.until, endsMs),
    )
    // A service that stops waits for its connections to close.
    if (result === 'over') reply.header('connection', 'close')
    if (result !== 'events') return found
    await takeTurn()
    found = await read(found.until)
  }
  return found
}

/** A caller that has lost its access meanwhile is refused, whether there are events or not. */
async function waitChecked(
  app: Server,
  request: FastifyRequest,
  place: EventPlace,
  after: number,
  endsMs: number,
): Promise<WaitEnd> {
  for (;;) {
    const leftMs = endsMs - performance.now()
    if (leftMs <= 0) return 'time'
    const end = await place.wait(after, Math.min(leftMs, checkEveryMs))
    if (end === 'over') return end
    await app.checkAgain(request)
    if (end === 'events') return end
  }
}
