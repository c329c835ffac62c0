/** Runs a write through the spine and sends its answer: the first one, or the same again for a repeated key. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CustomerId } from '../domain/ids.ts'
import { Refused } from '../domain/refusal.ts'
import type { Deps } from '../operations/deps.ts'
import { perform } from '../operations/perform.ts'
import { platformOrg, type Scope } from '../store/scope.ts'
import { isAudited, toAuditNote } from './audit-note.ts'

export interface Write<T> {
  readonly work: (scope: Scope) => Promise<T>
  readonly status: number
  readonly render: (result: T) => unknown
  /** What is added to the answer, also to one that is given again, and is not kept. */
  readonly finish?: (body: never) => unknown
  /** Whose personal data the rendered answer holds. */
  readonly customerOf?: (result: T) => CustomerId | undefined
  /** The organization that an operator's call concerns; its audit log tells of it. */
  readonly orgOf?: (result: T) => number
}

export async function write<T>(deps: Deps, request: FastifyRequest, reply: FastifyReply, write: Write<T>) {
  const org = request.caller?.organization.number ?? platformOrg
  const performed = await perform(
    deps,
    org,
    { route: `${request.method} ${pathOf(request)}`, key: idempotencyKey(request), body: request.body ?? {} },
    write.work,
    (result) => ({ status: write.status, body: write.render(result), customer: write.customerOf?.(result) }),
    (result, body) => {
      const concerned = request.caller ? org : write.orgOf?.(result)
      return concerned !== undefined && isAudited(request) ? toAuditNote(request, concerned, body) : undefined
    },
  )
  if (performed.isReplay) reply.header('idempotent-replayed', 'true')
  const { finish = (body: unknown) => body } = write
  return reply.code(performed.status).send((finish as (body: unknown) => unknown)(performed.body))
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0]!
}

/** The key of a repeatable call. Calls whose reply carries a secret have none: the secret is shown once. */
export function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || !request.routeOptions.config.isRepeatable) return undefined
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new Refused('_invalid_payload', 'Idempotency-Key: 1 to 255 printable characters.')
  }
  return key
}
