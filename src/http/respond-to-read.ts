/** Reads whose data may be a little old come from the replica, if there is one that will do. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refused } from '../domain/refusal.ts'
import type { Deps } from '../operations/deps.ts'
import type { ReplicaReads } from '../operations/replica-reads.ts'
import { type Tenant, tenantOf } from '../store/tenant.ts'
import type { Server } from './fastify-server.ts'
import { lastWrite, type Site, setLastWrite } from './plugins/session-cookie.ts'

/**
 * Reports, exports and whole lists, for callers with the scope `manage`: their routes have `mayLag`. What a till asks
 * decides what it does next, and so does a list that is narrowed down to one receipt, customer or card: that comes
 * from the primary.
 */
function mayLag({ routeOptions, caller, query }: FastifyRequest): boolean {
  if (!routeOptions.config.mayLag || !caller.scopes.includes('manage')) return false
  return !Object.keys(Object(query)).some((name) => ['opaqueId', 'customer', 'card'].includes(name))
}

/** Before the response is sent: the next request of the same caller may follow at once. */
export function noteWrites(app: Server, replica: ReplicaReads, site: Site): void {
  app.decorateRequest('lastWriteMs', 0)
  app.addHook('onRequest', (request, _reply, done) => {
    request.lastWriteMs = lastWrite(request.headers.cookie, site)
    done()
  })
  app.addHook('onSend', ({ method, caller }, reply, _payload, done) => {
    if (['GET', 'HEAD'].includes(method) || !caller) return done()
    replica.noteWrite(caller)
    const seconds = Math.ceil(replica.maxAgeMs / 1000) + 1
    if (caller.kind === 'person') setLastWrite(reply, Date.now(), seconds, site)
    done()
  })
}

export async function respondToRead<T>(
  { pool, replica }: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  read: (tenant: Tenant) => Promise<T>,
): Promise<T> {
  const { caller } = request
  const primary = tenantOf(pool, caller.organization.orgId)
  if (!replica) return read(primary)
  const found = mayLag(request) ? replica.find(request) : undefined
  if (found) {
    try {
      reply.header('data-age', (found.ageMs / 1000).toFixed(1))
      const result = await read(found.tenant)
      replica.count('replica')
      return result
    } catch (error) {
      reply.removeHeader('data-age')
      // The primary may know already what is missing here.
      if (!(error instanceof Refused)) throw error
    }
  }
  replica.count('primary')
  return read(primary)
}
